//! The trials detect a network that breaks a promise. Such a network has the same effect as a bug in the engine.

use ferrite_sim::engine::{network::Breach, trial::Trial};
use std::{
    panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook},
    thread,
};

/// Number of seeds within which each breach must be found.
const SEEDS: u64 = 300;

/// The reason for which a trial fails, if it does. The engine may also fail by an assertion of its own.
fn fails(breach: Breach, seed: u64) -> Option<String> {
    let trial = Trial { breach: Some(breach), ..Trial::draw(seed) };
    catch_unwind(AssertUnwindSafe(|| trial.run(seed).err())).unwrap_or_else(|_| Some("panicked".into()))
}

/// Run `work` on a thread whose panics are expected, without printing them.
fn in_silence(work: impl FnOnce() + Send) {
    const NAME: &str = "with a breach";
    let tell = take_hook();
    set_hook(Box::new(move |info| {
        if thread::current().name() != Some(NAME) {
            tell(info);
        }
    }));
    let joined =
        thread::scope(|scope| thread::Builder::new().name(NAME.into()).spawn_scoped(scope, work).unwrap().join());
    joined.expect("each breach is found");
}

#[test]
fn each_breach_is_found() {
    in_silence(all_are_found);
}

fn all_are_found() {
    for &breach in Breach::ALL {
        let found: Vec<(u64, String)> = (0..SEEDS).filter_map(|seed| Some((seed, fails(breach, seed)?))).collect();
        let wrong = found.iter().find(|(_, why)| why != "panicked");
        println!("{breach:?}: by {} of {SEEDS} seeds, by a rule of the model first: {wrong:?}", found.len());
        assert!(!found.is_empty(), "{breach:?}");
    }
}
