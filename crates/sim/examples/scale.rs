//! Print the table of costs at scale: `cargo run -p ferrite-sim --release --example scale > crates/sim/SCALE.md`.
//!
//! With a number, only team sizes up to that.

use ferrite_sim::model::Machine;
use ferrite_sim::scale::{CASES, SIZES, TAIL, head, line};

fn main() {
    let most = std::env::args().nth(1).and_then(|s| s.parse().ok()).unwrap_or(usize::MAX);
    print!("{}", head(&Machine::TYPICAL));
    for case in CASES {
        for pes in SIZES.into_iter().filter(|pes| *pes <= most) {
            println!("{}", line(case, Machine::TYPICAL, pes));
        }
    }
    print!("{TAIL}");
}
