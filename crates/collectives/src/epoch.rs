//! Where a team stands in its sequence of collectives. The rules are in the essay above [`crate::exchange`].

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Shares of flags, cells, tallies and scratch; epoch `e` uses share `e % WINDOW`.
pub const WINDOW: u64 = 4;

/// A member's view of its team's epochs: the one it is in, and the last that it knows everybody to have entered.
///
/// Only the member's own thread changes it; the atomics make the team that holds it `Sync` and cost nothing.
#[derive(Debug, Default)]
pub struct Epochs {
    current: AtomicU64,
    closed: AtomicU64,
}

impl Epochs {
    /// Before the first collective. The creation of the team counts as epoch 0, closed.
    pub const fn new() -> Epochs {
        Epochs { current: AtomicU64::new(0), closed: AtomicU64::new(0) }
    }
    /// As [`Epochs::new`], for a team that lives where others have lived: their epochs came up to `epoch`.
    pub const fn after(epoch: u64) -> Epochs {
        Epochs { current: AtomicU64::new(epoch), closed: AtomicU64::new(epoch) }
    }
    /// The epoch we are in, or were in last.
    #[inline]
    pub fn current(&self) -> u64 {
        self.current.load(Relaxed)
    }
    /// The share of flags, cells, tallies and scratch that belongs to the current epoch.
    #[inline]
    pub fn share(&self) -> usize {
        (self.current() % WINDOW) as usize
    }
    /// The last epoch that everybody is known to have entered.
    #[inline]
    pub fn closed(&self) -> u64 {
        self.closed.load(Relaxed)
    }
    /// Begin the next epoch, for a collective that will close it.
    #[inline]
    pub fn enter_closing(&self) {
        let next = self.current() + 1;
        debug_assert!(next < self.closed() + WINDOW, "epoch {next} begins with only {} closed", self.closed());
        self.current.store(next, Relaxed);
    }
    /// Everybody has entered the current epoch.
    #[inline]
    pub fn close(&self) {
        self.closed.store(self.current(), Relaxed);
    }
    /// Everybody has entered `epoch`, which may lie before the current one.
    #[inline]
    pub fn close_at(&self, epoch: u64) {
        debug_assert!(epoch <= self.current());
        self.closed.store(epoch.max(self.closed()), Relaxed);
    }
    /// Whether an open collective may be next, leaving room for a closing one after it.
    #[inline]
    pub fn has_room(&self) -> bool {
        self.current() + 2 < self.closed() + WINDOW
    }
}
