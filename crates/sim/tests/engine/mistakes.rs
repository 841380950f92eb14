//! The adversary bites: an engine that makes a mistake is found out by a few seeds.

use ferrite_sim::engine::{port::MISTAKES, trial::Trial};
use std::{
    panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook},
    thread,
};

/// Seeds within which each mistake must be found.
const SEEDS: u64 = 300;

type Run = fn(&Trial, u64) -> Result<ferrite_sim::engine::trial::Outcome, String>;

/// Why a trial fails, if it does. With a mistake the engine may also trip over an assertion of its own.
fn fails(run: Run, seed: u64) -> Option<String> {
    let trial = Trial::draw(seed);
    catch_unwind(AssertUnwindSafe(|| run(&trial, seed).err())).unwrap_or_else(|_| Some("panicked".into()))
}

/// Do something on a thread whose panics are expected, and not told.
fn in_silence(work: impl FnOnce() + Send) {
    const NAME: &str = "with a mistake";
    let tell = take_hook();
    set_hook(Box::new(move |info| {
        if thread::current().name() != Some(NAME) {
            tell(info);
        }
    }));
    let joined =
        thread::scope(|scope| thread::Builder::new().name(NAME.into()).spawn_scoped(scope, work).unwrap().join());
    joined.expect("each mistake is found");
}

#[test]
fn each_mistake_is_found() {
    in_silence(all_are_found);
}

fn all_are_found() {
    let runs: [Run; 5] = [Trial::run::<1>, Trial::run::<2>, Trial::run::<3>, Trial::run::<4>, Trial::run::<5>];
    for (mistake, run) in MISTAKES.iter().zip(runs) {
        let found: Vec<(u64, String)> = (0..SEEDS).filter_map(|seed| Some((seed, fails(run, seed)?))).collect();
        println!("{mistake:?}: by {} of {SEEDS} seeds, the first of them {:?}", found.len(), found.first());
        assert!(!found.is_empty(), "{mistake:?}");
    }
}
