//! How the service thread sees that the program is inside the library.

use std::sync::atomic::{AtomicU64, Ordering};

/// The polls of a program that serves its peers by itself. While the count grows the service thread stays away.
#[derive(Debug, Default)]
pub struct ProgramPolls(AtomicU64);

impl ProgramPolls {
    /// The program has polled the service port. Only that the count grows matters, so a poll that threads lose to each other is no loss.
    #[inline]
    pub fn count(&self) {
        self.0.store(self.so_far().wrapping_add(1), Ordering::Relaxed);
    }

    /// The count.
    #[inline]
    pub fn so_far(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}
