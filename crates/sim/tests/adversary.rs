//! Every algorithm under the seeded adversary: mixed back to back, at every size, on data that exposes mistakes.
//!
//! A failure names its seed; `cargo run -p ferrite-sim --example replay -- SEED` shows the trial again.

use ferrite_collectives::QUEUE;
use ferrite_collectives::select::{Barrier, Broadcast, Collective, Fcollect, Reduce};
use ferrite_sim::expect::{Call, Effect};
use ferrite_sim::ops::Op;
use ferrite_sim::rng::Rng;
use ferrite_sim::schedule::{Adversary, Schedule, Step as Next};
use ferrite_sim::trial::{Algorithm, SIZES, STEPS, Step, Text, Trial, texts};
use ferrite_sim::world::{Faults, World};

#[test]
fn mixed_collectives_back_to_back() {
    let texts = texts();
    let mut messages = 0;
    for seed in 0..10_000 {
        let trial = Trial::draw(seed, &texts, STEPS);
        match trial.run(&mut Adversary::new(seed, trial.pes)) {
            Ok(outcome) => messages += outcome.messages,
            Err(what) => panic!("seed {seed}: {what}\n{trial:#?}"),
        }
    }
    println!("10,000 seeds, {STEPS} collectives each, {messages} messages");
}

#[test]
fn every_text_at_every_size() {
    for text in texts() {
        for pes in SIZES {
            for seed in 0..4 {
                one(text, pes, seed);
            }
        }
    }
}

fn one(text: Text, pes: usize, seed: u64) {
    let mut rng = Rng::new(seed ^ (pes as u64) << 32);
    let scratch = ferrite_collectives::exchange::scratch_bytes_min(pes as u32, 24) + 64 * rng.below(3);
    let steps: Vec<Step> = (0..12).filter_map(|_| Step::draw(text, pes, scratch, &mut rng)).take(STEPS).collect();
    let node = 1 + rng.below(pes);
    let trial = Trial { pes, node, scratch, steps, faults: Faults::default(), forgets: None, seed };
    if let Err(what) = trial.run(&mut Adversary::new(seed, pes)) {
        panic!("{text:?} pes {pes} seed {seed}: {what}\n{trial:#?}");
    }
}

/// Seed 538 of an early version: the counters that all members watch were not separated from a member's own. So a member that had watched a
/// peer's counter expected too much of its own, four epochs later.
#[test]
fn arrivals_do_not_count_towards_ones_own_tally() {
    let direct = Text::Row(Algorithm::Reduce(Reduce::Direct));
    let barrier = Text::Row(Algorithm::Barrier(Barrier::Dissemination));
    let linear = Text::Row(Algorithm::Fcollect(Fcollect::Linear));
    let mut rng = Rng::new(538);
    let mut draw = |text| loop {
        match Step::draw(text, 5, 1024, &mut rng) {
            Some(step) if step.call.grains > 0 => break step,
            _ => (),
        }
    };
    let steps = [direct, barrier, barrier, barrier, linear].map(&mut draw).to_vec();
    let trial = Trial { pes: 5, node: 5, scratch: 1024, steps, faults: Faults::default(), forgets: None, seed: 538 };
    for seed in 0..100 {
        trial.run(&mut Adversary::new(seed, 5)).unwrap_or_else(|what| panic!("seed {seed}: {what}"));
    }
}

/// Thousands of chunks, so that the turns of a stream's lines wrap around.
#[test]
fn a_stream_outlives_its_turns() {
    for algorithm in [Reduce::Ring, Reduce::Rabenseifner] {
        let text = Text::Row(Algorithm::Reduce(algorithm));
        let (pes, scratch, op) = (3, 512, Op::Sum);
        let call = Call { effect: Effect::Reduce, op, grains: 100_000, pes, in_place: true, seed: 1 };
        let steps = vec![Step { text, call, radix: 2 }; 2];
        let trial = Trial { pes, node: 3, scratch, steps, faults: Faults::default(), forgets: None, seed: 1 };
        let outcome = trial.run(&mut Adversary::new(1, pes)).unwrap_or_else(|what| panic!("{text:?}: {what}"));
        assert!(outcome.messages > 20_000, "{} messages", outcome.messages);
    }
}

