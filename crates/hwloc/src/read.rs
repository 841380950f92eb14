//! Converts hwloc's objects to a [`Machine`].
//!
//! hwloc attaches memory to cpus: a cpu may be near several NUMA nodes, of which the kernel takes one for its home.
//! That is the node that serves the fewest cpus (memory attached to a package serves all of its nodes); among equals a
//! node of ordinary memory, then the one with the lowest number. Nodes that are home to no cpu are nodes of memory
//! only.

use std::collections::{BTreeMap, HashMap};

use crate::library::{Kind, NETWORK, OPENFABRICS, Object, Topology};
use ferrite_topology::{Core, CpuSet, Error, Machine, Nic, NicKind, Numa, Package, Result, sort_nics};

/// The cores, packages and NUMA nodes, without NICs, everything usable.
pub(crate) fn machine(topology: &Topology) -> Result<Machine> {
    let nodes = Nodes::of(topology);
    let mut cores: BTreeMap<u32, Found> = BTreeMap::new();
    let mut first_of: HashMap<u32, u32> = HashMap::new();
    let mut cpus: Vec<(u32, Object<'_>)> =
        topology.all(Kind::Cpu).filter_map(|cpu| Some((cpu.number()?, cpu))).collect();
    cpus.sort_unstable_by_key(|&(number, _)| number);
    cpus.dedup_by_key(|&mut (number, _)| number);
    for &(number, cpu) in &cpus {
        // A cpu whose core is not known is one of its own.
        let first = match cpu.within(Kind::Core) {
            Some(core) => *first_of.entry(core.place()).or_insert(number),
            None => number,
        };
        let found = cores.entry(first).or_insert_with(|| Found {
            package: package(cpu),
            node: nodes.home(cpu),
            threads: Vec::new(),
        });
        found.threads.push(number);
    }
    let mut packages: BTreeMap<u32, BTreeMap<u32, Vec<Core>>> = BTreeMap::new();
    for core in cores.into_values() {
        let home = packages.entry(core.package).or_default().entry(core.node).or_default();
        home.push(Core { threads: core.threads });
    }
    if packages.is_empty() {
        return Err(Error::new("there is no cpu on hwloc's map"));
    }
    let mut memory: BTreeMap<u32, u64> =
        nodes.all.iter().filter(|node| node.memory_bytes > 0).map(|node| (node.id, node.memory_bytes)).collect();
    let mut numa = |(id, cores): (u32, Vec<Core>)| Numa { id, memory_bytes: memory.remove(&id), cores };
    let packages = packages
        .into_iter()
        .map(|(id, numas)| Package { id, numas: numas.into_iter().map(&mut numa).collect() })
        .collect();
    let memory_only =
        memory.into_iter().map(|(id, bytes)| Numa { id, memory_bytes: Some(bytes), cores: Vec::new() }).collect();
    let machine = Machine {
        packages,
        memory_only,
        nics: Vec::new(),
        gpus: Vec::new(),
        usable: CpuSet::new(),
        quota: None,
        astray: false,
    };
    Ok(machine.restricted_to(&CpuSet::new()))
}

/// A core while the map is built.
struct Found {
    package: u32,
    node: u32,
    threads: Vec<u32>,
}

/// The number of a CPU's package: the kernel's number, else hwloc's, else the number of the only package.
fn package(cpu: Object<'_>) -> u32 {
    cpu.within(Kind::Package).map_or(0, |package| package.label())
}

/// A NUMA node, with the properties that decide which cpus it is home to.
struct Node {
    id: u32,
    memory_bytes: u64,
    cpus: usize,
    special: bool,
}

struct Nodes {
    /// All nodes, the preferred ones first.
    all: Vec<Node>,
}

impl Nodes {
    fn of(topology: &Topology) -> Nodes {
        let node = |object: Object<'_>| {
            let special = object.subtype().is_some_and(|kind| kind != "DRAM");
            let cpus = object.cpus().map_or(0, |cpus| cpus.len());
            Some(Node { id: object.number()?, memory_bytes: object.memory_bytes(), cpus, special })
        };
        let mut all: Vec<Node> = topology.all(Kind::Numa).filter_map(node).collect();
        all.sort_by_key(|node| (node.cpus, node.special, node.id));
        Nodes { all }
    }

    fn home(&self, cpu: Object<'_>) -> u32 {
        let near = cpu.nodes();
        self.all.iter().find(|node| near.contains(&node.id)).map_or(0, |node| node.id)
    }
}

