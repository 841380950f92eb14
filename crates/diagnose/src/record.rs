//! The collectives that a member of a team has called: their number, and the last calls.
//!
//! Each member has a [`Records`] for each team, in the place of the team's slot. Call number n, from 1 on, is in word n modulo [`DEPTH`],
//! so a member that has gone on a little can still be compared with one that has not.
//!
//! # Owners and orders
//!
//! Only the member's own thread writes: the standard allows one thread at a time in the collectives of a team. Each word has a whole call
//! with the last bits of its number ([`Entry::word`]). A reader therefore sees all of it or nothing, and knows which call it is.
//!
//! - The writer stores the word, then `arrived`, each with release. A reader that sees the number therefore sees the word, or a later one
//!   in its place.
//! - A later word shows itself by its number, unless it is a multiple of [`NUMBERS`] calls later. `arrived` was stored before it, so a
//!   reader of such a word that loads `arrived` after an acquire fence sees that the requested call is too old.
//! - `key` is the same for all members of a team, and differs from the key of every other team that was ever in this slot of these members.
//!   It is 0 while a new team is written in, between a release fence before and a store with release after. Readers load it before and
//!   after.
//!
//! On x86-64 the fences only restrict the compiler, and a call costs two stores into a line that no other PE writes.

use crate::entry::{Entry, NUMBERS};
use std::sync::atomic::{
    AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
    fence,
};

/// Number of calls that are kept.
pub const DEPTH: usize = 4;

/// A member's calls in one team.
#[repr(C, align(64))]
#[derive(Debug, Default)]
pub struct Records {
    key: AtomicU64,
    /// The rank of the member.
    rank: AtomicU64,
    /// How many collectives the member has called.
    arrived: AtomicU64,
    calls: [AtomicU64; DEPTH],
}

/// A copy of a [`Records`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Called {
    /// Key of the team.
    pub key: u64,
    /// The member's rank in the team.
    pub rank: u32,
    /// How many collectives the member has called.
    pub arrived: u64,
    /// The last of them, with their numbers.
    pub calls: Vec<(u64, Entry)>,
}

impl Records {
    /// Begin a team in which nothing was called.
    pub fn begin(&self, team: u64, rank: u32) {
        self.key.store(0, Relaxed);
        fence(Release);
        self.rank.store(rank.into(), Relaxed);
        self.arrived.store(0, Relaxed);
        self.calls.iter().for_each(|call| call.store(0, Relaxed));
        self.key.store(team, Release);
    }

    /// Record the member's next collective. Return its number and its word.
    #[inline(always)]
    pub fn write(&self, call: Entry) -> (u64, u64) {
        let number = self.arrived.load(Relaxed) + 1;
        let word = call.word(number);
        self.calls[number as usize % DEPTH].store(word, Release);
        self.arrived.store(number, Release);
        (number, word)
    }

    /// How many collectives the member itself has called.
    pub fn count(&self) -> u64 {
        self.arrived.load(Relaxed)
    }

    /// The call with this number in this team, if it is still kept.
    pub fn read(&self, team: u64, number: u64) -> Option<Entry> {
        let before = self.arrived(team)?;
        let found = Entry::of_word(self.calls[number as usize % DEPTH].load(Relaxed))?;
        fence(Acquire);
        let is_near = self.arrived.load(Relaxed).wrapping_sub(number) < NUMBERS / 2;
        (number > 0 && number <= before && is_near && found.0 == number % NUMBERS)
            .then_some(found.1)
            .filter(|_| self.key.load(Relaxed) == team)
    }

    /// How many collectives of this team the member has called; `None` if it is in no such team.
    pub fn arrived(&self, team: u64) -> Option<u64> {
        let key = self.key.load(Acquire);
        let arrived = self.arrived.load(Acquire);
        fence(Acquire);
        (key == team && self.key.load(Relaxed) == team).then_some(arrived)
    }

    /// A copy of the current contents, if there is a team.
    pub fn copy(&self) -> Option<Called> {
        let key = self.key.load(Acquire);
        if key == 0 {
            return None;
        }
        let rank = self.rank.load(Relaxed) as u32;
        let arrived = self.arrived(key)?;
        let numbers = arrived.saturating_sub(DEPTH as u64 - 1).max(1)..=arrived;
        let calls = numbers.filter_map(|number| Some((number, self.read(key, number)?))).collect();
        Some(Called { key, rank, arrived, calls })
    }
}

const _: () = assert!(size_of::<Records>() == 64);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::EntryKind;
    use std::thread;

    const TEAM: u64 = 77;

    #[test]
    fn the_last_calls_of_the_team_are_read_and_no_others() {
        let records = Records::default();
        assert_eq!((records.arrived(TEAM), records.read(TEAM, 1), records.copy()), (None, None, None));
        records.begin(TEAM, 3);
        assert_eq!(records.arrived(TEAM), Some(0));
        for number in 1..=6 {
            assert_eq!(records.write(Entry::sized(EntryKind::Reduce, number as usize)).0, number);
        }
        assert_eq!(records.arrived(TEAM), Some(6));
        assert_eq!((records.read(TEAM, 2), records.read(TEAM, 7), records.read(TEAM, 0)), (None, None, None));
        for number in 3..=6 {
            assert_eq!(records.read(TEAM, number), Some(Entry::sized(EntryKind::Reduce, number as usize)));
        }
        let copy = records.copy().unwrap();
        assert_eq!((copy.key, copy.rank, copy.arrived, copy.calls.len()), (TEAM, 3, 6, DEPTH));
        assert_eq!((records.arrived(TEAM + 1), records.read(TEAM + 1, 6)), (None, None));
        records.begin(TEAM + 1, 0);
        assert_eq!((records.arrived(TEAM), records.arrived(TEAM + 1)), (None, Some(0)));
        assert_eq!(records.copy().unwrap().calls, []);
    }

    /// A later call with the same last bits of its number is not taken for the old one.
    #[test]
    fn a_call_is_not_taken_for_one_of_long_ago() {
        let records = Records::default();
        records.begin(TEAM, 0);
        let old = Entry::bare(EntryKind::Barrier);
        records.write(old);
        assert_eq!(records.read(TEAM, 1), Some(old));
        for _ in 0..NUMBERS {
            records.write(Entry::bare(EntryKind::Finalize));
        }
        assert_eq!(records.read(TEAM, 1), None);
    }

    /// Numbers, roots and sizes go together: no reader sees a mixture.
    #[test]
    fn a_call_that_is_being_written_is_not_read() {
        let records = Records::default();
        records.begin(TEAM, 0);
        let last = 60_000;
        thread::scope(|scope| {
            scope.spawn(|| {
                for number in 1..=last {
                    records.write(Entry { kind: EntryKind::Broadcast, root: number as u32, bytes: number });
                }
            });
            let mut seen = 0;
            while seen < last {
                seen = records.arrived(TEAM).unwrap();
                for number in seen.saturating_sub(3).max(1)..=seen + 1 {
                    if let Some(call) = records.read(TEAM, number) {
                        assert_eq!((u64::from(call.root), call.bytes), (number, number));
                    }
                }
            }
        });
    }
}
