//! Reduction on a node for long vectors: each member combines one block of all sources, then every member reads all
//! blocks.
//!
//! The reduce-scatter and gather of Rabenseifner (ICCS 2004), in shared memory: three waits in all, n `len` bytes read
//! for combining and n `len` for gathering, spread evenly. Works in place: only member b writes block b of its own
//! `Dest`, and other members overwrite their block b only after b has announced that it is combined. Block b combines
//! the ranks b, b + 1, ... around the ring, so not in rank order; all members get the same bits.

use crate::exchange::{Direct, Flag, Rank, Span};
use crate::pattern::{ahead, block};
use crate::slots::chunks;

/// Bytes combined from all members before the next are begun: as many as stay in a first-level cache.
const PIECE: usize = 16 << 10;

const READY: Flag = Flag::line(0);
const COMBINED: Flag = Flag::line(1);

/// `dest` = the sources of all members, combined by an operation that commutes.
pub async fn direct<X: Direct>(x: &X, dest: Span, source: Span) {
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
    let cut = |whole: Span, b: Rank| {
        let (offset, len) = block(whole.len, x.grain(), size as usize, b as usize);
        whole.part(offset, len)
    };
    x.raise(me, READY);
    for distance in 1..size {
        x.landed_at(ahead(me, distance, size), READY).await;
    }
    let (into, own) = (cut(dest, me), cut(source, me));
    let piece = (PIECE / x.grain()).max(1) * x.grain();
    for (offset, len) in chunks(into.len, piece) {
        let (into, own) = (into.part(offset, len), own.part(offset, len));
        for distance in 1..size {
            let mine = if distance == 1 { own } else { into };
            let at = cut(source, me).part(offset, len);
            x.join(ahead(me, distance, size), into, mine, at).await;
        }
    }
    x.raise(me, COMBINED);
    for distance in 1..size {
        let peer = ahead(me, distance, size);
        x.landed_at(peer, COMBINED).await;
        x.pull(peer, cut(dest, peer), cut(dest, peer)).await;
    }
    x.arrive();
    x.all_arrived().await;
    x.epochs().close();
}
