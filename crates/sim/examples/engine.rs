//! Run trials of the engine again: `cargo run -p ferrite-sim --example engine -- SEED [END]`. A failure is shown with as few actions as
//! possible.

use ferrite_sim::engine::trial::Trial;
use std::{env, time::Instant};

fn main() {
    let seeds: Vec<u64> = env::args().skip(1).map_while(|argument| argument.parse().ok()).collect();
    let range = match seeds[..] {
        [seed] => seed..seed + 1,
        [from, end] => from..end,
        _ => return eprintln!("usage: engine SEED [END], decimal numbers; a failing test prints its seed"),
    };
    let (start, mut failures) = (Instant::now(), 0);
    for seed in range.clone() {
        for trial in [Trial::draw(seed), Trial::draw_with_loss(seed)] {
            if let Err(what) = trial.run(seed) {
                failures += 1;
                println!("seed {seed}: {what}");
                if range.end == seed + 1 {
                    show(seed, trial);
                }
            }
        }
    }
    println!("{range:?}: {failures} failures, {:.1?}", start.elapsed());
}

/// Take away actions while it still fails.
fn show(seed: u64, mut trial: Trial) {
    let mut place = 0;
    while place < trial.programs.iter().map(Vec::len).sum() {
        let mut shorter = trial.clone();
        let mut index = place;
        let program = shorter.programs.iter_mut().find(|program| {
            let is_here = index < program.len();
            index -= if is_here { 0 } else { program.len() };
            is_here
        });
        program.expect("the place is in one").remove(index);
        if (0..16).any(|other| shorter.run(seed + other * 1000).is_err()) {
            (trial, place) = (shorter, 0);
        } else {
            place += 1;
        }
    }
    let other = (0..16).find(|other| trial.run(seed + other * 1000).is_err());
    println!("{:?}", other.map(|other| (seed + other * 1000, trial.run(seed + other * 1000))));
    println!(
        "{:?}\n{:?}\ndies: {:?}, ports: {}, slow: {:?}",
        trial.limits, trial.habits, trial.dies, trial.ports_max, trial.slow
    );
    for program in &trial.programs {
        println!("{program:?}");
    }
}
