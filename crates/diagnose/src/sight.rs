//! The views of PEs on several hosts, combined: which member is absent from a collective, and which calls differ.
//!
//! A PE sees only which members on its own host have come. A process that has the boards of all hosts sees all members: they are the PEs
//! whose boards have the team's key.

use crate::{
    board::Board,
    compare::differences,
    entry::Entry,
    record::Called,
    report::Difference,
    status::{Phase, Seen},
};

/// A view of one PE.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sight {
    /// What its board shows.
    pub seen: Seen,
    /// The collectives that it has called in each team, with the team's slot.
    pub called: Vec<(u16, Called)>,
    /// Its last calls, if they were asked for.
    pub past: Vec<String>,
    /// Line about what carries its traffic, if its last calls were asked for and it has published one.
    pub carrier: String,
    /// For how long its host has made no progress, in milliseconds; 0 if that is not too long.
    pub still_ms: u64,
    /// Whether a job that cannot go on must be ended.
    pub aborts: bool,
    /// Whether a report about its host was already printed.
    pub told: bool,
}

impl Board {
    /// The view of PE `pe`, whose board this is; with its last calls if `with_past`. `first` is the first board of its host.
    pub fn sight(&self, pe: u32, first: &Board, with_past: bool) -> Sight {
        let teams = self.records.iter().enumerate();
        Sight {
            seen: self.status.see(pe),
            called: teams.filter_map(|(slot, records)| Some((slot as u16, records.copy()?))).collect(),
            past: if with_past { self.past() } else { Vec::new() },
            carrier: if with_past { self.carrier() } else { String::new() },
            still_ms: first.status.still_ms(),
            aborts: self.status.aborts(),
            told: first.status.is_told(),
        }
    }
}

/// A member's rank, the view of its PE, and the collectives that it has called in the team.
type Member<'s> = (u32, &'s Sight, &'s Called);

fn members(all: &[Sight], slot: u16, key: u64) -> impl Iterator<Item = Member<'_>> {
    all.iter().filter_map(move |sight| {
        let (_, called) = sight.called.iter().find(|(at, called)| (*at, called.key) == (slot, key))?;
        Some((called.rank, sight, called))
    })
}

/// Set for each PE that waits in a collective a member that has not come. A member that waits elsewhere, or has left, is preferred.
pub fn find_absent(all: &mut [Sight]) {
    let found: Vec<Option<u32>> = all.iter().map(|sight| absent(all, sight)).collect();
    for (sight, absent) in all.iter_mut().zip(found) {
        if let Some(waiting) = sight.seen.waiting.as_mut()
            && absent.is_some()
        {
            waiting.absent = absent;
        }
    }
}

fn absent(all: &[Sight], sight: &Sight) -> Option<u32> {
    let slot = sight.seen.waiting.as_ref()?.team?;
    let (_, own) = sight.called.iter().find(|(at, _)| *at == slot)?;
    let (_, call) = own.calls.iter().find(|(number, _)| *number == own.arrived)?;
    let count = members(all, slot, own.key).count() as u32;
    let is_missing = |rank: u32, called: &Called| call.needs(own.rank, rank, count) && called.arrived < own.arrived;
    let missing = || members(all, slot, own.key).filter(|(rank, _, called)| is_missing(*rank, called));
    let is_stuck = |seen: &Seen| seen.waiting.is_some() || seen.phase == Phase::Left;
    let one = missing().find(|(_, sight, _)| is_stuck(&sight.seen)).or_else(|| missing().next());
    one.map(|(_, sight, _)| sight.seen.pe)
}

/// The calls of one number of one team that differ, if there are any.
pub fn difference(all: &[Sight]) -> Option<Difference> {
    let teams = all.iter().flat_map(|sight| &sight.called);
    let mut seen: Vec<(u16, u64)> = Vec::new();
    for (slot, called) in teams {
        if seen.contains(&(*slot, called.key)) {
            continue;
        }
        seen.push((*slot, called.key));
        if let Some(difference) = difference_in(&members(all, *slot, called.key).collect::<Vec<_>>()) {
            return Some(difference);
        }
    }
    None
}

