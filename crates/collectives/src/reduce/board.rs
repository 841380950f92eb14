//! Reduction on a node for short vectors: each member writes its vector to a slot, and combines all slots.
//!
//! Each member writes one slot, and reads n slots in rank order. A member that finds all slots written continues at
//! once, so with more members than cores each is scheduled once per reduction. Longer vectors are reduced in chunks, an
//! epoch each.

use crate::exchange::{CELL, Direct, Flag, Span};
use crate::slots::chunks;

/// `dest` = the sources of all members, combined.
#[inline]
pub async fn board<X: Direct>(x: &X, dest: Span, source: Span) {
    // A vector that fits a cell needs no division.
    let room = if source.len <= CELL { CELL } else { x.scratch() / x.grain() * x.grain() };
    for (offset, len) in chunks(source.len, room) {
        chunk(x, dest.part(offset, len), source.part(offset, len)).await;
    }
}

#[inline]
async fn chunk<X: Direct>(x: &X, dest: Span, source: Span) {
    x.epochs().enter_closing();
    let (len, flag) = (source.len, Flag::line(0));
    let post = if len <= CELL { flag.cell(len) } else { Span::scratch(0, len) };
    x.send(x.me(), post, source, flag);
    for peer in 0..x.size() {
        if peer != x.me() {
            x.landed_at(peer, flag).await;
        }
        if peer == 0 {
            x.pull(peer, dest, post).await;
        } else {
            x.join(peer, dest, dest, post).await;
        }
    }
    x.epochs().close();
}
