//! Show the trial of a seed and run it, or run all seeds of a range: `cargo run -p ferrite-sim --example replay -- SEED [END]`.

use ferrite_sim::schedule::Adversary;
use ferrite_sim::trial::{STEPS, Trial, texts};

fn main() {
    let seeds: Vec<u64> = std::env::args().skip(1).map_while(|s| s.parse().ok()).collect();
    match seeds[..] {
        [seed] => {
            let trial = Trial::draw(seed, &texts(), STEPS);
            println!("{trial:#?}");
            println!("{}", verdict(seed, &trial).err().unwrap_or("no rule broken".into()));
        }
        [from, end] => soak(from, end),
        _ => eprintln!("usage: replay SEED [END], decimal numbers; a failing test prints its seed"),
    }
}

fn verdict(seed: u64, trial: &Trial) -> Result<usize, String> {
    trial.run(&mut Adversary::new(seed, trial.pes)).map(|outcome| outcome.messages)
}

fn soak(from: u64, end: u64) {
    let (texts, mut messages) = (texts(), 0);
    for seed in from..end {
        match verdict(seed, &Trial::draw(seed, &texts, STEPS)) {
            Ok(count) => messages += count,
            Err(what) => println!("seed {seed}: {what}"),
        }
    }
    println!("seeds {from} to {end}: {messages} messages");
}
