//! Concatenation of blocks of equal length, in rank order. All close their epoch.
//!
//! `dest` has `source.len` bytes for each member. Every `Dest` is ready when the first member enters, so blocks may be
//! sent straight there. Each member copies its own block itself.

mod board;
mod bruck;
mod doubling;
mod linear;
mod ring;

pub use board::board;
pub use bruck::{bruck, bruck_placed};
pub use doubling::doubling;
pub use linear::linear;
pub use ring::{ring, ring_placed};

use crate::exchange::{Rank, Span};

/// Block `rank` of `dest`.
#[inline]
fn block(dest: Span, each: usize, rank: Rank) -> Span {
    dest.part(rank as usize * each, each)
}