fn difference_in(members: &[Member<'_>]) -> Option<Difference> {
    let mut numbers: Vec<u64> =
        members.iter().flat_map(|(.., called)| &called.calls).map(|(number, _)| *number).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers.into_iter().find_map(|number| {
        let call = |called: &Called| -> Option<Entry> {
            called.calls.iter().find(|(one, _)| *one == number).map(|(_, call)| *call)
        };
        let versions =
            differences(members.iter().filter_map(|(_, sight, called)| Some((sight.seen.pe, call(called)?))))?;
        let still = members.iter().filter(|(.., called)| called.arrived == number).map(|(_, sight, _)| sight.seen.pe);
        Some(Difference { versions, number, members: members.len() as u32, still: still.collect() })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        entry::EntryKind,
        judge::stuck,
        status::{Class, Waiting},
    };

    fn sight(pe: u32, called: &[(u16, u64, &[EntryKind])], waits_in: Option<u16>) -> Sight {
        let waiting = waits_in.map(|slot| Waiting {
            version: 1,
            class: Class::Collective,
            since_ns: 0,
            name: "w".into(),
            absent: None,
            team: Some(slot),
            place: None,
        });
        let called = called.iter().map(|&(slot, key, kinds)| {
            let calls: Vec<(u64, Entry)> = (1..).zip(kinds.iter().map(|&kind| Entry::bare(kind))).collect();
            (slot, Called { key, rank: pe, arrived: calls.len() as u64, calls })
        });
        Sight {
            seen: Seen { pe, phase: Phase::Joined, looks: 0, waiting },
            called: called.collect(),
            past: Vec::new(),
            carrier: String::new(),
            still_ms: 0,
            aborts: false,
            told: false,
        }
    }

    use EntryKind::{Barrier, Broadcast, Split};

    #[test]
    fn members_of_other_hosts_are_found_by_the_teams_key() {
        // PE 1 waits in another team. PE 9 is in a team with the same slot and another key.
        let mut all = [
            sight(0, &[(0, 7, &[Barrier, Barrier])], Some(0)),
            sight(1, &[(0, 7, &[Barrier]), (5, 8, &[Barrier])], Some(5)),
            sight(2, &[(0, 7, &[Barrier, Barrier]), (5, 8, &[])], Some(0)),
            sight(9, &[(5, 6, &[])], None),
        ];
        find_absent(&mut all);
        let absent = |pe: usize| all[pe].seen.waiting.as_ref().unwrap().absent;
        assert_eq!([absent(0), absent(1), absent(2)], [Some(1), Some(2), Some(1)]);
        let seen: Vec<Seen> = all.iter().map(|sight| sight.seen.clone()).collect();
        assert_eq!(stuck(&seen, true), [0, 1, 2]);
        assert!(difference(&all).is_none());
    }

    #[test]
    fn a_root_that_has_gone_on_is_not_missed() {
        let mut all = [sight(0, &[(0, 7, &[])], None), sight(1, &[(0, 7, &[Broadcast])], Some(0))];
        all[1].called[0].1.calls[0].1.root = 1;
        find_absent(&mut all);
        assert_eq!(all[1].seen.waiting.as_ref().unwrap().absent, None, "its root is itself");
        all[1].called[0].1.calls[0].1.root = 0;
        find_absent(&mut all);
        assert_eq!(all[1].seen.waiting.as_ref().unwrap().absent, Some(0));
    }

    #[test]
    fn different_calls_of_different_hosts_are_found() {
        let all = [
            sight(0, &[(0, 7, &[Barrier, Split])], Some(0)),
            sight(1, &[(0, 7, &[Barrier, Barrier])], None),
            sight(2, &[(0, 7, &[Barrier, Split])], Some(0)),
        ];
        let found = difference(&all).unwrap();
        assert_eq!((found.number, found.members, found.still), (2, 3, vec![0, 1, 2]));
        assert_eq!(found.versions[1].pes, [1]);
    }
}
