//! Broadcast of a long message: scatter it down a binomial tree, then gather everywhere.
//!
//! Barnett, Shuler, van de Geijn, Gupta, Payne, Watts: "Interprocessor collective communication library (InterCom)", SHPCC
//! 1994; the gathering is Bruck's. 2 ceil(log2 n) rounds; a member sends and receives about 2 `len` bytes, whatever n.
//! A member that has received more than its block from the tree does not receive that part again. The root receives
//! nothing.

use crate::exchange::{Exchange, Flag, Rank, Span};
use crate::pattern::{ahead, behind, bruck, knomial::Node, run, turns_of_ring};

/// `dest` everywhere but at the root = `source` at `root`.
pub async fn scatter_allgather<X: Exchange>(x: &X, root: Rank, dest: Span, source: Span) {
    let (size, len) = (x.size(), source.len);
    if size == 1 || len == 0 {
        return;
    }
    crate::enter(x).await;
    let me = behind(x.me(), root, size);
    let rank = |relative| ahead(root, relative, size);
    let span = |first: Rank, blocks: Rank| run(len, x.grain(), size as usize, first as usize, blocks as usize);
    let node = Node::new(me, size, 2);
    let mine = if me == 0 { source } else { dest };
    if me != 0 {
        x.landed(Flag::line(0)).await;
    }
    for child in node.children_farthest_first() {
        let (offset, bytes) = span(child.rank, child.span);
        x.send(rank(child.rank), dest.part(offset, bytes), mine.part(offset, bytes), Flag::line(0));
    }
    for (r, round) in bruck::rounds(me, size).enumerate() {
        let line = |half: usize| Flag::line(1 + 2 * r + half);
        for (half, (first, blocks)) in missing(round.to, &round, size).into_iter().enumerate() {
            let (offset, bytes) = span(first, blocks);
            if blocks > 0 {
                x.send(rank(round.to), dest.part(offset, bytes), mine.part(offset, bytes), line(half));
            }
        }
        for (half, (_, blocks)) in missing(me, &round, size).into_iter().enumerate() {
            if blocks > 0 {
                x.landed(line(half)).await;
            }
        }
    }
    x.settled().await;
}

/// The blocks of `round` that the tree did not give to `hearer`: two runs, either of which may be empty.
fn missing(hearer: Rank, round: &bruck::Round, size: Rank) -> [(Rank, Rank); 2] {
    let has = Node::new(hearer, size, 2).span().max(round.held);
    let end = round.held + round.blocks;
    if has >= end { [(0, 0); 2] } else { turns_of_ring(hearer, has, end - has, size) }
}
