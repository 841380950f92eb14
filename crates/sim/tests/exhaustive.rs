//! Every order of every delivery, for up to four PEs and two collectives back to back.

use ferrite_collectives::exchange::scratch_bytes_min;
use ferrite_collectives::select::{Barrier, Broadcast, Collective, Fcollect, Reduce};
use ferrite_sim::explore::{Coverage, explore};
use ferrite_sim::rng::Rng;
use ferrite_sim::trial::{Algorithm, Step, Text, Trial, texts};
use ferrite_sim::world::Faults;

/// `texts`, one after the other, with two grains of data each.
fn trial(pes: usize, texts: &[Text]) -> Trial {
    let scratch = scratch_bytes_min(pes as u32, 24);
    let mut rng = Rng::new(pes as u64);
    let mut draw = |text: &Text| loop {
        match Step::draw(*text, pes, scratch, &mut rng) {
            Some(step) if step.call.grains == 2 => break step,
            _ => (),
        }
    };
    let steps = texts.iter().map(&mut draw).collect();
    Trial { pes, node: 2, scratch, steps, faults: Faults::default(), forgets: None, seed: 0 }
}

/// Whether a text accesses peers' memory directly.
fn direct(text: &Text) -> bool {
    let of_nodes = matches!(text, Text::HierarchyDirect | Text::Hierarchy(Collective::Collect | Collective::Fcollect));
    let Text::Row(algorithm) = text else { return of_nodes };
    matches!(
        algorithm,
        Algorithm::Barrier(Barrier::Central)
            | Algorithm::Broadcast(Broadcast::Pull)
            | Algorithm::Reduce(Reduce::Board | Reduce::Direct | Reduce::Whole)
            | Algorithm::Fcollect(Fcollect::Board)
    )
}

fn check(pes: usize, texts: &[Text]) -> Coverage {
    let eager = !texts.iter().any(direct);
    let coverage = explore(&trial(pes, texts), eager, 1_000_000);
    let coverage = coverage.unwrap_or_else(|what| panic!("{texts:?}, {pes} PEs: {what}"));
    assert!(coverage.finished > 0, "{texts:?}, {pes} PEs: no schedule comes to its end");
    coverage
}

#[test]
fn every_schedule_of_each_text() {
    for text in texts() {
        for pes in 1..=4 {
            // Texts that access peers' memory directly have thousands of times more orders.
            let count = if pes == 4 && direct(&text) { 1 } else { 2 };
            println!("{text:?} x {count}, {pes} PEs: {:?}", check(pes, &vec![text; count]));
        }
    }
}

#[test]
fn every_schedule_of_every_pair() {
    let mut states = 0;
    for first in texts() {
        for second in texts() {
            states += check(2, &[first, second]).states;
            if !direct(&first) && !direct(&second) {
                states += check(3, &[first, second]).states;
            }
        }
    }
    println!("{states} states");
}

#[test]
fn every_schedule_finds_what_a_missing_window_breaks() {
    let board = Text::Row(Algorithm::Reduce(Reduce::Board));
    let dissemination = Text::Row(Algorithm::Barrier(Barrier::Dissemination));
    for text in [Text::Agree, board, dissemination] {
        let mut broken = trial(4, &[text; 2]);
        broken.faults.no_window = true;
        let what = explore(&broken, !direct(&text), 1_000_000).expect_err("one share of slots for all epochs");
        println!("{text:?}: {what}");
    }
}
