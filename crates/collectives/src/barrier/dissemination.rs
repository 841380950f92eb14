//! Dissemination barrier.
//!
//! Hensgen, Finkel, Manber: "Two algorithms for barrier synchronization", International Journal of Parallel Programming
//! 17(1), 1988. Any n: ceil(log2 n) rounds, one flag per member and round, no data.

use crate::exchange::{Exchange, Flag};
use crate::pattern;

/// Return once every member has entered.
#[inline]
pub async fn dissemination<X: Exchange>(x: &X) {
    x.epochs().enter_closing();
    for (r, round) in pattern::dissemination::rounds(x.me(), x.size()).enumerate() {
        x.raise(round.to, Flag::line(r));
        x.landed(Flag::line(r)).await;
    }
    x.epochs().close();
}
