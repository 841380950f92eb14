//! Puts and gets with an operand in device memory.

use super::{DeviceRoom, For};
use crate::{
    Ctx, Site, World,
    far::{Blocks, PeerAddress},
};
use core::ffi::c_int;
use ferrite_device::{Kind, Side, Strided};
use ferrite_fabric::{Pe, Remote};

/// The place of a symmetric object at a PE.
#[derive(Clone, Copy)]
enum Spot {
    /// Memory that this process maps, of the host or of a device.
    Mapped(Side),
    /// The host memory of a PE that is not mapped.
    Far(Remote),
    /// An offset in the device heap of a PE that is not mapped.
    FarDevice(Pe, u64),
}

impl World {
    /// The place of `len` bytes, which are not 0, of our symmetric `address` at `pe` of `ctx`.
    fn spot(
        &self,
        site: &Site,
        room: &DeviceRoom,
        what: &str,
        address: usize,
        len: usize,
        ctx: Ctx,
        pe: c_int,
    ) -> Spot {
        let world_pe = self.require_pe(site, ctx, pe) as u32;
        if self.is_on_device(site, what, address, len) {
            let offset = address - room.heap().base;
            return match room.base_of(world_pe) {
                Some(base) => Spot::Mapped(Side::Device(base + offset)),
                None => Spot::FarDevice(Pe(world_pe), offset as u64),
            };
        }
        match self.reach(site, what, address, len, ctx, pe) {
            Some(PeerAddress::Near(at)) => Spot::Mapped(Side::Host(at as usize)),
            Some(PeerAddress::Far(at)) => Spot::Far(at),
            None => unreachable!("{}: a transfer of {len} bytes has a place", site.name),
        }
    }

    /// Put `len` bytes if device memory takes part, and return true; return false for a put between host memory.
    ///
    /// # Safety
    /// As for [`World::put`].
    pub(crate) unsafe fn put_by_device(
        &self,
        site: &'static Site,
        ctx: Ctx,
        dest: *mut u8,
        source: *const u8,
        len: usize,
        pe: c_int,
    ) -> bool {
        let Some(room) = self.device_room().filter(|_| len > 0) else { return false };
        let from = self.side(site, room, "source", source as usize, len);
        if matches!(from, Side::Host(_)) && !room.contains(dest as usize) {
            return false;
        }
        let live = self.require_live(site);
        // SAFETY: the source is the caller's promise, and the place of the destination was checked.
        let done = unsafe {
            match self.spot(site, room, "dest", dest as usize, len, ctx, pe) {
                Spot::Mapped(to) => room.copy(For::Program, to, from, len),
                Spot::Far(to) => live.put_bounced(room, self.far_stream(site, ctx), to, from, len),
                Spot::FarDevice(pe, offset) => {
                    live.put_staged(room, site, self.far_stream(site, ctx).2, (pe, offset), from, len)
                }
            }
        };
        done.unwrap_or_else(|error| live.device_failed(site, &error));
        true
    }

    /// Get `len` bytes if device memory takes part, and return true; return false for a get between host memory.
    ///
    /// # Safety
    /// As for [`World::get`].
    pub(crate) unsafe fn get_by_device(
        &self,
        site: &'static Site,
        ctx: Ctx,
        dest: *mut u8,
        source: *const u8,
        len: usize,
        pe: c_int,
    ) -> bool {
        let Some(room) = self.device_room().filter(|_| len > 0) else { return false };
        let to = self.side(site, room, "dest", dest as usize, len);
        if matches!(to, Side::Host(_)) && !room.contains(source as usize) {
            return false;
        }
        let live = self.require_live(site);
        // SAFETY: as in `put_by_device`.
        let done = unsafe {
            match self.spot(site, room, "source", source as usize, len, ctx, pe) {
                Spot::Mapped(from) => room.copy(For::Program, to, from, len),
                Spot::Far(from) => live.get_bounced(room, self.far_stream(site, ctx), to, from, len),
                Spot::FarDevice(pe, offset) => {
                    live.get_staged(room, site, self.far_stream(site, ctx).2, (pe, offset), to, len)
                }
            }
        };
        done.unwrap_or_else(|error| live.device_failed(site, &error));
        true
    }

    /// Move blocks if device memory takes part, and return true. `puts` says in which direction. The extent of both sides in
    /// bytes is `remote_extent` and `local_extent`.
    ///
    /// # Safety
    /// All blocks are valid on both sides.
    pub(crate) unsafe fn blocks_by_device(
        &self,
        site: &'static Site,
        ctx: Ctx,
        (remote, remote_extent): (usize, usize),
        (local, local_extent): (usize, usize),
        blocks: Blocks,
        (puts, pe): (bool, c_int),
    ) -> bool {
        let Some(room) = self.device_room().filter(|_| remote_extent > 0) else { return false };
        let (here, there) = if puts { ("source", "dest") } else { ("dest", "source") };
        let side = self.side(site, room, here, local, local_extent);
        if matches!(side, Side::Host(_)) && !room.contains(remote) {
            return false;
        }
        let spot = self.spot(site, room, there, remote, remote_extent, ctx, pe);
        if let Spot::Mapped(mapped) = spot
            && self.strided_copy(site, room, if puts { (mapped, side) } else { (side, mapped) }, blocks, puts)
        {
            return true;
        }
        for i in 0..blocks.count {
            let after = |start: usize, stride: usize| start.wrapping_add(i.wrapping_mul(stride));
            let (local, remote) = (after(local, blocks.here), after(remote, blocks.there));
            // SAFETY: a block of each side.
            let moved = unsafe {
                if puts {
                    self.put_by_device(site, ctx, remote as *mut u8, local as *const u8, blocks.len, pe)
                } else {
                    self.get_by_device(site, ctx, local as *mut u8, remote as *const u8, blocks.len, pe)
                }
            };
            debug_assert!(moved, "device memory takes part in each block, since it does in the first");
        }
        true
    }

    /// Let the driver copy blocks in one operation. False if it cannot.
    fn strided_copy(
        &self,
        site: &'static Site,
        room: &DeviceRoom,
        (dest, source): (Side, Side),
        blocks: Blocks,
        puts: bool,
    ) -> bool {
        let Blocks { len, count, there, here } = blocks;
        if count == 1 {
            return false;
        }
        let (dest_stride_bytes, source_stride_bytes) = if puts { (there, here) } else { (here, there) };
        let copy = Strided { dest, dest_stride_bytes, source, source_stride_bytes, element_bytes: len, count };
        match room.copy_strided(&copy) {
            Ok(()) => true,
            Err(error) if error.kind() == Kind::Unsupported => false,
            Err(error) => self.require_live(site).device_failed(site, &error),
        }
    }
}

impl DeviceRoom {
    /// Copy elements for the program, and wait until they have arrived.
    fn copy_strided(&self, copy: &Strided) -> ferrite_device::Result<()> {
        let queue = &self.queues[For::Program as usize];
        // SAFETY: the caller has checked both sides, and the copy is waited for.
        unsafe { self.device.copy_strided(queue.stream(), copy)? };
        queue.drain()
    }
}
