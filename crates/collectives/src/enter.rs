//! The beginning of an open collective: one that does not close its epoch.

use crate::barrier;
use crate::exchange::Exchange;

/// Begin the next epoch, for a collective that does not close it. Spends an epoch on a barrier when the window is full.
#[inline]
pub async fn enter<X: Exchange>(x: &X) {
    if !x.epochs().has_room() {
        barrier::dissemination(x).await;
    }
    x.epochs().enter_closing();
}
