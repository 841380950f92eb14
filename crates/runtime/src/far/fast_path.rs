//! The common case of an operation on a PE that is not mapped: an operation on the PE's heap over an existing stream.
//!
//! `World::reach` handles every case and explains what is wrong with an argument, but takes as long as posting the operation. A few
//! comparisons find the common case before it is called.

use super::{ContextStream, Far};
use crate::{Ctx, World, live::Live};
use core::{ffi::c_int, sync::atomic::Ordering::Relaxed};
use ferrite_fabric::{Pe, Remote, SegmentId};

/// The target of an operation and the stream that carries it.
pub(crate) struct FastPath<'w> {
    pub live: &'w Live,
    pub far: &'w Far,
    pub stream: &'w ContextStream,
    pub to: Remote,
}

impl World {
    /// The path to the `len` bytes that are at `address` on this PE, at `pe` of `ctx`. Returns `None` for every case that needs a closer
    /// look: the memory is mapped or not in the heap, observers are to see the operation, or an argument is wrong.
    #[inline(always)]
    pub(crate) fn fast_path(&self, ctx: Ctx, address: usize, len: usize, pe: c_int) -> Option<FastPath<'_>> {
        let live = self.live()?;
        let far = live.far.as_ref()?;
        let pe = self.route(ctx, pe);
        let is_mapped = self.mapped.window(pe).is_some_and(|window| window.heap_len.load(Relaxed) != 0);
        if pe as u32 >= live.size || is_mapped || self.observed.load(Relaxed) {
            return None;
        }
        let stream = match ctx {
            Ctx::DEFAULT => &far.stream,
            created => self.context(created)?.used_stream()?,
        };
        let offset = live.heap_offset(address, len).filter(|_| len > 0)?;
        let to = Remote { pe: Pe(pe as u32), segment: SegmentId::HEAP, offset };
        Some(FastPath { live, far, stream, to })
    }
}
