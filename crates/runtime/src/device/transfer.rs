//! Puts and gets with an operand in device memory.

use super::{DeviceRoom, For};
use crate::{
    Ctx, Site, World,
    far::{Blocks, PeerAddress},
};
use core::ffi::c_int;
use ferrite_device::{Kind, Result, Side, Strided};
use ferrite_fabric::{Pe, Remote};

/// Direction of a transfer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Direction {
    /// From here to the other PE.
    Put,
    /// From the other PE to here.
    Get,
}

impl Direction {
    /// Names of the routine's operands: the local one, and the symmetric one.
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Direction::Put => ("source", "dest"),
            Direction::Get => ("dest", "source"),
        }
    }

    /// Destination and source, of a local thing and the other PE's.
    fn dest_and_source<T>(self, here: T, there: T) -> (T, T) {
        match self {
            Direction::Put => (there, here),
            Direction::Get => (here, there),
        }
    }
}

/// A transfer between an operand here and a symmetric one at a PE.
#[derive(Clone, Copy)]
pub(crate) struct Transfer {
    pub direction: Direction,
    /// Address of the local operand.
    pub here: usize,
    /// Our address of the symmetric operand.
    pub there: usize,
    pub pe: c_int,
}

impl Transfer {
    pub fn put<T>(dest: *mut T, source: *const T, pe: c_int) -> Transfer {
        Transfer { direction: Direction::Put, here: source as usize, there: dest as usize, pe }
    }

    pub fn get<T>(dest: *mut T, source: *const T, pe: c_int) -> Transfer {
        Transfer { direction: Direction::Get, here: dest as usize, there: source as usize, pe }
    }
}

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

impl Spot {
    /// The place `bytes` further on.
    fn offset_by(self, bytes: usize) -> Spot {
        match self {
            Spot::Mapped(side) => Spot::Mapped(offset_by(side, bytes)),
            Spot::Far(at) => Spot::Far(Remote { offset: at.offset + bytes as u64, ..at }),
            Spot::FarDevice(pe, offset) => Spot::FarDevice(pe, offset + bytes as u64),
        }
    }
}

/// The address `bytes` further on.
pub(super) fn offset_by(side: Side, bytes: usize) -> Side {
    match side {
        Side::Host(address) => Side::Host(address + bytes),
        Side::Device(address) => Side::Device(address + bytes),
    }
}

impl World {
    /// Make a transfer of `len` bytes if device memory takes part, and return true; return false if both operands are host memory.
    ///
    /// # Safety
    /// As for [`World::put`] or [`World::get`].
    pub(crate) unsafe fn transfer_by_device(
        &self,
        site: &'static Site,
        ctx: Ctx,
        transfer: Transfer,
        len: usize,
    ) -> bool {
        let Some((room, here, there)) = self.operands(site, ctx, transfer, len, len) else { return false };
        // SAFETY: the local side is the caller's promise, and the symmetric one was checked.
        let moved = unsafe { self.carry(site, ctx, room, transfer.direction, (here, there), len) };
        moved.unwrap_or_else(|error| self.require_live(site).device_failed(site, &error));
        true
    }

    /// Move blocks if device memory takes part, and return true. The operands extend over `here_len` and `there_len` bytes.
    ///
    /// # Safety
    /// All blocks are valid on both sides.
    pub(crate) unsafe fn blocks_by_device(
        &self,
        site: &'static Site,
        ctx: Ctx,
        transfer: Transfer,
        (here_len, there_len): (usize, usize),
        blocks: Blocks,
    ) -> bool {
        let Some((room, here, there)) = self.operands(site, ctx, transfer, here_len, there_len) else { return false };
        let by_driver = match there {
            Spot::Mapped(there) => room.copy_blocks(transfer.direction, here, there, blocks),
            Spot::Far(_) | Spot::FarDevice(..) => Ok(false),
        };
        let moved = by_driver.and_then(|is_done| {
            let rest = if is_done { 0 } else { blocks.count };
            (0..rest).try_for_each(|i| {
                let sides = (offset_by(here, i * blocks.here), there.offset_by(i * blocks.there));
                // SAFETY: a block of each side.
                unsafe { self.carry(site, ctx, room, transfer.direction, sides, blocks.len) }
            })
        });
        moved.unwrap_or_else(|error| self.require_live(site).device_failed(site, &error));
        true
    }

