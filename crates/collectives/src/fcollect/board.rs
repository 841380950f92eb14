//! Concatenation on a node for short blocks: each member writes its block to a slot, and reads all slots.
//!
//! Each member writes one slot and reads n. Longer blocks are sent in chunks, an epoch each.

use crate::exchange::{CELL, Direct, Flag, Span};
use crate::pattern::ahead;
use crate::slots::chunks;

/// Block `i` of `dest` = the source of member `i`.
#[inline]
pub async fn board<X: Direct>(x: &X, dest: Span, source: Span) {
    let (me, size) = (x.me(), x.size());
    for (offset, len) in chunks(source.len, x.scratch().max(CELL)) {
        x.epochs().enter_closing();
        let flag = Flag::line(0);
        let post = if len <= CELL { flag.cell(len) } else { Span::scratch(0, len) };
        let into = |rank| super::block(dest, source.len, rank).part(offset, len);
        x.send(me, post, source.part(offset, len), flag);
        x.copy(into(me), source.part(offset, len));
        for distance in 1..size {
            let peer = ahead(me, distance, size);
            x.landed_at(peer, flag).await;
            x.pull(peer, into(peer), post).await;
        }
        x.epochs().close();
    }
}
