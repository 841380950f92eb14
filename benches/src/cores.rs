//! Which cpus are hardware threads of the same core.
//!
//! The kernel numbers hardware threads. Two of them may share a core.

use std::collections::{BTreeMap, BTreeSet};

use ferrite_topology::{CpuSet, Machine, allowed};

/// Map of cpus to cores. A core is named by its first cpu.
#[derive(Clone, Debug, Default)]
pub struct Cores(BTreeMap<u32, u32>);

impl Cores {
    /// The cores of the cpus that this process may use.
    pub fn here() -> Self {
        Machine::probe().map_or_else(
            // If the topology cannot be probed, count each cpu as a core.
            |_| Self(allowed().iter().map(|cpu| (cpu, cpu)).collect()),
            |machine| Self::of_sets(machine.cores().map(|core| core.usable(&machine.usable).collect())),
        )
    }

    fn of_sets(sets: impl Iterator<Item = CpuSet>) -> Self {
        let with_first =
            |set: CpuSet| set.iter().map(|cpu| (cpu, set.iter().next().unwrap_or(cpu))).collect::<Vec<_>>();
        Self(sets.flat_map(with_first).collect())
    }

    /// Build cores from lists of hardware threads, one list for each core.
    #[cfg(test)]
    pub fn made_of(lists: &[&str]) -> Self {
        Self::of_sets(lists.iter().map(|list| list.parse().unwrap()))
    }

    /// The cores of some cpus. An unknown cpu counts as a core of its own.
    pub fn of(&self, cpus: &CpuSet) -> BTreeSet<u32> {
        cpus.iter().map(|cpu| self.0.get(&cpu).copied().unwrap_or(cpu)).collect()
    }

    pub fn count(&self) -> usize {
        self.0.values().collect::<BTreeSet<_>>().len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hardware_threads_of_one_core_are_counted_once() {
        assert_eq!(Cores::made_of(&["0-1", "2-3"]).count(), 2);
        assert_eq!(Cores::made_of(&["0", "1"]).count(), 2);
        assert!(Cores::here().count() >= 1);
    }
}
