//! Central-counter barrier, for members of one node that outnumber its cores.
//!
//! Mellor-Crummey, Scott: "Algorithms for scalable synchronization on shared-memory multiprocessors", ACM TOCS 9(1), 1991
//! (the centralized barrier; its sense is our epoch). One round: n additions to one counter, which every member polls.
//!
//! Each member must be scheduled only once per barrier: the last to arrive continues at once, and every other member
//! finds the count complete when it runs next. In a logarithmic barrier it must be scheduled once per round.

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
