//! The topologies of real machines, written from facts that their owners or hwloc's tests publish.
//!
//! | machine | source |
//! |---|---|
//! | `epyc_nps4` | `lscpu` and `hwloc-ls` of a two-socket EPYC at hackmd.io/@hlajungo/H1PJfTJxgg |
//! | `frontier` | docs.olcf.ornl.gov, Frontier User Guide: nodes, cores that the system keeps, a NIC beside each GPU |
//! | `perlmutter_cpu` | docs.nersc.gov, Perlmutter: two EPYC 7763, one Slingshot NIC, which is put on node 0 |
//! | `xeon_snc2` | hwloc, `linux/memorysidecaches`; two mlx5 added as boards have them |
//! | `xeon_cod` | hwloc, `xml/28intel64-2p2g7c-CoDgroups` |
//! | `westmere` | hwloc, `xml/24em64t-2n6c2t-pci` |
//! | `power9` | hwloc, `linux/nvidiagpunumanodes`: memory of GPUs as nodes; two mlx5 added as on AC922 boards |
//! | `knl_snc4` | hwloc, `xml/64intel64-fakeKNL-SNC4-hybrid`; one Omni-Path NIC added |
//! | `a64fx` | Fujitsu Technical Review 2020-03, article 3: four groups of twelve cores and an assistant; numbers as on Fugaku |
//! | `cxl` | hwloc, `linux/fakeheteromemtiers`: nodes of memory alone, of several kinds; two mlx5 added |
//! | `kunpeng` | hwloc, `linux/128arm-2pa2n8cluster4co` |
//! | `sparse` | hwloc, `linux/48amd64-4d2n6c-sparse`: holes in the numbers of nodes |
//! | `offline` | hwloc, `linux/offline-cpu0-node0`: cpus that are off, and a node whose memory is |
//! | `hybrid` | hwloc, `linux/20em64t-hybrid-1p6c2t+2ca4co1t` |
//!
//! hwloc (github.com/open-mpi/hwloc, tests/hwloc) is under the BSD licence of three clauses; none of its files is here.

use ferrite_topology::{Core, CpuSet, Machine, Nic, NicKind, Numa, Package};

/// How the cpus of a node are assigned to its cores.
#[derive(Clone, Copy)]
enum Threads {
    /// The list of cpus has this many equal parts: the first threads of all cores, then the second threads.
    Far(usize),
    /// Each core has this many consecutive cpus.
    Near(usize),
}
use Threads::{Far, Near};

fn cores(cpus: &str, threads: Threads) -> Vec<Core> {
    let cpus: Vec<u32> = cpus.parse::<CpuSet>().unwrap().iter().collect();
    match threads {
        Near(each) => cpus.chunks(each).map(|threads| Core { threads: threads.to_vec() }).collect(),
        Far(each) => {
            let count = cpus.len() / each;
            (0..count).map(|core| Core { threads: (0..each).map(|part| cpus[part * count + core]).collect() }).collect()
        }
    }
}

fn numa(id: u32, gib: u64, cpus: &str, threads: Threads) -> Numa {
    Numa { id, memory_bytes: Some(gib << 30), cores: cores(cpus, threads) }
}

fn memory(id: u32, gib: u64) -> Numa {
    Numa { id, memory_bytes: Some(gib << 30), cores: Vec::new() }
}

fn machine<const N: usize>(packages: [(u32, Vec<Numa>); N]) -> Machine {
    let packages = packages.map(|(id, numas)| Package { id, numas }).to_vec();
    let machine = Machine {
        packages,
        memory_only: Vec::new(),
        nics: Vec::new(),
        gpus: Vec::new(),
        usable: CpuSet::new(),
        quota: None,
        astray: false,
    };
    machine.restricted_to(&CpuSet::new())
}

