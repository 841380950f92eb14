//! Central-counter barrier, for members of one node that outnumber its cores.
//!
//! Mellor-Crummey, Scott: "Algorithms for scalable synchronization on shared-memory multiprocessors", ACM TOCS 9(1), 1991
//! (the centralized barrier; its sense is our epoch). One round: n additions to one counter, which everybody watches.
//!
//! Each member need only be scheduled once per barrier: the last to arrive goes on at once, and every other finds the
//! count complete when it next runs. A logarithmic barrier would need a scheduler's turn per round.

use crate::exchange::Direct;

/// Return once every member has entered.
#[inline]
pub async fn central<X: Direct>(x: &X) {
    x.epochs().enter_closing();
    if x.size() > 1 {
        x.arrive();
        x.all_arrived().await;
    }
    x.epochs().close();
}
