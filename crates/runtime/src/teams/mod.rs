//! The teams that this PE is a member of, and their state. The room `groups` makes teams and ends them; `coll` runs their collectives.
//!
//! | file | job |
//! |---|---|
//! | [`shape`] | the members of a team, in order |
//! | `membership` | the place of this PE in a team's collectives |
//! | `groups` | the members of a team by node |
//! | [`slots`] | vacant and taken work areas; each team lives in one |
//! | `table` | the teams |

mod groups;
mod membership;
pub(crate) mod shape;
pub(crate) mod slots;
mod table;

pub(crate) use groups::{Group, Groups, SLOTS_OF_WIDE, mixed};
pub(crate) use membership::Membership;
pub(crate) use table::Teams;

use crate::boards::{Boards, OwnRecords};
use core::{
    ffi::c_int,
    hash::{Hash, Hasher},
    sync::atomic::AtomicU64,
};
use ferrite_bootstrap::NodeMap;
use ferrite_collectives::select::Collective;
use ferrite_diagnose::{entry::Entry, record::Records};
use ferrite_memory::node::NodeMemory;
use shape::Shape;
use std::hash::DefaultHasher;

/// `shmem_team_config_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TeamConfig {
    /// Number of contexts that will be created on the team. Ferrite does not use it: contexts are created on demand.
    pub num_contexts: c_int,
}

/// One team as seen by this PE, a member.
pub struct TeamState {
    pub(crate) shape: Shape,
    /// This PE's rank in the team.
    pub(crate) me: c_int,
    /// The configuration that the team was created with.
    pub(crate) config: TeamConfig,
    /// Slot of the control area for the team's own collectives.
    pub(crate) slot: usize,
    /// All slots of the team: more than one if it may have groups.
    pub(crate) slots: Box<[usize]>,
    /// The members by node, if the team spans nodes.
    pub(crate) groups: Option<Groups>,
    /// This PE's membership in the team's collectives.
    pub(crate) member: Membership,
    /// The algorithms that the team's collectives used last.
    pub(crate) choices: LastChoices,
    /// The epoch that the team began with. No two teams that use the same slot one after the other have the same.
    pub(crate) born: u64,
    /// Number of the team's collectives that were shown to observers.
    pub(crate) shown: AtomicU64,
    /// The collectives that this PE has called on the team.
    records: OwnRecords,
    /// Equal on all members, and different from the key of every other team that used or will use this slot.
    key: u64,
}

/// The last choice of a team for each collective: programs repeat themselves, and reading the table takes longer than a short collective.
///
/// One word holds the question (the bytes, and whether it is in place) and the answer (a row of the table), so that
/// threads see both or neither.
#[derive(Default)]
pub(crate) struct LastChoices(pub [AtomicU64; Collective::COUNT]);

/// An active set, as the arguments of a call name it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Triple {
    pub start: c_int,
    pub log_stride: c_int,
    pub size: c_int,
}

/// Equal on all members of a team, and different for any two teams that use one slot of one PE, because the epochs of a slot only grow.
fn key(shape: &Shape, slot: usize, epoch: u64) -> u64 {
    let mut hasher = DefaultHasher::new();
    (slot, epoch, shape.size()).hash(&mut hasher);
    (0..shape.size() as c_int).for_each(|rank| shape.world_pe(rank).hash(&mut hasher));
    hasher.finish()
}

/// The PEs and memory of this node, for locating the members of a team.
pub(crate) struct Locale<'l> {
    /// This PE's world number.
    pub me: u32,
    /// The PEs of this node, in ascending order.
    pub local: &'l [u32],
    /// The memory of these PEs.
    pub node: &'l NodeMemory,
    /// The node of each PE, if the job spans nodes and some nodes have several PEs.
    pub map: Option<&'l NodeMap>,
    /// The records that the PEs of the host publish.
    pub boards: &'l Boards,
}

impl Locale<'_> {
    /// Indices of the members on this node, by rank; `None` for members on other nodes.
    fn indices(&self, shape: &Shape) -> impl Iterator<Item = Option<usize>> {
        (0..shape.size() as c_int).map(|rank| self.local.binary_search(&(shape.world_pe(rank) as u32)).ok())
    }
}

impl TeamState {
    /// Record that this PE calls a collective of the team. Return the call's number and the word that describes it.
    #[inline(always)]
    pub(crate) fn enter(&self, call: Entry) -> (u64, u64) {
        self.records.write(call)
    }

    /// Number of collectives that this PE has called on the team.
    pub(crate) fn calls(&self) -> u64 {
        self.records.count()
    }

    /// The call that member `rank` made as collective `number`, if its records can be read.
    pub(crate) fn called(&self, boards: &Boards, rank: u32, number: u64) -> Option<Entry> {
        self.records_of(boards, rank)?.read(self.key, number)
    }

    /// Number of collectives that member `rank` has called; `None` if its records cannot be read.
    pub(crate) fn arrived(&self, boards: &Boards, rank: u32) -> Option<u64> {
        // A member that has yet to make the team has called no collective of it.
        Some(self.records_of(boards, rank)?.arrived(self.key).unwrap_or(0))
    }

    fn records_of<'b>(&self, boards: &'b Boards, rank: u32) -> Option<&'b Records> {
        Some(&boards.of(self.shape.world_pe(rank as c_int) as u32)?.records[self.slot])
    }

    /// The team of this shape in the first of `slots`; `None` if this PE is not a member. Its groups, if any, use the other slots. Epochs
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
