//! All-to-all of blocks that fit a cell, for few members.
//!
//! One round, n - 1 messages from each member. A block travels in the cache line of its flag. The number of the line is
//! the distance between the members, so each line has one writer. Strided blocks are packed.

use super::Blocks;
use crate::exchange::{CELL, Exchange, Flag, Rank, Span};
use crate::pattern::{ahead, behind};

/// The largest team that has a line for each distance.
pub const MEMBERS_MAX: Rank = 16;

/// Place `i` of `Dest` = block `me` of the source of member `i`; blocks of at most [`CELL`] bytes, at most [`MEMBERS_MAX`] members.
#[inline]
pub async fn cells<X: Exchange>(x: &X, blocks: Blocks) {
    let (me, size, len) = (x.me(), x.size(), blocks.bytes());
    if len == 0 {
        return;
    }
    debug_assert!(len <= CELL && size <= MEMBERS_MAX);
    x.epochs().enter_closing();
    let line = |distance: Rank| Flag::line(distance as usize - 1);
    for distance in 1..size {
        let peer = ahead(me, distance, size);
        let block = blocks.source(peer);
        if blocks.count == 1 {
            x.send(peer, line(distance).cell(len), block.span(0), line(distance));
        } else {
            let pack = Span::scratch(0, len);
            x.copy_items(blocks.packed(pack), block);
            x.send(peer, line(distance).cell(len), pack, line(distance));
        }
    }
    x.copy_items(blocks.dest(me), blocks.source(me));
    for distance in 1..size {
        x.landed(line(distance)).await;
        x.copy_items(blocks.dest(behind(me, distance, size)), blocks.packed(line(distance).cell(len)));
    }
    x.epochs().close();
}
