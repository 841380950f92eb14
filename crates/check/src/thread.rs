//! The epoch of a thread and its clock.
//!
//! # Epochs
//!
//! An epoch of a thread is *fresh* from the first event in it that other threads may learn of, and ends when the thread leaves its clock
//! somewhere. Everything that adds to a thread's clock makes its epoch fresh: taking a clock, a quiet, and a part of the program that
//! begins or ends. So do the thread's own accesses, and the first operation on a lane that has none in progress. Therefore **a thread that
//! has another thread's own entry of an epoch has everything that this other thread knew when it left its clock in that epoch**. If a word
//! already has the entry that the thread's clock has now, the thread need leave nothing there but the operations that fences have ordered.
//! An addition to a clock that does not make the epoch fresh would break this rule: orders would be missed, and false races reported. So
//! the clock is changed in this file alone.
//!
//! A further operation on a lane that has operations in progress is not a new event: a thread that knows of the first may complete all of
//! them.

use crate::{
    cell::EPOCH_MAX,
    clock::{Clock, SharedClock},
};
use core::iter;

/// A point in a thread's execution: its strand and epoch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stamp {
    pub(crate) strand: u16,
    pub(crate) epoch: u32,
}

/// A thread of this PE.
pub struct Thread {
    pub(crate) strand: u16,
    pub(crate) epoch: u32,
    clock: Clock,
    /// Something was recorded or learnt in this epoch; the epoch is then in the clock.
    fresh: bool,
    /// The thread itself has accessed memory in this epoch. An operation that it begins now comes after that access, and before the
    /// thread's next access.
    touched: bool,
    /// Set while the thread runs parts of the program that other threads might run instead.
    parts: Option<Box<Parts>>,
}

/// Parts of a program that may run at the same time, such as OpenMP's sections, and that one thread runs one after the other.
struct Parts {
    /// The thread's clock before the first part.
    before: Clock,
    /// The joined clocks of the parts that have run.
    after: Clock,
}

impl Thread {
    /// A thread with an empty clock.
    pub(crate) fn new(strand: u16) -> Thread {
        Thread { strand, epoch: 1, clock: Clock::new(), fresh: false, touched: false, parts: None }
    }

    /// Whether the thread knows what another strand did in an epoch.
    #[inline]
    pub(crate) fn has(&self, strand: u16, epoch: u32) -> bool {
        self.clock.has(strand, epoch)
    }

    /// Make the epoch fresh: the thread does something that other threads may learn of, or has learnt something.
    #[inline]
    pub(crate) fn acts(&mut self) {
        if !self.fresh {
            self.fresh = true;
            self.clock.add(self.strand, self.epoch);
        }
    }

    /// The thread's current stamp. A thread that knows of it knows everything that this thread did before.
    pub(crate) fn stamp(&mut self) -> Stamp {
        self.acts();
        Stamp { strand: self.strand, epoch: self.epoch }
    }

    /// Record that the thread itself accesses memory.
    #[inline]
    pub(crate) fn touches(&mut self) {
        self.acts();
        self.touched = true;
    }

    /// Record that the thread begins an operation that accesses memory. If the thread repeats an access after this, the repetition is a new
    /// access.
    #[inline]
    pub(crate) fn begins_operation(&mut self) {
        if self.touched {
            self.begin_epoch();
        }
    }

    /// Begin a new epoch: a thread that knows of the earlier epochs does not know what comes from here on.
    fn begin_epoch(&mut self) {
        if self.fresh && self.epoch < EPOCH_MAX {
            self.epoch += 1;
        }
        (self.fresh, self.touched) = (false, false);
    }

    /// Learn what another strand did up to an epoch.
    pub(crate) fn learn(&mut self, strand: u16, epoch: u32) {
        self.clock.add(strand, epoch);
        self.acts();
    }

    /// Add the clock that was left at a word.
    pub(crate) fn take(&mut self, word: SharedClock<'_>, used: usize) {
        word.take(&mut self.clock, used);
        self.acts();
    }

    /// Leave at a word the first `used` entries of the thread's clock, and `more`.
    ///
    /// If the word already has all of it, nothing is written: a word that other threads write to as well is then only read. The last epoch
    /// includes everything that comes later, so its entry proves nothing.
    pub(crate) fn leave(&mut self, word: SharedClock<'_>, used: usize, more: impl Iterator<Item = (u16, u32)> + Clone) {
        let own = (self.strand, self.clock.of(self.strand));
        let is_there = self.epoch < EPOCH_MAX && word.has_all(iter::once(own).chain(more.clone()));
        if !is_there {
            word.leave(&self.clock, used, more);
        }
        self.begin_epoch();
    }

    /// Begin a part of the program as another strand, which knows what was known before the first part.
    pub(crate) fn begin_part(&mut self, strand: u16) {
        let clock = &self.clock;
        let parts = self.parts.get_or_insert_with(|| Box::new(Parts { before: clock.clone(), after: Clock::new() }));
        parts.after.join(clock);
        self.clock = parts.before.clone();
        (self.strand, self.epoch, self.fresh, self.touched) = (strand, 1, false, false);
        self.acts();
    }

    /// End the parts: the thread then knows what all of them have done.
    pub(crate) fn end_parts(&mut self) {
        if let Some(parts) = self.parts.take() {
            self.clock.join(&parts.after);
            self.acts();
        }
    }
}
