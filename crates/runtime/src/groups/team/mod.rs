//! Teams: numbered sets of PEs.
//!
//! | file | job |
//! |---|---|
//! | `groups` | the members of a team by node |
//! | `slots` | the work areas in which teams live: which are vacant |
//! | `split` | makes teams by an agreement of all members of a parent, as the standard has it |
//! | `meeting` | makes teams by an agreement of their own members: Cray's splits and active sets |
//! | `mailbox` | how the members of a meeting talk |
//! | `active` | the teams behind active sets |

mod active;
mod groups;
mod mailbox;
pub(crate) mod meeting;
mod slots;
pub(crate) mod split;

use crate::{
    Ctx, Site, Team, World,
    coll::{LastChoices, Membership, area, last_barrier},
    diagnose::boards::{Boards, OwnRecords},
    far::Far,
    groups::{registry::Registry, shape::Shape},
    live::Live,
    memory::node::NodeMemory,
    observe::{Call, Kind},
    settings::Settings,
};
use active::ActiveSets;
pub(crate) use active::Triple;
use core::{
    ffi::{c_int, c_long, c_void},
    hash::{Hash, Hasher},
    sync::atomic::AtomicU64,
};
use ferrite_abi::constants::SHMEM_TEAM_NUM_CONTEXTS;
use ferrite_bootstrap::{Boot, NodeMap};
use ferrite_diagnose::{
    entry::{Entry, EntryKind},
    record::Records,
};
use ferrite_os::mutex;
pub(crate) use groups::{Group, Groups};
use slots::Slots;
use std::{hash::DefaultHasher, sync::Mutex};

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
    /// All its places there: more if it may have groups.
    slots: Box<[usize]>,
    /// Its members by node, where it is spread over nodes.
    pub(crate) groups: Option<Groups>,
    /// This PE's place in its collectives.
    pub(crate) member: Membership,
    /// Which algorithms its collectives used last.
    pub(crate) choices: LastChoices,
    /// The epoch that it began with: of the teams that live in its slot one after the other no two have the same.
    pub(crate) born: u64,
    /// How many of its collectives were shown to observers.
    pub(crate) shown: AtomicU64,
    /// The collectives that this PE has called here.
    records: OwnRecords,
    /// The same on all members, and of no other team that was or will be in this slot.
    key: u64,
}

/// The teams of a started world.
pub(crate) struct Teams {
    pub world: TeamState,
    pub shared: TeamState,
    /// Teams that were split off: no more than there are slots.
    pub split: Registry<TeamState, 10>,
    /// The slots that teams live in.
    slots: Mutex<Slots>,
    /// The teams behind active sets.
    sets: ActiveSets,
}

impl Teams {
    /// The teams that every world has, in the first slots: of all `size` PEs, and of the PEs that share memory.
    pub fn new(locale: &Locale<'_>, size: u32, shared: Shape) -> Teams {
        let new = |shape, slots: &[usize]| {
            TeamState::new(locale, shape, TeamConfig::default(), slots, 0).expect("every PE is in the predefined teams")
        };
        Teams {
            world: new(Shape::world(size), &area::WORLD_SLOTS),
            shared: new(shared, &[area::SHARED_SLOT]),
            split: Registry::new(),
            slots: Mutex::new(Slots::new(area::PREDEFINED)),
            sets: ActiveSets::default(),
        }
    }
}

/// The same on all members of a team, and different for any two that are in one slot of one PE: epochs of a slot only grow.
fn key(shape: &Shape, slot: usize, epoch: u64) -> u64 {
    let mut hasher = DefaultHasher::new();
    (slot, epoch, shape.size()).hash(&mut hasher);
    (0..shape.size() as c_int).for_each(|rank| shape.world_pe(rank).hash(&mut hasher));
    hasher.finish()
}

