//! Begins the epoch of an open collective: one that does not close its epoch.

use crate::barrier;
use crate::exchange::Exchange;

/// Begin the next epoch, for a collective that does not close it. If the window is full, an epoch is spent on a
/// barrier.
#[inline]
pub async fn enter<X: Exchange>(x: &X) {
    if !x.epochs().has_room() {
        barrier::dissemination(x).await;
    }
    x.epochs().enter_closing();
}
