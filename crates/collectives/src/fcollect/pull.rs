//! Concatenation on a node for long blocks: each member reads the sources of all others.
//!
//! Two waits; each member reads n - 1 blocks. A block that is written to a peer moves between caches twice: its lines leave the peer, and
//! come back when it reads them. A block that is read moves once.

use crate::exchange::{Direct, Flag, Span};
use crate::pattern::ahead;

/// Block `i` of `dest` = the source of member `i`.
#[inline]
pub async fn pull<X: Direct>(x: &X, dest: Span, source: Span) {
    let (me, size) = (x.me(), x.size());
    if source.len == 0 {
        return;
    }
    x.epochs().enter_closing();
    let ready = Flag::line(0);
    x.raise(me, ready);
    x.copy(super::block(dest, source.len, me), source);
    for distance in 1..size {
        let peer = ahead(me, distance, size);
        x.landed_at(peer, ready).await;
        x.pull(peer, super::block(dest, source.len, peer), source).await;
    }
    x.arrive();
    x.all_arrived().await;
    x.epochs().close();
}
