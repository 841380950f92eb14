//! The last calls of a team by one of its members.
//!
//! Each member has [`DEPTH`] records in its slot of the team. Call number n, from 1 on, is in record n modulo [`DEPTH`], so a member
//! that has gone on a little can still be compared with one that has not.
//!
//! # States and orders
//!
//! A record is a seqlock. Only the member's own thread writes it: the standard allows one thread at a time in the collectives
//! of a team. `stamp` is 0 while the record is written, and otherwise the number of the call.
//!
//! - The writer stores 0, then a release fence, the words, and the number with release.
//! - A reader loads `stamp` with acquire, the words, then an acquire fence and `stamp` again. If both are the same number, the
//!   words are that call's: a reader that sees a word of a later call has, by the two fences, seen that call's 0 or what follows it.
//!
//! On x86-64 the fences are promises to the compiler, and a call costs four stores into a line that nobody else writes.
//!
//! `team` is the same for all members of a team, and of no other team that was ever in this slot of these members. It is written
//! when the team is made, with all stamps 0 before. So what stands there of an earlier team is never compared.

use crate::entry::Entry;
use std::sync::atomic::{
    AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
    fence,
};

/// Records of a member.
pub const DEPTH: usize = 4;

/// One call.
#[repr(C, align(64))]
#[derive(Debug, Default)]
pub struct Record {
    stamp: AtomicU64,
    team: AtomicU64,
    what: AtomicU64,
    bytes: AtomicU64,
}

/// A member's records.
#[repr(C)]
#[derive(Debug, Default)]
pub struct Records([Record; DEPTH]);

impl Records {
    /// A team begins, in which nothing was called.
    pub fn begin(&self, team: u64) {
        for record in &self.0 {
            record.stamp.store(0, Relaxed);
            fence(Release);
            record.team.store(team, Relaxed);
        }
    }

    /// The member calls collective `number`.
    #[inline(always)]
    pub fn write(&self, number: u64, call: Entry) {
        let record = &self.0[number as usize % DEPTH];
        record.stamp.store(0, Relaxed);
        fence(Release);
        record.what.store(call.what(), Relaxed);
        record.bytes.store(call.bytes, Relaxed);
        record.stamp.store(number, Release);
    }

    /// What the member has called under this number in this team, if that still stands there.
    pub fn read(&self, team: u64, number: u64) -> Option<Entry> {
        self.0[number as usize % DEPTH].read(team).filter(|&(found, _)| found == number).map(|(_, call)| call)
    }

    /// How many collectives of this team the member has called, as far as can be seen.
    pub fn arrived(&self, team: u64) -> u64 {
        self.0.iter().filter_map(|record| record.read(team)).map(|(number, _)| number).max().unwrap_or(0)
    }
}

impl Record {
    fn read(&self, team: u64) -> Option<(u64, Entry)> {
        let number = self.stamp.load(Acquire);
        let (found, what, bytes) = (self.team.load(Relaxed), self.what.load(Relaxed), self.bytes.load(Relaxed));
        fence(Acquire);
        if number == 0 || self.stamp.load(Relaxed) != number || found != team {
            return None;
        }
        Some((number, Entry::of_words(what, bytes)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::EntryKind;
    use std::thread;

    const TEAM: u64 = 77;

    #[test]
    fn the_last_calls_of_the_team_are_read_and_no_others() {
        let records = Records::default();
        assert_eq!((records.arrived(TEAM), records.read(TEAM, 1)), (0, None));
        records.begin(TEAM);
        for number in 1..=6 {
            records.write(number, Entry::sized(EntryKind::Reduce, number as usize));
        }
        assert_eq!(records.arrived(TEAM), 6);
        assert_eq!(records.read(TEAM, 2), None);
        for number in 3..=6 {
            assert_eq!(records.read(TEAM, number), Some(Entry::sized(EntryKind::Reduce, number as usize)));
        }
        assert_eq!((records.arrived(TEAM + 1), records.read(TEAM + 1, 6)), (0, None));
        records.begin(TEAM + 1);
        assert_eq!((records.arrived(TEAM), records.arrived(TEAM + 1)), (0, 0));
    }

    /// Numbers, roots and sizes go together: no reader sees a mixture.
    #[test]
    fn a_record_that_is_being_written_is_not_read() {
        let records = Records::default();
        records.begin(TEAM);
        let last = 200_000;
        thread::scope(|scope| {
            scope.spawn(|| {
                for number in 1..=last {
                    let call = Entry { kind: EntryKind::Broadcast, root: number as u32, bytes: number };
                    records.write(number, call);
                }
            });
            let mut seen = 0;
            while seen < last {
                seen = records.arrived(TEAM);
                for number in seen.saturating_sub(3).max(1)..=seen + 1 {
                    if let Some(call) = records.read(TEAM, number) {
                        assert_eq!((u64::from(call.root), call.bytes), (number, number));
                    }
                }
            }
        });
    }
}
