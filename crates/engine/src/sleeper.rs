//! A flag for a thread that sleeps, so that others wake it only while it does.
//!
//! The sleeper announces its sleep, then looks once more for something to do. Another thread leaves something to do, then asks whether it
//! must wake the sleeper. So each stores one word and then loads the word that the other stores.
//!
//! # Memory order
//!
//! Acquire and release do not suffice: a processor may execute a load before an earlier store of its own is visible, on x86-64 too. If
//! both threads did, the sleeper would find nothing to do and the other would find it awake. A sequentially consistent fence
//! stands between store and load on both sides. One of the two fences comes first in their single order, so the thread with the later
//! fence loads what the other has stored.

use crate::sync::{AtomicBool, Ordering, fence};

/// The flag of one thread that sleeps.
#[derive(Debug, Default)]
pub struct Sleeper {
    sleeps: AtomicBool,
}

impl Sleeper {
    /// Announce that the calling thread is about to sleep. If it looks for work after this call and finds none, a thread that leaves work
    /// later wakes it.
    pub fn announce(&self) {
        self.sleeps.store(true, Ordering::Relaxed);
        fence(Ordering::SeqCst);
    }

    /// Withdraw the announcement: the calling thread is awake.
    pub fn withdraw(&self) {
        self.sleeps.store(false, Ordering::Relaxed);
    }

    /// True if the sleeper must be woken for the work that the calling thread has left. If several threads ask, one of them gets `true`.
    #[inline]
    pub fn must_wake(&self) -> bool {
        fence(Ordering::SeqCst);
        self.sleeps.load(Ordering::Relaxed) && self.sleeps.swap(false, Ordering::Relaxed)
    }
}
