//! Ring concatenation.
//!
//! Chan, Heimlich, Purkayastha, van de Geijn: "Collective communication: theory, practice, and experience", Concurrency and
//! Computation 19(13), 2007 (bucket algorithm). n - 1 steps of one block, always to the same neighbour: for long blocks, where
//! links are what is short.

use crate::exchange::{Exchange, Span};
use crate::pattern::ring::Ring;
use crate::stream::Lane;

/// Block `i` of `dest` = the source of member `i`.
pub async fn ring<X: Exchange>(x: &X, dest: Span, source: Span) {
    let (me, size, each) = (x.me(), x.size(), source.len);
    if each == 0 {
        return;
    }
    x.epochs().enter_closing();
    x.copy(super::block(dest, each, me), source);
    let ring = Ring::new(me, size);
    let mut lane = Lane::new(ring.right(), ring.left(), 0);
    for step in 0..size - 1 {
        let known = super::block(dest, each, ring.block(step));
        lane.push(x, known, known).await;
        lane.take(x, || ()).await;
    }
    // Credits say that what was sent has arrived, so its source is no longer read.
    lane.drain(x).await;
    x.epochs().close();
}