/// Blocks that are long enough to be sent in pieces.
#[test]
fn a_relay_goes_by_pieces() {
    let text = Text::Row(Algorithm::Reduce(Reduce::Relay));
    for (pes, grains) in [(2, 40_001), (3, 60_000), (4, 120_003)] {
        let call = Call { effect: Effect::Reduce, op: Op::Sum, grains, pes, in_place: false, seed: 1 };
        let steps = vec![Step { text, call, radix: 2 }; 3];
        let trial = Trial { pes, node: pes, scratch: 1024, steps, faults: Faults::default(), forgets: None, seed: 1 };
        for seed in 0..20 {
            let outcome =
                trial.run(&mut Adversary::new(seed, pes)).unwrap_or_else(|what| panic!("seed {seed}: {what}"));
            let steps = 3 * pes * 2 * (pes - 1);
            assert!(outcome.messages >= 2 * steps, "{} messages in {steps} steps", outcome.messages);
        }
    }
}

/// This PE makes no step, and receives nothing, while any other step is possible: the other members run ahead as far as the algorithm
/// allows.
struct Starve(usize);

impl Schedule for Starve {
    fn next(&mut self, world: &World, runnable: &[usize]) -> Option<Next> {
        let arrivals = (0..world.in_flight()).rev().map(|i| (world.ends(i).to, Next::Arrive(i)));
        let runs = runnable.iter().map(|&pe| (pe, Next::Run(pe)));
        arrivals.chain(runs).min_by_key(|(pe, _)| *pe == self.0).map(|(_, next)| next)
    }
}

/// `count` broadcasts of `grains`, one after the other. `instead` replaces some of them by another collective.
fn broadcasts(
    algorithm: Broadcast,
    (pes, changes_root): (usize, bool),
    (count, grains): (u64, usize),
    instead: impl Fn(u64) -> Option<(Text, Effect)>,
) -> Trial {
    let mut rng = Rng::new(pes as u64);
    let mut step = |number: u64| {
        let root = if changes_root { rng.below(pes) } else { 0 };
        let broadcast = (Text::Row(Algorithm::Broadcast(algorithm)), Effect::Broadcast { root });
        let (text, effect) = instead(number).unwrap_or(broadcast);
        let call = Call { effect, op: Op::Sum, grains, pes, in_place: false, seed: number };
        Step { text, call, radix: 2 }
    };
    let steps: Vec<Step> = (0..count).map(&mut step).collect();
    Trial { pes, node: pes, scratch: 1024, steps, faults: Faults::default(), forgets: None, seed: 1 }
}

/// A number of grains of the sum that fits a cell, and one that does not.
const SHORT_AND_LONG: [usize; 2] = [1, 40];

/// More broadcasts than the queue has cells, by both algorithms. Among them is an epoch that every member is known to have entered: by a
/// barrier, or by a reduction. The result of a reduction is itself broadcast through the queue, and shows that before all members have left
/// it. A leaf stands still as long as any other member can make a step: cells that it has not read must not change.
#[test]
fn a_queue_of_broadcasts_comes_round() {
    let epochs = [
        (Text::Row(Algorithm::Barrier(Barrier::Dissemination)), Effect::Barrier),
        (Text::Row(Algorithm::Reduce(Reduce::Tree)), Effect::Reduce),
        (Text::Hierarchy(Collective::Reduce), Effect::Reduce),
    ];
    for (algorithm, grains) in
        [Broadcast::Binomial, Broadcast::Pull].map(|how| SHORT_AND_LONG.map(|g| (how, g))).concat()
    {
        for (epoch, case) in epochs
            .into_iter()
            .flat_map(|epoch| [(2, false), (3, false), (5, false), (4, true)].map(|case| (epoch, case)))
        {
            // Place the epoch in the middle of the queue's second round.
            let instead = |number| (number == QUEUE * 3 / 2).then_some(epoch);
            let (trial, pes) = (broadcasts(algorithm, case, (4 * QUEUE, grains), instead), case.0);
            let told = |what: String| panic!("{algorithm:?} of {grains}, {epoch:?}, {pes} PEs: {what}");
            (1..pes).for_each(|victim| drop(trial.run(&mut Starve(victim)).unwrap_or_else(told)));
            (0..4).for_each(|seed| drop(trial.run(&mut Adversary::new(seed, pes)).unwrap_or_else(told)));
        }
    }
}

/// A root sends the data of each broadcast, whatever their lengths: a full queue without any barrier.
#[test]
fn a_root_runs_ahead_of_its_leaves() {
    for (grains, pes) in SHORT_AND_LONG.map(|grains| [2, 5, 8].map(|pes| (grains, pes))).concat() {
        let trial = broadcasts(Broadcast::Binomial, (pes, false), (QUEUE, grains), |_| None);
        let outcome =
            trial.run(&mut Adversary::new(1, pes)).unwrap_or_else(|what| panic!("{grains}, {pes} PEs: {what}"));
        assert_eq!(outcome.messages, QUEUE as usize * (pes - 1), "{grains}, {pes} PEs");
    }
}
