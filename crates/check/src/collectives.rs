//! Whether the members of a team call the same collective.
//!
//! Each collective of a team has a number, which all members count alike. The first member records its call; the others compare theirs with
//! it. A record is eight words: a lock, a key of team and number, and the call. A record of an older number is overwritten; there are
//! records for as many numbers of one team as its members can be apart.

use crate::{
    area::{Area, GROUP_WORDS, hash},
    lock::locked,
};
use core::sync::atomic::{
    AtomicU64,
    Ordering::{Relaxed, SeqCst},
    fence,
};

/// Size of a record, in words.
const RECORD: usize = 8;
/// Number of records of the last collectives of all teams. The same number of records of arrays follow them.
const RECORDS: usize = GROUP_WORDS / RECORD / 2;

/// A call of a collective: the properties that must be the same on all members, and its site and PE.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Collective {
    /// A number for the routine's function.
    pub routine: u32,
    /// The root; -1 if there is none.
    pub root: i32,
    /// Size of an element in bytes, or a number for its type.
    pub element: u64,
    /// Number of elements; `u64::MAX` if it may differ between members.
    pub count: u64,
    /// For a split: the numbers that decide which PE is in which team.
    pub ranges: [i32; 3],
    /// Where the program calls it.
    pub site: u16,
    /// Number of the calling PE in the world.
    pub pe: u32,
}

/// A call of another member that does not match.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mismatch {
    /// The other member's call.
    pub theirs: Collective,
    /// The first difference of the two calls.
    pub what: Difference,
}

/// The property in which two calls differ.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Difference {
    /// They are different routines.
    Routine,
    /// They name different roots.
    Root,
    /// The element's size or type.
    Element,
    /// The number of elements.
    Count,
    /// The members of the new teams.
    Ranges,
}

/// A collective of an active set that a PE is in; it uses an array of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SetCall {
    /// The set, as the program names it: start, logarithm of the stride, size.
    pub triple: [i32; 3],
    /// Where the program calls it.
    pub site: u16,
}

impl Area<'_> {
    /// Compare this PE's collective number `number` of `team` with the calls of the other members.
    pub fn compare(&self, team: u64, number: u64, mine: Collective) -> Option<Mismatch> {
        let key = hash([team, number]) | 1;
        let at = (key >> 8) as usize % RECORDS * RECORD;
        let record = &self.groups[at..][..RECORD];
        let (held, theirs) = locked(&record[0], || {
            let held = record[1].load(Relaxed);
            let theirs = Collective {
                routine: (record[2].load(Relaxed) >> 32) as u32,
                root: record[2].load(Relaxed) as u32 as i32,
                element: record[3].load(Relaxed),
                count: record[4].load(Relaxed),
                site: (record[5].load(Relaxed) >> 32) as u16,
                pe: record[5].load(Relaxed) as u32,
                ranges: unpack_ranges([record[6].load(Relaxed), record[7].load(Relaxed)]),
            };
            if held != key {
                record[1].store(key, Relaxed);
                record[2].store(u64::from(mine.routine) << 32 | u64::from(mine.root as u32), Relaxed);
                record[3].store(mine.element, Relaxed);
                record[4].store(mine.count, Relaxed);
                record[5].store(u64::from(mine.site) << 32 | u64::from(mine.pe), Relaxed);
                let ranges = pack_ranges(mine.ranges);
                record[6].store(ranges[0], Relaxed);
                record[7].store(ranges[1], Relaxed);
            }
            (held, theirs)
        });
        if held != key {
            return None;
        }
        let what = if theirs.routine != mine.routine {
            Difference::Routine
        } else if theirs.root != mine.root {
            Difference::Root
        } else if theirs.element != mine.element {
            Difference::Element
        } else if theirs.count != mine.count {
            Difference::Count
        } else if theirs.ranges != mine.ranges {
            Difference::Ranges
        } else {
            return None;
        };
        Some(Mismatch { theirs, what })
    }

    /// Record that `pe` is in a collective of an active set, which uses the symmetric array at `psync`; or, with `None`, that it is in none
    /// any more.
    ///
    /// If two PEs come at the same time, at least one sees the other: each records its call before it reads the calls of others, with a
    /// full fence between.
    pub fn set_call(&self, psync: u64, pe: u32, call: Option<SetCall>) {
        self.with_set(psync, pe, |record| {
            match record[1].swap(set_key(psync, pe), Relaxed) {
                0 => {}
                key if key == set_key(psync, pe) => {}
                _ => record[5].store(FORGOTTEN, Relaxed),
            }
            record[4].store(call.map_or(0, |call| INSIDE | u64::from(call.site)), Relaxed);
            if let Some(SetCall { triple, .. }) = call {
                let [start_and_stride, size] = pack_ranges(triple);
                record[2].store(start_and_stride, Relaxed);
                record[3].store(size, Relaxed);
            }
        });
        fence(SeqCst);
    }

    /// The collective that `pe` is in, if it uses the array at `psync`.
    pub fn set_call_of(&self, psync: u64, pe: u32) -> Option<SetCall> {
        self.with_set(psync, pe, |record| {
            let triple = unpack_ranges([record[2].load(Relaxed), record[3].load(Relaxed)]);
            let call = record[4].load(Relaxed);
            let is_in = record[1].load(Relaxed) == set_key(psync, pe) && call & INSIDE != 0;
            is_in.then_some(SetCall { triple, site: call as u16 })
        })
    }

    /// Record that `pe` has returned from collective number `number` of `team`, which has used the array at `psync`.
    pub fn set_return(&self, psync: u64, pe: u32, team: u64, number: u64) {
        self.with_set(psync, pe, |record| {
            record[1].store(set_key(psync, pe), Relaxed);
            record[5].store(number + 1, Relaxed);
            record[6].store(team, Relaxed);
        });
    }

    /// The last collective with the array at `psync` that `pe` has returned from.
    pub fn set_return_of(&self, psync: u64, pe: u32) -> Returned {
        self.with_set(psync, pe, |record| match (record[1].load(Relaxed), record[5].load(Relaxed)) {
            (0, _) => Returned::FromNone,
            (key, _) if key != set_key(psync, pe) => Returned::Forgotten,
            (_, 0) => Returned::FromNone,
            (_, FORGOTTEN) => Returned::Forgotten,
            (_, next) => Returned::From { team: record[6].load(Relaxed), number: next - 1 },
        })
    }

    fn with_set<R>(&self, psync: u64, pe: u32, act: impl FnOnce(&[AtomicU64]) -> R) -> R {
        let at = (RECORDS + (set_key(psync, pe) >> 8) as usize % RECORDS) * RECORD;
        let record = &self.groups[at..][..RECORD];
        locked(&record[0], || act(record))
    }
}

