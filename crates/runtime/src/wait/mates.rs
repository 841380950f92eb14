//! The PEs of this job that may run on this PE's cores, and whether they wait.
//!
//! A yield lasts for as long as the other threads on the core run. If a PE of this job computed meanwhile, the duration says nothing about
//! other programs ([`super::cpu_contention`]). So each PE counts, in memory that its host shares, the beginnings and ends of its long
//! waits, the ones in which it lets others run.
//!
//! All accesses are relaxed: the counts are hints, and order nothing. If a count is seen late, a yield is misjudged, which costs a few naps
//! or yields.

use crate::area::WAITS_AT;
use core::{
    ptr::NonNull,
    sync::atomic::{AtomicU32, Ordering::Relaxed},
};
use ferrite_memory::node::{HostCpus, NodeMemory};
use ferrite_topology::CpuSet;

/// The counts of this PE and of its mates, the PEs that share cores with it. No mates if the PE shares no memory or no core with others.
#[derive(Default)]
pub(crate) struct Mates {
    own: Option<NonNull<AtomicU32>>,
    others: Box<[NonNull<AtomicU32>]>,
}

// SAFETY: the counts are only ever touched as atomics, in the node's memory, which outlives the world.
unsafe impl Send for Mates {}
// SAFETY: as above.
unsafe impl Sync for Mates {}

impl Mates {
    /// The PEs whose cpus overlap this PE's, if all PEs of the host share its memory.
    pub fn on(node: &NodeMemory, cpus: &HostCpus) -> Mates {
        let Some(mine) = cpus.get(node.index()).filter(|_| cpus.pes() == node.layout().pes) else {
            return Mates::default();
        };
        let count = |index: usize| NonNull::new(node.control(index).wrapping_add(WAITS_AT).cast::<AtomicU32>());
        let share = |(index, theirs): (usize, &CpuSet)| {
            let is_mate = index != node.index() && !mine.intersection(theirs).is_empty();
            is_mate.then(|| count(index)).flatten()
        };
        Mates { own: count(node.index()), others: cpus.iter().enumerate().filter_map(share).collect() }
    }

    /// Count that this PE begins or ends a wait in which others run. The count is odd during a wait.
    pub fn turn(&self) {
        // SAFETY: in the node's memory, which is mapped for as long as the world, aligned, and zeros at first.
        self.own.iter().for_each(|count| _ = unsafe { count.as_ref() }.fetch_add(1, Relaxed));
    }

    /// A number that stays the same while all mates keep waiting. None if one of them does not wait.
    pub fn all_wait(&self) -> Option<u32> {
        self.others.iter().try_fold(0_u32, |sum, count| {
            // SAFETY: as above.
            let count = unsafe { count.as_ref() }.load(Relaxed);
            (count % 2 == 1).then_some(sum.wrapping_add(count))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mate_that_computed_in_between_is_seen() {
        let counts = [const { AtomicU32::new(0) }; 3];
        let of = |own: usize| Mates {
            own: Some((&counts[own]).into()),
            others: (0..3).filter(|&other| other != own).map(|other| (&counts[other]).into()).collect(),
        };
        let [first, second, third] = [0, 1, 2].map(of);
        assert_eq!(first.all_wait(), None);
        second.turn();
        assert_eq!(first.all_wait(), None, "the third computes");
        third.turn();
        let waiting = first.all_wait();
        assert!(waiting.is_some() && waiting == first.all_wait());
        // It ends its wait, computes, and waits again.
        second.turn();
        assert_eq!(first.all_wait(), None);
        second.turn();
        assert!(first.all_wait().is_some_and(|now| Some(now) != waiting));
        assert_eq!(Mates::default().all_wait(), Some(0), "nobody shares the core");
    }
}
