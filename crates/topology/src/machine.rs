//! The topology: packages contain NUMA nodes, NUMA nodes contain cores, cores contain hardware threads.

use std::{collections::BTreeSet, ptr};

use crate::{CpuSet, Gpu, Probe, Result, Sysfs};

/// One machine as data.
///
/// Everything is in the order of the kernel's numbers. `usable` is the set of cpus that this process may run on. A batch system or a
/// container often gives a job only a part of the machine, and PEs are placed only on that part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// The sockets.
    pub packages: Vec<Package>,
    /// NUMA nodes that have memory and no cpu (high-bandwidth or attached memory).
    pub memory_only: Vec<Numa>,
    /// The network devices.
    pub nics: Vec<Nic>,
    /// Ordered by PCI address.
    pub gpus: Vec<Gpu>,
    /// The cpus that a job may use here; never empty.
    pub usable: CpuSet,
    /// Number of cpus' worth of time that a job may use here, if a control group allows less time than `usable` has.
    pub quota: Option<u32>,
    /// True if this process may use no cpu of the map: then the map describes the machine, and not what this process may use.
    pub astray: bool,
}

/// A socket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    /// The kernel's number of the package.
    pub id: u32,
    /// Its NUMA nodes; at least one.
    pub numas: Vec<Numa>,
}

/// One NUMA node, or the part of one that lies in its package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numa {
    /// The kernel's number of the node.
    pub id: u32,
    /// Its memory; `None` if it is not known. If a node spans packages, only its part in the first package has the value.
    pub memory_bytes: Option<u64>,
    /// The cores of the part.
    pub cores: Vec<Core>,
}

/// A core, with its hardware threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Core {
    /// The cpu numbers of its hardware threads, ascending; at least one.
    pub threads: Vec<u32>,
}

/// A network device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nic {
    /// The kernel's name of the device, such as `mlx5_0` or `eth0`.
    pub name: String,
    /// The kind of device.
    pub kind: NicKind,
    /// The NUMA node that the device is attached to, if the kernel knows it.
    pub numa: Option<u32>,
    /// Whether its link is up, if the kernel knows it.
    pub up: Option<bool>,
    /// True if this process cannot open the device: a container lists all devices of its host, and may open only those assigned to it.
    pub closed: bool,
    /// The port to use on a device with ports: the first whose link is up.
    pub port: Option<u32>,
    /// The network that the device is on, if it is known. Devices with the same text here reach the same peers.
    pub network: Option<String>,
}

/// The kind of a network device.
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
    /// A device of a topology that was written by hand.
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

    /// The NUMA nodes that contain cores, in the order of their packages. A node that spans packages is listed once for each part.
    pub fn numas(&self) -> impl Iterator<Item = &Numa> {
        self.packages.iter().flat_map(|package| &package.numas)
    }

    /// The kernel's numbers of the NUMA nodes that hold cores, each once, ascending.
    pub fn numa_ids(&self) -> Vec<u32> {
        let ids: BTreeSet<u32> = self.numas().map(|numa| numa.id).collect();
        ids.into_iter().collect()
    }

    /// True if this is the first part of its NUMA node. The devices of a node are listed only with its first part.
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

    /// Number of cores with a usable thread: the number of PEs that can have a core each.
    pub fn usable_cores(&self) -> usize {
        self.cores().filter(|core| core.usable(&self.usable).next().is_some()).count()
    }

    /// The NUMA node that contains all of `cpus`: memory should be near it. `None` if there is only one node, if `cpus` lie in several
    /// nodes, or if the node has no memory or its memory is offline.
    pub fn home(&self, cpus: &CpuSet) -> Option<u32> {
        if self.numa_ids().len() + self.memory_only.len() < 2 {
            return None;
        }
        match self.homes(cpus)[..] {
            [node] => Some(node).filter(|&node| self.may_have_memory(node)),
            _ => None,
        }
    }

    /// True if the node has memory, or if the memory size of no node is known.
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

    /// The same machine for a job that may use only `cpus`, or all cpus if `cpus` is empty. If none of `cpus` is on the map, all cpus of
    /// the map count as usable, and `astray` is set.
    pub fn restricted_to(mut self, cpus: &CpuSet) -> Machine {
        let both = self.cpus().intersection(cpus);
        self.astray = both.is_empty() && !cpus.is_empty();
        self.usable = if both.is_empty() { self.cpus() } else { both };
        self
    }
}

impl Nic {
    /// True if PEs may use the device: its link is not known to be down, and this process can open it.
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
    /// The threads of the core that are in `usable`.
    pub fn usable<'a>(&'a self, usable: &'a CpuSet) -> impl Iterator<Item = u32> + 'a {
        self.threads.iter().copied().filter(|&cpu| usable.contains(cpu))
    }
}
