//! The collectives of OpenSHMEM 1.4 and before, over active sets.
//!
//! An active set is a team that the program does not see (`groups/team/active.rs`), and its collectives are the team's. So the work
//! arrays are never touched: `pSync` keeps its contents, and `pWrk` may have any size, or be `NULL`, as in programs
//! written for other libraries that do not use it.

use super::work::Work;
use crate::{
    Ctx, Elem, Site, World,
    live::Live,
    observe::Event,
    teams::{TeamState, Triple},
};
use core::{
    ffi::{c_int, c_long},
    mem::size_of,
    ops::Deref,
    ptr,
};
use ferrite_collectives::alltoall::Blocks;
use std::thread;

/// The teams behind active sets. `groups` implements it: members of a set make its team when they first call a collective of the set.
pub(crate) trait SetTeams {
    /// The team of an active set, for one call; the call ends with [`leave_set`](Self::leave_set). `None` if this PE is not a member: its
    /// call does nothing, as with other libraries.
    fn active_set<'l>(&self, site: &'static Site, live: &'l Live, triple: Triple) -> Option<&'l TeamState>;

    /// End a call on the active set whose team has this slot.
    fn leave_set(live: &Live, slot: usize);
}

/// One call over an active set. Dropping it ends the call's hold on the set's team.
pub(super) struct SetWork<'c>(Work<'c>);

impl<'c> Deref for SetWork<'c> {
    type Target = Work<'c>;

    fn deref(&self) -> &Work<'c> {
        &self.0
    }
}

impl Drop for SetWork<'_> {
    /// After a loss the call unwinds: the job is broken, and nothing uses the slot again.
    fn drop(&mut self) {
        if !thread::panicking() {
            World::leave_set(self.live, self.team.slot);
        }
    }
}

impl World {
    /// The arguments of a collective over the active set (start, log of stride, size). `None` if this PE is not a member; then its call
    /// does nothing.
    #[inline]
    pub(super) fn set_work<T>(
        &self,
        site: &'static Site,
        dest: *mut T,
        source: *const T,
        triple: (c_int, c_int, c_int),
        psync: *mut c_long,
    ) -> Option<SetWork<'_>> {
        let live = self.require_live(site);
        if psync.is_null() {
            self.misuse(site, format_args!("pSync is NULL; pass a symmetric array that holds SHMEM_SYNC_VALUE"));
        }
        self.begin_collective(site);
        let (start, log_stride, size) = triple;
        if self.is_observed() {
            self.tell(&Event::ActiveSet { site, triple: [start, log_stride, size], psync });
        }
        let team = self.active_set(site, live, Triple { start, log_stride, size })?;
        Some(SetWork(Work { world: self, live, site, team, dest: dest.cast(), source: source.cast() }))
    }

    /// Check and convert the number of elements of a reduction, which the routines take as an `int`.
    pub fn elements(&self, site: &'static Site, nreduce: c_int) -> usize {
        usize::try_from(nreduce)
            .unwrap_or_else(|_| self.misuse(site, format_args!("nreduce is {nreduce}; it must not be negative")))
    }

    /// Complete the operations issued on the default context, then wait until the whole set has called this.
    ///
    /// # Safety
    /// `psync` is a symmetric array.
    pub unsafe fn barrier(
        &self,
        site: &'static Site,
        pe_start: c_int,
        log_pe_stride: c_int,
        pe_size: c_int,
        psync: *mut c_long,
    ) {
        let work = self.set_work::<u8>(site, ptr::null_mut(), ptr::null(), (pe_start, log_pe_stride, pe_size), psync);
        match work {
            Some(work) => work.barrier(),
            None => self.quiet(site, Ctx::DEFAULT),
        }
    }

    /// Wait until the whole set has called this.
    ///
    /// # Safety
    /// `psync` is a symmetric array.
    pub unsafe fn sync(
        &self,
        site: &'static Site,
        pe_start: c_int,
        log_pe_stride: c_int,
        pe_size: c_int,
        psync: *mut c_long,
    ) {
        let work = self.set_work::<u8>(site, ptr::null_mut(), ptr::null(), (pe_start, log_pe_stride, pe_size), psync);
        let Some(work) = work else { return };
        work.sync();
    }

    /// Copy the root's elements to the others' `dest`; the root's own `dest` stays as it is.
    ///
    /// # Safety
    /// The arguments are symmetric objects of `nelems` elements.
    pub unsafe fn set_broadcast<T: Elem>(
        &self,
        site: &'static Site,
        dest: *mut T,
        source: *const T,
        nelems: usize,
        root: c_int,
        pe_start: c_int,
        log_pe_stride: c_int,
        pe_size: c_int,
        psync: *mut c_long,
    ) {
        let Some(work) = self.set_work(site, dest, source, (pe_start, log_pe_stride, pe_size), psync) else { return };
        work.broadcast(nelems.saturating_mul(size_of::<T>()), root, false);
    }

    /// Concatenate all members' sources; lengths may differ.
    ///
    /// # Safety
    /// `source` has `nelems` elements, and `dest` has room for the elements of all members.
    pub unsafe fn set_collect<T: Elem>(
        &self,
        site: &'static Site,
        dest: *mut T,
        source: *const T,
        nelems: usize,
        pe_start: c_int,
        log_pe_stride: c_int,
        pe_size: c_int,
        psync: *mut c_long,
    ) {
        let Some(work) = self.set_work(site, dest, source, (pe_start, log_pe_stride, pe_size), psync) else { return };
        work.collect(nelems.saturating_mul(size_of::<T>()), u64::MAX);
    }

    /// As `set_collect`, with equal lengths.
    ///
    /// # Safety
    /// As for `set_collect`.
    pub unsafe fn set_fcollect<T: Elem>(
        &self,
        site: &'static Site,
        dest: *mut T,
        source: *const T,
        nelems: usize,
        pe_start: c_int,
        log_pe_stride: c_int,
        pe_size: c_int,
        psync: *mut c_long,
    ) {
        let Some(work) = self.set_work(site, dest, source, (pe_start, log_pe_stride, pe_size), psync) else { return };
        work.fcollect(nelems.saturating_mul(size_of::<T>()));
    }

    /// Send block l of every source to member l.
    ///
    /// # Safety
    /// Both arguments have `nelems` elements for each member.
    pub unsafe fn set_alltoall<T: Elem>(
        &self,
        site: &'static Site,
        dest: *mut T,
        source: *const T,
        nelems: usize,
        pe_start: c_int,
        log_pe_stride: c_int,
        pe_size: c_int,
        psync: *mut c_long,
    ) {
        let Some(work) = self.set_work(site, dest, source, (pe_start, log_pe_stride, pe_size), psync) else { return };
        work.alltoall(Blocks::contiguous(nelems.saturating_mul(size_of::<T>())));
    }

    /// As `set_alltoall`, with elements `dst` and `sst` apart.
    ///
    /// # Safety
    /// Both arguments have `nelems` elements for each member, as far apart.
    pub unsafe fn set_alltoalls<T: Elem>(
        &self,
        site: &'static Site,
        dest: *mut T,
        source: *const T,
        dst: isize,
        sst: isize,
        nelems: usize,
        pe_start: c_int,
        log_pe_stride: c_int,
        pe_size: c_int,
        psync: *mut c_long,
    ) {
        let blocks = self.strided::<T>(site, dst, sst, nelems);
        let Some(work) = self.set_work(site, dest, source, (pe_start, log_pe_stride, pe_size), psync) else { return };
        work.alltoall(blocks);
    }
}
