//! Concatenation on a node for long blocks: each member reads the blocks of all others, at their places in the peers' destinations.
//!
//! Two phases; each member reads n - 1 blocks. A block that is written to a peer moves between caches twice: its lines leave the peer, and
//! come back when it reads them. A block that is read moves once.

use crate::exchange::{Direct, Flag, Span};
use crate::pattern::ahead;

/// Block `i` of `dest` = the source of member `i`. A source need not be symmetric.
#[inline]
pub async fn pull<X: Direct>(x: &X, dest: Span, source: Span) {
    let (me, size) = (x.me(), x.size());
    if source.len == 0 {
        return;
    }
    x.epochs().enter_closing();
    let ready = Flag::line(0);
    x.copy(super::block(dest, source.len, me), source);
    x.raise(me, ready);
    for distance in 1..size {
        let peer = ahead(me, distance, size);
        let block = super::block(dest, source.len, peer);
        x.landed_at(peer, ready).await;
        x.pull(peer, block, block).await;
    }
    x.arrive();
    x.all_arrived().await;
    x.epochs().close();
}
