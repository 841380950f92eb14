//! K-nomial broadcast; binomial for radix 2, linear for a radix of at least n.
//!
//! Chan, Heimlich, Purkayastha, van de Geijn: "Collective communication: theory, practice, and experience", Concurrency and
//! Computation 19(13), 2007 (minimum spanning tree broadcast). ceil(log_k n) levels; a member sends at most (k - 1) ceil(log_k n)
//! times `len` bytes, n - 1 messages in all. Small payloads travel in the flag's cell, others straight to `Dest`.

use crate::exchange::{CELL, Exchange, Rank, Span};
use crate::pattern::{ahead, behind, knomial::Node};
use crate::slots::settle;

/// `dest` everywhere but at the root = `source` at `root`.
#[inline]
pub async fn knomial<X: Exchange>(x: &X, root: Rank, dest: Span, source: Span, radix: Rank) {
    let (size, len) = (x.size(), source.len);
    if size == 1 || len == 0 {
        return;
    }
    let is_small = len <= CELL;
    let flag = crate::enter_queue(x).await;
    let node = Node::new(behind(x.me(), root, size), size, radix);
    let mine = if node.parent().is_none() {
        source
    } else {
        x.landed(flag).await;
        if is_small {
            x.copy(dest, flag.cell(len));
        }
        dest
    };
    let to = if is_small { flag.cell(len) } else { dest };
    for child in node.children_farthest_first() {
        x.send(ahead(root, child.rank, size), to, mine, flag);
    }
    settle(x, len).await;
}
