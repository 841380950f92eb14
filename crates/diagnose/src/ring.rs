//! The flight recorder: the last calls of a PE, whatever they were.
//!
//! [`LAST`] calls are kept, in as many cells of two words; a call is over when the next one is there, or unknown. Nothing is said of
//! when a call was: to read a clock takes longer than to record the call.
//!
//! # Owners and orders
//!
//! The PE alone writes: call n, from 0 on, in cell n modulo `CELLS`, and then `next` = n + 1 with release. Threads of a PE that call at the same time may
//! write over each other's call, which is then lost, and no more.
//!
//! A reader loads `next`, the cells, and behind an acquire fence `next` again. The writer has a release fence before it writes a cell, so
//! a reader that has seen a part of call n + `CELLS` in the place of call n sees `next` of at least n + `CELLS` after it, and leaves call n out. The
//! board of a PE that has died is read in the same way.

use crate::entry::Entry;
use std::sync::atomic::{
    AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
    fence,
};

/// Cells: more than the calls that are told, so that those stand while a PE that goes on writes.
const CELLS: u64 = 128;
/// Calls that are told.
pub const LAST: usize = 64;

/// The last calls of a PE.
#[repr(C, align(64))]
#[derive(Debug)]
pub struct Ring {
    next: AtomicU64,
    pad: [u64; 7],
    cells: [Cell; CELLS as usize],
}

#[repr(C, align(16))]
#[derive(Debug, Default)]
struct Cell {
    /// The routine's number, the team's slot, and 1 + the peer.
    who: AtomicU64,
    /// As of a collective ([`Entry::word`]), or the bytes of another call.
    what: AtomicU64,
}

/// One call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Past {
    /// The routine, by its number among the names.
    pub routine: u16,
    /// What it was of.
    pub what: What,
}

/// What a call was of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    /// A collective of the team in this slot.
    Collective(u16, Entry),
    /// So many bytes to or from a peer, if it has such.
    Other(Option<u32>, u64),
}

impl Default for Ring {
    fn default() -> Self {
        let cells = [const { Cell { who: AtomicU64::new(0), what: AtomicU64::new(0) } }; CELLS as usize];
        Ring { next: AtomicU64::new(0), pad: [0; 7], cells }
    }
}

impl Ring {
    #[inline(always)]
    fn write(&self, who: u64, what: u64) {
        let next = self.next.load(Relaxed);
        let cell = &self.cells[(next % CELLS) as usize];
        fence(Release);
        cell.who.store(who, Relaxed);
        cell.what.store(what, Relaxed);
        self.next.store(next + 1, Release);
    }

    /// The PE calls a collective of the team in `slot`. `word`: that of the call, from the team's records.
    #[inline(always)]
    pub fn collective(&self, routine: u16, slot: u16, word: u64) {
        self.write(u64::from(routine) | u64::from(slot) << 16, word);
    }

    /// The PE calls something else, with `bytes` for or from a peer, if it has such.
    #[inline(always)]
    pub fn other(&self, routine: u16, peer: Option<u32>, bytes: u64) {
        let peer = peer.map_or(0, |pe| u64::from(pe) + 1);
        self.write(u64::from(routine) | peer << 32, Entry::no_word(bytes));
    }

    /// The routine of the collective that was called last.
    pub fn last_collective(&self) -> Option<u16> {
        self.read().iter().rev().find(|past| matches!(past.what, What::Collective(..))).map(|past| past.routine)
    }

    /// The last calls, the oldest first.
    pub fn read(&self) -> Vec<Past> {
        let end = self.next.load(Acquire);
        let begin = end.saturating_sub(LAST as u64);
        let words: Vec<(u64, u64, u64)> = (begin..end)
            .map(|n| {
                let cell = &self.cells[(n % CELLS) as usize];
                (n, cell.who.load(Relaxed), cell.what.load(Relaxed))
            })
            .collect();
        fence(Acquire);
        let now = self.next.load(Relaxed);
        words.into_iter().filter(|(n, ..)| n + CELLS > now).map(|(_, who, what)| Past::of(who, what)).collect()
    }
}

impl Past {
    fn of(who: u64, what: u64) -> Past {
        let peer = (who >> 32).checked_sub(1).map(|pe| pe as u32);
        let what = match Entry::of_word(what) {
            Some((_, entry)) => What::Collective((who >> 16) as u16, entry),
            None => What::Other(peer, Entry::bytes_of_no_word(what)),
        };
        Past { routine: who as u16, what }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::EntryKind;
    use std::{sync::atomic::AtomicBool, thread};

    #[test]
    fn the_last_calls_are_read_in_their_order() {
        let ring = Ring::default();
        assert_eq!((ring.read(), ring.last_collective()), (vec![], None));
        let sum = Entry::sized(EntryKind::Reduce, 8);
        ring.other(1, Some(0), 100);
        ring.collective(2, 5, sum.word(1));
        ring.other(3, None, 0);
        assert_eq!(
            ring.read(),
            [
                Past { routine: 1, what: What::Other(Some(0), 100) },
                Past { routine: 2, what: What::Collective(5, sum) },
                Past { routine: 3, what: What::Other(None, 0) },
            ]
        );
        assert_eq!(ring.last_collective(), Some(2));
        (0..1000).for_each(|n| ring.other(9, Some(n), n.into()));
        let last: Vec<Past> =
            (1000 - LAST as u32..1000).map(|n| Past { routine: 9, what: What::Other(Some(n), n.into()) }).collect();
        assert_eq!(ring.read(), last);
    }

    #[test]
    fn a_call_that_is_being_written_is_not_read() {
        let (ring, over) = (Ring::default(), AtomicBool::new(false));
        thread::scope(|scope| {
            scope.spawn(|| {
                (0..400_000).for_each(|n| ring.other(n as u16, Some(n), n.into()));
                over.store(true, Release);
            });
            while !over.load(Acquire) {
                for past in ring.read() {
                    let What::Other(Some(peer), bytes) = past.what else { panic!("{past:?}") };
                    assert_eq!((u64::from(peer), peer as u16), (bytes, past.routine));
                }
            }
        });
    }
}
