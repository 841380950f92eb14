//! Teams: numbered sets of PEs.
//!
//! - `slots` hands out the work areas that teams live in;
//! - `split` makes teams by asking all members of a parent, as the standard has it;
//! - `meeting` makes them by asking the members only, as Cray's splits and the active sets of old need it.

mod cray;
mod lane;
mod meeting;
pub(crate) mod slots;
mod split;

use crate::{
    Site, Team, World,
    coll::{LastChoices, Membership, among, area},
    far::Far,
    live::{Live, locked},
    node::NodeMemory,
    shape::Shape,
};
use core::ffi::{c_int, c_long, c_void};
pub use cray::COLOR_UNDEFINED;
use ferrite_abi::constants::SHMEM_TEAM_NUM_CONTEXTS;
use ferrite_collectives::barrier;
pub(crate) use meeting::{ActiveSets, Triple};

/// `shmem_team_config_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TeamConfig {
    /// How many contexts will be created on the team. Nothing here depends on it: contexts are made when asked for.
    pub num_contexts: c_int,
}

/// One team as this PE, a member, knows it.
pub struct TeamState {
    /// Who is in it.
    pub(crate) shape: Shape,
    /// Which of them this PE is.
    pub(crate) me: c_int,
    /// What it was made with.
    config: TeamConfig,
    /// Its place in the control area.
    pub(crate) slot: usize,
    /// This PE's place in its collectives.
    pub(crate) member: Membership,
    /// Which algorithms its collectives used last.
    pub(crate) choices: LastChoices,
}

/// Where a team's members are to be found.
pub(crate) struct Locale<'l> {
    /// This PE.
    pub me: u32,
    /// The PEs of this node, in ascending order.
    pub local: &'l [u32],
    /// Their memory.
    pub node: &'l NodeMemory,
}

impl TeamState {
    /// What reaches members that are not mapped, if there are such.
    #[inline(always)]
    pub(crate) fn far<'l>(&self, live: &'l Live) -> Option<&'l Far> {
        if self.member.is_near() { None } else { live.far.as_ref() }
    }

    /// The team of this shape in `slot`, if this PE is a member. Its epochs begin after `epoch`.
    pub(crate) fn new(
        locale: &Locale<'_>,
        shape: Shape,
        config: TeamConfig,
        slot: usize,
        epoch: u64,
    ) -> Option<TeamState> {
        let me = shape.index_of(locale.me as c_int)?;
        let index = |i| locale.local.binary_search(&(shape.world_pe(i) as u32)).ok();
        let members = (0..shape.size() as c_int).map(index);
        let member = Membership::new(locale.node, members, me as u32, slot, epoch);
        Some(TeamState { shape, me, config, slot, member, choices: LastChoices::default() })
    }
}

impl Live {
    /// The team behind a handle; `None` for the invalid one.
    ///
    /// # Safety
    /// The handle is a constant, or came from a creating routine and was not destroyed.
    #[inline(always)]
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

    /// The team of this shape, if this PE is a member.
    fn new_team(&self, shape: Shape, config: TeamConfig, slot: usize, epoch: u64) -> Option<TeamState> {
        TeamState::new(&Locale { me: self.me, local: &self.local, node: &self.node }, shape, config, slot, epoch)
    }

    /// Keep a new team; gives its handle.
    fn add_team(&self, team: TeamState) -> Team {
        let team = Box::new(team);
        let handle = &raw const *team as usize;
        locked(&self.teams).insert(handle, team);
        Team(handle)
    }
}

/// The teams that every world has, in the first slots.
pub(crate) fn predefined(locale: &Locale<'_>, size: u32, shared: Shape) -> (TeamState, TeamState) {
    let new = |shape, slot| {
        TeamState::new(locale, shape, TeamConfig::default(), slot, 0).expect("every PE is in the predefined teams")
    };
    (new(Shape::world(size), area::WORLD_SLOT), new(shared, area::SHARED_SLOT))
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

    /// Our number in the team; -1 for the invalid team.
    ///
    /// # Safety
    /// `team` is a team.
    pub unsafe fn team_my_pe(&self, site: &'static Site, team: Team) -> c_int {
        // SAFETY: passed on.
        unsafe { self.require_live(site).team(team) }.map_or(-1, |team| team.me)
    }

    /// How many members the team has; -1 for the invalid team.
    ///
    /// # Safety
    /// `team` is a team.
    pub unsafe fn team_n_pes(&self, site: &'static Site, team: Team) -> c_int {
        // SAFETY: passed on.
        unsafe { self.require_live(site).team(team) }.map_or(-1, |team| team.shape.size() as c_int)
    }

    /// What the team was made with: the fields that `config_mask` names. 0, or another number for the invalid team.
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
        // SAFETY: passed on.
        let Some(team) = (unsafe { self.require_live(site).team(team) }) else { return -1 };
        if config_mask & SHMEM_TEAM_NUM_CONTEXTS != 0 {
            if config.is_null() {
                self.misuse(site, format_args!("config is NULL, but config_mask asks for num_contexts"));
            }
            // SAFETY: the caller's promise.
            unsafe { config.write(team.config) };
        }
        0
    }

    /// The number in `dest` of the PE that is `src_pe` in `src`; -1 where there is none.
    ///
    /// # Safety
    /// Both are teams.
    pub unsafe fn team_translate_pe(&self, site: &'static Site, src: Team, src_pe: c_int, dest: Team) -> c_int {
        let live = self.require_live(site);
        // SAFETY: passed on.
        let (Some(src), Some(dest)) = (unsafe { (live.shape_of(src), live.shape_of(dest)) }) else { return -1 };
        match src.world_pe(src_pe) {
            -1 => -1,
            pe => dest.index_of(pe).unwrap_or(-1),
        }
    }

    /// End a team. Collective over its members; nothing for the invalid team.
    ///
    /// # Safety
    /// `team` is a team, and not used by anyone after this.
    pub unsafe fn team_destroy(&self, site: &'static Site, team: Team) {
        let live = self.require_live(site);
        match team {
            Team::INVALID => return,
            Team::WORLD | Team::SHARED => self.misuse(
                site,
                format_args!(
                    "team is predefined, and lives as long as the library is initialised; destroy what was split"
                ),
            ),
            _ => {}
        }
        if !locked(&live.teams).contains_key(&team.0) {
            self.misuse(site, format_args!("team {:#x} is not a team, or was destroyed before", team.0));
        }
        // Whoever leaves a barrier of flags knows that nobody looks at its counters any more.
        // SAFETY: found alive.
        let state = unsafe { team.get() };
        among!(live, state, |x| barrier::dissemination(x));
        let Some(state) = locked(&live.teams).remove(&team.0) else { return };
        self.drop_contexts_of(site, live, team);
        state.member.reset_counters();
        locked(&live.slots).give_back(state.slot, state.member.epoch());
    }

    /// The contexts of a team end with it.
    fn drop_contexts_of(&self, site: &'static Site, live: &Live, team: Team) {
        for ctx in live.contexts_of(team) {
            self.quiet(site, ctx);
            live.remove_context(ctx);
        }
    }
}
