//! Whether the members of a team call the same collective.
//!
//! Each collective of a team has a number, which all members count alike. Whoever comes first leaves what it calls; the others compare.
//! A record is eight words: a lock, a key of team and number, and what was called. A record of an older number is written over; as many
//! numbers of one team have records as members can be apart.

use crate::{
    area::{Area, GROUP_WORDS, hash},
    lock::locked,
};
use core::sync::atomic::Ordering::Relaxed;

/// Words of one record.
const RECORD: usize = 8;

/// A call of a collective, as far as it must be the same on all members.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Collective {
    /// A number for what the routine does.
    pub routine: u32,
    /// The root; -1 if there is none.
    pub root: i32,
    /// Bytes of an element, or a number for its type.
    pub element: u64,
    /// How many there are; `u64::MAX` where members may differ.
    pub count: u64,
    /// Where the program calls it, and as which PE.
    pub site: u16,
    /// The world's number of the caller.
    pub pe: u32,
}

/// What another member calls instead.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mismatch {
    /// Its call.
    pub theirs: Collective,
    /// What differs.
    pub what: Difference,
}

/// What two calls differ in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Difference {
    /// What is called.
    Routine,
    /// The root.
    Root,
    /// The element's size or type.
    Element,
    /// The number of elements.
    Count,
}

impl Area<'_> {
    /// Compare a call with those of the other members of `team`, of which it is this PE's collective number `number`.
    pub fn compare(&self, team: u64, number: u64, mine: Collective) -> Option<Mismatch> {
        let key = hash([team, number]) | 1;
        let at = (key >> 8) as usize % (GROUP_WORDS / RECORD) * RECORD;
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
            };
            if held != key {
                record[1].store(key, Relaxed);
                record[2].store(u64::from(mine.routine) << 32 | u64::from(mine.root as u32), Relaxed);
                record[3].store(mine.element, Relaxed);
                record[4].store(mine.count, Relaxed);
                record[5].store(u64::from(mine.site) << 32 | u64::from(mine.pe), Relaxed);
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
        } else {
            return None;
        };
        Some(Mismatch { theirs, what })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::area::alone;

    #[test]
    fn members_are_compared_with_the_first() {
        let area = alone(64);
        let mine = Collective { routine: 4, root: 1, element: 8, count: 100, site: 3, pe: 0 };
        assert_eq!(area.compare(9, 0, mine), None);
        for (nth, (call, what)) in [
            (Collective { pe: 1, site: 4, ..mine }, None),
            (Collective { routine: 5, ..mine }, Some(Difference::Routine)),
            (Collective { root: -1, ..mine }, Some(Difference::Root)),
            (Collective { element: 4, ..mine }, Some(Difference::Element)),
            (Collective { count: 101, ..mine }, Some(Difference::Count)),
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
}
