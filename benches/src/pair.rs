//! Pairs like with like: a run of ours and a run of the reference that met the same distance between the cores.

use std::collections::BTreeMap;

use crate::probe::State;

/// One value with the circumstances of its run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    /// The round of its run: runs of one round stood side by side in time.
    pub round: u32,
    /// The distance between the cores.
    pub state: State,
    /// What was measured.
    pub value: f64,
}

/// A value and what it is held against.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// Ours.
    pub ours: f64,
    /// The reference's.
    pub reference: f64,
}

impl Pair {
    /// Ours in units of the reference; `None` where the reference is zero.
    pub fn ratio(&self) -> Option<f64> {
        (self.reference > 0.0).then(|| self.ours / self.reference)
    }
}

/// The pairs of each state. Runs of one round are paired first, because they are nearest in time; what is left over in
/// a state is paired in the order of time. Every reading is used once; mixed ones never.
pub fn pair(ours: &[Reading], reference: &[Reading]) -> BTreeMap<State, Vec<Pair>> {
    let mut pairs: BTreeMap<State, Vec<Pair>> = BTreeMap::new();
    for state in [State::Near, State::Far, State::Any] {
        let mine: Vec<Reading> = ours.iter().filter(|r| r.state == state).copied().collect();
        let mut theirs: Vec<Reading> = reference.iter().filter(|r| r.state == state).copied().collect();
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
            pairs.insert(state, found);
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn reading(round: u32, state: State, value: f64) -> Reading {
        Reading { round, state, value }
    }

    #[test]
    fn pairs_within_a_round_first() {
        let ours = [reading(0, State::Near, 1.0), reading(1, State::Near, 2.0)];
        let peer = [reading(1, State::Near, 20.0), reading(2, State::Near, 30.0)];
        let pairs = pair(&ours, &peer);
        let near = &pairs[&State::Near];
        assert!(near.contains(&Pair { ours: 2.0, reference: 20.0 }));
        assert!(near.contains(&Pair { ours: 1.0, reference: 30.0 }));
    }

    #[test]
    fn near_never_meets_far_and_mixed_meets_nobody() {
        let ours = [reading(0, State::Near, 1.0), reading(1, State::Mixed, 2.0)];
        let peer = [reading(0, State::Far, 3.0), reading(1, State::Mixed, 4.0)];
        assert!(pair(&ours, &peer).is_empty());
    }

    #[test]
    fn a_reference_of_zero_has_no_ratio() {
        assert_eq!(Pair { ours: 3.0, reference: 0.0 }.ratio(), None);
    }

    fn readings() -> impl Strategy<Value = Vec<Reading>> {
        let states = prop::sample::select(vec![State::Near, State::Far, State::Mixed, State::Any]);
        prop::collection::vec(states, 0..12).prop_map(|states| {
            let number = |(at, state): (usize, State)| reading(at as u32, state, at as f64 + 1.0);
            states.into_iter().enumerate().map(number).collect()
        })
    }

    proptest! {
        #[test]
        fn as_many_pairs_as_the_rarer_side_and_each_reading_once(ours in readings(), peer in readings()) {
            let pairs = pair(&ours, &peer);
            let count = |side: &[Reading], state| side.iter().filter(|r| r.state == state).count();
            for state in [State::Near, State::Far, State::Any] {
                let found = pairs.get(&state).map_or(0, Vec::len);
                prop_assert_eq!(found, count(&ours, state).min(count(&peer, state)));
            }
            prop_assert!(!pairs.contains_key(&State::Mixed));
            let mut used: Vec<f64> = pairs.values().flatten().map(|pair| pair.ours).collect();
            let all = used.len();
            used.sort_by(f64::total_cmp);
            used.dedup();
            prop_assert_eq!(used.len(), all);
        }
    }
}
