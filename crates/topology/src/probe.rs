//! Reads the topology from the kernel.
//!
//! All files are read below a root directory, so the trees of other machines can be read too. Missing information is
//! guessed as little as possible: a cpu without topology is a core of its own, a machine without a NUMA directory is
//! one node, and the kernel's "-1" means unknown. Only a tree without any cpu is an error.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use crate::{Core, CpuSet, Error, Gpu, Machine, Nic, Numa, Package, Result, allowed, gpus, nics, quota};
use ferrite_os::sysfs::{number, numbered, text};

/// A source of a machine's topology: sysfs, or hwloc (`ferrite-hwloc`).
pub trait Probe {
    /// Look at this machine. An error names what could not be read.
    fn probe(&self) -> Result<Machine>;
}

/// The probe that reads `/sys` and `/proc`.
#[derive(Clone, Debug)]
pub struct Sysfs {
    root: PathBuf,
    usable: CpuSet,
    /// True if the tree describes this machine.
    here: bool,
    /// Directory of the device files, if NICs that this process cannot open are to be marked as closed.
    files: Option<PathBuf>,
    /// Whether a machine has its GPUs.
    has_gpus: bool,
}

impl Sysfs {
    /// This machine, as far as this process may use it.
    pub fn here() -> Sysfs {
        Sysfs {
            root: PathBuf::from("/"),
            usable: allowed(),
            here: true,
            files: Some(PathBuf::from("/dev")),
            has_gpus: true,
        }
    }

    /// The machine whose `sys` and `proc` lie below `root`, of which the job may use the cpus in `usable` (all if it is empty).
    pub fn below(root: impl Into<PathBuf>, usable: CpuSet) -> Sysfs {
        Sysfs { root: root.into(), usable, here: false, files: None, has_gpus: true }
    }

    /// The same probe, but a NIC whose device file below `files` cannot be opened by this process is marked as closed.
    pub fn opening(self, files: impl Into<PathBuf>) -> Sysfs {
        Sysfs { files: Some(files.into()), ..self }
    }

    /// The same probe, but machines have no GPUs. To open a GPU, in order to learn whether this process may, can take a second: the driver
    /// initialises a device that nothing else has open.
    pub fn without_gpus(self) -> Sysfs {
        Sysfs { has_gpus: false, ..self }
    }

    /// The network devices alone.
    pub fn nics(&self) -> Vec<Nic> {
        nics::read(&self.path("sys/class"), self.files.as_deref())
    }

    /// The GPUs alone. `nics` is the result of [`Sysfs::nics`].
    pub fn gpus(&self, nics: &[Nic]) -> Vec<Gpu> {
        let (drivers, classes) = (self.path("sys/bus/pci/drivers"), self.path("sys/class"));
        let nvidia = self.path("proc/driver/nvidia/gpus");
        let files = self.files.as_deref();
        gpus::read(&gpus::Directories { drivers: &drivers, classes: &classes, nvidia: &nvidia, files }, nics)
    }

    /// True if the kernel knows of more than one NUMA node. Reads only one directory.
    pub fn has_several_nodes(&self) -> bool {
        numbered(&self.path("sys/devices/system/node"), "node").len() > 1
    }

    fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }
}

impl Probe for Sysfs {
    fn probe(&self) -> Result<Machine> {
        let online = self.online()?;
        let nodes = self.nodes(&online);
        let mut packages: BTreeMap<u32, BTreeMap<u32, Vec<Core>>> = BTreeMap::new();
        for (first, core, package) in self.cores(&online) {
            let home = nodes.iter().find(|node| node.cpus.contains(first)).map_or(0, |node| node.id);
            packages.entry(package).or_default().entry(home).or_default().push(core);
        }
        let mut memory: BTreeMap<u32, u64> =
            nodes.iter().filter_map(|node| Some((node.id, node.memory_bytes?))).collect();
        let packages: Vec<Package> = packages
            .into_iter()
            .map(|(id, numas)| Package {
                id,
                numas: numas
                    .into_iter()
                    .map(|(id, cores)| Numa { id, memory_bytes: memory.remove(&id), cores })
                    .collect(),
            })
            .collect();
        let memory_only = nodes
            .iter()
            .filter(|node| node.cpus.is_empty() && node.memory_bytes.is_some_and(|bytes| bytes > 0))
            .map(|node| Numa { id: node.id, memory_bytes: node.memory_bytes, cores: Vec::new() })
            .collect();
        let nics = self.nics();
        let machine = Machine {
            packages,
            memory_only,
            gpus: if self.has_gpus { self.gpus(&nics) } else { Vec::new() },
            nics,
            usable: CpuSet::new(),
            quota: if self.here { quota() } else { None },
            astray: false,
        };
        Ok(machine.restricted_to(&self.usable))
    }
}

