//! Clocks: for each strand, the epoch up to which everything has happened.

use crate::{cell::STRANDS, lock::locked};
use core::sync::atomic::{
    AtomicU32, AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};

/// The clock of a thread; no other thread uses it.
pub struct Clock {
    epochs: Box<[u32]>,
}

impl Clock {
    /// A clock in which nothing has happened.
    pub fn new() -> Clock {
        Clock { epochs: vec![0; STRANDS].into_boxed_slice() }
    }

    /// The epoch of `strand` up to which everything has happened.
    #[inline]
    pub fn of(&self, strand: u16) -> u32 {
        self.epochs[strand as usize & (STRANDS - 1)]
    }

    /// Whether epoch `epoch` of `strand` has happened.
    #[inline]
    pub fn has(&self, strand: u16, epoch: u32) -> bool {
        self.of(strand) >= epoch
    }

    /// Record that everything that `strand` did up to `epoch` has happened.
    pub fn add(&mut self, strand: u16, epoch: u32) {
        let mine = &mut self.epochs[strand as usize];
        *mine = epoch.max(*mine);
    }

    /// Add everything that the clock of another thread of this process has.
    pub fn join(&mut self, other: &Clock) {
        for (mine, &theirs) in self.epochs.iter_mut().zip(&other.epochs) {
            *mine = theirs.max(*mine);
        }
    }
}

impl Default for Clock {
    fn default() -> Clock {
        Clock::new()
    }
}

impl Clone for Clock {
    fn clone(&self) -> Clock {
        Clock { epochs: self.epochs.clone() }
    }
}

/// A clock in shared memory, where strands leave their clocks and other strands take them.
///
/// All words are atomics and only grow. If the owner of the lock has ended, another strand reads without the lock; at worst it then gets
/// too little or too much of what some strand knew.
#[derive(Clone, Copy)]
pub struct SharedClock<'m> {
    pub(crate) lock: &'m AtomicU64,
    pub(crate) epochs: &'m [AtomicU32],
}

impl SharedClock<'_> {
    /// Add the first `used` entries of a clock, and the entries `more`.
    pub fn leave(&self, clock: &Clock, used: usize, more: impl Iterator<Item = (u16, u32)>) {
        locked(self.lock, || {
            for (there, &here) in self.epochs.iter().zip(&clock.epochs).take(used) {
                if here > there.load(Relaxed) {
                    there.store(here, Release);
                }
            }
            for (strand, epoch) in more {
                self.epochs[strand as usize].fetch_max(epoch, Release);
            }
        });
    }

    /// Whether these entries have been left here. The strand that left them may still have the lock.
    ///
    /// Acquire, pairs with the Release of [`SharedClock::leave`]: the strand that left an entry that is read here had taken the lock
    /// before. Everything that the reader does from here on comes after that. So if another strand has seen any of it, and takes the lock
    /// to take this clock, it gets the lock after the strand that left the entry, and with the entry everything that was left beside it.
    #[inline]
    pub fn has_all(&self, mut entries: impl Iterator<Item = (u16, u32)>) -> bool {
        entries.all(|(strand, epoch)| self.epochs[strand as usize].load(Acquire) >= epoch)
    }

    /// Add everything that was left here to `clock`.
    pub fn take(&self, clock: &mut Clock, used: usize) {
        locked(self.lock, || {
            for (there, here) in self.epochs.iter().zip(&mut clock.epochs).take(used) {
                *here = there.load(Relaxed).max(*here);
            }
        });
    }
}
