//! Cray's teams: the `shmemx_` splits.
//!
//! They differ from the standard's splits in three ways: mistakes end the job; a PE that is not a member gets `SHMEM_TEAM_NULL` (the
//! invalid team); and the members of a new team are ordered by their world numbers. The team of `shmemx_team_split_strided` is made by its
//! members alone; the other splits are collective over the parent.

use crate::Vendors;
use core::ffi::c_int;
use ferrite_abi::extensions::SHMEM_COLOR_UNDEFINED;
use ferrite_runtime::{Shape, Site, Team};

/// The color of a member that joins no new team.
pub const COLOR_UNDEFINED: c_int = SHMEM_COLOR_UNDEFINED;

impl Vendors {
    /// Make a team of the parent's members `pe_start`, `pe_start + pe_stride`, ..., ordered by their world numbers. All of them must call;
    /// other PEs may call, and get no team.
    ///
    /// # Safety
    /// `parent_team` is a team, and `newteam` may be written.
    pub unsafe fn x_team_split_strided(
        &self,
        site: &'static Site,
        parent_team: Team,
        pe_start: c_int,
        pe_stride: c_int,
        pe_size: c_int,
        newteam: *mut Team,
    ) {
        let me = self.my_pe(site);
        // SAFETY: the caller's promises.
        let parent = unsafe {
            self.write_team(site, "newteam", newteam, Team::INVALID);
            self.parent_shape(site, parent_team)
        };
        if pe_stride < 1 && pe_size != 1 {
            self.misuse(site, format_args!("PE_stride is {pe_stride}; it must be at least 1"));
        }
        let Some(chosen) = parent.select(pe_start, pe_stride, pe_size) else {
            self.misuse(
                site,
                format_args!(
                    "PE_start {pe_start}, PE_stride {pe_stride}, PE_size {pe_size} is not within the parent's PEs 0 to {}",
                    parent.size() as i64 - 1
                ),
            )
        };
        let mut members: Vec<c_int> = (0..chosen.size() as c_int).map(|i| chosen.world_pe(i)).collect();
        members.sort_unstable();
        if members.contains(&me) {
            // SAFETY: the caller's promises.
            unsafe { newteam.write(self.form_team_alone(site, parent_team, &Shape::of(&members))) };
        }
    }

    /// As [`x_team_split_strided`](Self::x_team_split_strided), with all PEs as the parent. The name is of Cray's older library, where this
    /// was the only split by a stride.
    ///
    /// # Safety
    /// `newteam` may be written.
    pub unsafe fn x_team_create_strided(
        &self,
        site: &'static Site,
        pe_start: c_int,
        pe_stride: c_int,
        pe_size: c_int,
        newteam: *mut Team,
    ) {
        // SAFETY: the caller's promise.
        unsafe { self.x_team_split_strided(site, Team::WORLD, pe_start, pe_stride, pe_size, newteam) }
    }

    /// Split the parent into rows of `xrange` and columns of `yrange` members. Members beyond the grid get no team.
    ///
    /// # Safety
    /// `parent_team` is a team, and the new ones may be written.
    pub unsafe fn x_team_split_2d(
        &self,
        site: &'static Site,
        parent_team: Team,
        xrange: c_int,
        yrange: c_int,
        xaxis_team: *mut Team,
        yaxis_team: *mut Team,
    ) {
        // SAFETY: passed on.
        unsafe {
            self.split_grid(
                site,
                parent_team,
                [xrange, yrange],
                [("xaxis_team", xaxis_team), ("yaxis_team", yaxis_team)],
            )
        }
    }

    /// Split the parent into lines along the three axes of a grid. Members beyond the grid get no team.
    ///
    /// # Safety
    /// `parent_team` is a team, and the new ones may be written.
    pub unsafe fn x_team_split_3d(
        &self,
        site: &'static Site,
        parent_team: Team,
        xrange: c_int,
        yrange: c_int,
        zrange: c_int,
        xaxis_team: *mut Team,
        yaxis_team: *mut Team,
        zaxis_team: *mut Team,
    ) {
        let teams = [("xaxis_team", xaxis_team), ("yaxis_team", yaxis_team), ("zaxis_team", zaxis_team)];
        // SAFETY: passed on.
        unsafe { self.split_grid(site, parent_team, [xrange, yrange, zrange], teams) }
    }

