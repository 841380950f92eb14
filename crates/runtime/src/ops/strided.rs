//! Strided and block-strided put and get: a loop of copies, or of operations over the fabric. The guard checks the whole
//! extent of the remote side once.

use crate::{
    Ctx, Elem, Site, World,
    border::at_cold_border,
    device::transfer::Transfer,
    far::{Blocks, PeerAddress},
    observe::{Call, Kind, Layout, Operation},
    ops::order::seen,
};
use core::{ffi::c_int, mem::size_of};
use ferrite_copy::copy;

/// One side of a strided transfer, in elements.
#[derive(Clone, Copy)]
struct Walk {
    stride: isize,
    block: usize,
    blocks: usize,
}

impl Walk {
    /// The bytes from the first element to the end of the last; 0 if nothing is moved. An extent that does not fit the address space
    /// saturates, and is refused.
    fn extent<T>(self) -> usize {
        if self.blocks == 0 || self.block == 0 {
            return 0;
        }
        let last = (self.stride as usize).saturating_mul(self.blocks - 1);
        last.saturating_add(self.block).saturating_mul(size_of::<T>())
    }
}

/// Move `blocks` blocks of `block` elements.
///
/// # Safety
/// Both walks stay within valid memory.
unsafe fn walk<T: Elem>(to: *mut T, to_stride: isize, from: *const T, from_stride: isize, block: usize, blocks: usize) {
    for i in 0..blocks as isize {
        let (to, from) =
            (to.wrapping_offset(i.wrapping_mul(to_stride)), from.wrapping_offset(i.wrapping_mul(from_stride)));
        // SAFETY: the caller's promise.
        unsafe {
            if block == 1 {
                ferrite_copy::store(to.cast(), ferrite_copy::load::<T>(from.cast()));
            } else {
                copy(to.cast(), from.cast(), block * size_of::<T>());
            }
        }
    }
}

/// The same walk in bytes, with arguments that need not have been checked. Blocks that touch on both sides are merged into one.
fn blocks<T>(block: usize, blocks: usize, there: isize, here: isize) -> Blocks {
    let size = size_of::<T>();
    if blocks == 1 || (there, here) == (block as isize, block as isize) {
        return Blocks { len: block.saturating_mul(blocks).saturating_mul(size), count: 1, there: 0, here: 0 };
    }
    let [there, here] = [there, here].map(|stride| (stride as usize).saturating_mul(size));
    Blocks { len: block.saturating_mul(size), count: blocks, there, here }
}

/// The same for observers, with arguments that have not been checked.
fn layout<T>(block: usize, count: usize, here: isize, there: isize) -> Layout {
    let size = size_of::<T>();
    let [here, there] = [here, there].map(|stride| stride.saturating_mul(size as isize));
    Layout { block: block.saturating_mul(size), count, here, there }
}

impl World {
    /// Copy elements `sst` apart at `source` to places `dst` apart at `pe`.
    ///
    /// # Safety
    /// Both walks stay within valid objects.
    #[inline]
    pub unsafe fn iput<T: Elem>(
        &self,
        site: &'static Site,
        ctx: Ctx,
        dest: *mut T,
        source: *const T,
        dst: isize,
        sst: isize,
        nelems: usize,
        pe: c_int,
    ) {
        // SAFETY: passed on.
        unsafe { self.ibput(site, ctx, dest, source, dst, sst, 1, nelems, pe) }
    }

    /// Copy elements `sst` apart at `source` at `pe` to places `dst` apart here.
    ///
    /// # Safety
    /// Both walks stay within valid objects.
    #[inline]
    pub unsafe fn iget<T: Elem>(
        &self,
        site: &'static Site,
        ctx: Ctx,
        dest: *mut T,
        source: *const T,
        dst: isize,
        sst: isize,
        nelems: usize,
        pe: c_int,
    ) {
        // SAFETY: passed on.
        unsafe { self.ibget(site, ctx, dest, source, dst, sst, 1, nelems, pe) }
    }

