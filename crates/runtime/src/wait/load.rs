//! The number of PEs for each core that they may run on. It decides how a PE waits.

use ferrite_topology::{CpuSet, allowed, quota, quota_among};

/// The most PEs for a core, from what each PE of this host may run on, and how many cpus' worth of time all have if that is less.
/// Several that were bound to few of the cores are a crowd, however many cores others have.
pub(crate) fn pes_per_core(cpus: &[CpuSet], worth: Option<u32>) -> usize {
    let cores = union(cpus).len();
    let together = cpus.len().div_ceil(worth.map_or(cores, |worth| cores.min(worth as usize)).max(1));
    let mut sets: Vec<&CpuSet> = Vec::new();
    for one in cpus {
        if !sets.contains(&one) {
            sets.push(one);
        }
    }
    let within = |set: &CpuSet| cpus.iter().filter(|one| one.intersection(set).len() == one.len()).count();
    sets.into_iter().map(|set| within(set).div_ceil(set.len().max(1))).fold(together, usize::max)
}

/// How many cpus' worth of time these PEs have between them, where that is less than their cpus: a control group that gives less
/// stops all of them if some of them spin.
pub(crate) fn worth(cpus: &[CpuSet]) -> Option<u32> {
    let all = union(cpus);
    match cpus.len() {
        0 | 1 => None,
        _ if allowed() == all => quota(),
        _ => quota_among(&all),
    }
}

fn union(cpus: &[CpuSet]) -> CpuSet {
    cpus.iter().fold(CpuSet::default(), |all, one| all.union(one))
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
            // Three on one core, and one that has others.
            (&["0", "0", "0", "0-3"], None, 3),
            (&["0", "0-1", "0-1"], None, 2),
            (&["0-1", "0-1", "2-3", "2-3"], None, 1),
            (&["0-1", "0-1", "0-1", "2-9"], None, 2),
            (&["0"], None, 1),
            // A PE that does not know where it may run.
            (&["", "0"], None, 2),
        ] {
            let cpus: Vec<CpuSet> = cpus.iter().map(|list| list.parse().unwrap_or_default()).collect();
            assert_eq!(pes_per_core(&cpus, worth), most, "{cpus:?}, {worth:?}");
        }
    }
}
