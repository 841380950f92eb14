//! Where an address of ours is at a peer.

use crate::live::Live;
use ferrite_fabric::{Pe, Remote, SegmentId};

/// The same symmetric object at a peer.
#[derive(Clone, Copy)]
pub(crate) enum Place {
    /// Mapped here.
    Near(*mut u8),
    /// For the fabric.
    Far(Remote),
}

impl Live {
    /// Which of our segments holds the `len` bytes at `address`, and where.
    #[inline]
    pub(crate) fn symmetric(&self, address: usize, len: usize) -> Option<(SegmentId, u64)> {
        let within = |base: usize, extent: usize| {
            let offset = address.wrapping_sub(base);
            (offset < extent && len <= extent - offset).then_some(offset as u64)
        };
        if let Some(offset) = within(self.heap_base(), self.heap_extent()) {
            return Some((SegmentId::HEAP, offset));
        }
        let (base, extent) = self.statics_range()?;
        within(base, extent).map(|offset| (SegmentId::STATICS, offset))
    }

    /// Where the fabric finds the `len` bytes at our `address` at `pe`.
    #[inline]
    pub(crate) fn far_place(&self, address: usize, len: usize, pe: u32) -> Option<Remote> {
        let far = self.far.as_ref()?;
        let (segment, offset) = self.symmetric(address, len)?;
        let there = segment == SegmentId::HEAP || far.is_alike(pe);
        there.then_some(Remote { pe: Pe(pe), segment, offset })
    }
}
