//! The simulator finds mistakes: with a rule of the protocol disabled, or one wait skipped, trials fail.

use ferrite_collectives::exchange::scratch_bytes_min;
use ferrite_collectives::select::{Alltoall, Barrier, Broadcast, Collective, Fcollect, Reduce, Scan};
use ferrite_sim::rng::Rng;
use ferrite_sim::schedule::Adversary;
use ferrite_sim::trial::{Algorithm, Step, Text, Trial, texts};
use ferrite_sim::world::Faults;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// Whether a panic of this thread is expected by a trial, and must not be printed.
    static EXPECTED: Cell<bool> = const { Cell::new(false) };
}

/// `count` steps of `text`, each with data, among `pes` members.
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

/// The reason for which `trial` fails, if it does. If a rule is broken, an algorithm's own assertions may also fail.
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

/// Texts in which each member waits for the last word of every other member: they need no window of their own.
fn stands_alone(text: Text) -> bool {
    use Reduce::{Direct, Rabenseifner, Relay, Ring, Whole};
    matches!(
        text,
        Text::Gather
            | Text::Hierarchy(Collective::Barrier)
            | Text::Row(Algorithm::Barrier(Barrier::Tree))
            | Text::Row(Algorithm::Fcollect(Fcollect::Ring))
            | Text::Row(Algorithm::Reduce(Direct | Rabenseifner | Relay | Ring | Whole))
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

/// Omit each wait of one PE in turn, in two consecutive collectives. Returns how many omissions are noticed, and how many there are.
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
        // Without accounts, only a race or a wrong result can reveal the missing wait.
        let (bitten, _) = forgotten(text, Faults { no_account: true, ..Faults::default() });
        println!("{text:?}: {waits} waits, {caught} caught, {bitten} of them by what breaks");
        // The leader's broadcast implies the last wait of the direct reduction: once in each collective.
        let implied = if text == Text::HierarchyDirect { 2 } else { 0 };
        assert_eq!(caught, waits - implied, "{text:?}");
        all += waits - implied;
        shown += bitten;
    }
    assert!(shown * 10 >= all * 9, "{shown} of {all}");
}

/// Texts whose messages fit cells, or whose flags prove that all messages have arrived.
fn never_settles(text: Text) -> bool {
    use Reduce::{Board, Direct, Ring, Whole};
    // Their words fit cells, which are copied when they are sent, or do not change until every member has them.
    let words = matches!(
        text,
        Text::Agree
            | Text::HierarchyAgree
            | Text::Gather
            | Text::Row(Algorithm::Barrier(_))
            | Text::Hierarchy(Collective::Barrier)
    );
    let Text::Row(algorithm) = text else { return words };
    words
        || matches!(
            algorithm,
            Algorithm::Broadcast(Broadcast::Pull)
                | Algorithm::Reduce(Board | Direct | Ring | Whole)
                | Algorithm::Fcollect(Fcollect::Board | Fcollect::Ring)
                | Algorithm::Alltoall(Alltoall::Cells)
                | Algorithm::Scan(Scan::Chain)
        )
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
