//! Teams: numbered sets of PEs.

use crate::{Site, Team, World, live::Live, shape::Shape};
use core::ffi::{c_int, c_void};

/// One team as this PE, a member, knows it.
pub struct TeamState {
    /// Who is in it.
    pub(crate) shape: Shape,
    /// Which of them this PE is.
    pub(crate) me: c_int,
}

impl TeamState {
    /// The team of this shape, if the PE of world number `me` is in it.
    pub(crate) fn new(shape: Shape, me: u32) -> Option<TeamState> {
        let me = shape.index_of(me as c_int)?;
        Some(TeamState { shape, me })
    }
}

impl Live {
    /// The team behind a handle; `None` for the invalid one.
    ///
    /// # Safety
    /// The handle is a constant, or came from a creating routine and was not destroyed.
    pub(crate) unsafe fn team(&self, team: Team) -> Option<&TeamState> {
        match team {
            Team::INVALID => None,
            Team::WORLD => Some(&self.world_team),
            Team::SHARED => Some(&self.shared_team),
            // SAFETY: none of the constants, so a created team.
            created => Some(unsafe { created.get() }),
        }
    }

    /// The members of a team.
    ///
    /// # Safety
    /// As for `team`.
    pub(crate) unsafe fn shape_of(&self, team: Team) -> Option<&Shape> {
        // SAFETY: passed on.
        unsafe { self.team(team) }.map(|team| &team.shape)
    }
}

impl World {
    /// Where `team`'s PE `pe` has our symmetric object, for direct loads and stores; null where that cannot be had.
    ///
    /// # Safety
    /// `team` is a team.
    pub unsafe fn team_ptr(&self, site: &'static Site, team: Team, dest: *const c_void, pe: c_int) -> *mut c_void {
        let live = self.require_live(site);
        // SAFETY: passed on.
        match unsafe { live.shape_of(team) } {
            Some(shape) => self.ptr(site, dest, shape.world_pe(pe)),
            None => core::ptr::null_mut(),
        }
    }
}
