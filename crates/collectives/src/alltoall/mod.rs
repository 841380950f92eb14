//! All-to-all: block `l` of our source goes to block `k` of member `l`'s destination, where `k` is our rank. All
//! algorithms close their epoch.

mod bruck;
mod cells;
mod pairwise;

pub use bruck::{bruck, fits};
pub use cells::{MEMBERS_MAX, cells};
pub use pairwise::pairwise;

use crate::exchange::{Area, Items, Rank, Span};

/// The blocks of an all-to-all, strided or not: each of `count` items of `item` bytes, the strides in bytes from
/// one item to the next. Block `l` begins where block `l - 1` would have had its next item.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Blocks {
    /// Bytes of one item.
    pub item: usize,
    /// Items of one block.
    pub count: usize,
    /// Bytes between items of the destination.
    pub dest_stride: usize,
    /// Bytes between items of the source.
    pub source_stride: usize,
}

impl Blocks {
    /// Blocks of `each` bytes, side by side.
    #[inline]
    pub const fn contiguous(each: usize) -> Blocks {
        Blocks { item: each, count: 1, dest_stride: each, source_stride: each }
    }
    /// Bytes of one block.
    #[inline]
    pub const fn bytes(&self) -> usize {
        self.item * self.count
    }
    #[inline]
    fn at(&self, area: Area, stride: usize, block: Rank) -> Items {
        let first = Span { area, offset: block as usize * self.count * stride, len: self.item };
        Items { first, item: self.item, stride, count: self.count }
    }
    /// Block `rank` of the source.
    #[inline]
    pub fn source(&self, rank: Rank) -> Items {
        self.at(Area::Source, self.source_stride, rank)
    }
    /// Place `rank` of the destination.
    #[inline]
    pub fn dest(&self, rank: Rank) -> Items {
        self.at(Area::Dest, self.dest_stride, rank)
    }
    /// One block, its items side by side, at `at`.
    #[inline]
    fn packed(&self, at: Span) -> Items {
        Items { first: at, item: self.item, stride: self.item, count: self.count }
    }
}
