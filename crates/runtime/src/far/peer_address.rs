//! The address of a symmetric object at a peer: a pointer where the peer is mapped, a segment and an offset elsewhere.

use crate::live::Live;
use ferrite_fabric::{Pe, Remote, SegmentId};

/// The same symmetric object at a peer.
#[derive(Clone, Copy)]
pub(crate) enum PeerAddress {
    /// Mapped here.
    Near(*mut u8),
    /// For the fabric.
    Far(Remote),
}

impl Live {
    /// Which of our segments holds the `len` bytes at `address`, and where.
    #[inline]
    pub(crate) fn symmetric(&self, address: usize, len: usize) -> Option<(SegmentId, u64)> {
        if let Some(offset) = self.heap_offset(address, len) {
            return Some((SegmentId::HEAP, offset));
        }
        within(self.memory.statics_range()?, address, len).map(|offset| (SegmentId::STATICS, offset))
    }

    /// Where in the heap the `len` bytes at `address` are.
    #[inline]
    pub(crate) fn heap_offset(&self, address: usize, len: usize) -> Option<u64> {
        within((self.memory.heap_base(), self.memory.heap_extent()), address, len)
    }

    /// Where the fabric finds the `len` bytes at our `address` at `pe`.
    #[inline]
    pub(crate) fn remote_address(&self, address: usize, len: usize, pe: u32) -> Option<Remote> {
        let far = self.far.as_ref()?;
        let (segment, offset) = self.symmetric(address, len)?;
        let there = segment == SegmentId::HEAP || far.is_alike(pe);
        there.then_some(Remote { pe: Pe(pe), segment, offset })
    }
}

/// How far in a range of so many bytes the `len` bytes at `address` are, if they are in it.
#[inline]
fn within((base, extent): (usize, usize), address: usize, len: usize) -> Option<u64> {
    let offset = address.wrapping_sub(base);
    (offset < extent && len <= extent - offset).then_some(offset as u64)
}
