//! Splits for crates above the runtime, whose routines choose the members by other rules than the standard's. Mistakes end the job.

use super::{meeting::Purpose, split::Wish};
use crate::{
    Site, Team, World,
    coll::among,
    live::Live,
    observe::{Call, Kind},
    teams::{TeamConfig, TeamState, shape::Shape},
};
use core::ffi::c_int;
use ferrite_collectives::words;
use ferrite_diagnose::entry::{Entry, EntryKind};

/// The color of a member that joins no team.
const NO_COLOR: c_int = -1;

impl World {
    /// The members of a team that is to be split.
    ///
    /// # Safety
    /// `parent_team` is a team.
    pub unsafe fn parent_shape(&self, site: &'static Site, parent_team: Team) -> Shape {
        self.require_parent(site, self.require_live(site), parent_team).shape.clone()
    }

    /// Make a team of each shape. Collective over the parent, of which `ranges` must be the same on all members. PEs that are not members
    /// of a shape may pass another shape or none, and get the invalid team.
    ///
    /// # Safety
    /// `parent_team` is a team. All members of a shape are members of the parent, and those that pass it are this PE among them.
    pub unsafe fn form_teams<const N: usize>(
        &self,
        site: &'static Site,
        parent_team: Team,
        ranges: [c_int; 3],
        shapes: [Option<Shape>; N],
    ) -> [Team; N] {
        let live = self.require_live(site);
        let parent = self.require_parent(site, live, parent_team);
        let _observed = self.observe(|_| Call { ranges, ..Call::among(site, Kind::Split, parent) });
        self.form_or_end(site, live, parent, shapes)
    }

    /// Make the team of these members. Collective over the members alone.
    ///
    /// # Safety
    /// `parent_team` is a team. The members include this PE and are members of the parent.
    pub unsafe fn form_team_alone(&self, site: &'static Site, parent_team: Team, members: &Shape) -> Team {
        let live = self.require_live(site);
        let parent = self.require_parent(site, live, parent_team);
        let _observed = self.observe(|_| Call::of(site, Kind::Split));
        match self.meet(site, live, members, Purpose::Split(parent.member.slot())) {
            Some(team) => self.add_team(live, team),
            None => self.too_many_teams(site, live),
        }
    }

    /// Make one team for each color, ordered by key, and by the parent's numbers if keys are equal. Collective over the parent. A member
    /// without a color gets the invalid team. No color is negative.
    ///
    /// # Safety
    /// `parent_team` is a team.
    pub unsafe fn form_teams_by_color(
        &self,
        site: &'static Site,
        parent_team: Team,
        color: Option<c_int>,
        key: c_int,
    ) -> Team {
        let live = self.require_live(site);
        let parent = self.require_parent(site, live, parent_team);
        let _observed = self.observe(|_| Call::among(site, Kind::Split, parent));
        let mine = color.unwrap_or(NO_COLOR);
        let word = u64::from(mine as u32) << 32 | u64::from(key as u32);
        live.enter(site, parent, Entry::bare(EntryKind::Split));
        let said = among!(live, parent, |x| words::gather(x, word));
        let mut members: Vec<(c_int, c_int)> = said
            .iter()
            .enumerate()
            .map(|(rank, &word)| ((word >> 32) as c_int, word as c_int, rank as c_int))
            .filter(|&(other, _, _)| other == mine)
            .map(|(_, key, rank)| (key, rank))
            .collect();
        members.sort_unstable();
        let shape = Shape::of(&members.iter().map(|&(_, rank)| parent.shape.world_pe(rank)).collect::<Vec<_>>());
        let [team] = self.form_or_end(site, live, parent, [color.map(|_| shape)]);
        team
    }

    fn form_or_end<const N: usize>(
        &self,
        site: &'static Site,
        live: &Live,
        parent: &TeamState,
        shapes: [Option<Shape>; N],
    ) -> [Team; N] {
        let wishes = || shapes.map(|shape| Wish { shape, config: TeamConfig::default() });
        self.form(site, live, parent, true, wishes).unwrap_or_else(|| self.too_many_teams(site, live))
    }

    /// The parent team. The invalid team ends the job.
    fn require_parent<'l>(&self, site: &'static Site, live: &'l Live, parent: Team) -> &'l TeamState {
        match self.team(site, live, parent) {
            Some(parent) => parent,
            None => self.misuse(
                site,
                format_args!("parent_team is SHMEM_TEAM_NULL; use a predefined team or one that was split"),
            ),
        }
    }

    fn too_many_teams(&self, site: &'static Site, live: &Live) -> ! {
        let made = live.teams.split.count();
        self.misuse(site, format_args!("no more teams can be made: {made} exist; destroy teams that are not needed"))
    }
}