    /// Copy `nblocks` blocks of `bsize` elements, whose starts are `sst` apart at `source`, to places `dst` apart
    /// at `pe`.
    ///
    /// # Safety
    /// Both walks stay within valid objects.
    #[inline]
    pub unsafe fn ibput<T: Elem>(
        &self,
        site: &'static Site,
        ctx: Ctx,
        dest: *mut T,
        source: *const T,
        dst: isize,
        sst: isize,
        bsize: usize,
        nblocks: usize,
        pe: c_int,
    ) {
        self.check_strides(site, dst, sst, bsize, nblocks);
        let remote = Walk { stride: dst, block: bsize, blocks: nblocks }.extent::<T>();
        if let Some(to) = self.near.range(dest as usize, remote, self.route(ctx, pe)) {
            // SAFETY: the guard saw the remote extent; the local side is the caller's promise.
            return unsafe { walk(to.cast(), dst, source, sst, bsize, nblocks) };
        }
        // SAFETY: passed on.
        let slow = || unsafe { self.ibput_slow(site, ctx, dest, source, dst, sst, bsize, nblocks, pe) };
        at_cold_border(site, slow, ());
    }

    /// # Safety
    /// As for `ibput`.
    #[cold]
    #[inline(never)]
    unsafe fn ibput_slow<T: Elem>(
        &self,
        site: &'static Site,
        ctx: Ctx,
        dest: *mut T,
        source: *const T,
        dst: isize,
        sst: isize,
        bsize: usize,
        nblocks: usize,
        pe: c_int,
    ) {
        let remote = Walk { stride: dst, block: bsize, blocks: nblocks }.extent::<T>();
        self.note_call_to(site, ctx, pe, bsize.saturating_mul(nblocks).saturating_mul(size_of::<T>()));
        let observed = self.observe(|_| Call {
            local: source as usize,
            remote: dest as usize,
            layout: layout::<T>(bsize, nblocks, sst, dst),
            ..Call::to(self, site, Kind::Put, ctx, pe)
        });
        let here = Walk { stride: sst, block: bsize, blocks: nblocks }.extent::<T>();
        let moved = blocks::<T>(bsize, nblocks, dst, sst);
        // SAFETY: passed on.
        if unsafe { self.blocks_by_device(site, ctx, Transfer::put(dest, source, pe), (here, remote), moved) } {
            return;
        }
        match self.find_peer_address(site, "dest", dest as usize, remote, ctx, pe) {
            Some(PeerAddress::Near(to)) => match self.delays(&observed) {
                // SAFETY: as above, by the slow search.
                None => unsafe { walk(to.cast(), dst, source, sst, bsize, nblocks) },
                Some(delays) => {
                    let layout = layout::<T>(bsize, nblocks, sst, dst);
                    let put = Operation::PutBlocks { to, source: source.cast(), layout };
                    // SAFETY: as above.
                    unsafe { delays.post(self.ctx_and_world_pe(site, ctx, pe), put) }
                }
            },
            Some(PeerAddress::Far(to)) => {
                let (live, far, stream) = self.far_stream(site, ctx);
                let blocks = blocks::<T>(bsize, nblocks, dst, sst);
                // SAFETY: as above.
                unsafe { live.put_blocks_far(far, stream, to, source.cast(), blocks) }
            }
            None => {}
        }
    }

    /// Copy `nblocks` blocks of `bsize` elements, whose starts are `sst` apart at `source` at `pe`, to places `dst`
    /// apart here.
    ///
    /// # Safety
    /// Both walks stay within valid objects.
    #[inline]
    pub unsafe fn ibget<T: Elem>(
        &self,
        site: &'static Site,
        ctx: Ctx,
        dest: *mut T,
        source: *const T,
        dst: isize,
        sst: isize,
        bsize: usize,
        nblocks: usize,
        pe: c_int,
    ) {
        self.check_strides(site, dst, sst, bsize, nblocks);
        let remote = Walk { stride: sst, block: bsize, blocks: nblocks }.extent::<T>();
        if let Some(from) = self.near.range(source as usize, remote, self.route(ctx, pe)) {
            // SAFETY: the guard saw the remote extent; the local side is the caller's promise.
            unsafe { walk(dest, dst, from.cast_const().cast(), sst, bsize, nblocks) };
            return seen();
        }
        // SAFETY: passed on.
        let slow = || unsafe { self.ibget_slow(site, ctx, dest, source, dst, sst, bsize, nblocks, pe) };
        at_cold_border(site, slow, ());
    }

