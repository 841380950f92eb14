//! Collectives with an operand in device memory: puts and gets between meetings of the team.
//!
//! A processor cannot reduce device memory in place, and messages of the algorithms end in host memory. So these collectives move whole
//! blocks by the operations of `device`, which know every combination of memory, and reduce in host memory. All members meet before the
//! first access to a member's buffers, and after the last one.
//!
//! | collective | each member |
//! |---|---|
//! | broadcast | the root puts to all members |
//! | fcollect, collect, alltoall | puts its block to each member |
//! | reduction | gets one slice of the source of each member, combines them, and puts the result to all members |
//! | scan | gets the sources of the members before it |
//!
//! Each member moves as many bytes as in the best algorithms for long messages; for short ones the number of messages grows with the team.

use super::{agree_among, among, work::Work};
use crate::Ctx;
use core::ffi::c_int;
use ferrite_collectives::{alltoall::Blocks, scan, words};
use ferrite_kernels::Kernel;

/// Bytes that are reduced at once.
const STRIP_BYTES: usize = 1 << 20;

impl Work<'_> {
    fn members(&self) -> impl Iterator<Item = (usize, c_int)> {
        (0..self.team.shape.size() as c_int).map(|rank| (rank as usize, self.team.shape.world_pe(rank)))
    }

    fn me(&self) -> usize {
        self.team.me as usize
    }

    /// Put `len` bytes of our source to the destination of a PE.
    ///
    /// # Safety
    /// The buffers were checked.
    unsafe fn put_to(&self, pe: c_int, at: usize, source: *const u8, len: usize) {
        let dest = self.dest.wrapping_add(at);
        let is_in_place = pe as u32 == self.live.me && dest.cast_const() == source;
        if len > 0 && !is_in_place {
            // SAFETY: the caller's contract.
            unsafe { self.world.put::<u8>(self.site, Ctx::DEFAULT, dest, source, len, pe) };
        }
    }

    /// Wait until the puts of all members have arrived. Those into host memory may still be under way.
    fn finish(&self) {
        self.world.quiet(self.site, Ctx::DEFAULT);
        self.meet();
    }

    /// Whether a buffer of any member is in device memory: some members see only one of the buffers. A world with device memory is observed,
    /// so other worlds pay for one load.
    #[inline]
    pub(super) fn agree_on_device(&self, mine: bool) -> bool {
        self.world.is_observed()
            && self.world.device_room().is_some()
            && agree_among(self.live, self.team, [u64::from(mine)], |_, a, b| a | b) == [1]
    }

    #[cold]
    pub(super) fn broadcast_on_device(&self, len: usize, root: c_int, root_too: bool) {
        self.meet();
        if self.team.me == root {
            for (_, pe) in self.members().filter(|&(rank, _)| root_too || rank != self.me()) {
                // SAFETY: the buffers were checked for `len` bytes.
                unsafe { self.put_to(pe, 0, self.source, len) };
            }
        }
        self.finish();
    }

    #[cold]
    pub(super) fn fcollect_on_device(&self, len: usize) {
        self.meet();
        // SAFETY: the buffers were checked for a block of each member.
        self.members().for_each(|(_, pe)| unsafe { self.put_to(pe, self.me() * len, self.source, len) });
        self.finish();
    }

    /// As [`Work::collect`].
    #[cold]
    pub(super) fn collect_on_device(&self, len: usize, room: u64) -> u64 {
        // All members have come when the lengths are known.
        let lens = among!(self.live, self.team, |x| words::gather(x, len as u64));
        let total = lens.iter().fold(0_u64, |sum, &len| sum.saturating_add(len));
        if total > room {
            return total;
        }
        let before: u64 = lens[..self.me()].iter().sum();
        // SAFETY: the source was checked, and each put checks its destination.
        self.members().for_each(|(_, pe)| unsafe { self.put_to(pe, before as usize, self.source, len) });
        self.finish();
        total
    }

    #[cold]
    pub(super) fn alltoall_on_device(&self, blocks: Blocks) {
        let Blocks { item, count, dest_stride, source_stride } = blocks;
        self.meet();
        for (rank, pe) in self.members().filter(|_| item > 0 && count > 0) {
            let to = self.me() * count * dest_stride;
            let from = self.source.wrapping_add(rank * count * source_stride);
            // SAFETY: the buffers were checked for a block of each member.
            unsafe {
                if count == 1 {
                    self.put_to(pe, to, from, item);
                } else {
                    let (dest, [dst, sst]) = (self.dest.wrapping_add(to), [dest_stride, source_stride]);
                    let (dst, sst) = (dst as isize, sst as isize);
                    self.world.ibput::<u8>(self.site, Ctx::DEFAULT, dest, from, dst, sst, item, count, pe);
                }
            }
        }
        self.finish();
    }

    /// Combine `len` bytes at `at` of the sources of the given members, in their order, and return them.
    fn combined(&self, kernel: Kernel, members: impl Iterator<Item = c_int>, at: usize, len: usize) -> Vec<u8> {
        let (mut sum, mut next) = (vec![0_u8; len], vec![0_u8; len]);
        for (number, pe) in members.enumerate() {
            let into = if number == 0 { &mut sum } else { &mut next };
            let source = self.source.wrapping_add(at);
            // SAFETY: the sources were checked, and `into` has as many bytes.
            unsafe { self.world.get::<u8>(self.site, Ctx::DEFAULT, into.as_mut_ptr(), source, len, pe) };
            if number > 0 {
                // SAFETY: whole elements of equal length; the result replaces one operand, as kernels allow.
                unsafe { kernel(sum.as_mut_ptr(), sum.as_ptr(), next.as_ptr(), len) };
            }
        }
        sum
    }

    #[cold]
    pub(super) fn reduce_on_device(&self, kernel: Kernel, grain: usize, count: usize) {
        let size = self.team.shape.size() as usize;
        let part = |rank: usize| (count / size * rank + rank.min(count % size)) * grain;
        self.meet();
        let (mut at, end) = (part(self.me()), part(self.me() + 1));
        while at < end {
            let len = (STRIP_BYTES / grain * grain).min(end - at);
            let sum = self.combined(kernel, self.members().map(|(_, pe)| pe), at, len);
            // SAFETY: the destination was checked. Only this member reads or writes this part of any member's buffers.
            self.members().for_each(|(_, pe)| unsafe { self.put_to(pe, at, sum.as_ptr(), len) });
            at += len;
        }
        self.finish();
    }

    #[cold]
    pub(super) fn scan_on_device(&self, kernel: Kernel, len: usize, kind: scan::Kind) {
        self.meet();
        let last = if kind == scan::Kind::Inclusive { self.me() + 1 } else { self.me() };
        let sum = self.combined(kernel, self.members().take(last).map(|(_, pe)| pe), 0, len);
        // The sources may be overwritten once all members have read them.
        self.meet();
        // SAFETY: the destination was checked.
        unsafe { self.put_to(self.live.me as c_int, 0, sum.as_ptr(), len) };
        self.finish();
    }
}
