//! Clocks: of each strand, the epoch up to which everything has happened.

use crate::{cell::STRANDS, lock::locked};
use core::sync::atomic::{
    AtomicU32, AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};

/// The clock of a thread, which alone uses it.
pub struct Clock {
    epochs: Box<[u32]>,
}

impl Clock {
    /// Nothing has happened.
    pub fn new() -> Clock {
        Clock { epochs: vec![0; STRANDS].into_boxed_slice() }
    }

    /// Up to which epoch of `strand` everything has happened.
    #[inline]
    pub fn of(&self, strand: u16) -> u32 {
        self.epochs[strand as usize & (STRANDS - 1)]
    }

    /// Whether what `strand` did in `epoch` has happened.
    #[inline]
    pub fn has(&self, strand: u16, epoch: u32) -> bool {
        self.of(strand) >= epoch
    }

    /// What `strand` did up to `epoch` has happened.
    pub fn add(&mut self, strand: u16, epoch: u32) {
        let mine = &mut self.epochs[strand as usize];
        *mine = epoch.max(*mine);
    }

    /// What another thread of this process knows.
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

/// A clock that lies in shared memory, where strands leave theirs and others take them.
///
/// All words are atomics and only grow, so that what is read without the lock, when its owner has ended, is at worst too little or too
/// much of what somebody knew.
#[derive(Clone, Copy)]
pub struct SharedClock<'m> {
    pub(crate) lock: &'m AtomicU64,
    pub(crate) epochs: &'m [AtomicU32],
}

impl SharedClock<'_> {
    /// Leave what a clock knows, of the first `used` strands, and `more` beside it.
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

    /// Whether somebody has left these here, or is about to and has the lock.
    ///
    /// Acquire, against the Release of [`SharedClock::leave`]: whoever has left an entry that is read here had taken the lock before.
    /// What the reader does from here on comes after that; so who has seen any of it, and takes the lock to take what lies here,
    /// gets the lock from whoever has left the entry, and with the entry all that was left beside it.
    #[inline]
    pub fn has_all(&self, mut entries: impl Iterator<Item = (u16, u32)>) -> bool {
        entries.all(|(strand, epoch)| self.epochs[strand as usize].load(Acquire) >= epoch)
    }

    /// Take what was left here.
    pub fn take(&self, clock: &mut Clock, used: usize) {
        locked(self.lock, || {
            for (there, here) in self.epochs.iter().zip(&mut clock.epochs).take(used) {
                *here = there.load(Relaxed).max(*here);
            }
        });
    }
}
