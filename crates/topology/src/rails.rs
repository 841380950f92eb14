//! Assigns NICs to PEs. A pure function of a topology and the PEs' cpus.
//!
//! A PE uses the NICs nearest to its NUMA node. If several are equally near they are *rails*, and are divided among the
//! PEs that they are nearest to: one each in turn if there are at least as many PEs, else several each.
//!
//! NICs are interchangeable only if they reach the same peers, and all PEs of a job must be on networks that reach each other. So only NICs
//! of a known network are used ([`Nic::network`](crate::Nic)); if there are several networks, the one with the most NICs is used. Plain
//! network interfaces are never used: a host's second one often leads elsewhere.

use std::{cmp::Reverse, collections::HashMap};

use crate::{CpuSet, Machine, Package};

/// The NICs of one PE.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rails {
    /// Indices into [`Machine::nics`], by descending preference: the PE's own NICs, then those to fall back on.
    pub nics: Vec<usize>,
    /// Number of NICs at the front of `nics` that are the PE's own share of the nearest.
    pub own: usize,
}

/// The NICs of each PE of a machine, in the order of the PEs, from the cpus that each may run on.
pub fn rails<'a>(machine: &Machine, pes: impl IntoIterator<Item = &'a CpuSet>) -> Vec<Rails> {
    let nics = candidates(machine);
    let near: Vec<Vec<Vec<usize>>> =
        pes.into_iter().map(|cpus| by_distance(machine, &nics, &machine.homes(cpus))).collect();
    let nearest = |pe: &[Vec<usize>]| pe.first().cloned().unwrap_or_default();
    let mut sharing: HashMap<Vec<usize>, usize> = HashMap::new();
    near.iter().for_each(|pe| *sharing.entry(nearest(pe)).or_default() += 1);
    let mut ranks: HashMap<Vec<usize>, usize> = HashMap::new();
    near.iter()
        .map(|pe| {
            let rank = ranks.entry(nearest(pe)).or_default();
            *rank += 1;
            deal(pe, *rank - 1, sharing[&nearest(pe)])
        })
        .collect()
}

/// The NICs to choose from: the usable NICs of the network that most usable NICs are on.
fn candidates(machine: &Machine) -> Vec<usize> {
    let usable = |&at: &usize| machine.nics[at].is_usable() && machine.nics[at].network.is_some();
    let all: Vec<usize> = (0..machine.nics.len()).filter(usable).collect();
    let on = |network: &Option<String>| all.iter().filter(|&&at| machine.nics[at].network == *network).count();
    let networks = all.iter().map(|&at| &machine.nics[at].network);
    let Some(most) = networks.min_by_key(|network| Reverse(on(network))) else { return all };
    all.iter().copied().filter(|&at| machine.nics[at].network == *most).collect()
}

/// The candidates in groups of equal distance from `home`, the nearest first.
fn by_distance(machine: &Machine, candidates: &[usize], home: &[u32]) -> Vec<Vec<usize>> {
    let far = |&at: &usize| distance(machine, home, machine.nics[at].numa);
    let mut nics = candidates.to_vec();
    nics.sort_by_key(far);
    nics.chunk_by(|a, b| far(a) == far(b)).map(<[usize]>::to_vec).collect()
}

/// The NICs of PE number `rank` among the `sharing` PEs that have the same nearest NICs.
fn deal(groups: &[Vec<usize>], rank: usize, sharing: usize) -> Rails {
    let mut rails = Rails::default();
    for equal in groups {
        let first = rank % equal.len();
        let (mine, others): (Vec<usize>, Vec<usize>) =
            (0..equal.len()).partition(|&i| i == first || sharing < equal.len() && i % sharing == rank);
        if rails.nics.is_empty() {
            rails.own = mine.len();
        }
        // The other NICs start behind this PE's first one, so that the PEs of a NIC that fails do not all fall back on the same other NIC.
        let (before, after) = others.split_at(others.partition_point(|&i| i < first));
        rails.nics.extend(mine.iter().chain(after).chain(before).map(|&i| equal[i]));
    }
    rails
}

/// Distance of a NIC: at home, in the same package, elsewhere. A NIC at an unknown place counts as elsewhere: if it counted as nearer, all
/// PEs without a NIC at home would use it.
fn distance(machine: &Machine, home: &[u32], nic: Option<u32>) -> u8 {
    const AT_HOME: u8 = 0;
    const SAME_PACKAGE: u8 = 1;
    const ELSEWHERE: u8 = 2;
    let Some(nic) = nic else { return ELSEWHERE };
    let holds = |package: &Package, id: u32| package.numas.iter().any(|numa| numa.id == id);
    let near = |package: &Package| holds(package, nic) && home.iter().any(|&id| holds(package, id));
    match home.contains(&nic) {
        true => AT_HOME,
        false if machine.packages.iter().any(near) => SAME_PACKAGE,
        false => ELSEWHERE,
    }
}