/// A NUMA node as the kernel lists it.
struct Node {
    id: u32,
    cpus: CpuSet,
    memory_bytes: Option<u64>,
}

impl Sysfs {
    /// The cpus that are online. Kernels without hotplug have no file `online`, and sandboxes have an empty one; then the directories of
    /// cpus are counted. Old kernels with hotplug have a file `online` in each of these directories.
    fn online(&self) -> Result<CpuSet> {
        let cpus = self.path("sys/devices/system/cpu");
        let runs = |cpu: &u32| number(&cpus.join(format!("cpu{cpu}/online"))) != Some(0);
        let counted = || numbered(&cpus, "cpu").into_iter().filter(runs).collect();
        let online: CpuSet = listed(&cpus.join("online")).filter(|list| !list.is_empty()).unwrap_or_else(counted);
        match online.is_empty() {
            false => Ok(online),
            true => Err(Error::new(format!("no CPU is listed in {}: is sysfs mounted?", cpus.display()))),
        }
    }

    /// Every core once: its first cpu, itself, and its package.
    fn cores(&self, online: &CpuSet) -> Vec<(u32, Core, u32)> {
        let mut seen = CpuSet::new();
        let mut cores = Vec::new();
        for cpu in online.iter() {
            if seen.contains(cpu) {
                continue;
            }
            let about = self.path(&format!("sys/devices/system/cpu/cpu{cpu}/topology"));
            let siblings = ["core_cpus", "thread_siblings"]
                .iter()
                .find_map(|name| listed(&about.join(format!("{name}_list"))).or_else(|| masked(&about.join(name))))
                .map(|siblings| siblings.intersection(online))
                .filter(|siblings| siblings.contains(cpu));
            // A cpu that an earlier core has claimed stays there, so that no cpu is on the map twice.
            let threads: Vec<u32> = match siblings {
                Some(siblings) => siblings.iter().filter(|&cpu| !seen.contains(cpu)).collect(),
                None => vec![cpu],
            };
            seen.extend(threads.iter().copied());
            let package = number(&about.join("physical_package_id")).and_then(|id| u32::try_from(id).ok());
            cores.push((cpu, Core { threads }, package.unwrap_or(0)));
        }
        cores
    }

    /// The NUMA nodes; if the kernel knows none, one node that contains everything.
    fn nodes(&self, online: &CpuSet) -> Vec<Node> {
        let directory = self.path("sys/devices/system/node");
        let nodes: Vec<Node> = numbered(&directory, "node")
            .into_iter()
            .map(|id| {
                let about = directory.join(format!("node{id}"));
                let cpus = listed(&about.join("cpulist")).or_else(|| masked(&about.join("cpumap"))).unwrap_or_default();
                Node { id, cpus: cpus.intersection(online), memory_bytes: memory_total(&about.join("meminfo")) }
            })
            .collect();
        match nodes.is_empty() {
            false => nodes,
            true => {
                let memory_bytes = memory_total(&self.path("proc/meminfo"));
                vec![Node { id: 0, cpus: online.clone(), memory_bytes }]
            }
        }
    }
}

/// The cpus that a file lists.
fn listed(path: &Path) -> Option<CpuSet> {
    text(path)?.parse().ok()
}

/// The cpus in a file's mask. Kernels before 2.6.28 have no lists, only masks.
fn masked(path: &Path) -> Option<CpuSet> {
    CpuSet::from_mask(&text(path)?)
}

/// `MemTotal` of a meminfo file, in bytes.
fn memory_total(path: &Path) -> Option<u64> {
    let meminfo = text(path)?;
    let line = meminfo.lines().find(|line| line.contains("MemTotal:"))?;
    let kib: u64 = line.split("MemTotal:").nth(1)?.split_whitespace().next()?.parse().ok()?;
    kib.checked_mul(1_024)
}
