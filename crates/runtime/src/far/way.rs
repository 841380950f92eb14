//! The plain case of an operation on a PE that is not mapped: a symmetric object of its, by a stream that is there.
//!
//! What the near guard refuses is found by a search that can explain what is wrong (`World::reach`). It costs as much as posting
//! the operation does, so what most operations are is found before it, by a few comparisons.

use super::{Far, Stream};
use crate::{Ctx, World, live::Live};
use core::{ffi::c_int, sync::atomic::Ordering::Relaxed};
use ferrite_fabric::Remote;

/// Where an operation goes, and by what.
pub(crate) struct Way<'w> {
    pub live: &'w Live,
    pub far: &'w Far,
    pub stream: &'w Stream,
    pub to: Remote,
}

impl World {
    /// The way to the `len` bytes at our `address` at `pe` of `ctx`; none for all that is to be looked at more closely: what is
    /// mapped, counted, or wrong.
    #[inline(always)]
    pub(crate) fn way(&self, ctx: Ctx, address: usize, len: usize, pe: c_int) -> Option<Way<'_>> {
        let live = self.live()?;
        let far = live.far.as_ref()?;
        let pe = self.route(ctx, pe);
        // Of the node's PEs some have no heap yet, and statics all the same.
        if pe as u32 >= live.size || live.is_mapped(pe) || live.counting.load(Relaxed) {
            return None;
        }
        let stream = match ctx {
            Ctx::DEFAULT => &far.stream,
            created => self.context(created)?.used_stream()?,
        };
        let to = live.far_place(address, len, pe as u32).filter(|_| len > 0)?;
        Some(Way { live, far, stream, to })
    }
}
