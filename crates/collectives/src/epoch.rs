//! A member's position in its team's sequence of collectives. The rules are in the documentation of
//! [`crate::exchange`].

use crate::exchange::Flag;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Shares of flags, cells, tallies and scratch; epoch `e` uses share `e % WINDOW`.
pub const WINDOW: u64 = 4;
/// Cells of the queue, through which small broadcasts go; number `b` uses cell `b % QUEUE`. A page of them.
pub const QUEUE: u64 = 64;

/// A member's view of its team's epochs: the current one, and the last that every member is known to have entered.
///
/// Only the member's own thread changes it. The atomics make the team `Sync`, and cost nothing.
#[derive(Debug, Default)]
pub struct Epochs {
    current: AtomicU64,
    closed: AtomicU64,
    /// Broadcasts through the queue so far.
    queued: AtomicU64,
    /// Up to which of them every member is known to have left...
    heard: AtomicU64,
    /// ...since this epoch was closed.
    heard_by: AtomicU64,
}

impl Epochs {
    /// Before the first collective. The creation of the team counts as epoch 0, closed.
    pub const fn new() -> Epochs {
        Epochs::after(0)
    }
    /// As [`Epochs::new`], for a team in memory that earlier teams have used up to `epoch`.
    pub const fn after(epoch: u64) -> Epochs {
        Epochs {
            current: AtomicU64::new(epoch),
            closed: AtomicU64::new(epoch),
            queued: AtomicU64::new(0),
            heard: AtomicU64::new(0),
            heard_by: AtomicU64::new(epoch),
        }
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
    /// The last epoch that every member is known to have entered.
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
    /// Every member has entered the current epoch.
    #[inline]
    pub fn close(&self) {
        self.closed.store(self.current(), Relaxed);
    }
    /// Every member has entered `epoch`, which may be earlier than the current one.
    #[inline]
    pub fn close_at(&self, epoch: u64) {
        debug_assert!(epoch <= self.current());
        self.closed.store(epoch.max(self.closed()), Relaxed);
    }
    /// Whether one more broadcast may go through the queue: every member has left the one that used its cell before.
    ///
    /// Asked before each. So what has gone through the queue when the current epoch is first seen to be closed went before that epoch:
    /// every member has entered it, and so has left all of them.
    #[inline]
    pub fn has_room_in_queue(&self) -> bool {
        let closed = self.closed();
        if closed == self.current() && closed != self.heard_by.load(Relaxed) {
            self.heard_by.store(closed, Relaxed);
            self.heard.store(self.queued.load(Relaxed), Relaxed);
        }
        self.queued.load(Relaxed) < self.heard.load(Relaxed) + QUEUE
    }
    /// Begin the next broadcast through the queue: its flag.
    #[inline]
    pub fn enter_queue(&self) -> Flag {
        let next = self.queued.load(Relaxed) + 1;
        debug_assert!(next <= self.heard.load(Relaxed) + QUEUE, "broadcast {next} begins with no cell free");
        self.queued.store(next, Relaxed);
        Flag::queued(next)
    }
    /// Whether an open collective may come next, and a closing one after it.
    #[inline]
    pub fn has_room(&self) -> bool {
        self.current() + 2 < self.closed() + WINDOW
    }
}