/// Where a team's members are to be found.
pub(crate) struct Locale<'l> {
    /// This PE.
    pub me: u32,
    /// The PEs of this node, in ascending order.
    pub local: &'l [u32],
    /// Their memory.
    pub node: &'l NodeMemory,
    /// Which PE is on which node, where some are on others and nodes have several.
    pub map: Option<&'l NodeMap>,
    /// What the PEs of the host publish.
    pub boards: &'l Boards,
}

impl Locale<'_> {
    /// Where on this node the members are, by rank; `None` for those on others.
    fn indices(&self, shape: &Shape) -> impl Iterator<Item = Option<usize>> {
        (0..shape.size() as c_int).map(|rank| self.local.binary_search(&(shape.world_pe(rank) as u32)).ok())
    }
}

impl TeamState {
    /// This PE calls a collective of the team; gives its number, and the word that tells of it.
    #[inline(always)]
    pub(crate) fn enter(&self, call: Entry) -> (u64, u64) {
        self.records.write(call)
    }

    /// How many collectives this PE has called here.
    pub(crate) fn calls(&self) -> u64 {
        self.records.count()
    }

    /// What member `rank` has called as collective `number`, if that can be seen.
    pub(crate) fn called(&self, boards: &Boards, rank: u32, number: u64) -> Option<Entry> {
        self.records_of(boards, rank)?.read(self.key, number)
    }

    /// How many collectives member `rank` has called; `None` if that cannot be seen.
    pub(crate) fn arrived(&self, boards: &Boards, rank: u32) -> Option<u64> {
        // One that has yet to make the team has called nothing in it.
        Some(self.records_of(boards, rank)?.arrived(self.key).unwrap_or(0))
    }

    fn records_of<'b>(&self, boards: &'b Boards, rank: u32) -> Option<&'b Records> {
        Some(&boards.of(self.shape.world_pe(rank as c_int) as u32)?.records[self.slot])
    }

    /// What reaches members that are not mapped, if there are such.
    #[inline(always)]
    pub(crate) fn far<'l>(&self, live: &'l Live) -> Option<&'l Far> {
        if self.member.is_near() { None } else { live.far.as_ref() }
    }

    /// The team of this shape in the first of `slots`, if this PE is a member, and its groups in the others, if there are any. Epochs
    /// begin after `epoch`.
    pub(crate) fn new(
        locale: &Locale<'_>,
        shape: Shape,
        config: TeamConfig,
        slots: &[usize],
        epoch: u64,
    ) -> Option<TeamState> {
        let me = shape.index_of(locale.me as c_int)?;
        let slot = slots[0];
        let member = Membership::new(locale.node, locale.indices(&shape), me as u32, slot, epoch);
        let groups = match *slots {
            [_, here, leaders] if !member.is_near() => Groups::new(locale, &shape, [here, leaders], epoch),
            _ => None,
        };
        let slots = slots.into();
        let key = key(&shape, slot, epoch);
        let records = locale.boards.own_records(slot);
        records.begin(key, me as u32);
        let (choices, shown) = (LastChoices::default(), AtomicU64::new(0));
        Some(TeamState { shape, me, config, slot, slots, groups, member, choices, born: epoch, shown, records, key })
    }
}

impl Live {
    /// The team of this shape, if this PE is a member.
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

    /// Which PE is on which node, where some are on others and nodes have several: only then are there groups.
    pub(crate) fn map(&self) -> Option<&NodeMap> {
        mixed(&*self.boot, &self.settings)
    }

    /// Give the slots of a team to others: its members know of each other that they look at them no more.
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

    /// Keep a new team; gives its handle.
    pub(crate) fn add_team(&self, team: TeamState) -> Team {
        let team = Team(self.teams.split.add(team).expect("a team has a slot, and there are as many places as slots"));
        if let Some(check) = &self.check {
            check.team_is_there(team);
        }
        team
    }
}

