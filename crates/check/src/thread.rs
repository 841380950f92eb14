//! How far a thread has come, and what it knows.
//!
//! # Epochs
//!
//! An epoch of a thread is *fresh* from the first thing in it that others may come to know, and over when its clock is left somewhere.
//! Whatever adds to a thread's clock makes its epoch fresh: taking a clock, a quiet, a part of the program that begins or ends, besides
//! what the thread itself accesses and the first operation on a lane that has none under way. So **who has a thread's own entry of an
//! epoch has all that the thread knew when it left its clock in that epoch**, and a word that has the entry that the thread's clock has now
//! need not be given anything but what fences have put in order. What adds to a clock and leaves the epoch as it is would break this:
//! orders would be missed, and races found that are none. So the clock is changed in this file alone.
//!
//! A further operation on a lane that has some under way is nothing new: who knows of the first may complete all.

use crate::{
    cell::EPOCH_MAX,
    clock::{Clock, SharedClock},
};
use core::iter;

/// How far a thread has come.
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
    /// Something was noted or learnt in this epoch, which is then in the clock.
    fresh: bool,
    /// The thread itself has accessed memory in it: what it begins then comes after that, and before what it accesses next.
    touched: bool,
    /// While it runs parts of the program that other threads might as well run.
    parts: Option<Box<Parts>>,
}

/// Parts that may run at the same time, as OpenMP's sections, one after the other.
struct Parts {
    /// What was known before all of them.
    before: Clock,
    /// What is known after those that have run.
    after: Clock,
}

impl Thread {
    /// One that knows of nothing.
    pub(crate) fn new(strand: u16) -> Thread {
        Thread { strand, epoch: 1, clock: Clock::new(), fresh: false, touched: false, parts: None }
    }

    /// Whether it knows what another strand did in an epoch.
    #[inline]
    pub(crate) fn has(&self, strand: u16, epoch: u32) -> bool {
        self.clock.has(strand, epoch)
    }

    /// Something happens in this epoch that others may come to know, or the thread has learnt something.
    #[inline]
    pub(crate) fn acts(&mut self) {
        if !self.fresh {
            self.fresh = true;
            self.clock.add(self.strand, self.epoch);
        }
    }

    /// What it has come to. Who knows of that knows all that it did before.
    pub(crate) fn stamp(&mut self) -> Stamp {
        self.acts();
        Stamp { strand: self.strand, epoch: self.epoch }
    }

    /// It accesses memory itself.
    #[inline]
    pub(crate) fn touches(&mut self) {
        self.acts();
        self.touched = true;
    }

    /// It begins an operation that accesses memory. What the thread has accessed, accessed once more, is another access after this.
    #[inline]
    pub(crate) fn begins_operation(&mut self) {
        if self.touched {
            self.begin_epoch();
        }
    }

    /// What comes from here on is unknown to who knows what came before.
    fn begin_epoch(&mut self) {
        if self.fresh && self.epoch < EPOCH_MAX {
            self.epoch += 1;
        }
        (self.fresh, self.touched) = (false, false);
    }

    /// It knows what another strand did up to an epoch.
    pub(crate) fn learn(&mut self, strand: u16, epoch: u32) {
        self.clock.add(strand, epoch);
        self.acts();
    }

    /// Take what was left at a word.
    pub(crate) fn take(&mut self, word: SharedClock<'_>, used: usize) {
        word.take(&mut self.clock, used);
        self.acts();
    }

    /// Leave at a word what it knows, of the first `used` strands, and `more`.
    ///
    /// Not where that lies there already: a word that others write to as well is then only read. The last epoch has all that comes
    /// later, so that its entry says nothing.
    pub(crate) fn leave(&mut self, word: SharedClock<'_>, used: usize, more: impl Iterator<Item = (u16, u32)> + Clone) {
        let own = (self.strand, self.clock.of(self.strand));
        let is_there = self.epoch < EPOCH_MAX && word.has_all(iter::once(own).chain(more.clone()));
        if !is_there {
            word.leave(&self.clock, used, more);
        }
        self.begin_epoch();
    }

    /// It begins a part of the program as another strand, which knows what was known before the first part.
    pub(crate) fn begin_part(&mut self, strand: u16) {
        let clock = &self.clock;
        let parts = self.parts.get_or_insert_with(|| Box::new(Parts { before: clock.clone(), after: Clock::new() }));
        parts.after.join(clock);
        self.clock = parts.before.clone();
        (self.strand, self.epoch, self.fresh, self.touched) = (strand, 1, false, false);
        self.acts();
    }

    /// It has run its parts, and knows what all of them have done.
    pub(crate) fn end_parts(&mut self) {
        if let Some(parts) = self.parts.take() {
            self.clock.join(&parts.after);
            self.acts();
        }
    }
}