/// The last collective with an array that a PE has returned from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Returned {
    /// No collective with this array.
    FromNone,
    /// One of a team, by its number.
    From {
        /// A number of the team.
        team: u64,
        /// The team's number of the collective.
        number: u64,
    },
    /// Unknown: the record was used for something else.
    Forgotten,
}

/// Stored instead of a number if the record was used for something else since.
const FORGOTTEN: u64 = u64::MAX;

/// Flag beside a site: the collective has not returned.
const INSIDE: u64 = 1 << 32;

fn set_key(psync: u64, pe: u32) -> u64 {
    hash([0x736574, psync, pe.into()]) | 1
}

fn pack_ranges([first, second, third]: [i32; 3]) -> [u64; 2] {
    [u64::from(first as u32) << 32 | u64::from(second as u32), u64::from(third as u32)]
}

fn unpack_ranges([pair, third]: [u64; 2]) -> [i32; 3] {
    [(pair >> 32) as i32, pair as i32, third as i32]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::area::alone;

    #[test]
    fn members_are_compared_with_the_first() {
        let area = alone(64);
        let mine = Collective { routine: 4, root: 1, element: 8, count: 100, ranges: [0, 1, -1], site: 3, pe: 0 };
        assert_eq!(area.compare(9, 0, mine), None);
        for (nth, (call, what)) in [
            (Collective { pe: 1, site: 4, ..mine }, None),
            (Collective { routine: 5, ..mine }, Some(Difference::Routine)),
            (Collective { root: -1, ..mine }, Some(Difference::Root)),
            (Collective { element: 4, ..mine }, Some(Difference::Element)),
            (Collective { count: 101, ..mine }, Some(Difference::Count)),
            (Collective { ranges: [0, 1, 1], ..mine }, Some(Difference::Ranges)),
        ]
        .into_iter()
        .enumerate()
        {
            let found = area.compare(9, 0, call);
            assert_eq!(found.map(|mismatch| mismatch.what), what, "{call:?}");
            assert!(found.is_none_or(|mismatch| mismatch.theirs == mine));
            assert_eq!(area.compare(9, 1 + nth as u64, call), None, "another number");
            assert_eq!(area.compare(10, 0, mine), None, "another team");
        }
    }

    #[test]
    fn members_of_a_set_are_identified_by_psync() {
        let area = alone(64);
        let call = SetCall { triple: [1, 0, 7], site: 9 };
        area.set_call(64, 3, Some(call));
        assert_eq!(
            (area.set_call_of(64, 3), area.set_call_of(64, 2), area.set_call_of(128, 3)),
            (Some(call), None, None)
        );
        area.set_call(64, 3, None);
        assert_eq!((area.set_call_of(64, 3), area.set_return_of(64, 3)), (None, Returned::FromNone));
        area.set_return(64, 3, 77, 0);
        area.set_call(64, 3, Some(call));
        let returned = Returned::From { team: 77, number: 0 };
        assert_eq!((area.set_return_of(64, 3), area.set_return_of(64, 2)), (returned, Returned::FromNone));
        // Other arrays take the record, and the PE that has returned calls again.
        (1..100_000).for_each(|psync| area.set_call(1 << 20 | psync << 3, 3, None));
        area.set_call(64, 3, Some(call));
        assert_eq!((area.set_call_of(64, 3), area.set_return_of(64, 3)), (Some(call), Returned::Forgotten));
    }
}
