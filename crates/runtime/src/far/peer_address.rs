//! The address of a symmetric object at a peer: a pointer if the peer is mapped, otherwise a segment and an offset.

use crate::live::Live;
use ferrite_fabric::{Pe, Remote, SegmentId};

/// The address of a symmetric object at a peer.
#[derive(Clone, Copy)]
pub(crate) enum PeerAddress {
    /// A pointer: the peer is mapped here.
    Near(*mut u8),
    /// A segment and an offset, for the fabric.
    Far(Remote),
}

impl Live {
    /// The segment of this PE that contains the `len` bytes at `address`, and their offset in it.
    #[inline]
    pub(crate) fn symmetric(&self, address: usize, len: usize) -> Option<(SegmentId, u64)> {
        if let Some(offset) = self.heap_offset(address, len) {
            return Some((SegmentId::HEAP, offset));
        }
        within(self.memory.statics_range()?, address, len).map(|offset| (SegmentId::STATICS, offset))
    }

    /// Offset in the heap of the `len` bytes at `address`.
    #[inline]
    pub(crate) fn heap_offset(&self, address: usize, len: usize) -> Option<u64> {
        within((self.memory.heap_base(), self.memory.heap_extent()), address, len)
    }

    /// The fabric's address at `pe` of the `len` bytes that are at `address` on this PE.
    #[inline]
    pub(crate) fn remote_address(&self, address: usize, len: usize, pe: u32) -> Option<Remote> {
        let far = self.far.as_ref()?;
        let (segment, offset) = self.symmetric(address, len)?;
        let there = segment == SegmentId::HEAP || far.is_alike(pe);
        there.then_some(Remote { pe: Pe(pe), segment, offset })
    }
}

/// Offset of the `len` bytes at `address` in a range of `extent` bytes from `base`, if they are within it.
#[inline]
fn within((base, extent): (usize, usize), address: usize, len: usize) -> Option<u64> {
    let offset = address.wrapping_sub(base);
    (offset < extent && len <= extent - offset).then_some(offset as u64)
}
