//! Atomics, signals and waits on words of device memory.

use super::{DeviceRoom, For};
use crate::{
    Bits, Ctx, Site, Word, World,
    far::{Old, Update},
};
use core::{ffi::c_int, sync::atomic::Ordering::Relaxed};
use ferrite_device::Side;
use ferrite_fabric::{Pe, Remote, SegmentId};

impl World {
    /// Update the word at `pe` if it is in the device heap. Returns the old value, or the place of a word that the fabric has still to
    /// update; `None` if the word is in host memory.
    ///
    /// # Safety
    /// `object` is a `T` at `pe`.
    pub(crate) unsafe fn update_on_device<T: Word>(
        &self,
        site: &'static Site,
        what: &'static str,
        ctx: Ctx,
        object: *const T,
        pe: c_int,
        update: Update<T::Bits>,
    ) -> Option<Result<T::Bits, Remote>> {
        let (address, size) = (object as usize, size_of::<T>());
        let room = self.device_room()?;
        if !self.is_on_device(site, what, address, size) {
            return None;
        }
        let pe = self.require_pe(site, ctx, pe) as u32;
        if !address.is_multiple_of(size) {
            self.unaligned(site, what, address, size);
        }
        let offset = address - room.heap().base;
        let Some(base) = room.base_of(pe) else {
            return Some(Err(Remote { pe: Pe(pe), segment: SegmentId::DEVICE, offset: offset as u64 }));
        };
        let mut old = update.operand;
        let change = |word: *mut u8| {
            // SAFETY: a word that is aligned to 8 bytes and belongs to this thread alone.
            old = update.apply(unsafe { T::Bits::cell(word) });
        };
        // SAFETY: the word was checked.
        let updated = unsafe { room.update(For::Program, pe, base + offset, size, change) };
        updated.unwrap_or_else(|error| self.require_live(site).device_failed(site, &error));
        Some(Ok(old))
    }

    /// Store the old value of an atomic, if the routine has a place for it, which may be device memory.
    ///
    /// # Safety
    /// The place may be written.
    pub(crate) unsafe fn store_old<T: Word>(&self, site: &'static Site, old: Old<T>, value: T) {
        let Old::Stored(into) = old else { return };
        let Some(room) = self.device_room() else {
            // SAFETY: the caller's contract.
            return unsafe { into.write(value) };
        };
        let to = self.side(site, room, "fetch", into as usize, size_of::<T>());
        // SAFETY: the caller's contract.
        let stored = unsafe { room.copy(For::Program, to, Side::Host((&raw const value) as usize), size_of::<T>()) };
        stored.unwrap_or_else(|error| self.require_live(site).device_failed(site, &error));
    }

    /// Whether the old value of an atomic goes to device memory.
    pub(crate) fn fetches_to_device<T>(&self, site: &'static Site, old: &Old<T>) -> bool {
        match (self.device_room(), old) {
            (Some(_), &Old::Stored(into)) => self.is_device_memory(site, "fetch", into as usize, size_of::<T>()),
            _ => false,
        }
    }

    /// The room, if the `len` bytes at `address`, which a routine of this PE reads as words, are in its device heap. Other device memory
    /// ends the job: no other PE can change it.
    pub(crate) fn words_on_device(
        &self,
        site: &'static Site,
        what: &'static str,
        address: usize,
        len: usize,
    ) -> Option<&DeviceRoom> {
        let room = self.device_room()?;
        if self.is_on_device(site, what, address, len) {
            return Some(room);
        }
        if address != 0 && self.is_device_memory(site, what, address, 1) {
            self.explain(site, what, address, len, self.require_live(site).me as c_int);
        }
        None
    }

    /// Load a word of this PE's device heap.
    pub(crate) fn load_on_device<T: Word>(&self, site: &'static Site, room: &DeviceRoom, word: *const T) -> T {
        let mut here = 0_u64;
        let to = Side::Host((&raw mut here) as usize);
        // SAFETY: the caller has checked the word, and the copy has as many bytes.
        let loaded = unsafe { room.copy(For::Program, to, Side::Device(word as usize), size_of::<T>()) };
        loaded.unwrap_or_else(|error| self.require_live(site).device_failed(site, &error));
        // SAFETY: aligned to 8 bytes, and this thread's own.
        T::from_bits(T::Bits::load(unsafe { T::Bits::cell((&raw mut here).cast()) }, Relaxed))
    }
}
