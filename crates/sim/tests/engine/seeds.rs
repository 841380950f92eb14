//! Random programs over random ports. A failure names its seed; `cargo run -p ferrite-sim --example engine -- SEED` shows it with few
//! actions.

use ferrite_sim::engine::trial::{Outcome, Trial};
use std::{
    ops::Range,
    sync::atomic::{AtomicU64, Ordering::Relaxed},
    thread,
};

/// Run the trials of all seeds, on as many threads as there are processors. Returns how much was posted, and how many fabrics failed.
fn run_all(seeds: Range<u64>, draw: impl Fn(u64) -> Trial + Sync) -> Outcome {
    let next = AtomicU64::new(seeds.start);
    let work = || {
        let mut sum = Outcome::default();
        loop {
            let seed = next.fetch_add(1, Relaxed);
            if seed >= seeds.end {
                return sum;
            }
            let trial = draw(seed);
            match trial.run(seed) {
                Ok(Outcome { posted, faults }) => (sum.posted, sum.faults) = (sum.posted + posted, sum.faults + faults),
                Err(what) => panic!("seed {seed}: {what}\n{trial:?}"),
            }
        }
    };
    let threads = thread::available_parallelism().map_or(2, usize::from);
    thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let sums = threads.into_iter().map(|thread| thread.join().expect("no seed fails"));
        sums.fold(Outcome::default(), |a, b| Outcome { posted: a.posted + b.posted, faults: a.faults + b.faults })
    })
}

#[test]
fn random_programs() {
    let outcome = run_all(0..20_000, Trial::draw);
    println!("20,000 seeds, {} operations", outcome.posted);
    assert_eq!(outcome.faults, 0);
}

#[test]
fn random_programs_over_rails() {
    let outcome = run_all(0..10_000, Trial::draw_with_rails);
    println!("10,000 seeds over rails, {} operations", outcome.posted);
    assert_eq!(outcome.faults, 0);
}

/// A PE that waits for a dead PE gets a fault, the other PEs go on, and nothing hangs.
#[test]
fn a_peer_is_lost() {
    let outcome = run_all(0..5_000, Trial::draw_with_loss);
    println!("5,000 losses, {} operations, {} faults", outcome.posted, outcome.faults);
    assert!(outcome.faults > 1000);
}