fn nic(name: &str, kind: NicKind, numa: Option<u32>) -> Nic {
    let plain = Nic { name: name.to_owned(), kind, numa, up: Some(true), closed: false, port: Some(1), network: None };
    match kind {
        NicKind::Cxi => Nic { up: None, port: None, network: Some("cxi".to_owned()), ..plain },
        NicKind::Net => Nic { up: None, port: None, ..plain },
        _ => Nic { network: Some("InfiniBand fe80:0000:0000:0000".to_owned()), ..plain },
    }
}

fn with(machine: Machine, nics: &[(&str, NicKind, u32)]) -> Machine {
    Machine { nics: nics.iter().map(|&(name, kind, numa)| nic(name, kind, Some(numa))).collect(), ..machine }
}

/// All machines, with their names.
pub fn all() -> Vec<(&'static str, Machine)> {
    vec![
        ("epyc_nps4", epyc_nps4()),
        ("frontier", frontier()),
        ("perlmutter_cpu", perlmutter_cpu()),
        ("xeon_snc2", xeon_snc2()),
        ("xeon_cod", xeon_cod()),
        ("westmere", westmere()),
        ("power9", power9()),
        ("knl_snc4", knl_snc4()),
        ("a64fx", a64fx()),
        ("cxl", cxl()),
        ("kunpeng", kunpeng()),
        ("sparse", sparse()),
        ("offline", offline()),
        ("hybrid", hybrid()),
    ]
}

/// Node `id` of a two-socket EPYC with four nodes on each: 16 cores, whose second threads come after all cores.
fn epyc_node(id: u32, gib: u64) -> Numa {
    let (first, second) = (16 * id, 128 + 16 * id);
    numa(id, gib, &format!("{first}-{},{second}-{}", first + 15, second + 15), Far(2))
}

pub fn epyc_nps4() -> Machine {
    let node = |id| epyc_node(id, 63);
    let board = machine([(0, (0..4).map(node).collect()), (1, (4..8).map(node).collect())]);
    // The Ethernet belongs to no rail. One node of each package has a host adapter.
    with(board, &[("mlx5_0", NicKind::Verbs, 1), ("mlx5_1", NicKind::Verbs, 7), ("enp225s0f0", NicKind::Net, 4)])
}

pub fn perlmutter_cpu() -> Machine {
    let node = |id| epyc_node(id, 64);
    let board = machine([(0, (0..4).map(node).collect()), (1, (4..8).map(node).collect())]);
    with(board, &[("cxi0", NicKind::Cxi, 0)])
}

/// NICs have the numbers of the GPUs to which they are attached, on nodes 3, 1, 0 and 2. The system keeps the first of every eight cores.
pub fn frontier() -> Machine {
    let node = |id: u32| {
        let (first, second) = (16 * id, 64 + 16 * id);
        numa(id, 128, &format!("{first}-{},{second}-{}", first + 15, second + 15), Far(2))
    };
    let board = with(
        machine([(0, (0..4).map(node).collect())]),
        &[("cxi0", NicKind::Cxi, 3), ("cxi1", NicKind::Cxi, 1), ("cxi2", NicKind::Cxi, 0), ("cxi3", NicKind::Cxi, 2)],
    );
    let usable: CpuSet = (0..128).filter(|cpu| cpu % 8 != 0).collect();
    board.restricted_to(&usable)
}

/// A core has every fourth cpu from `first` on. The second threads have numbers that are higher by 40.
pub fn xeon_snc2() -> Machine {
    let node = |id: u32| {
        let cpus: CpuSet = (0..20).map(|at| id + 4 * at).collect();
        numa(id, 371, &cpus.to_string(), Far(2))
    };
    let board = machine([(0, vec![node(0), node(2)]), (1, vec![node(1), node(3)])]);
    with(board, &[("mlx5_0", NicKind::Verbs, 0), ("mlx5_1", NicKind::Verbs, 1)])
}

pub fn xeon_cod() -> Machine {
    let (first, second) = (vec![numa(0, 16, "0-6", Near(1)), numa(1, 16, "7-13", Near(1))], ["14-20", "21-27"]);
    let second = vec![numa(2, 16, second[0], Near(1)), numa(3, 16, second[1], Near(1))];
    with(machine([(0, first), (1, second)]), &[("enp6s0", NicKind::Net, 0), ("enp12s0", NicKind::Net, 0)])
}

