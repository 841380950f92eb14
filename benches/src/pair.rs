//! Pairs a run of ours with a run of the reference.
//!
//! Both runs must have had the same distance between the cores, because other ratios mean nothing.

use std::collections::BTreeMap;

use crate::distance::Distance;

/// Least number of pairs for a verdict on a limit: with fewer, quartiles are meaningless.
pub const ENOUGH: usize = 3;

/// One value, with the round and the distance of its run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    /// The round of its run. Runs of one round are close in time.
    pub round: u32,
    pub distance: Distance,
    pub value: f64,
}

/// A value and its reference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    pub ours: f64,
    pub reference: f64,
}

impl Pair {
    /// Ours divided by the reference; `None` if the reference is zero.
    pub fn ratio(&self) -> Option<f64> {
        (self.reference > 0.0).then(|| self.ours / self.reference)
    }
}

/// The pairs of each distance. Runs of one round are paired first, because they are nearest in time. The remaining runs at a distance are
/// paired in the order of time. Every reading is used at most once, and mixed ones never.
pub fn pair(ours: &[Reading], reference: &[Reading]) -> BTreeMap<Distance, Vec<Pair>> {
    let mut pairs: BTreeMap<Distance, Vec<Pair>> = BTreeMap::new();
    for distance in [Distance::Near, Distance::Far, Distance::Any] {
        let mine: Vec<Reading> = ours.iter().filter(|r| r.distance == distance).copied().collect();
        let mut theirs: Vec<Reading> = reference.iter().filter(|r| r.distance == distance).copied().collect();
        let mut alone = Vec::new();
        let mut found = Vec::new();
        for reading in mine {
            match theirs.iter().position(|other| other.round == reading.round) {
                Some(at) => found.push(Pair { ours: reading.value, reference: theirs.remove(at).value }),
                None => alone.push(reading),
            }
        }
        let rest = alone.iter().zip(&theirs);
        found.extend(rest.map(|(mine, other)| Pair { ours: mine.value, reference: other.value }));
        if !found.is_empty() {
            pairs.insert(distance, found);
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn reading(round: u32, distance: Distance, value: f64) -> Reading {
        Reading { round, distance, value }
    }

    #[test]
    fn pairs_within_a_round_first() {
        let ours = [reading(0, Distance::Near, 1.0), reading(1, Distance::Near, 2.0)];
        let peer = [reading(1, Distance::Near, 20.0), reading(2, Distance::Near, 30.0)];
        let pairs = pair(&ours, &peer);
        let near = &pairs[&Distance::Near];
        assert!(near.contains(&Pair { ours: 2.0, reference: 20.0 }));
        assert!(near.contains(&Pair { ours: 1.0, reference: 30.0 }));
    }

    #[test]
    fn near_never_meets_far_and_mixed_meets_nobody() {
        let ours = [reading(0, Distance::Near, 1.0), reading(1, Distance::Mixed, 2.0)];
        let peer = [reading(0, Distance::Far, 3.0), reading(1, Distance::Mixed, 4.0)];
        assert!(pair(&ours, &peer).is_empty());
    }

    #[test]
    fn a_reference_of_zero_has_no_ratio() {
        assert_eq!(Pair { ours: 3.0, reference: 0.0 }.ratio(), None);
    }

    fn readings() -> impl Strategy<Value = Vec<Reading>> {
        let states = prop::sample::select(vec![Distance::Near, Distance::Far, Distance::Mixed, Distance::Any]);
        prop::collection::vec(states, 0..12).prop_map(|states| {
            let number = |(at, distance): (usize, Distance)| reading(at as u32, distance, at as f64 + 1.0);
            states.into_iter().enumerate().map(number).collect()
        })
    }

    proptest! {
        #[test]
        fn as_many_pairs_as_the_rarer_side_and_each_reading_once(ours in readings(), peer in readings()) {
            let pairs = pair(&ours, &peer);
            let count = |side: &[Reading], distance| side.iter().filter(|r| r.distance == distance).count();
            for distance in [Distance::Near, Distance::Far, Distance::Any] {
                let found = pairs.get(&distance).map_or(0, Vec::len);
                prop_assert_eq!(found, count(&ours, distance).min(count(&peer, distance)));
            }
            prop_assert!(!pairs.contains_key(&Distance::Mixed));
            let mut used: Vec<f64> = pairs.values().flatten().map(|pair| pair.ours).collect();
            let all = used.len();
            used.sort_by(f64::total_cmp);
            used.dedup();
            prop_assert_eq!(used.len(), all);
        }
    }
}
