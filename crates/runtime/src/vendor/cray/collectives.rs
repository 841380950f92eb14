//! Cray's collectives of teams, which are older than the standard's. Cray's reductions are in `coll/ops.rs` with the others.
//!
//! They take the work arrays of active sets and return nothing. The arrays are not accessed: a team has its own work areas.

use crate::{Site, Team, World};
use core::{
    ffi::{c_long, c_void},
    ptr,
};
use ferrite_collectives::alltoall::Blocks;

impl World {
    /// Complete all operations issued on the default context, and wait until all members have arrived.
    ///
    /// # Safety
    /// `team` is a team.
    pub unsafe fn x_team_barrier(&self, site: &'static Site, team: Team, _psync: *mut c_long) {
        // SAFETY: passed on.
        unsafe { self.member_work::<u8>(site, team, ptr::null_mut(), ptr::null()) }.barrier();
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
        unsafe { self.member_work(site, team, target, source) }.alltoall(Blocks::contiguous(len));
    }
}
