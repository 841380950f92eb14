//! The flight recorder: the last calls of a PE, of any kind.
//!
//! The last [`LAST`] calls are kept; each is in a cell of two words. A call is over when the next one is there; before that it is unknown
//! whether it is. The time of a call is not recorded: to read a clock takes longer than to record the call.
//!
//! # Owners and orders
//!
//! The PE alone writes: call n, from 0 on, in cell n modulo `CELLS`, and then `next` = n + 1 with release. Threads of a PE that call at the
//! same time may overwrite each other's call, which is then lost; there is no other harm.
//!
//! A reader loads `next`, the cells, and, after an acquire fence, `next` again. The writer has a release fence before it writes a cell. So
//! if a reader has seen a part of call n + `CELLS` in the place of call n, its second load of `next` returns at least n + `CELLS`, and it
//! leaves call n out. The board of a PE that has died is read in the same way.
//! board of a PE that has died is read in the same way.

use crate::entry::Entry;
use std::sync::atomic::{
    AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
    fence,
};

/// Number of cells. There are more than reported calls, so that the reported ones stay intact while the PE goes on writing.
const CELLS: u64 = 128;
/// Number of calls that are reported.
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
    /// The word of a collective ([`Entry::word`]), or the bytes of another call.
    what: AtomicU64,
}

/// A call of the past.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Past {
    /// Number of the routine among the names.
    pub routine: u16,
    /// Arguments of the call.
    pub what: What,
}

/// The arguments of a recorded call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    /// A collective of the team in this slot.
    Collective(u16, Entry),
    /// Another call: its peer, if it has one, and its bytes.
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

    /// Record a collective of the team in `slot`. `word` is the call's word from the team's records.
    #[inline(always)]
    pub fn collective(&self, routine: u16, slot: u16, word: u64) {
        self.write(u64::from(routine) | u64::from(slot) << 16, word);
    }

    /// Record another call: its peer, if it has one, and its bytes.
    #[inline(always)]
    pub fn other(&self, routine: u16, peer: Option<u32>, bytes: u64) {
        let peer = peer.map_or(0, |pe| u64::from(pe) + 1);
        self.write(u64::from(routine) | peer << 32, Entry::no_word(bytes));
    }

    /// The routine of the last collective.
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
