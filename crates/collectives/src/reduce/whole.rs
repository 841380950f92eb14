//! Reduction on a node for few members (the table chooses it for two): each member combines the whole vectors of all sources.
//!
//! Two waits in all; each member reads (n - 1) `len` bytes. With two members, dividing the work would move as many
//! bytes, and the result would have to move between caches too. Not in place, since others read a source until the end.
//! Combines in rank order, as a loop would.

use crate::exchange::{Direct, Flag, Span};
use crate::slots::chunks;

/// Size of a piece in bytes: each piece is combined from all members before the next one is begun, so that it stays in a first-level cache.
const PIECE: usize = 16 << 10;

/// `dest` = the sources of all members, combined; `dest` must not be `source`.
#[inline]
pub async fn whole<X: Direct>(x: &X, dest: Span, source: Span) {
    let (me, size) = (x.me(), x.size());
    if source.len == 0 {
        return;
    }
    x.epochs().enter_closing();
    if size == 1 {
        x.copy(dest, source);
        x.epochs().close();
        return;
    }
    let ready = Flag::line(0);
    x.raise(me, ready);
    for peer in (0..size).filter(|peer| *peer != me) {
        x.landed_at(peer, ready).await;
    }
    let piece = if source.len <= PIECE { source.len } else { (PIECE / x.grain()).max(1) * x.grain() };
    for (offset, len) in chunks(source.len, piece) {
        combine(x, dest.part(offset, len), source.part(offset, len)).await;
    }
    x.arrive();
    x.all_arrived().await;
    x.epochs().close();
}

/// All members' `source` into our `dest`, lowest rank first. The first two are combined in one pass where one of them is ours.
#[inline]
async fn combine<X: Direct>(x: &X, dest: Span, source: Span) {
    match x.me() {
        0 => x.join(1, dest, source, source).await,
        1 => x.join_front(0, dest, source, source).await,
        _ => {
            x.pull(0, dest, source).await;
            x.join(1, dest, dest, source).await;
        }
    }
    for peer in 2..x.size() {
        if peer == x.me() {
            x.fold(dest, source);
        } else {
            x.join(peer, dest, dest, source).await;
        }
    }
}
