//! The target of an operation: from the arguments of a routine to the place at another PE, and to the stream that carries the operation
//! there.
//!
//! The common case is an operation on the heap of a PE that is not mapped, over an existing stream: a few comparisons find it
//! (`World::fast_path`). `World::find_peer_address` handles every case and explains what is wrong with an argument, but takes as long as
//! posting the operation.

use crate::{
    Ctx, Site, World,
    far::{ContextStream, Far, PeerAddress},
    live::Live,
    misuse::{advice, allocator},
};
use core::{ffi::c_int, sync::atomic::Ordering::Relaxed};
use ferrite_device::Place;
use ferrite_fabric::{Pe, Remote, SegmentId};
use ferrite_memory::statics::locate::kind_of;

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

    /// Address at `pe` of `ctx` of the `len` bytes at our `address`: the slow but complete search, after the near path refused. `None` if
    /// there is nothing to do because the length is 0; misuse does not return.
    #[inline]
    pub(crate) fn find_peer_address(
        &self,
        site: &Site,
        what: &str,
        address: usize,
        len: usize,
        ctx: Ctx,
        pe: c_int,
    ) -> Option<PeerAddress> {
        let world_pe = self.require_pe(site, ctx, pe);
        if len == 0 {
            return None;
        }
        if let Some(place) = self.mapped.range(address, len, world_pe) {
            return Some(PeerAddress::Near(place));
        }
        let live = self.require_live(site);
        if !live.memory.is_mapped(world_pe)
            && let Some(place) = live.remote_address(address, len, world_pe as u32)
        {
            return Some(PeerAddress::Far(place));
        }
        self.explain(site, what, address, len, world_pe)
    }

    /// The context, and the world number of the PE that an operation goes to.
    pub(crate) fn ctx_and_world_pe(&self, site: &Site, ctx: Ctx, pe: c_int) -> (Ctx, u32) {
        (ctx, self.require_pe(site, ctx, pe) as u32)
    }

    /// The stream of `ctx`, if anything was ever issued on it. An invalid context has none, which is legal.
    #[cold]
    #[inline(never)]
    pub(crate) fn used_stream(&self, site: &'static Site, ctx: Ctx) -> Option<(&Live, &ContextStream)> {
        let live = self.require_live(site);
        let far = live.far.as_ref()?;
        match ctx {
            Ctx::INVALID => None,
            Ctx::DEFAULT => Some((live, &far.stream)),
            created => self.require_context(site, created).used_stream().map(|stream| (live, stream)),
        }
    }

    /// The stream that carries the operations of `ctx` to a PE that is not mapped. The caller has found an address there.
    #[inline]
    pub(crate) fn far_stream(&self, site: &'static Site, ctx: Ctx) -> (&Live, &Far, &ContextStream) {
        let live = self.require_live(site);
        let Some(far) = &live.far else { unreachable!("{}: a far place without a fabric", site.name) };
        let stream = match ctx {
            Ctx::DEFAULT => &far.stream,
            created => self.require_context(site, created).stream(|| {
                far.new_stream().unwrap_or_else(|error| live.die(&format!("PE {}: {}: {error}", live.me, site.name)))
            }),
        };
        (live, far, stream)
    }

    /// End the job, and report why `len` bytes at our `address` have no place at the world's PE `pe`.
    #[cold]
    pub(crate) fn explain(&self, site: &Site, what: &str, address: usize, len: usize, pe: c_int) -> ! {
        let live = self.require_live(site);
        if address == 0 {
            self.misuse(site, format_args!("{what} is NULL, but the length is {len} bytes"));
        }
        let heap = live.memory.heap_base();
        let extent = live.memory.heap_extent();
        let in_heap = address.wrapping_sub(heap) < live.memory.heap_ceiling();
        if in_heap {
            self.misuse(
                site,
                format_args!(
                    "{what} {address:#x} and {len} bytes reach to offset {:#x} of the symmetric heap, of which {extent:#x} \
                     bytes are allocated; stay within what {} returned",
                    address.wrapping_sub(heap).saturating_add(len),
                    allocator(site),
                ),
            );
        }
        if let Some((base, statics)) = live.memory.statics_range()
            && address.wrapping_sub(base) < statics
        {
            if len <= base + statics - address {
                self.misuse(
                    site,
                    format_args!(
                        "{what} {address:#x} is static data, and PE {pe} runs another executable, whose static data \
                         are laid out differently; use memory from {}",
                        allocator(site),
                    ),
                );
            }
            self.misuse(
                site,
                format_args!(
                    "{what} {address:#x} and {len} bytes reach beyond the end of the executable's static data at {:#x}",
                    base + statics
                ),
            );
        }
        if let Some(Place::Device { ordinal, .. }) = ferrite_device::cuda::classify_if_loaded(address) {
            self.explain_device(site, what, address, ordinal);
        }
        let is = kind_of(address);
        self.misuse(site, format_args!("{what} {address:#x} is not symmetric ({is}); {}", advice(site)))
    }

    /// The same for device memory.
    fn explain_device(&self, site: &Site, what: &str, address: usize, ordinal: i32) -> ! {
        let advice = match self.device_room() {
            Some(room) if room.contains(address) => "this routine takes host memory only",
            Some(_) => "it is not symmetric; pass an address from shmemg_malloc",
            None => "the program has not requested it; see ferrite_gpu(7)",
        };
        self.misuse(site, format_args!("{what} {address:#x} is device memory of GPU {ordinal}: {advice}"))
    }
}
