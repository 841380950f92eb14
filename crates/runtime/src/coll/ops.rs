//! The collectives of teams. Each routine passes its arguments to a [`Work`].
//!
//! A call with no elements does nothing at all: the standard requires every member to pass the same count.

use super::work::Work;
use crate::{Elem, Site, Team, World, ops::order::FlushAggregators};
use core::{
    ffi::{c_int, c_long},
    mem::size_of,
    sync::atomic::Ordering::Relaxed,
};
use ferrite_collectives::{WINDOW, alltoall::Blocks, scan::Kind};
use ferrite_kernels::{self as kernel, Reduces};

const _: () = assert!(WINDOW >= 3, "open collectives may follow each other");

impl World {
    /// The arguments of a team's collective, or `None` for the invalid team.
    ///
    /// # Safety
    /// `team` is a team.
    #[inline(always)]
    pub(crate) unsafe fn work<T>(
        &self,
        site: &'static Site,
        team: Team,
        dest: *mut T,
        source: *const T,
    ) -> Option<Work<'_>> {
        let live = self.require_live(site);
        self.begin_collective(site);
        let team = self.team(site, live, team)?;
        Some(Work { world: self, live, site, team, dest: dest.cast(), source: source.cast() })
    }

    /// The arguments of a collective that cannot return an error: an invalid team ends the job.
    ///
    /// # Safety
    /// `team` is a team.
    pub(crate) unsafe fn member_work<T>(
        &self,
        site: &'static Site,
        team: Team,
        dest: *mut T,
        source: *const T,
    ) -> Work<'_> {
        // SAFETY: passed on.
        match unsafe { self.work(site, team, dest, source) } {
            Some(work) => work,
            None => self.misuse(
                site,
                format_args!("team is SHMEM_TEAM_NULL; use a predefined team or one that this PE is a member of"),
            ),
        }
    }

    /// Flush the aggregators: a collective completes the items that they hold.
    #[inline(always)]
    pub(super) fn begin_collective(&self, site: &'static Site) {
        if self.near.slow_ordering.load(Relaxed) != 0 {
            self.flush_aggregators(site);
        }
    }

    /// Wait until all members have called this. Returns 0, or another number for the invalid team.
    ///
    /// # Safety
    /// `team` is a team.
    pub unsafe fn team_sync(&self, site: &'static Site, team: Team) -> c_int {
        // SAFETY: passed on.
        match unsafe { self.work::<u8>(site, team, core::ptr::null_mut(), core::ptr::null()) } {
            Some(work) => work.sync(),
            None => return -1,
        }
        0
    }

    /// Complete the operations issued on the default context, then wait until all members have called this. Returns 0, or another number
    /// for the invalid team.
    ///
    /// # Safety
    /// `team` is a team.
    pub unsafe fn team_barrier(&self, site: &'static Site, team: Team) -> c_int {
        // SAFETY: passed on.
        match unsafe { self.work::<u8>(site, team, core::ptr::null_mut(), core::ptr::null()) } {
            Some(work) => work.barrier(),
            None => return -1,
        }
        0
    }

    /// Copy the root's `nelems` elements to all members' `dest`, including the root's own.
    ///
    /// # Safety
    /// `team` is a team, and the arguments are symmetric objects of that many elements.
    pub unsafe fn broadcast<T: Elem>(
        &self,
        site: &'static Site,
        team: Team,
        dest: *mut T,
        source: *const T,
        nelems: usize,
        root: c_int,
    ) -> c_int {
        // SAFETY: passed on.
        let Some(work) = (unsafe { self.work(site, team, dest, source) }) else { return -1 };
        work.broadcast(nelems.saturating_mul(size_of::<T>()), root, true);
        0
    }

    /// Concatenate all members' sources, in the order of their numbers. Lengths may differ.
    ///
    /// # Safety
    /// `team` is a team, `source` has `nelems` elements, and `dest` has room for all of them.
    pub unsafe fn collect<T: Elem>(
        &self,
        site: &'static Site,
        team: Team,
        dest: *mut T,
        source: *const T,
        nelems: usize,
    ) -> c_int {
        // SAFETY: passed on.
        let Some(work) = (unsafe { self.work(site, team, dest, source) }) else { return -1 };
        work.collect(nelems.saturating_mul(size_of::<T>()), u64::MAX);
        0
    }

    /// As [`World::collect`], but into a destination of `room` elements. Returns the number of elements of all members together; if they
    /// are more than `room`, none has been moved. `None` for the invalid team.
    ///
    /// # Safety
    /// `team` is a team, `source` has `nelems` elements, and `dest` has `room`.
    pub unsafe fn collect_within<T: Elem>(
        &self,
        site: &'static Site,
        team: Team,
        (dest, room): (*mut T, usize),
        source: *const T,
        nelems: usize,
    ) -> Option<usize> {
        // SAFETY: passed on.
        let work = unsafe { self.work(site, team, dest, source) }?;
        let bytes = |elements: usize| elements.saturating_mul(size_of::<T>());
        Some(work.collect(bytes(nelems), bytes(room) as u64) as usize / size_of::<T>())
    }

    /// As [`World::collect`], with equal lengths.
    ///
    /// # Safety
    /// As for `collect`.
    pub unsafe fn fcollect<T: Elem>(
        &self,
        site: &'static Site,
        team: Team,
        dest: *mut T,
        source: *const T,
        nelems: usize,
    ) -> c_int {
        // SAFETY: passed on.
        let Some(work) = (unsafe { self.work(site, team, dest, source) }) else { return -1 };
        work.fcollect(nelems.saturating_mul(size_of::<T>()));
        0
    }

    /// Send block l of every source to member l; there the blocks lie side by side in the order of the senders.
    ///
    /// # Safety
    /// `team` is a team, and both arguments have `nelems` elements for each member.
    pub unsafe fn alltoall<T: Elem>(
        &self,
        site: &'static Site,
        team: Team,
        dest: *mut T,
        source: *const T,
        nelems: usize,
    ) -> c_int {
        // SAFETY: passed on.
        let Some(work) = (unsafe { self.work(site, team, dest, source) }) else { return -1 };
        work.alltoall(Blocks::contiguous(nelems.saturating_mul(size_of::<T>())));
        0
    }

    /// As [`World::alltoall`], with elements `dst` and `sst` apart.
    ///
    /// # Safety
    /// `team` is a team, and both arguments have `nelems` elements for each member, as far apart.
    pub unsafe fn alltoalls<T: Elem>(
        &self,
        site: &'static Site,
        team: Team,
        dest: *mut T,
        source: *const T,
        dst: isize,
        sst: isize,
        nelems: usize,
    ) -> c_int {
        // SAFETY: passed on.
        let Some(work) = (unsafe { self.work(site, team, dest, source) }) else { return -1 };
        work.alltoall(self.strided::<T>(site, dst, sst, nelems));
        0
    }

    /// The blocks of a strided all-to-all.
    pub(super) fn strided<T: Elem>(&self, site: &'static Site, dst: isize, sst: isize, nelems: usize) -> Blocks {
        if nelems > 0 && dst.min(sst) < 1 {
            self.misuse(site, format_args!("dst is {dst} and sst is {sst}; strides must be at least 1"));
        }
        if (dst, sst) == (1, 1) {
            return Blocks::contiguous(nelems.saturating_mul(size_of::<T>()));
        }
        let bytes = |stride: isize| (stride as usize).saturating_mul(size_of::<T>());
        Blocks { item: size_of::<T>(), count: nelems, dest_stride: bytes(dst), source_stride: bytes(sst) }
    }
}