    /// The places of both operands, of as many bytes. `None` if there is nothing to move, or if both are host memory.
    fn operands(
        &self,
        site: &Site,
        ctx: Ctx,
        transfer: Transfer,
        here_len: usize,
        there_len: usize,
    ) -> Option<(&DeviceRoom, Side, Spot)> {
        let room = self.device_room().filter(|_| there_len > 0)?;
        let (here, there) = transfer.direction.names();
        let side = self.side(site, room, here, transfer.here, here_len);
        let on_device = matches!(side, Side::Device(_)) || room.contains(transfer.there);
        on_device.then(|| (room, side, self.spot(site, ctx, room, there, transfer, there_len)))
    }

    /// The place of the symmetric operand of a transfer, which is not empty.
    fn spot(&self, site: &Site, ctx: Ctx, room: &DeviceRoom, what: &str, transfer: Transfer, len: usize) -> Spot {
        let (address, pe) = (transfer.there, self.require_pe(site, ctx, transfer.pe) as u32);
        if self.is_on_device(site, what, address, len) {
            let offset = address - room.heap().base;
            return match room.base_of(pe) {
                Some(base) => Spot::Mapped(Side::Device(base + offset)),
                None => Spot::FarDevice(Pe(pe), offset as u64),
            };
        }
        match self.find_peer_address(site, what, address, len, ctx, transfer.pe) {
            Some(PeerAddress::Near(at)) => Spot::Mapped(Side::Host(at as usize)),
            Some(PeerAddress::Far(at)) => Spot::Far(at),
            None => unreachable!("{}: a transfer of {len} bytes has a place", site.name),
        }
    }

    /// Move `len` bytes in the manner of their places.
    ///
    /// # Safety
    /// Both places are valid for `len` bytes.
    unsafe fn carry(
        &self,
        site: &'static Site,
        ctx: Ctx,
        room: &DeviceRoom,
        direction: Direction,
        (here, there): (Side, Spot),
        len: usize,
    ) -> Result<()> {
        let live = self.require_live(site);
        // SAFETY: the caller's contract.
        unsafe {
            match there {
                Spot::Mapped(there) => {
                    let (to, from) = direction.dest_and_source(here, there);
                    room.copy(For::Program, to, from, len)
                }
                Spot::Far(there) => {
                    let stream = self.far_stream(site, ctx).2;
                    live.bounce(room, site, stream, direction, there, here, len)
                }
                Spot::FarDevice(pe, offset) => {
                    let stream = self.far_stream(site, ctx).2;
                    live.stage(room, site, stream, direction, (pe, offset), here, len)
                }
            }
        }
    }
}

impl DeviceRoom {
    /// Let the driver copy blocks in one operation, and wait until they have arrived. False if it cannot.
    fn copy_blocks(&self, direction: Direction, here: Side, there: Side, blocks: Blocks) -> Result<bool> {
        if blocks.count == 1 {
            return Ok(false);
        }
        let (dest, source) = direction.dest_and_source(here, there);
        let (dest_stride_bytes, source_stride_bytes) = direction.dest_and_source(blocks.here, blocks.there);
        let Blocks { len: element_bytes, count, .. } = blocks;
        let copy = Strided { dest, dest_stride_bytes, source, source_stride_bytes, element_bytes, count };
        let queue = &self.queues[For::Program as usize];
        // SAFETY: the caller has checked both sides, and the copy is waited for.
        match unsafe { self.device.copy_strided(queue.stream(), &copy) } {
            Err(error) if error.kind() == Kind::Unsupported => Ok(false),
            posted => posted.and_then(|()| queue.drain()).map(|()| true),
        }
    }
}
