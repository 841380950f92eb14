//! Linear concatenation: each member sends its block to every other member.
//!
//! One round, n - 1 messages of a block from each member. The order of targets differs between members, so that no
//! member receives all at once. On a node this runs at memory speed; elsewhere it is for few members or long blocks.

use crate::exchange::{Exchange, Span};
use crate::pattern::ahead;

/// Block `i` of `dest` = the source of member `i`.
pub async fn linear<X: Exchange>(x: &X, dest: Span, source: Span) {
    let (me, size) = (x.me(), x.size());
    if source.len == 0 {
        return;
    }
    x.epochs().enter_closing();
    let mine = super::block(dest, source.len, me);
    for distance in 1..size {
        x.send_counted(ahead(me, distance, size), mine.into(), source.into());
    }
    x.copy(mine, source);
    x.tallied(size as u64 - 1).await;
    x.settled().await;
    x.epochs().close();
}