/// Even cpus are on one package, odd ones on the other. There is one host adapter.
pub fn westmere() -> Machine {
    let node = |id: u32| {
        let cpus: CpuSet = (0..12).map(|at| id + 2 * at).collect();
        numa(id, 18, &cpus.to_string(), Far(2))
    };
    with(machine([(0, vec![node(0)]), (1, vec![node(1)])]), &[("mlx4_0", NicKind::Verbs, 0)])
}

pub fn power9() -> Machine {
    let board = machine([(0, vec![numa(0, 123, "0-15", Near(4))]), (8, vec![numa(8, 127, "88-103", Near(4))])]);
    let board = Machine { memory_only: (250..256).map(|id| memory(id, 15)).collect(), ..board };
    with(board, &[("mlx5_0", NicKind::Verbs, 0), ("mlx5_3", NicKind::Verbs, 8)])
}

pub fn knl_snc4() -> Machine {
    let node = |id: u32| {
        let cpus: CpuSet = (0..16).map(|at| 4 * id + at % 4 + 16 * (at / 4)).collect();
        numa(id, 24, &cpus.to_string(), Far(4))
    };
    let board = machine([(0, (0..4).map(node).collect())]);
    let board = Machine { memory_only: (4..8).map(|id| memory(id, 4)).collect(), ..board };
    with(board, &[("hfi1_0", NicKind::Hfi, 0)])
}

/// The system keeps cpus 0 to 11 and nodes 0 to 3. The kernel does not list the network as a NIC.
pub fn a64fx() -> Machine {
    let node = |id: u32| numa(id, 8, &format!("{}-{}", 12 * (id - 3), 12 * (id - 3) + 11), Near(1));
    machine([(0, (4..8).map(node).collect())])
}

pub fn cxl() -> Machine {
    let node = |id: u32| (id, vec![numa(id, 3, &format!("{}-{}", 2 * id, 2 * id + 1), Near(1))]);
    let board = machine([node(0), node(1), node(2)]);
    let board = Machine { memory_only: [4, 6, 8, 9].map(|id| memory(id, 1)).to_vec(), ..board };
    with(board, &[("mlx5_0", NicKind::Verbs, 0), ("mlx5_1", NicKind::Verbs, 2)])
}

pub fn kunpeng() -> Machine {
    let node = |id: u32| numa(id, 126, &format!("{}-{}", 32 * id, 32 * id + 31), Near(1));
    let board = machine([(36, vec![node(0), node(1)]), (8442, vec![node(2), node(3)])]);
    with(board, &[("hns_0", NicKind::Verbs, 0), ("hns_1", NicKind::Verbs, 2)])
}

pub fn sparse() -> Machine {
    let ids = [0, 1, 2, 33, 34, 45, 72, 73];
    let node = |at: u32| numa(ids[at as usize], 8, &format!("{}-{}", 6 * at, 6 * at + 5), Near(1));
    let board = machine([0, 1, 2, 3].map(|id| (id, vec![node(2 * id), node(2 * id + 1)])));
    with(board, &[("mlx5_0", NicKind::Verbs, 33), ("mlx5_1", NicKind::Verbs, 72)])
}

/// Node 0 is off: its cpus run, and it has no memory.
pub fn offline() -> Machine {
    let list = |first: u32, count: u32| (0..count).map(|at| first + 2 * at).collect::<CpuSet>().to_string();
    let away = Numa { memory_bytes: None, ..numa(0, 0, &list(4, 9), Near(1)) };
    machine([(0, vec![away]), (1, vec![numa(1, 64, &list(5, 8), Near(1))])])
}

pub fn hybrid() -> Machine {
    let mut node = numa(0, 31, "0-11", Near(2));
    node.cores.extend(cores("12-19", Near(1)));
    machine([(0, vec![node])])
}