/// The map of a job on several nodes, some with several PEs, all of which are mapped by each other. All PEs must answer alike, also one
/// that is alone on its node: they choose slots and ways by it.
pub(crate) fn mixed<'b>(boot: &'b dyn Boot, settings: &Settings) -> Option<&'b NodeMap> {
    let map = boot.nodes();
    (settings.transport.maps_hosts && 1 < map.nodes() && map.nodes() < map.size()).then_some(map)
}

impl World {
    /// The team behind a handle; `None` for the invalid one. A handle that is no team ends the job.
    #[inline(always)]
    pub(crate) fn team<'l>(&self, site: &'static Site, live: &'l Live, team: Team) -> Option<&'l TeamState> {
        match team {
            Team::INVALID => None,
            Team::WORLD => Some(&live.teams.world),
            Team::SHARED => Some(&live.teams.shared),
            made => match live.teams.split.get(made.0) {
                Some(state) => Some(state),
                None => self.no_team(site, made),
            },
        }
    }

    #[cold]
    #[inline(never)]
    fn no_team(&self, site: &'static Site, team: Team) -> ! {
        self.misuse(site, format_args!("team {:#x} is not a team, or was destroyed before", team.0))
    }

    /// Where `team`'s PE `pe` has our symmetric object, for direct loads and stores; null where that cannot be had.
    ///
    /// # Safety
    /// `team` is a team.
    pub unsafe fn team_ptr(&self, site: &'static Site, team: Team, dest: *const c_void, pe: c_int) -> *mut c_void {
        let live = self.require_live(site);
        self.team(site, live, team).map_or(core::ptr::null_mut(), |team| self.ptr(site, dest, team.shape.world_pe(pe)))
    }

    /// Our number in the team; -1 for the invalid team.
    ///
    /// # Safety
    /// `team` is a team.
    pub unsafe fn team_my_pe(&self, site: &'static Site, team: Team) -> c_int {
        self.team(site, self.require_live(site), team).map_or(-1, |team| team.me)
    }

    /// How many members the team has; -1 for the invalid team.
    ///
    /// # Safety
    /// `team` is a team.
    pub unsafe fn team_n_pes(&self, site: &'static Site, team: Team) -> c_int {
        self.team(site, self.require_live(site), team).map_or(-1, |team| team.shape.size() as c_int)
    }

    /// The place of a team's work area, below [`crate::TEAMS_MAX`]: the same on all its members, and of no other team that this PE is in.
    ///
    /// # Safety
    /// `team` is a team.
    pub unsafe fn team_slot(&self, site: &'static Site, team: Team) -> usize {
        self.team(site, self.require_live(site), team).map_or(0, |team| team.slot)
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

    /// The number in `dest` of the PE that is `src_pe` in `src`; -1 where there is none.
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

    /// End a team. Collective over its members; nothing for the invalid team.
    ///
    /// # Safety
    /// `team` is a team, and not used by anyone after this.
    pub unsafe fn team_destroy(&self, site: &'static Site, team: Team) {
        let live = self.require_live(site);
        match team {
            Team::WORLD | Team::SHARED => self.misuse(
                site,
                format_args!(
                    "team is predefined, and lives as long as the library is initialised; destroy what was split"
                ),
            ),
            _ => {}
        }
        let Some(state) = self.team(site, live, team) else { return };
        let _observed = self.observe(|_| Call { local: team.0, ..Call::among(site, Kind::DestroyTeam, state) });
        live.enter(site, state, Entry::bare(EntryKind::Destroy));
        last_barrier(live, state);
        self.drop_contexts_of(site, live, team);
        let Some(state) = live.teams.split.remove(team.0) else { self.no_team(site, team) };
        live.vacate(&state);
    }

    /// The contexts of a team end with it.
    fn drop_contexts_of(&self, site: &'static Site, live: &Live, team: Team) {
        for ctx in live.contexts.created.handles(|context| context.team() == team) {
            self.quiet(site, Ctx(ctx));
            live.contexts.created.remove(ctx);
        }
    }
}
