//! Number of PEs per core. It decides how a PE waits.

use ferrite_memory::node::HostCpus;
use ferrite_topology::{CpuSet, allowed, quota, quota_among};

/// Most PEs per core on this host, from the cpus that each PE may run on, and from the quota `worth`, in cpus, if that is less. Several PEs
/// that are bound to few of the cores are crowded, however many cores the others have.
pub(crate) fn pes_per_core(cpus: &HostCpus, worth: Option<u32>) -> usize {
    let cores = union(cpus).len();
    let together = cpus.pes().div_ceil(worth.map_or(cores, |worth| cores.min(worth as usize)).max(1));
    let within = |set: &CpuSet| {
        let inside = cpus.sets().filter(|(one, _)| one.intersection(set).len() == one.len());
        inside.map(|(_, pes)| pes).sum::<usize>()
    };
    cpus.sets().map(|(set, _)| within(set).div_ceil(set.len().max(1))).fold(together, usize::max)
}

/// CPU time that these PEs have together, in cpus, if a control group limits it to less than their cpus. A control group that reaches its
/// quota stops all PEs, even if only some of them spin.
pub(crate) fn worth(cpus: &HostCpus) -> Option<u32> {
    let all = union(cpus);
    match cpus.pes() {
        0 | 1 => None,
        _ if allowed() == all => quota(),
        _ => quota_among(&all),
    }
}

fn union(cpus: &HostCpus) -> CpuSet {
    cpus.sets().fold(CpuSet::default(), |all, (one, _)| all.union(one))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crowd_is_found_wherever_it_is() {
        for (cpus, worth, most) in [
            (&["0", "1"][..], None, 1),
            (&["0", "1"], Some(1), 2),
            (&["0-7", "0-7"], None, 1),
            (&["0-7", "0-7", "0-7"], Some(2), 2),
            (&["0", "0"], None, 2),
            // Three PEs on one core, and one that may use others.
            (&["0", "0", "0", "0-3"], None, 3),
            (&["0", "0-1", "0-1"], None, 2),
            (&["0-1", "0-1", "2-3", "2-3"], None, 1),
            (&["0-1", "0-1", "0-1", "2-9"], None, 2),
            (&["0"], None, 1),
            // A PE that does not know which cpus it may run on.
            (&["", "0"], None, 2),
        ] {
            let cpus = HostCpus::new(cpus.iter().copied());
            assert_eq!(pes_per_core(&cpus, worth), most, "{cpus:?}, {worth:?}");
        }
    }
}
