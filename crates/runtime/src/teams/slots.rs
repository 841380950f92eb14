//! The slots of the control area: the vacant ones, and the highest epoch that any team of this PE has used.
//!
//! A team lives in one slot, the same at all its members. The members compare their vacant slots, and each claims the slot that is chosen.
//! Only the counters of a slot are reset between teams. The epochs of a new team begin beyond every epoch that a member has used (the
//! *horizon*), so no tag of an earlier team is mistaken for one of the new team.

use crate::area::SLOTS;

/// Slots for teams made by all members of a parent; the remaining slots are for teams made by their own members only.
pub(crate) const TEAM_SLOTS: usize = 256;
/// The remaining slots before this one are for lasting teams, the others for teams of one call.
pub(crate) const LASTING_END: usize = SLOTS - 64;
/// Number of words in a set of slots.
pub(crate) const WORDS: usize = SLOTS / 64;

/// A set of slots.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SlotSet(pub [u64; WORDS]);

impl SlotSet {
    pub const NONE: SlotSet = SlotSet([0; WORDS]);

    /// The slots from `first` up to `end`.
    pub fn range(first: usize, end: usize) -> SlotSet {
        let mut set = SlotSet::NONE;
        (first..end).for_each(|slot| set.insert(slot));
        set
    }

    pub fn contains(&self, slot: usize) -> bool {
        self.0[slot / 64] >> (slot % 64) & 1 == 1
    }

    pub fn insert(&mut self, slot: usize) {
        self.0[slot / 64] |= 1 << (slot % 64);
    }

    pub fn remove(&mut self, slot: usize) {
        self.0[slot / 64] &= !(1 << (slot % 64));
    }

    /// The intersection of both sets.
    pub fn and(&self, other: &SlotSet) -> SlotSet {
        SlotSet(core::array::from_fn(|i| self.0[i] & other.0[i]))
    }

    /// The slots of this set that are not in the other.
    pub fn without(&self, other: &SlotSet) -> SlotSet {
        SlotSet(core::array::from_fn(|i| self.0[i] & !other.0[i]))
    }

    /// The slots in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        (0..WORDS * 64).filter(|&slot| self.contains(slot))
    }
}

/// One PE's view of its slots.
pub(crate) struct Slots {
    free: SlotSet,
    /// Slots claimed by a thread that is about to make a team there.
    claimed: SlotSet,
    /// The highest epoch that any team of this PE has used.
    horizon: u64,
}

impl Slots {
    /// All slots are free, except the first `taken`, which the predefined teams use.
    pub fn new(taken: usize) -> Slots {
        Slots { free: SlotSet::range(taken, WORDS * 64), claimed: SlotSet::NONE, horizon: 0 }
    }

    /// The free slots among `which`, including those claimed by another thread that may still release its claim. Reserves nothing.
    pub fn vacant(&self, which: &SlotSet) -> SlotSet {
        self.free.and(which)
    }

    /// Claim these slots until they are settled. Claims all of them, or none if one is taken or claimed by another thread.
    pub fn claim(&mut self, wanted: &[usize]) -> Option<SlotSet> {
        if !wanted.iter().all(|&slot| self.free.contains(slot) && !self.claimed.contains(slot)) {
            return None;
        }
        let mut claim = SlotSet::NONE;
        for &slot in wanted {
            claim.insert(slot);
            self.claimed.insert(slot);
        }
        Some(claim)
    }

    /// Take the slots `taken` of a claim, and release the rest.
    pub fn settle(&mut self, claim: &SlotSet, taken: &[usize]) {
        self.claimed = self.claimed.without(claim);
        for &slot in taken {
            debug_assert!(self.free.contains(slot));
            self.free.remove(slot);
        }
    }

    /// Free `slot`, whose team has ended after using epochs up to `epoch`.
    pub fn give_back(&mut self, slot: usize, epoch: u64) {
        debug_assert!(!self.free.contains(slot));
        self.free.insert(slot);
        self.horizon = self.horizon.max(epoch);
    }

    /// The epoch after which a new team may begin.
    pub fn horizon(&self) -> u64 {
        self.horizon
    }

    /// Number of free slots.
    #[cfg(test)]
    pub fn free(&self) -> usize {
        self.free.iter().count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_is_whole_and_leaves_the_rest_vacant() {
        let mut slots = Slots::new(2);
        let claim = slots.claim(&[3, 5]).expect("both are free");
        assert_eq!(slots.claim(&[4, 5]), None);
        assert_eq!(slots.claim(&[1]), None);
        assert_eq!(slots.vacant(&SlotSet::range(0, 6)).iter().collect::<Vec<_>>(), [2, 3, 4, 5]);
        slots.settle(&claim, &[5]);
        assert_eq!(slots.vacant(&SlotSet::range(0, 6)).iter().collect::<Vec<_>>(), [2, 3, 4]);
        assert!(slots.claim(&[3, 4]).is_some());
    }

    #[test]
    fn slots_come_back_with_their_epoch() {
        let mut slots = Slots::new(0);
        let all = slots.free();
        let claim = slots.claim(&[7]).expect("all are free");
        slots.settle(&claim, &[7]);
        assert_eq!(slots.free(), all - 1);
        slots.give_back(7, 40);
        let claim = slots.claim(&[9]).expect("all but one are free");
        slots.settle(&claim, &[9]);
        slots.give_back(9, 12);
        assert_eq!((slots.free(), slots.horizon()), (all, 40));
    }
}
