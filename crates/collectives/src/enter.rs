//! Begins an open collective: one that does not close its epoch, or goes through the queue.

use crate::barrier;
use crate::exchange::{Exchange, Flag};

/// Begin the next epoch, for a collective that does not close it. If the window is full, an epoch is spent on a
/// barrier.
#[inline]
pub async fn enter<X: Exchange>(x: &X) {
    if !x.epochs().has_room() {
        barrier::dissemination(x).await;
    }
    x.epochs().enter_closing();
}

/// Begin a broadcast through the queue. Returns its flag. If the queue is full, an epoch is spent on a barrier.
#[inline]
pub async fn enter_queue<X: Exchange>(x: &X) -> Flag {
    loop {
        if let Some(number) = x.epochs().enter_queue() {
            return Flag::queued(number);
        }
        barrier::dissemination(x).await;
    }
}