macro_rules! reductions {
    ($($(#[$doc:meta])* fn $reduce:ident, fn $to_all:ident = $op:ident;)*) => {
        impl World { $(
            $(#[$doc])*
            ///
            /// # Safety
            /// `team` is a team, and the arguments are symmetric objects of `nreduce` elements.
            pub unsafe fn $reduce<T: Elem>(&self, site: &'static Site, team: Team, dest: *mut T, source: *const T, nreduce: usize) -> c_int
            where
                kernel::$op: Reduces<T>,
            {
                // SAFETY: passed on.
                let Some(work) = (unsafe { self.work(site, team, dest, source) }) else { return -1 };
                work.reduce(kernel::of::<T, kernel::$op>(), size_of::<T>(), nreduce);
                0
            }

            /// The same over an active set.
            ///
            /// # Safety
            /// The arguments are symmetric objects of `nreduce` elements.
            pub unsafe fn $to_all<T: Elem>(
                &self, site: &'static Site, dest: *mut T, source: *const T, nreduce: c_int, pe_start: c_int, log_pe_stride: c_int, pe_size: c_int, _pwrk: *mut T, psync: *mut c_long,
            ) where kernel::$op: Reduces<T> {
                let Some(work) = self.set_work(site, dest, source, (pe_start, log_pe_stride, pe_size), psync) else { return };
                work.reduce_apart(kernel::of::<T, kernel::$op>(), size_of::<T>(), self.elements(site, nreduce));
            }
        )* }
    };
}

reductions! {
    /// Bitwise and of all members' elements.
    fn and_reduce, fn and_to_all = And;
    /// Bitwise or.
    fn or_reduce, fn or_to_all = Or;
    /// Bitwise exclusive or.
    fn xor_reduce, fn xor_to_all = Xor;
    /// The largest.
    fn max_reduce, fn max_to_all = Max;
    /// The smallest.
    fn min_reduce, fn min_to_all = Min;
    /// The sum of all members.
    fn sum_reduce, fn sum_to_all = Sum;
    /// The product.
    fn prod_reduce, fn prod_to_all = Prod;
}

impl World {
    /// Combine the elements of all members by an operation of the program: `kernel(into, a, b, bytes)` computes `into[i] = a[i] op b[i]`
    /// over whole elements, where `into` is exactly `a`, or exactly `b`, or apart from both, and none need be aligned. The operation is
    /// associative and commutative.
    ///
    /// # Safety
    /// `team` is a team, the arguments are symmetric objects of `nreduce` elements, and the kernel is as described.
    pub unsafe fn reduce_by<T: Elem>(
        &self,
        site: &'static Site,
        team: Team,
        dest: *mut T,
        source: *const T,
        nreduce: usize,
        kernel: unsafe fn(*mut u8, *const u8, *const u8, usize),
    ) -> c_int {
        // SAFETY: passed on.
        let Some(work) = (unsafe { self.work(site, team, dest, source) }) else { return -1 };
        work.reduce_apart(kernel, size_of::<T>(), nreduce);
        0
    }

    /// The sums of the elements of all members up to and including this one.
    ///
    /// # Safety
    /// `team` is a team, and the arguments are symmetric objects of `nelems` elements.
    pub unsafe fn sum_inscan<T: Elem>(
        &self,
        site: &'static Site,
        team: Team,
        dest: *mut T,
        source: *const T,
        nelems: usize,
    ) -> c_int
    where
        kernel::Sum: Reduces<T>,
    {
        // SAFETY: passed on.
        unsafe { self.sum_scan(site, team, dest, source, nelems, Kind::Inclusive) }
    }

    /// The sums of the elements of all members before this one; zeros on the first.
    ///
    /// # Safety
    /// As for `sum_inscan`.
    pub unsafe fn sum_exscan<T: Elem>(
        &self,
        site: &'static Site,
        team: Team,
        dest: *mut T,
        source: *const T,
        nelems: usize,
    ) -> c_int
    where
        kernel::Sum: Reduces<T>,
    {
        // SAFETY: passed on.
        unsafe { self.sum_scan(site, team, dest, source, nelems, Kind::Exclusive) }
    }

    unsafe fn sum_scan<T: Elem>(
        &self,
        site: &'static Site,
        team: Team,
        dest: *mut T,
        source: *const T,
        nelems: usize,
        kind: Kind,
    ) -> c_int
    where
        kernel::Sum: Reduces<T>,
    {
        // SAFETY: passed on.
        let Some(work) = (unsafe { self.work(site, team, dest, source) }) else { return -1 };
        work.scan(kernel::of::<T, kernel::Sum>(), size_of::<T>(), nelems, kind);
        0
    }
}
