//! How the service thread sees that the program is inside the library.

use std::sync::atomic::{AtomicU64, Ordering};

/// The polls of a program that serves its peers by itself. While the count grows the service thread stays away.
#[derive(Debug, Default)]
pub struct ProgramPolls(AtomicU64);

impl ProgramPolls {
    /// Count a poll of the service port by the program. Only the growth of the count matters, so a count that threads lose to each other
    /// does no harm.
    #[inline]
    pub fn count(&self) {
        self.0.store(self.so_far().wrapping_add(1), Ordering::Relaxed);
    }

    #[inline]
    pub fn so_far(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}
