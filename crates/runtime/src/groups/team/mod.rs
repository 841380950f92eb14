//! Teams: numbered sets of PEs.
//!
//! | file | job |
//! |---|---|
//! | `split` | makes teams by agreement of all members of a parent, as the standard defines |
//! | `form` | splits for crates above the runtime |
//! | `meeting` | makes teams by agreement of their own members only: Cray's splits and active sets |
//! | `mailbox` | message exchange between the members of a meeting |
//! | `active` | the teams behind active sets |

mod active;
mod form;
mod mailbox;
mod meeting;
mod split;

use crate::{
    Ctx, Site, Team, World,
    coll::last_barrier,
    live::Live,
    observe::{Call, Event, Kind},
    teams::{Locale, TeamConfig, TeamState, shape::Shape},
};
use core::ffi::{c_int, c_long, c_void};
use ferrite_abi::constants::SHMEM_TEAM_NUM_CONTEXTS;
use ferrite_diagnose::entry::{Entry, EntryKind};
use ferrite_os::mutex;

impl Live {
    /// The team of this shape; `None` if this PE is not a member.
    fn new_team(&self, shape: Shape, config: TeamConfig, slots: &[usize], epoch: u64) -> Option<TeamState> {
        let locale = Locale {
            me: self.me,
            local: &self.memory.local,
            node: &self.memory.node,
            map: self.map(),
            boards: &self.diagnosis.boards,
        };
        TeamState::new(&locale, shape, config, slots, epoch)
    }

    /// Give back the slots of a team. The caller has completed the last barrier, so no member reads the team's counters any more.
    fn vacate(&self, team: &TeamState) {
        team.member.reset_counters();
        let mut epoch = team.member.epoch();
        if let Some(groups) = &team.groups {
            groups.reset_counters();
            epoch = epoch.max(groups.epoch());
        }
        let mut slots = mutex::lock(&self.teams.slots);
        team.slots.iter().for_each(|&slot| slots.give_back(slot, epoch));
    }
}

impl World {
    /// Store a new team and return its handle.
    pub(crate) fn add_team(&self, live: &Live, team: TeamState) -> Team {
        let team = Team(live.teams.split.add(team).expect("a team has a slot, and there are as many places as slots"));
        self.tell(&Event::Team(team));
        team
    }

    /// Address of this PE's symmetric object at PE `pe` of `team`, for direct loads and stores; null if that PE is not mapped.
    ///
    /// # Safety
    /// `team` is a team.
    pub unsafe fn team_ptr(&self, site: &'static Site, team: Team, dest: *const c_void, pe: c_int) -> *mut c_void {
        let live = self.require_live(site);
        self.team(site, live, team).map_or(core::ptr::null_mut(), |team| self.ptr(site, dest, team.shape.world_pe(pe)))
    }

    /// This PE's number in the team; -1 for the invalid team.
    ///
    /// # Safety
    /// `team` is a team.
    pub unsafe fn team_my_pe(&self, site: &'static Site, team: Team) -> c_int {
        self.team(site, self.require_live(site), team).map_or(-1, |team| team.me)
    }

    /// Number of members of the team; -1 for the invalid team.
    ///
    /// # Safety
    /// `team` is a team.
    pub unsafe fn team_n_pes(&self, site: &'static Site, team: Team) -> c_int {
        self.team(site, self.require_live(site), team).map_or(-1, |team| team.shape.size() as c_int)
    }

    /// Index of the team's work area, below [`crate::TEAMS_MAX`]: equal on all members, and different for every other team of this PE.
    ///
    /// # Safety
    /// `team` is a team.
    pub unsafe fn team_slot(&self, site: &'static Site, team: Team) -> usize {
        self.team(site, self.require_live(site), team).map_or(0, |team| team.slot)
    }

    /// Store the fields of the team's configuration that `config_mask` names. Return 0, or another number for the invalid team.
    ///
    /// # Safety
    /// `team` is a team, and `config` is valid for a write where the mask names a field.
    pub unsafe fn team_get_config(
        &self,
        site: &'static Site,
        team: Team,
        config_mask: c_long,
        config: *mut TeamConfig,
    ) -> c_int {
        let Some(team) = self.team(site, self.require_live(site), team) else { return -1 };
        if config_mask & SHMEM_TEAM_NUM_CONTEXTS != 0 {
            if config.is_null() {
                self.misuse(site, format_args!("config is NULL, but config_mask asks for num_contexts"));
            }
            // SAFETY: the caller's promise.
            unsafe { config.write(team.config) };
        }
        0
    }

    /// The number in `dest` of the PE that has number `src_pe` in `src`; -1 if there is none.
    ///
    /// # Safety
    /// Both are teams.
    pub unsafe fn team_translate_pe(&self, site: &'static Site, src: Team, src_pe: c_int, dest: Team) -> c_int {
        let live = self.require_live(site);
        let (src, dest) = (self.team(site, live, src), self.team(site, live, dest));
        let (Some(src), Some(dest)) = (src, dest) else { return -1 };
        match src.shape.world_pe(src_pe) {
            -1 => -1,
            pe => dest.shape.index_of(pe).unwrap_or(-1),
        }
    }

    /// Destroy a team. Collective over its members; do nothing for the invalid team.
    ///
    /// # Safety
    /// `team` is a team, and not used by anyone after this.
    pub unsafe fn team_destroy(&self, site: &'static Site, team: Team) {
        // SAFETY: the caller's promise.
        unsafe { self.team_destroy_locked(site, team, || ()) }
    }

    /// As [`team_destroy`](Self::team_destroy). When all members have come, it takes the lock that the caller needs for its contexts. Threads that
    /// destroy several teams would wait for each other if it took the lock before.
    ///
    /// # Safety
    /// As for `team_destroy`.
    pub unsafe fn team_destroy_locked<L>(&self, site: &'static Site, team: Team, lock: impl FnOnce() -> L) {
        let live = self.require_live(site);
        match team {
            Team::WORLD | Team::SHARED => self.misuse(
                site,
                format_args!(
                    "team is predefined, and lives as long as the library is initialised; destroy only teams that \
                     were split off"
                ),
            ),
            _ => {}
        }
        let Some(state) = self.team(site, live, team) else { return };
        let _observed = self.observe(|_| Call { local: team.0, ..Call::among(site, Kind::DestroyTeam, state) });
        live.enter(site, state, Entry::bare(EntryKind::Destroy));
        last_barrier(live, state);
        let _lock = lock();
        self.drop_contexts_of(site, live, team);
        let Some(state) = live.teams.split.remove(team.0) else { self.no_team(site, team) };
        live.vacate(&state);
    }

    /// Complete and destroy all contexts of a team.
    fn drop_contexts_of(&self, site: &'static Site, live: &Live, team: Team) {
        for ctx in live.contexts.created.handles(|context| context.team() == team) {
            self.quiet(site, Ctx(ctx));
            live.contexts.created.remove(ctx);
        }
    }
}
