//! The simulator finds mistakes: with a rule of the protocol disabled, or one wait skipped, trials fail.

use ferrite_collectives::exchange::scratch_bytes_min;
use ferrite_collectives::select::{Algorithm, Collective};
use ferrite_sim::rng::Rng;
use ferrite_sim::schedule::Adversary;
use ferrite_sim::trial::{Step, Text, Trial, texts};
use ferrite_sim::world::Faults;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// Whether a panic of this thread is what a trial looks for, and not worth a message and a backtrace.
    static EXPECTED: Cell<bool> = const { Cell::new(false) };
}

/// `count` steps of `text` with something to move, among `pes`.
fn trial(text: Text, pes: usize, count: usize, seed: u64) -> Trial {
    let mut rng = Rng::new(seed);
    let scratch = scratch_bytes_min(pes as u32, 24) + 256;
    let draw = |_| loop {
        match Step::draw(text, pes, scratch, &mut rng) {
            Some(step) if step.call.grains > 0 => break step,
            _ => (),
        }
    };
    let steps = (0..count).map(draw).collect();
    Trial { pes, node: 2, scratch, steps, faults: Faults::default(), forgets: None, seed }
}

/// Why `trial` fails, if it does. With a rule broken, an algorithm may also trip over its own assertions.
fn fails(trial: &Trial, seed: u64) -> Option<String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let told = take_hook();
        set_hook(Box::new(move |panic| {
            if !EXPECTED.get() {
                told(panic)
            }
        }));
    });
    let run = || trial.run(&mut Adversary::new(seed, trial.pes)).err();
    EXPECTED.set(true);
    let failure = catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| Some("panicked".into()));
    EXPECTED.set(false);
    failure
}

/// Texts whose every member waits for every other's last word: they need no window of their own.
fn stands_alone(text: Text) -> bool {
    use Algorithm::{Direct, Rabenseifner, Relay, Ring, Tree, Whole};
    use Collective::{Barrier, Fcollect, Reduce};
    matches!(
        text,
        Text::Gather
            | Text::Hierarchy(Barrier)
            | Text::Row(Barrier, Tree)
            | Text::Row(Fcollect, Ring)
            | Text::Row(Reduce, Direct | Rabenseifner | Relay | Ring | Whole)
    )
}

#[test]
fn without_a_window_a_fast_pe_overwrites_a_slow_ones_slots() {
    let faults = Faults { no_window: true, ..Faults::default() };
    for text in texts() {
        let found = (0..200).find_map(|seed| fails(&Trial { faults, ..trial(text, 6, 4, seed) }, seed));
        println!("{text:?}: {}", found.as_deref().unwrap_or("needs no window"));
        assert_eq!(found.is_none(), stands_alone(text), "{text:?}: {found:?}");
    }
}

/// Each wait of one PE in two collectives back to back, forgotten: how many are caught, of how many.
fn forgotten(text: Text, faults: Faults) -> (usize, usize) {
    let (pes, victim) = (5, 3);
    let trial = |seed, forgets| Trial { faults, forgets, ..trial(text, pes, 2, seed) };
    let sound = trial(0, None).run(&mut Adversary::new(0, pes)).expect("sound as it stands");
    let waits = sound.waits[victim];
    let caught = |wait: &usize| (0..2000).any(|seed| fails(&trial(seed, Some((victim, *wait))), seed).is_some());
    ((0..waits).filter(caught).count(), waits)
}

#[test]
fn a_forgotten_wait_is_caught() {
    let (mut all, mut shown) = (0, 0);
    for text in texts() {
        let (caught, waits) = forgotten(text, Faults::default());
        // Without accounts, the wait has to be missed by a race or a wrong result.
        let (bitten, _) = forgotten(text, Faults { no_account: true, ..Faults::default() });
        println!("{text:?}: {waits} waits, {caught} caught, {bitten} of them by what breaks");
        // The last wait of the direct reduction is implied where the leader's broadcast follows: once in each collective.
        let implied = if text == Text::HierarchyDirect { 2 } else { 0 };
        assert_eq!(caught, waits - implied, "{text:?}");
        all += waits - implied;
        shown += bitten;
    }
    assert!(shown * 10 >= all * 9, "{shown} of {all}");
}

/// Texts that send only what fits a cell, or know by their flags that what they sent has arrived.
fn never_settles(text: Text) -> bool {
    use Algorithm::{Board, Cells, Chain, Direct, Pull, Ring, Whole};
    // Their words fit cells, which are captured, or stay as they are until every member has them.
    let words = matches!(
        text,
        Text::Agree
            | Text::HierarchyAgree
            | Text::Gather
            | Text::Row(Collective::Barrier, _)
            | Text::Hierarchy(Collective::Barrier)
    );
    words || matches!(text, Text::Row(_, Board | Cells | Chain | Direct | Pull | Ring | Whole))
}

#[test]
fn a_source_changed_too_early_is_caught() {
    let faults = Faults { no_settling: true, ..Faults::default() };
    for text in texts() {
        let found = (0..400).find_map(|seed| fails(&Trial { faults, ..trial(text, 6, 3, seed) }, seed));
        println!("{text:?}: {}", found.as_deref().unwrap_or("does not settle"));
        assert_eq!(found.is_none(), never_settles(text), "{text:?}: {found:?}");
    }
}
