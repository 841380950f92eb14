//! K-nomial tree barrier: gather to rank 0, then release.
//!
//! Mellor-Crummey, Scott: "Algorithms for scalable synchronization on shared-memory multiprocessors", ACM TOCS 9(1), 1991
//! (tree barriers). 2 ceil(log_k n) rounds, 2(n - 1) flags in all; dissemination raises n log2 n. So it
//! is cheaper where flags cost more than rounds.

use crate::exchange::{Exchange, Flag, Rank};
use crate::pattern::knomial::{Node, RADIX_MAX};

/// Return once every member has entered; the radix of the tree is from 2 to [`RADIX_MAX`].
#[inline]
pub async fn tree<X: Exchange>(x: &X, radix: Rank) {
    x.epochs().enter_closing();
    let node = Node::new(x.me(), x.size(), radix.clamp(2, RADIX_MAX));
    for child in node.children() {
        x.landed(Flag::line(child.line)).await;
    }
    let release = Flag::line(crate::exchange::lines(x.size()) - 1);
    if let Some((parent, line)) = node.parent() {
        x.raise(parent, Flag::line(line));
        x.landed(release).await;
    }
    for child in node.children_farthest_first() {
        x.raise(child.rank, release);
    }
    x.epochs().close();
}
