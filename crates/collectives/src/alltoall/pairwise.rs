//! Pairwise exchange, one-sided: every block is sent straight to its destination.
//!
//! Thakur, Rabenseifner, Gropp: "Optimization of collective communication operations in MPICH", IJHPCA 19(1), 2005
//! (section 4.3), without pairs of sends and receives, since one-sided sends need no receives. Each member sends n - 1
//! messages of a block, to the members ahead of it in turn, so that no member receives all at once. For long blocks,
//! and on a node.

use super::Blocks;
use crate::exchange::Exchange;
use crate::pattern::ahead;

/// Place `i` of `Dest` = block `me` of the source of member `i`.
pub async fn pairwise<X: Exchange>(x: &X, blocks: Blocks) {
    let (me, size) = (x.me(), x.size());
    if blocks.bytes() == 0 {
        return;
    }
    x.epochs().enter_closing();
    for distance in 1..size {
        let peer = ahead(me, distance, size);
        x.send_counted(peer, blocks.dest(me), blocks.source(peer));
    }
    x.copy_items(blocks.dest(me), blocks.source(me));
    x.tallied(size as u64 - 1).await;
    x.settled().await;
    x.epochs().close();
}