/// The version of the library that read the machine: the one loaded here, or the one that wrote the file.
pub(crate) fn version(topology: &Topology) -> Option<String> {
    topology.all(Kind::Machine).next()?.info("hwlocVersion")
}

/// The network devices, in the order of the other probe.
pub(crate) fn nics(topology: &Topology) -> Vec<Nic> {
    let nodes = Nodes::of(topology);
    let mut found: Vec<Nic> = topology.all(Kind::Device).filter_map(|device| nic(topology, &nodes, device)).collect();
    sort_nics(&mut found);
    // Slingshot's NICs are Ethernets too: newer libraries name both, older ones the Ethernet alone.
    found.dedup_by(|a, b| a.kind == NicKind::Cxi && a.kind == b.kind && a.name == b.name);
    found
}

fn nic(topology: &Topology, nodes: &Nodes, device: Object<'_>) -> Option<Nic> {
    // The kernel's names contain no blanks: the listing would split such a name into several words, and lose an empty one.
    let name: String = device.name()?.split_whitespace().collect::<Vec<_>>().join("_");
    if name.is_empty() {
        return None;
    }
    let numa = near(topology, nodes, device);
    let plain = Nic { name, kind: NicKind::Net, numa, up: None, closed: false, port: None, network: None };
    let slingshot = device.subtype().is_some_and(|kind| kind == "Slingshot") || plain.name.starts_with("cxi");
    match device.device()? {
        OPENFABRICS | NETWORK if slingshot => {
            let name = plain.name.strip_prefix("hsn").map_or(plain.name.clone(), |number| format!("cxi{number}"));
            Some(Nic { name, kind: NicKind::Cxi, network: Some("cxi".to_owned()), ..plain })
        }
        OPENFABRICS => Some(with_ports(device, plain)),
        NETWORK => Some(plain),
        _ => None,
    }
}

/// Sets the first port whose link is up, and its network. A port that has a number on its subnet (LID) is of InfiniBand or Omni-Path, and
/// its subnet is the first half of its address. hwloc does not say on which network the other ports are, nor which manager a subnet has.
/// PEs do not depend on it: they are placed by the kernel's files.
fn with_ports(device: Object<'_>, nic: Nic) -> Nic {
    let kind = if nic.name.starts_with("hfi1_") { NicKind::Hfi } else { NicKind::Verbs };
    let states = (1..=8).filter_map(|port| Some((port, device.info(&format!("Port{port}State"))?)));
    let states: Vec<(u32, String)> = states.collect();
    // 4 is the kernel's number for "active".
    let port = states.iter().find(|(_, state)| state == "4").map(|&(port, _)| port);
    let network = port.and_then(|port| {
        let lid = device.info(&format!("Port{port}LID"))?;
        let on_subnet = u64::from_str_radix(lid.trim_start_matches("0x"), 16).is_ok_and(|lid| lid != 0);
        let gid = device.info(&format!("Port{port}GID0"))?;
        on_subnet.then(|| gid.get(..19).map(|prefix| format!("InfiniBand {prefix}")))?
    });
    Nic { kind, up: (!states.is_empty()).then_some(port.is_some()), port, network, ..nic }
}

/// The NUMA node of a device: the node of the object around it, or the first node if that object is a package with several nodes. `None`
/// for a device that is attached to the whole machine, if the machine has several nodes.
fn near(topology: &Topology, nodes: &Nodes, device: Object<'_>) -> Option<u32> {
    let mut around = std::iter::successors(device.parent(), |object| object.parent());
    let around = around.find(|object| object.cpus().is_some())?;
    let cpus = around.cpus()?;
    let inside = topology.all(Kind::Cpu).filter(|cpu| cpu.number().is_some_and(|number| cpus.contains(number)));
    let homes: Vec<(u32, u32)> = inside.map(|cpu| (package(cpu), nodes.home(cpu))).collect();
    let &(first, node) = homes.first()?;
    let one_node = homes.iter().all(|&(_, other)| other == node);
    let one_package = around.parent().is_some() && homes.iter().all(|&(other, _)| other == first);
    (one_node || one_package).then(|| homes.iter().map(|&(_, node)| node).min())?
}
