//! Ring reduction: each block travels around the ring once to be combined, and once more to be distributed.
//!
//! Patarasuk, Yuan: "Bandwidth optimal all-reduce algorithms for clusters of workstations", JPDC 69(2), 2009. 2(n - 1) steps,
//! 2 `len` (n - 1) / n bytes sent by each member, always to the same neighbour. For long vectors on few members.
//! Block b combines the ranks b, b + 1, ... around the ring, so not in rank order; all members get the same bits.

use crate::exchange::{Exchange, Rank, Span};
use crate::pattern::{block, ring::Ring};
use crate::pipeline::Pipeline;

/// `dest` = the sources of all members, combined by an operation that commutes.
pub async fn ring<X: Exchange>(x: &X, dest: Span, source: Span) {
    if source.len == 0 {
        return;
    }
    x.epochs().enter_closing();
    let (size, ring) = (x.size(), Ring::new(x.me(), x.size()));
    let cut = |whole: Span, b: Rank| {
        let (offset, len) = block(whole.len, x.grain(), size as usize, b as usize);
        whole.part(offset, len)
    };
    if size == 1 {
        x.copy(dest, source);
    }
    let mut pipeline = Pipeline::new(ring.right(), ring.left(), 0);
    for step in 0..size - 1 {
        let out = cut(if step == 0 { source } else { dest }, ring.block(step));
        let b = ring.block(step + 1);
        let (into, own) = (cut(dest, b), cut(source, b));
        let used = |at: usize, slot: Span| {
            x.copy(into.part(at, slot.len), own.part(at, slot.len));
            x.fold_front(into.part(at, slot.len), slot);
        };
        pipeline.swap(x, out, into.len, used).await;
    }
    // We hold the whole of the block to our right. Blocks known go straight to the neighbour's `Dest`, whose own part in them
    // has been combined long ago.
    for step in 0..size - 1 {
        let known = cut(dest, ring.block((step + size - 1) % size));
        pipeline.push(x, known, known).await;
        pipeline.take(x, || ()).await;
    }
    // Credits prove that the blocks sent have arrived, so their sources are no longer read.
    pipeline.drain(x).await;
    x.epochs().close();
}
