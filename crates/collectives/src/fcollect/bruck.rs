//! Bruck's concatenation.
//!
//! Bruck, Ho, Kipnis, Upfal, Weathersby: "Efficient algorithms for all-to-all communications in multiport message-passing
//! systems", IEEE TPDS 8(11), 1997 (section 4). Any n: ceil(log2 n) rounds, (n - 1) blocks sent by each member. Blocks are sent to their
//! final position, in two runs where they wrap around, so no rotation is needed. Short runs travel in cells.

use crate::exchange::{CELL, Exchange, Flag, Rank, Span};
use crate::pattern::{bruck, turns_of_ring};

/// Block `i` of `dest` = the source of member `i`.
#[inline]
pub async fn bruck<X: Exchange>(x: &X, dest: Span, source: Span) {
    let each = source.len;
    if each == 0 {
        return;
    }
    x.copy(super::block(dest, each, x.me()), source);
    bruck_placed(x, dest, |rank| rank as usize * each).await;
}

/// The same for members that have their own block in place. Blocks may differ in length: the one of rank `i` begins at `at(i)`, and ends
/// where the next one begins. No block is empty.
#[inline]
pub async fn bruck_placed<X: Exchange>(x: &X, dest: Span, at: impl Fn(Rank) -> usize) {
    let (me, size) = (x.me(), x.size());
    x.epochs().enter_closing();
    let span = |(first, blocks): (Rank, Rank)| dest.part(at(first), at(first + blocks) - at(first));
    let small = |span: Span| span.len <= CELL;
    for (r, round) in bruck::rounds(me, size).enumerate() {
        let line = |half: usize| Flag::line(2 * r + half);
        for (half, run) in turns_of_ring(me, 0, round.blocks, size).into_iter().enumerate() {
            let out = span(run);
            if out.len > 0 {
                x.send(round.to, if small(out) { line(half).cell(out.len) } else { out }, out, line(half));
            }
        }
        for (half, run) in turns_of_ring(round.from, 0, round.blocks, size).into_iter().enumerate() {
            let into = span(run);
            if into.len > 0 {
                x.landed(line(half)).await;
                if small(into) {
                    x.copy(into, line(half).cell(into.len));
                }
            }
        }
    }
    x.settled().await;
    x.epochs().close();
}
