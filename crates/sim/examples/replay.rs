//! Show the trial of a seed, and run it: `cargo run -p ferrite-sim --example replay -- SEED`.

use ferrite_sim::schedule::Adversary;
use ferrite_sim::trial::{STEPS, Trial, texts};

fn main() {
    let Some(seed) = std::env::args().nth(1).and_then(|s| s.parse().ok()) else {
        eprintln!("usage: replay SEED, a decimal number that a failing test printed");
        return;
    };
    let trial = Trial::draw(seed, &texts(), STEPS);
    println!("{trial:#?}");
    match trial.run(&mut Adversary::new(seed, trial.pes)) {
        Ok(outcome) => println!("no rule broken in {} messages", outcome.messages),
        Err(what) => println!("{what}"),
    }
}
