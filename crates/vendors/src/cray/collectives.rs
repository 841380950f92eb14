//! Cray's collectives of teams, which are older than the standard's.
//!
//! They take the work arrays of active sets and return nothing. The arrays are not accessed: a team has its own work areas.

use crate::Vendors;
use core::ffi::{c_int, c_long, c_void};
use ferrite_kernels::{self as kernel, Reduces};
use ferrite_runtime::{Elem, Site, Team};

impl Vendors {
    /// Complete all operations issued on the default context, and wait until all members have arrived.
    ///
    /// # Safety
    /// `team` is a team.
    pub unsafe fn x_team_barrier(&self, site: &'static Site, team: Team, _psync: *mut c_long) {
        // SAFETY: passed on.
        self.must_be_done(site, unsafe { self.team_barrier(site, team) });
    }

    /// Send block l of every source, `len` bytes, to member l. The receiver stores the blocks side by side in the order of the senders.
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
        self.must_be_done(site, unsafe { self.alltoall::<u8>(site, team, target.cast(), source.cast(), len) });
    }

    /// End the job if a collective returned an error, which it does for the invalid team alone.
    fn must_be_done(&self, site: &'static Site, status: c_int) {
        if status != 0 {
            self.misuse(
                site,
                format_args!("team is SHMEM_TEAM_NULL; use a predefined team or one that this PE is a member of"),
            )
        }
    }
}

macro_rules! reductions {
    ($(fn $x_team_to_all:ident = $op:ident;)*) => {
        impl Vendors { $(
            /// Combine the elements of all members.
            ///
            /// # Safety
            /// `team` is a team, and the arguments are symmetric objects of `nreduce` elements.
            pub unsafe fn $x_team_to_all<T: Elem>(
                &self, site: &'static Site, team: Team, dest: *mut T, source: *const T, nreduce: c_int, _pwrk: *mut T, _psync: *mut c_long,
            ) where kernel::$op: Reduces<T> {
                let (nreduce, kernel) = (self.elements(site, nreduce), kernel::of::<T, kernel::$op>());
                // SAFETY: passed on.
                self.must_be_done(site, unsafe { self.reduce_by(site, team, dest, source, nreduce, kernel) });
            }
        )* }
    };
}

reductions! {
    fn x_team_and_to_all = And;
    fn x_team_or_to_all = Or;
    fn x_team_xor_to_all = Xor;
    fn x_team_max_to_all = Max;
    fn x_team_min_to_all = Min;
    fn x_team_sum_to_all = Sum;
    fn x_team_prod_to_all = Prod;
}
