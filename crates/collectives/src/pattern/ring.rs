//! The ring: each member receives from its left neighbour and sends to its right one. Blocks move to the right.

use super::{Rank, ahead, behind};

/// A member's place in the ring.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ring {
    me: Rank,
    size: Rank,
}

impl Ring {
    /// The place of `me` among `size`.
    #[inline]
    pub const fn new(me: Rank, size: Rank) -> Ring {
        Ring { me, size }
    }
    /// The rank that we receive from.
    #[inline]
    pub const fn left(&self) -> Rank {
        behind(self.me, 1 % self.size, self.size)
    }
    /// The rank that we send to.
    #[inline]
    pub const fn right(&self) -> Rank {
        ahead(self.me, 1 % self.size, self.size)
    }
    /// The block that lies `distance < size` places to the left of our own.
    #[inline]
    pub const fn block(&self, distance: Rank) -> Rank {
        behind(self.me, distance, self.size)
    }
}
