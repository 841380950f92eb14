//! The waits of the program's threads on a port.

use std::mem;

/// The waits of all threads that share a port.
#[derive(Debug, Default)]
pub struct Awaited {
    /// A thread has asked since the last post which operations are complete at targets.
    has_inquired: bool,
    /// The program waits for all tickets below this one; losing their peer is a fault. Later tickets were only probed for a sign of life.
    below: u64,
    /// A thread has waited since the last poll for operations posted here; otherwise threads wait for what peers do.
    is_here: bool,
}

impl Awaited {
    /// A thread waits until all tickets below this one are complete at their targets.
    #[inline]
    pub fn at_targets(&mut self, below: u64) {
        self.has_inquired = true;
        debug_assert!(below >= self.below, "tickets grow");
        self.below = below;
    }

    /// A thread waits for operations posted here, if `is_here`.
    #[inline]
    pub fn here(&mut self, is_here: bool) {
        self.is_here |= is_here;
    }

    /// The program waits for all tickets below this one.
    pub fn below(&self) -> u64 {
        self.below
    }

    /// Take whether a thread has asked since the last post which operations are complete at targets.
    #[inline]
    pub fn take_inquired(&mut self) -> bool {
        mem::take(&mut self.has_inquired)
    }

    /// Take whether a thread has waited since the last poll for operations posted here.
    #[inline]
    pub fn take_here(&mut self) -> bool {
        mem::take(&mut self.is_here)
    }
}
