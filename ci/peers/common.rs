//! Random numbers, figures and deaths of the programs of `ci/peers`.

use std::time::{Duration, SystemTime};

/// Random numbers (splitmix64), other ones on each PE.
pub struct Draws(u64);

impl Draws {
    pub fn of(pe: usize) -> Draws {
        Draws(pe as u64 + 1)
    }

    pub fn below(mut self, bound: usize) -> impl Iterator<Item = usize> {
        std::iter::repeat_with(move || {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((mixed ^ mixed >> 31) % bound as u64) as usize
        })
    }
}

/// Print a figure, on PE 0.
pub fn tell(me: usize, figure: f64) {
    if me == 0 {
        println!("figure {figure:.3}");
    }
}

/// The time by the clock of the host, in milliseconds since 1970: two processes compare it.
pub fn now_ms() -> f64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs_f64() * 1e3
}

/// End this process by SIGKILL, while the other one waits, after the time was written to `file`.
pub fn die(file: &str) -> ! {
    std::thread::sleep(Duration::from_millis(300));
    let me = std::process::id().to_string();
    std::fs::write(file, format!("{:.3}\n", now_ms())).expect("the file can be written");
    std::process::Command::new("kill").args(["-9", &me]).status().expect("there is a kill");
    unreachable!("it was killed")
}
