//! Bruck's all-to-all, for short blocks among many.
//!
//! Bruck, Ho, Kipnis, Upfal, Weathersby: "Efficient algorithms for all-to-all communications in multiport message-passing
//! systems", IEEE TPDS 8(11), 1997 (section 3). ceil(log2 n) rounds; in round r all blocks that must travel a distance with bit r set go
//! 2^r ahead, packed into one message: about n / 2 blocks a round.
//!
//! `Dest` holds the blocks in transit: at index `i` the block that travels distance `i`. Packed blocks pass through
//! scratch, which must have room for all rounds ([`fits`]), since a fast member may be several rounds ahead.

use super::Blocks;
use crate::exchange::{Exchange, Flag, Rank, Span};
use crate::pattern::{ahead, behind, ceil_log2};
use crate::slots::settle;

/// Number of distances in `1..size` that have bit `r` set.
const fn travellers(size: Rank, r: u32) -> usize {
    let (size, half) = (size as usize, 1usize << r);
    let rest = size % (2 * half);
    size / (2 * half) * half + rest.saturating_sub(half)
}

/// Whether all rounds of blocks of `each` bytes fit into `scratch`.
pub fn fits(size: Rank, each: usize, scratch: usize) -> bool {
    let rounds = ceil_log2(size);
    let slots: usize = (0..rounds).map(|r| travellers(size, r)).sum();
    let pack = if size > 1 { travellers(size, 0) } else { 0 };
    (slots + pack.max(1)).saturating_mul(each) <= scratch
}

/// Place `i` of `Dest` = block `me` of the source of member `i`. The blocks must fit.
pub async fn bruck<X: Exchange>(x: &X, blocks: Blocks) {
    let (me, size, each) = (x.me(), x.size(), blocks.bytes());
    if each == 0 {
        return;
    }
    debug_assert!(fits(size, each, x.scratch()));
    x.epochs().enter_closing();
    for distance in 0..size {
        x.copy_items(blocks.dest(distance), blocks.source(ahead(me, distance, size)));
    }
    // Scratch: the packing area, then a slot per round.
    let mut slot = if size > 1 { travellers(size, 0) * each } else { 0 };
    for r in 0..ceil_log2(size) {
        let len = travellers(size, r) * each;
        let flag = Flag::line(r as usize);
        let (pack, into) = (Span::scratch(0, len), Span::scratch(slot, len));
        let into = if len <= crate::CELL { flag.cell(len) } else { into };
        for (i, distance) in distances(size, r).enumerate() {
            x.copy_items(blocks.packed(pack.part(i * each, each)), blocks.dest(distance));
        }
        x.send(ahead(me, 1 << r, size), into, pack, flag);
        x.landed(flag).await;
        for (i, distance) in distances(size, r).enumerate() {
            x.copy_items(blocks.dest(distance), blocks.packed(into.part(i * each, each)));
        }
        settle(x, len).await;
        slot += len;
    }
    order(x, blocks, Span::scratch(0, each));
    x.epochs().close();
}

/// The distances that travel in round `r`, least first.
#[inline]
fn distances(size: Rank, r: u32) -> impl Iterator<Item = Rank> {
    (1..size).filter(move |distance| distance >> r & 1 == 1)
}

/// Place `i` holds the block from member `me - i`: exchange each such pair of places.
fn order<X: Exchange>(x: &X, blocks: Blocks, spare: Span) {
    let (me, size) = (x.me(), x.size());
    for place in 0..size {
        let other = behind(me, place, size);
        if place < other {
            x.copy_items(blocks.packed(spare), blocks.dest(place));
            x.copy_items(blocks.dest(place), blocks.dest(other));
            x.copy_items(blocks.dest(other), blocks.packed(spare));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn travellers_are_counted_right() {
        for size in 1..200 {
            for r in 0..ceil_log2(size) {
                assert_eq!(travellers(size, r), distances(size, r).count(), "size {size} r {r}");
                assert!(travellers(size, r) <= travellers(size, 0));
            }
        }
    }
}
