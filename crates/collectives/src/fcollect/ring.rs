//! Ring concatenation.
//!
//! Chan, Heimlich, Purkayastha, van de Geijn: "Collective communication: theory, practice, and experience", Concurrency and
//! Computation 19(13), 2007 (bucket algorithm). n - 1 steps of one block, always to the same neighbour: for long blocks, where
//! the bandwidth of links is the limit.

use crate::exchange::{Exchange, Rank, Span};
use crate::pattern::ring::Ring;
use crate::pipeline::Pipeline;

/// Block `i` of `dest` = the source of member `i`.
pub async fn ring<X: Exchange>(x: &X, dest: Span, source: Span) {
    let each = source.len;
    if each == 0 {
        return;
    }
    x.copy(super::block(dest, each, x.me()), source);
    ring_placed(x, dest, |rank| rank as usize * each).await;
}

/// The same for members that have their own block in place. Blocks may differ in length: see [`super::bruck_placed`].
pub async fn ring_placed<X: Exchange>(x: &X, dest: Span, at: impl Fn(Rank) -> usize) {
    x.epochs().enter_closing();
    let ring = Ring::new(x.me(), x.size());
    let mut pipeline = Pipeline::new(ring.right(), ring.left(), 0);
    for step in 0..x.size() - 1 {
        let block = ring.block(step);
        let known = dest.part(at(block), at(block + 1) - at(block));
        pipeline.push(x, known, known).await;
        pipeline.take(x, || ()).await;
    }
    // Credits prove that the blocks sent have arrived, so their sources are no longer read.
    pipeline.drain(x).await;
    x.epochs().close();
}
