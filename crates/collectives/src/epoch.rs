//! A member's position in its team's sequence of collectives. The rules are in the documentation of
//! [`crate::exchange`].

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Shares of flags, cells, tallies and scratch; epoch `e` uses share `e % WINDOW`.
pub const WINDOW: u64 = 4;
/// Cells of the queue, which most broadcasts use; broadcast `b` uses cell `b % QUEUE`. Together they are a page.
pub const QUEUE: u64 = 64;

/// A member's view of its team's epochs: the current one, and the last that every member is known to have entered.
///
/// Only the member's own thread changes it. The atomics make the team `Sync`, and cost nothing.
#[derive(Debug)]
pub struct Epochs {
    current: AtomicU64,
    closed: AtomicU64,
    /// Broadcasts through the queue so far.
    queued: AtomicU64,
    /// The last of these broadcasts that every member is known to have left.
    heard: AtomicU64,
    /// The epoch in which the last broadcast began, and the number of broadcasts that began before that epoch.
    queue_epoch: AtomicU64,
    queued_before: AtomicU64,
}

impl Default for Epochs {
    fn default() -> Epochs {
        Epochs::new()
    }
}

impl Epochs {
    /// Before the first collective. The creation of the team counts as an epoch, closed.
    pub const fn new() -> Epochs {
        Epochs::after(0)
    }
    /// As [`Epochs::new`], for a team in memory that earlier teams have used up to `epoch`. The team's creation is the epoch after that:
    /// its first collective may be a broadcast, and broadcasts of earlier teams may have the tags of `epoch`.
    pub const fn after(epoch: u64) -> Epochs {
        let created = epoch + 1;
        Epochs {
            current: AtomicU64::new(created),
            closed: AtomicU64::new(created),
            queued: AtomicU64::new(0),
            heard: AtomicU64::new(0),
            queue_epoch: AtomicU64::new(created),
            queued_before: AtomicU64::new(0),
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
    /// Record that every member has entered the current epoch.
    #[inline]
    pub fn close(&self) {
        self.closed.store(self.current(), Relaxed);
    }
    /// Record that every member has entered `epoch`, which may be earlier than the current one.
    #[inline]
    pub fn close_at(&self, epoch: u64) {
        debug_assert!(epoch <= self.current());
        self.closed.store(epoch.max(self.closed()), Relaxed);
    }
    /// Begin the next broadcast through the queue. Returns its number; `None` while some member may not have left the earlier broadcast
    /// that used its cell.
    ///
    /// Only broadcasts go through the queue, so the first one of an epoch sees how many came before the epoch. A member that has entered
    /// the epoch has left those. It need not have left any others: when an epoch is closed late, that proves nothing about the broadcasts
    /// that were sent after the epoch began.
    #[inline]
    pub fn enter_queue(&self) -> Option<u64> {
        let (queued, current) = (self.queued.load(Relaxed), self.current());
        if current != self.queue_epoch.load(Relaxed) {
            self.queue_epoch.store(current, Relaxed);
            self.queued_before.store(queued, Relaxed);
        }
        if current == self.closed() {
            self.heard.store(self.queued_before.load(Relaxed), Relaxed);
        }
        if queued == self.heard.load(Relaxed) + QUEUE {
            return None;
        }
        self.queued.store(queued + 1, Relaxed);
        Some(queued + 1)
    }
    /// Whether an open collective may come next, and a closing one after it.
    #[inline]
    pub fn has_room(&self) -> bool {
        self.current() + 2 < self.closed() + WINDOW
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exchange::Flag;

    fn next_tag(epochs: &Epochs) -> u64 {
        Flag::queued(epochs.enter_queue().expect("the queue has room")).tag(epochs.current())
    }

    #[test]
    fn a_team_in_used_memory_has_other_tags() {
        let earlier = Epochs::new();
        earlier.enter_closing();
        let last = next_tag(&earlier);
        assert_ne!(next_tag(&Epochs::after(earlier.current())), last);
    }

    /// Begin broadcasts through the queue until it is full. Returns their number.
    fn fill(epochs: &Epochs) -> u64 {
        (0..).find(|_| epochs.enter_queue().is_none()).expect("it has an end")
    }

    #[test]
    fn a_closed_epoch_frees_the_cells_of_what_came_before_it() {
        let epochs = Epochs::new();
        assert_eq!((fill(&epochs), fill(&epochs)), (QUEUE, 0));
        epochs.enter_closing();
        assert_eq!(fill(&epochs), 0);
        epochs.close();
        assert_eq!(fill(&epochs), QUEUE);
        epochs.enter_closing();
        epochs.close();
        for _ in 0..3 {
            epochs.enter_queue();
        }
        epochs.close_at(epochs.current());
        assert_eq!(fill(&epochs), QUEUE - 3, "the three began after the epoch");
    }
}
