//! The decisions of an adversary.
//!
//! Each decision has a name, [`Choice`]: the PE that it concerns, the kind of decision, and the number of earlier decisions of that kind
//! for that PE. The result follows from the seed and the name alone. So one decision can be replaced by the choice of a kind network while
//! the others stay the same: this is how a schedule is made smaller.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

/// The kind of a decision.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum What {
    /// How long an operation is held back.
    Hold,
    /// Whether an operation arrives in two pieces.
    Split,
    /// Whether a call passes the turn to another PE.
    Switch,
    /// Which PE gets the turn when this one waits.
    Next,
    /// Which operation arrives when all PEs wait.
    Arrival,
}

/// The name of a decision.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Choice {
    pub what: What,
    pub pe: u32,
    pub nth: u32,
}

/// The decisions of one run.
pub struct Choices {
    seed: u64,
    /// The decisions that may be unkind; `None` for all.
    only: Option<BTreeSet<Choice>>,
    counts: BTreeMap<(What, u32), u32>,
    /// The unkind decisions that were made, and a description of each.
    made: BTreeMap<Choice, String>,
}

impl Choices {
    pub fn new(seed: u64, only: Option<BTreeSet<Choice>>) -> Choices {
        Choices { seed, only, counts: BTreeMap::new(), made: BTreeMap::new() }
    }

    /// Decide: 0, which is kind, with weight `kind`, or a number from 1 to `others`, each with weight 1. `said` describes an unkind result.
    pub fn make(&mut self, (what, pe): (What, u32), kind: u64, others: u64, said: impl FnOnce(u64) -> String) -> u64 {
        let count = self.counts.entry((what, pe)).or_default();
        let choice = Choice { what, pe, nth: *count };
        *count += 1;
        if self.only.as_ref().is_some_and(|only| !only.contains(&choice)) {
            return 0;
        }
        let name = u64::from(pe) << 40 ^ u64::from(choice.nth) << 8 ^ what as u64;
        let chosen = (mix(self.seed ^ mix(name)) % (kind + others)).saturating_sub(kind - 1);
        if chosen > 0 {
            self.made.insert(choice, said(chosen));
        }
        chosen
    }

    pub fn made(self) -> BTreeMap<Choice, String> {
        self.made
    }
}

/// Steele, Lea, Flood, "Fast splittable pseudorandom number generators" (2014).
fn mix(word: u64) -> u64 {
    let mut word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// Return a small set of choices with which a run still fails, by removing halves, quarters and single ones (Zeller and Hildebrandt,
/// "Simplifying and isolating failure-inducing input", 2002). `fails` is called at most `runs_max` times.
pub fn smallest(
    all: BTreeSet<Choice>,
    mut runs_max: u32,
    mut fails: impl FnMut(&BTreeSet<Choice>) -> bool,
) -> BTreeSet<Choice> {
    let mut kept: Vec<Choice> = all.into_iter().collect();
    let mut part = kept.len().div_ceil(2);
    while part > 0 {
        let mut at = 0;
        while at < kept.len() {
            if runs_max == 0 {
                return kept.into_iter().collect();
            }
            runs_max -= 1;
            let end = (at + part).min(kept.len());
            let without: BTreeSet<Choice> = kept[..at].iter().chain(&kept[end..]).copied().collect();
            if fails(&without) {
                kept = without.into_iter().collect();
            } else {
                at = end;
            }
        }
        part = if part == 1 { 0 } else { part.div_ceil(2) };
    }
    kept.into_iter().collect()
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Choice { what, pe, nth } = self;
        write!(f, "PE {pe}, {what:?} {nth}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(nth: u32) -> Choice {
        Choice { what: What::Hold, pe: 0, nth }
    }

    #[test]
    fn decisions_follow_from_seed_and_name() {
        let decide = |seed, only: Option<&[u32]>| {
            let only = only.map(|only| only.iter().map(|&nth| choice(nth)).collect());
            let mut choices = Choices::new(seed, only);
            (0..100).map(|_| choices.make((What::Hold, 0), 1, 3, |_| String::new())).collect::<Vec<_>>()
        };
        assert_eq!(decide(1, None), decide(1, None));
        assert_ne!(decide(1, None), decide(2, None));
        let (all, some) = (decide(1, None), decide(1, Some(&[3, 50, 51])));
        assert!((0..100).all(|i| some[i] == if [3, 50, 51].contains(&i) { all[i] } else { 0 }));
        assert!((0..4).all(|number| all.contains(&number)), "all options are taken");
    }

    #[test]
    fn what_a_failure_needs_is_kept_and_nothing_else() {
        for needed in [&[7][..], &[0, 99], &[10, 11, 60], &[]] {
            let mut runs = 0;
            let kept = smallest((0..100).map(choice).collect(), 1000, |set| {
                runs += 1;
                needed.iter().all(|&nth| set.contains(&choice(nth)))
            });
            assert_eq!(kept, needed.iter().map(|&nth| choice(nth)).collect());
            assert!(runs < 100, "{runs}");
        }
        let kept = smallest((0..100).map(choice).collect(), 3, |_| false);
        assert_eq!(kept.len(), 100, "the runs have an end");
    }
}
