//! Cray's collectives of teams, from before the standard had teams.
//!
//! They take the work arrays of active sets and return nothing. The arrays are not looked at: a team keeps what it needs for itself.

use super::{
    kernel::{self, Reduces},
    work::Work,
};
use crate::{Ctx, Elem, Site, Team, World};
use core::{
    ffi::{c_int, c_long, c_void},
    mem::size_of,
    ptr,
};
use ferrite_collectives::alltoall::Blocks;

impl World {
    /// The arguments of a collective that cannot say that it failed.
    ///
    /// # Safety
    /// `team` is a team.
    pub(super) unsafe fn member_work<T>(
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

    /// Complete what was issued on the default context, and wait until all members have come here.
    ///
    /// # Safety
    /// `team` is a team.
    pub unsafe fn x_team_barrier(&self, site: &'static Site, team: Team, _psync: *mut c_long) {
        self.quiet(site, Ctx::DEFAULT);
        // SAFETY: passed on.
        unsafe { self.member_work::<u8>(site, team, ptr::null_mut(), ptr::null()) }.sync();
    }

    /// Block l of every source, `len` bytes, to member l, side by side in the order of the senders.
    ///
    /// # Safety
    /// `team` is a team, and both arguments have `len` bytes for each member.
    pub unsafe fn x_team_alltoall(
        &self,
        site: &'static Site,
        target: *mut c_void,
        source: *const c_void,
        len: usize,
        team: Team,
        _psync: *mut c_long,
    ) {
        // SAFETY: passed on.
        unsafe { self.member_work(site, team, target, source) }.alltoall(Blocks::contiguous(len));
    }
}

macro_rules! reductions {
    ($($name:ident = $op:ident;)*) => {
        impl World { $(
            /// The reduction of that name, over a team.
            ///
            /// # Safety
            /// `team` is a team, and the arguments are symmetric objects of `nreduce` elements.
            pub unsafe fn $name<T: Elem>(
                &self, site: &'static Site, team: Team, dest: *mut T, source: *const T, nreduce: c_int, _pwrk: *mut T, _psync: *mut c_long,
            ) where kernel::$op: Reduces<T> {
                // SAFETY: passed on.
                let work = unsafe { self.member_work(site, team, dest, source) };
                work.reduce(kernel::of::<T, kernel::$op>(), size_of::<T>(), self.elements(site, nreduce));
            }
        )* }
    };
}

reductions! {
    x_team_and_to_all = And;
    x_team_or_to_all = Or;
    x_team_xor_to_all = Xor;
    x_team_max_to_all = Max;
    x_team_min_to_all = Min;
    x_team_sum_to_all = Sum;
    x_team_prod_to_all = Prod;
}