    unsafe fn split_grid<const N: usize>(
        &self,
        site: &'static Site,
        parent_team: Team,
        ranges: [c_int; N],
        into: [(&str, *mut Team); N],
    ) {
        self.my_pe(site);
        for (what, at) in into {
            // SAFETY: the caller's promise.
            unsafe { self.write_team(site, what, at, Team::INVALID) };
        }
        // SAFETY: the caller's promise.
        let (parent, me) = unsafe { (self.parent_shape(site, parent_team), self.team_my_pe(site, parent_team)) };
        let cells =
            ranges.iter().try_fold(1, |cells: c_int, &range| if range > 0 { cells.checked_mul(range) } else { None });
        if cells.is_none_or(|cells| cells as u32 > parent.size()) {
            self.misuse(
                site,
                format_args!(
                    "ranges {ranges:?} must be positive, with a product of at most the parent's {} PEs",
                    parent.size()
                ),
            );
        }
        let checked = core::array::from_fn(|axis| ranges.get(axis).copied().unwrap_or(0));
        // SAFETY: the caller's promise.
        let teams = unsafe { self.form_teams(site, parent_team, checked, lines(&parent, me, ranges)) };
        for ((_, at), team) in into.into_iter().zip(teams) {
            // SAFETY: the caller's promise.
            unsafe { at.write(team) };
        }
    }

    /// Make one team for each color, ordered by key, and by the parent's numbers if keys are equal.
    ///
    /// # Safety
    /// `parent_team` is a team, and `newteam` may be written.
    pub unsafe fn x_team_split(
        &self,
        site: &'static Site,
        parent_team: Team,
        color: c_int,
        key: c_int,
        newteam: *mut Team,
    ) {
        self.my_pe(site);
        // SAFETY: the caller's promises.
        unsafe {
            self.write_team(site, "newteam", newteam, Team::INVALID);
            self.parent_shape(site, parent_team);
        }
        if color < 0 && color != COLOR_UNDEFINED {
            self.misuse(site, format_args!("color is {color}; use a number from 0, or SHMEM_COLOR_UNDEFINED"));
        }
        let color = (color != COLOR_UNDEFINED).then_some(color);
        // SAFETY: the caller's promises.
        unsafe { newteam.write(self.form_teams_by_color(site, parent_team, color, key)) };
    }

    /// Destroy a team, and set its handle to the invalid team.
    ///
    /// # Safety
    /// `team` points to a team.
    pub unsafe fn x_team_destroy(&self, site: &'static Site, team: *mut Team) {
        self.my_pe(site);
        if team.is_null() {
            self.misuse(site, format_args!("newteam is NULL; pass the address of a shmem_team_t"));
        }
        // SAFETY: the caller's promise.
        unsafe {
            self.team_destroy(site, *team);
            team.write(Team::INVALID);
        }
    }
}

/// The line along each axis through member `me` of a grid; x varies fastest. `None` if `me` is beyond the grid.
fn lines<const N: usize>(parent: &Shape, me: c_int, ranges: [c_int; N]) -> [Option<Shape>; N] {
    let cells: c_int = ranges.iter().product();
    let mut step = 1;
    ranges.map(|range| {
        let line = (me < cells).then(|| {
            let at = me / step % range;
            parent.select(me - at * step, step, range)
        });
        step *= range;
        line.flatten()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_grid_of_twelve() {
        let parent = Shape::world(13);
        let members = |me| {
            lines(&parent, me, [3, 2, 2])
                .map(|line| line.map(|l| (0..l.size() as c_int).map(|i| l.world_pe(i)).collect::<Vec<_>>()))
        };
        assert_eq!(members(7), [Some(vec![6, 7, 8]), Some(vec![7, 10]), Some(vec![1, 7])]);
        assert_eq!(members(12), [None, None, None]);
    }
}
