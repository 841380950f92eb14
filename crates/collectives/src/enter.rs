//! Begins an open collective: one that does not close its epoch, or goes through the queue.

use crate::barrier;
use crate::exchange::{CELL, Exchange, Flag};

/// Begin the next epoch, for a collective that does not close it. If the window is full, an epoch is spent on a
/// barrier.
#[inline]
pub async fn enter<X: Exchange>(x: &X) {
    if !x.epochs().has_room() {
        barrier::dissemination(x).await;
    }
    x.epochs().enter_closing();
}

/// Begin a broadcast of `len` bytes: the flag that tells of them. What fits a cell goes through the queue; if that is full, an epoch is
/// spent on a barrier.
#[inline]
pub async fn enter_broadcast<X: Exchange>(x: &X, len: usize) -> Flag {
    if len > CELL {
        enter(x).await;
        return Flag::line(0);
    }
    loop {
        if let Some(number) = x.epochs().enter_queue() {
            return Flag::queued(number);
        }
        barrier::dissemination(x).await;
    }
}
