//! One member's place in a team, as its collectives use it.

use crate::area;
use core::{
    ptr,
    sync::atomic::{AtomicU64, Ordering::Relaxed},
};
use ferrite_collectives::{Epochs, Rank, WINDOW};
use ferrite_memory::node::NodeMemory;

/// One member's place in a team: where each member's slot lies, and how far the team has come.
pub(crate) struct Membership {
    /// The slot of each member that is mapped, by rank; null for the others.
    pub slots: Box<[*mut u8]>,
    /// Number of the team's slot in the control area.
    slot: usize,
    /// Whether all members are mapped.
    near: bool,
    pub me: Rank,
    pub epochs: Epochs,
    /// For each share, the last awaited values of our tally and of the arrivals at rank 0.
    pub counted: [Counted; WINDOW as usize],
}

/// The last awaited values of the counters of a share.
#[derive(Default)]
pub(crate) struct Counted {
    pub tally: AtomicU64,
    pub arrivals: AtomicU64,
}

// SAFETY: the pointers go into a mapping that outlives the membership, and the protocol of the exchange says who may
// touch what. Two threads in collectives of one team at once are undefined by the standard.
unsafe impl Send for Membership {}
// SAFETY: as above.
unsafe impl Sync for Membership {}

impl Membership {
    /// The place of rank `me` in `slot`. `members` gives each member's index on the node, or `None` if it is not mapped. The team's epochs
    /// follow `epoch`.
    pub fn new(
        node: &NodeMemory,
        members: impl Iterator<Item = Option<usize>>,
        me: Rank,
        slot: usize,
        epoch: u64,
    ) -> Membership {
        let place = |index| node.control(index).wrapping_add(area::slot_at(slot));
        let slots: Box<[*mut u8]> = members.map(|index| index.map_or(ptr::null_mut(), place)).collect();
        let near = slots.iter().all(|slot| !slot.is_null());
        Membership { slots, slot, near, me, epochs: Epochs::after(epoch), counted: Default::default() }
    }

    /// Whether all members are mapped.
    #[inline(always)]
    pub fn is_near(&self) -> bool {
        self.near
    }

    /// Whether member `peer` is mapped.
    #[inline]
    pub fn is_mapped(&self, peer: Rank) -> bool {
        !self.slots[peer as usize].is_null()
    }

    /// The slot of the control area that the team lives in.
    pub fn slot(&self) -> usize {
        self.slot
    }

    /// The current epoch of the team.
    pub fn epoch(&self) -> u64 {
        self.epochs.current()
    }

    /// Reset our counters to zero, as they were found. All members have left all collectives except the last barrier, whose counts were
    /// waited for.
    pub fn reset_counters(&self) {
        let slot = self.slots[self.me as usize];
        // SAFETY: a line of our own slot: mapped, aligned, and only ever touched as an atomic.
        let reset = |offset| unsafe { AtomicU64::from_ptr(slot.wrapping_add(offset).cast()) }.store(0, Relaxed);
        for share in 0..WINDOW as usize {
            reset(area::tally_at(share));
            reset(area::arrivals_at(share));
        }
    }
}