    /// # Safety
    /// As for `ibget`.
    #[cold]
    #[inline(never)]
    unsafe fn ibget_slow<T: Elem>(
        &self,
        site: &'static Site,
        ctx: Ctx,
        dest: *mut T,
        source: *const T,
        dst: isize,
        sst: isize,
        bsize: usize,
        nblocks: usize,
        pe: c_int,
    ) {
        let remote = Walk { stride: sst, block: bsize, blocks: nblocks }.extent::<T>();
        self.note_call_to(site, ctx, pe, bsize.saturating_mul(nblocks).saturating_mul(size_of::<T>()));
        let _observed = self.observe(|_| Call {
            local: dest as usize,
            remote: source as usize,
            layout: layout::<T>(bsize, nblocks, dst, sst),
            ..Call::to(self, site, Kind::Get, ctx, pe)
        });
        let here = Walk { stride: dst, block: bsize, blocks: nblocks }.extent::<T>();
        let moved = blocks::<T>(bsize, nblocks, sst, dst);
        // SAFETY: passed on.
        if unsafe { self.blocks_by_device(site, ctx, Transfer::get(dest, source, pe), (here, remote), moved) } {
            return;
        }
        match self.find_peer_address(site, "source", source as usize, remote, ctx, pe) {
            Some(PeerAddress::Near(from)) => {
                // SAFETY: as above, by the slow search.
                unsafe { walk(dest, dst, from.cast_const().cast(), sst, bsize, nblocks) }
                seen();
            }
            Some(PeerAddress::Far(from)) => {
                let (live, _, stream) = self.far_stream(site, ctx);
                let blocks = blocks::<T>(bsize, nblocks, sst, dst);
                // SAFETY: as above.
                unsafe { live.get_blocks_far(stream, from, dest.cast(), blocks) }
            }
            None => {}
        }
    }

    /// Refuse strides of less than one element or less than a block, as the standard requires.
    #[inline]
    fn check_strides(&self, site: &Site, dst: isize, sst: isize, bsize: usize, nblocks: usize) {
        if nblocks > 1 && bsize > 0 && dst.min(sst) < 1.max(isize::try_from(bsize).unwrap_or(isize::MAX)) {
            self.bad_stride(site, dst, sst, bsize);
        }
    }

    #[cold]
    #[inline(never)]
    fn bad_stride(&self, site: &Site, dst: isize, sst: isize, bsize: usize) {
        let refuse = || {
            self.require_live(site);
            self.misuse(
                site,
                format_args!("dst is {dst} and sst is {sst}; strides must be at least {bsize}, the size of a block"),
            )
        };
        at_cold_border(site, refuse, ());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extents() {
        let extent = |stride, block, blocks| Walk { stride, block, blocks }.extent::<u32>();
        assert_eq!(extent(3, 1, 4), 40);
        assert_eq!(extent(5, 2, 3), 48);
        assert_eq!((extent(5, 0, 3), extent(5, 2, 0)), (0, 0));
        assert_eq!(extent(isize::MAX, 1, 5), usize::MAX);
    }

    #[test]
    fn blocks_are_walked() {
        let from: Vec<u16> = (0..20).collect();
        let mut to = [0u16; 12];
        // SAFETY: 3 blocks of 2, 7 apart, end at element 16 of 20; 4 apart they end at 10 of 12.
        unsafe { walk(to.as_mut_ptr(), 4, from.as_ptr(), 7, 2, 3) }
        assert_eq!(to, [0, 1, 0, 0, 7, 8, 0, 0, 14, 15, 0, 0]);
    }
}
