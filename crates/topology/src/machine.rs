//! The topology: packages contain NUMA nodes, NUMA nodes contain cores, cores contain hardware threads.

use std::{collections::BTreeSet, ptr};

use crate::{CpuSet, Probe, Result, Sysfs};

/// One machine as data.
///
/// Everything is in the order of the kernel's numbers. `usable` is what this process may run on: a batch system or a
/// container often leaves a job a part of the machine, and only that part is placed upon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// The sockets.
    pub packages: Vec<Package>,
    /// NUMA nodes that have memory and no cpu (high-bandwidth or attached memory).
    pub memory_only: Vec<Numa>,
    /// The network devices.
    pub nics: Vec<Nic>,
    /// The cpus that a job may use here; never empty.
    pub usable: CpuSet,
    /// How many cpus' worth of time a job may use here, where a control group leaves it less than `usable` has.
    pub quota: Option<u32>,
    /// Whether this process runs on none of the map's cpus: the map is right about the machine and wrong about us.
    pub astray: bool,
}

/// One socket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    /// The kernel's number of it.
    pub id: u32,
    /// Its NUMA nodes; at least one.
    pub numas: Vec<Numa>,
}

/// One NUMA node, or the part of one that lies in its package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numa {
    /// The kernel's number of it.
    pub id: u32,
    /// Its memory; `None` where nobody says. A node that spans packages says it in the first of them.
    pub memory_bytes: Option<u64>,
    /// Its cores.
    pub cores: Vec<Core>,
}

/// One core.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Core {
    /// The cpu numbers of its hardware threads, ascending; at least one.
    pub threads: Vec<u32>,
}

/// One network device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nic {
    /// The kernel's name of it, as `mlx5_0` or `eth0`.
    pub name: String,
    /// What it speaks.
    pub kind: NicKind,
    /// The NUMA node that it is attached to, where the kernel knows.
    pub numa: Option<u32>,
    /// Whether its link is up, where the kernel knows.
    pub up: Option<bool>,
    /// Whether it is another's: a container lists all devices of its host, and may open those that it was given.
    pub closed: bool,
    /// The port that is to be used, of devices that have several: the first whose link is up.
    pub port: Option<u32>,
    /// The network that it is on, where that can be told: what has the same text here reaches the same peers.
    pub network: Option<String>,
}

/// What a network device speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NicKind {
    /// A Slingshot device.
    Cxi,
    /// An Omni-Path device.
    Hfi,
    /// A verbs device: InfiniBand, RoCE, iWARP, EFA.
    Verbs,
    /// A network interface with a device behind it.
    Net,
    /// A device that was written down, not found.
    Synthetic,
}

impl Machine {
    /// Reads the map of this machine from sysfs.
    pub fn probe() -> Result<Machine> {
        Sysfs::here().probe()
    }

    /// Every cpu of the machine, usable or not.
    pub fn cpus(&self) -> CpuSet {
        self.cores().flat_map(|core| core.threads.iter().copied()).collect()
    }

    /// The NUMA nodes that hold cores, in the order of their packages: of one that spans packages each part.
    pub fn numas(&self) -> impl Iterator<Item = &Numa> {
        self.packages.iter().flat_map(|package| &package.numas)
    }

    /// The kernel's numbers of the NUMA nodes that hold cores, each once, ascending.
    pub fn numa_ids(&self) -> Vec<u32> {
        let ids: BTreeSet<u32> = self.numas().map(|numa| numa.id).collect();
        ids.into_iter().collect()
    }

    /// Whether this is the part of its NUMA node by which all that is the node's is told.
    pub(crate) fn speaks_for_node(&self, numa: &Numa) -> bool {
        self.numas()
            .chain(&self.memory_only)
            .find(|other| other.id == numa.id)
            .is_some_and(|first| ptr::eq(first, numa))
    }

    /// The cores, in the order of their NUMA nodes.
    pub fn cores(&self) -> impl Iterator<Item = &Core> {
        self.numas().flat_map(|numa| &numa.cores)
    }

    /// How many cores have a usable thread: the number of PEs that can have a core each.
    pub fn usable_cores(&self) -> usize {
        self.cores().filter(|core| core.usable(&self.usable).next().is_some()).count()
    }

    /// The NUMA node that holds all of `cpus`, where there is a choice of nodes: what memory should be near to. A node
    /// that has none itself, or whose memory is off, is no such place.
    pub fn home(&self, cpus: &CpuSet) -> Option<u32> {
        if self.numa_ids().len() + self.memory_only.len() < 2 {
            return None;
        }
        match self.homes(cpus)[..] {
            [node] => Some(node).filter(|&node| self.may_have_memory(node)),
            _ => None,
        }
    }

    /// Whether a node has memory, or nobody says of any node how much it has.
    fn may_have_memory(&self, node: u32) -> bool {
        let has = |numa: &Numa| numa.memory_bytes.is_some_and(|bytes| bytes > 0);
        self.numas().any(|numa| numa.id == node && has(numa)) || self.numas().all(|numa| numa.memory_bytes.is_none())
    }

    /// The NUMA nodes that `cpus` lie in, ascending.
    pub(crate) fn homes(&self, cpus: &CpuSet) -> Vec<u32> {
        let mut nodes: Vec<u32> = self.numas().filter(|numa| numa.holds_any(cpus)).map(|numa| numa.id).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }

    /// The same machine for a job that may use `cpus` of it, or all if none are given. Where none of them is on the map
    /// everything stays usable, as far as anybody knows.
    pub fn restricted_to(mut self, cpus: &CpuSet) -> Machine {
        let both = self.cpus().intersection(cpus);
        self.astray = both.is_empty() && !cpus.is_empty();
        self.usable = if both.is_empty() { self.cpus() } else { both };
        self
    }
}

impl Nic {
    /// Whether PEs may count on it.
    pub(crate) fn is_usable(&self) -> bool {
        self.up != Some(false) && !self.closed
    }
}

impl Numa {
    fn holds_any(&self, cpus: &CpuSet) -> bool {
        self.cores.iter().any(|core| core.usable(cpus).next().is_some())
    }
}

impl Core {
    /// Those of its threads that are in `usable`.
    pub fn usable<'a>(&'a self, usable: &'a CpuSet) -> impl Iterator<Item = u32> + 'a {
        self.threads.iter().copied().filter(|&cpu| usable.contains(cpu))
    }
}
