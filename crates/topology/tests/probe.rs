//! The sysfs probe on the trees of other machines, and on this machine.

use std::{
    env, fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process,
    sync::atomic::{AtomicU32, Ordering},
};

use proptest::prelude::*;

use ferrite_topology::{CpuSet, Machine, MapBy, Nic, Probe, Sysfs, allowed, place};

/// A tree of `sys` and `proc` in a directory of its own, removed at the end.
struct Tree {
    root: PathBuf,
}

impl Tree {
    fn new() -> Tree {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("ferrite-sysfs-{}-{}", process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let root = env::temp_dir().join(name);
        // An earlier process of this number may have left one.
        let _ = fs::remove_dir_all(&root);
        fs::create_dir_all(&root).unwrap();
        Tree { root }
    }

    fn file(&self, path: impl AsRef<Path>, text: &str) -> &Tree {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("{text}\n")).unwrap();
        self
    }

    fn online(&self, list: &str) -> &Tree {
        self.file("sys/devices/system/cpu/online", list)
    }

    fn cpu(&self, cpu: u32, package: i32, siblings: &str) -> &Tree {
        let about = format!("sys/devices/system/cpu/cpu{cpu}/topology");
        self.file(format!("{about}/physical_package_id"), &package.to_string())
            .file(format!("{about}/thread_siblings_list"), siblings)
    }

    fn node(&self, id: u32, cpus: &str, kib: u64) -> &Tree {
        let about = format!("sys/devices/system/node/node{id}");
        self.file(format!("{about}/cpulist"), cpus)
            .file(format!("{about}/meminfo"), &format!("Node {id} MemTotal:       {kib} kB\nNode {id} MemFree: 1 kB"))
    }

    /// A device of the class `infiniband` with one port, on the default subnet.
    fn verbs(&self, name: &str, numa: i32, state: &str, link_layer: &str) -> &Tree {
        self.file(format!("sys/class/infiniband/{name}/device/numa_node"), &numa.to_string());
        self.port(name, 1, state, link_layer, "fe80:0000:0000:0000:506b:4b03:00fb:c55a")
    }

    /// A device of EFA, with the files that the kernel provides.
    fn efa(&self, name: &str, numa: i32) -> &Tree {
        self.verbs(name, numa, "4: ACTIVE", "Unknown");
        let driver = self.root.join(format!("sys/class/infiniband/{name}/device/driver"));
        symlink("../../../../bus/pci/drivers/efa", driver).unwrap();
        self
    }

    fn port(&self, name: &str, port: u32, state: &str, link_layer: &str, gid: &str) -> &Tree {
        let about = format!("sys/class/infiniband/{name}/ports/{port}");
        self.file(format!("{about}/state"), state)
            .file(format!("{about}/link_layer"), link_layer)
            .file(format!("{about}/gids/0"), gid)
    }

    fn probe(&self) -> Machine {
        Sysfs::below(&self.root, CpuSet::new()).probe().unwrap()
    }

    /// The map as "package[numa:cpus+cpus|..]", one core after the other.
    fn shape(&self) -> String {
        shape(&self.probe())
    }
}

fn shape(machine: &Machine) -> String {
    let core = |threads: &[u32]| threads.iter().map(u32::to_string).collect::<Vec<_>>().join("+");
    let package = |package: &ferrite_topology::Package| {
        let numa = |numa: &ferrite_topology::Numa| {
            let cores: Vec<String> = numa.cores.iter().map(|c| core(&c.threads)).collect();
            format!("{}:{}", numa.id, cores.join(" "))
        };
        format!("{}[{}]", package.id, package.numas.iter().map(numa).collect::<Vec<_>>().join("|"))
    };
    machine.packages.iter().map(package).collect()
}

/// The NICs of a map, a line each.
fn nics(machine: &Machine) -> Vec<String> {
    let line = |nic: &Nic| {
        let mut line = format!("{} {}", nic.name, nic.kind);
        nic.numa.iter().for_each(|numa| line += &format!(" numa {numa}"));
        nic.up.iter().for_each(|&up| line += if up { " up" } else { " down" });
        nic.port.iter().for_each(|port| line += &format!(" port {port}"));
        nic.network.iter().for_each(|network| line += &format!(" on {network}"));
        line
    };
    machine.nics.iter().map(line).collect()
}

impl Drop for Tree {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

#[test]
fn two_sockets_with_threads_numbered_after_all_cores() {
    let tree = Tree::new();
    tree.online("0-15");
    for cpu in 0..16u32 {
        let core = cpu % 8;
        tree.cpu(cpu, i32::from(core >= 4), &format!("{core},{}", core + 8));
    }
    tree.node(0, "0-1,8-9", 1 << 20).node(1, "2-3,10-11", 1 << 20);
    tree.node(2, "4-5,12-13", 1 << 20).node(3, "6-7,14-15", 1 << 20);
    assert_eq!(tree.shape(), "0[0:0+8 1+9|1:2+10 3+11]1[2:4+12 5+13|3:6+14 7+15]");
    assert!(tree.probe().numas().all(|numa| numa.memory_bytes == Some(1 << 30)));
}

#[test]
fn sockets_whose_cpus_alternate() {
    let tree = Tree::new();
    tree.online("0-7");
    for cpu in 0..8u32 {
        tree.cpu(cpu, (cpu % 2) as i32, &format!("{},{}", cpu % 4, cpu % 4 + 4));
    }
    tree.node(0, "0,2,4,6", 4).node(1, "1,3,5,7", 4);
    assert_eq!(tree.shape(), "0[0:0+4 2+6]1[1:1+5 3+7]");
}

#[test]
fn cpus_that_are_off_line_are_not_on_the_map() {
    let tree = Tree::new();
    tree.online("0,2-3");
    for cpu in 0..4u32 {
        tree.cpu(cpu, 0, if cpu < 2 { "0-1" } else { "2-3" });
    }
    tree.node(0, "0-3", 4);
    assert_eq!(tree.shape(), "0[0:0 2+3]");
}

#[test]
fn a_board_that_says_nothing_is_one_node_of_single_cores() {
    let tree = Tree::new();
    tree.file("sys/devices/system/cpu/cpu0/uevent", "").file("sys/devices/system/cpu/cpu1/uevent", "");
    tree.file("sys/devices/system/cpu/cpufreq/boost", "0").file("proc/meminfo", "MemTotal:        2048 kB");
    assert_eq!(tree.shape(), "0[0:0 1]");
    assert_eq!(tree.probe().packages[0].numas[0].memory_bytes, Some(2 << 20));
}

#[test]
fn old_kernels_have_masks_and_say_of_each_cpu_whether_it_runs() {
    let tree = Tree::new();
    for cpu in 0..36u32 {
        let about = format!("sys/devices/system/cpu/cpu{cpu}");
        let package = cpu / 2 % 2;
        let mask = ["00000003", "0000000c"][package as usize];
        tree.file(format!("{about}/topology/physical_package_id"), &package.to_string());
        if cpu < 4 {
            tree.file(format!("{about}/topology/thread_siblings"), &format!("00000000,{mask}"));
        }
        tree.file(format!("{about}/online"), if (4..35).contains(&cpu) { "0" } else { "1" });
    }
    tree.file("sys/devices/system/node/node0/cpumap", "00000000,00000003");
    tree.file("sys/devices/system/node/node1/cpumap", "0000000f,fffffffc");
    assert_eq!(tree.shape(), "0[0:0+1]1[1:2+3 35]");
}

#[test]
fn lists_that_end_with_a_zero_byte_are_read() {
    let tree = Tree::new();
    tree.online("0-1\n\0").cpu(0, 0, "0\n\0").cpu(1, 0, "1\n\0").node(0, "0\n\0", 8).node(1, "1\n\0", 8);
    assert_eq!(tree.shape(), "0[0:0|1:1]");
}

#[test]
fn a_package_that_is_not_known_is_the_first() {
    let tree = Tree::new();
    tree.online("0-1").cpu(0, -1, "0").cpu(1, -1, "1").node(0, "0-1", 4);
    assert_eq!(tree.shape(), "0[0:0 1]");
}

#[test]
fn one_node_over_two_packages_has_its_memory_in_the_first() {
    let tree = Tree::new();
    tree.online("0-1").cpu(0, 0, "0").cpu(1, 1, "1").node(0, "0-1", 8);
    assert_eq!(tree.shape(), "0[0:0]1[0:1]");
    let memory: Vec<_> = tree.probe().numas().map(|numa| numa.memory_bytes).collect();
    assert_eq!(memory, [Some(8 << 10), None]);
}

#[test]
fn nodes_of_memory_alone_are_kept_apart() {
    let tree = Tree::new();
    tree.online("0").cpu(0, 0, "0").node(0, "0", 8).node(1, "", 16).node(2, "", 0);
    let machine = tree.probe();
    assert_eq!(machine.numas().count(), 1);
    assert_eq!(machine.memory_only.iter().map(|numa| numa.id).collect::<Vec<_>>(), [1]);
}

#[test]
fn siblings_that_contradict_each_other_name_no_cpu_twice() {
    let tree = Tree::new();
    tree.online("0-2").cpu(0, 0, "0-1").cpu(1, 0, "1-2").cpu(2, 0, "1-2").node(0, "0-2", 8);
    assert_eq!(tree.shape(), "0[0:0+1 2]");
}

#[test]
fn devices_are_found_with_their_nodes_and_links() {
    let tree = Tree::new();
    tree.online("0").cpu(0, 0, "0").node(0, "0", 8);
    tree.verbs("mlx5_10", 0, "4: ACTIVE", "InfiniBand").verbs("mlx5_2", 1, "1: DOWN", "InfiniBand");
    tree.verbs("roce0", 0, "4: ACTIVE", "Ethernet").efa("efa_0", 0);
    tree.verbs("hfi1_0", 1, "4: ACTIVE", "InfiniBand");
    tree.file("sys/class/cxi/cxi0/device/numa_node", "0");
    tree.file("sys/class/net/eth0/device/numa_node", "-1").file("sys/class/net/eth0/operstate", "up");
    tree.file("sys/class/net/lo/operstate", "unknown");
    assert_eq!(
        nics(&tree.probe()),
        [
            "cxi0 cxi numa 0 on cxi",
            "hfi1_0 hfi numa 1 up port 1 on InfiniBand fe80:0000:0000:0000",
            "efa_0 verbs numa 0 up port 1 on efa",
            "mlx5_2 verbs numa 1 down",
            "mlx5_10 verbs numa 0 up port 1 on InfiniBand fe80:0000:0000:0000",
            "roce0 verbs numa 0 up port 1",
            "eth0 net up",
        ]
    );
}

#[test]
fn a_device_is_used_by_its_first_port_that_is_up() {
    let tree = Tree::new();
    tree.online("0").cpu(0, 0, "0").node(0, "0", 8).verbs("mlx4_0", 0, "1: DOWN", "InfiniBand");
    tree.port("mlx4_0", 2, "4: ACTIVE", "InfiniBand", "fec0:0000:0000:0007:0002:c903:0000:1491");
    assert_eq!(nics(&tree.probe()), ["mlx4_0 verbs numa 0 up port 2 on InfiniBand fec0:0000:0000:0007"]);
    // The default prefix does not identify a subnet, but its manager does.
    for (nic, manager) in [("mlx5_0", "0x1"), ("mlx5_1", "0x2")] {
        tree.verbs(nic, 0, "4: ACTIVE", "InfiniBand")
            .file(format!("sys/class/infiniband/{nic}/ports/1/sm_lid"), manager);
        let last = nics(&tree.probe()).pop().unwrap();
        assert_eq!(last, format!("{nic} verbs numa 0 up port 1 on InfiniBand fe80:0000:0000:0000 of {manager}"));
    }
    // If a driver gives no state of its ports, they count as up.
    tree.file("sys/class/infiniband/odd0/device/numa_node", "junk");
    assert_eq!(nics(&tree.probe())[3], "odd0 verbs");
}

/// A container lists all HCAs of its host, but has the device files only of those that it may use.
#[test]
fn a_device_whose_file_cannot_be_opened_is_nobodys() {
    let tree = Tree::new();
    tree.online("0-1").cpu(0, 0, "0").cpu(1, 0, "1").node(0, "0-1", 8);
    for nic in 0..3 {
        tree.verbs(&format!("mlx5_{nic}"), 0, "4: ACTIVE", "InfiniBand");
    }
    let verbs = |nic: u32, number: u32| {
        tree.file(format!("sys/class/infiniband/mlx5_{nic}/device/infiniband_verbs/uverbs{number}/dev"), "231:192");
    };
    verbs(0, 4);
    verbs(1, 5);
    let seen = |probe: Sysfs| {
        let machine = probe.probe().unwrap();
        let closed: Vec<bool> = machine.nics.iter().map(|nic| nic.closed).collect();
        (
            closed,
            place(&machine, 2, MapBy::Slot, None).unwrap().into_iter().map(|one| one.rails.nics).collect::<Vec<_>>(),
        )
    };
    let (below, files) = (|| Sysfs::below(&tree.root, CpuSet::new()), tree.root.join("dev"));
    // In a tree of another machine, all devices count as usable.
    assert_eq!(seen(below()).0, [false; 3]);
    assert_eq!(seen(below().opening(&files)), (vec![true; 3], vec![Vec::new(); 2]));
    tree.file("dev/infiniband/uverbs5", "");
    assert_eq!(seen(below().opening(&files)), (vec![true, false, true], vec![vec![1]; 2]));
    // A path that exists, and that not even root can open for writing.
    tree.file("dev/infiniband/uverbs4/x", "");
    assert_eq!(seen(below().opening(&files)).0, [true, false, true]);
}

#[test]
fn a_virtual_function_stands_in_for_a_device_that_cannot_be_used() {
    let tree = Tree::new();
    tree.online("0").cpu(0, 0, "0").node(0, "0", 8);
    tree.verbs("mlx5_0", 0, "4: ACTIVE", "InfiniBand").verbs("mlx5_1", 0, "4: ACTIVE", "InfiniBand");
    tree.verbs("mlx5_2", 0, "4: ACTIVE", "InfiniBand");
    for share in [1, 2] {
        let link = tree.root.join(format!("sys/class/infiniband/mlx5_{share}/device/physfn"));
        symlink("../../mlx5_0/device", link).unwrap();
    }
    let names = || tree.probe().nics.into_iter().map(|nic| nic.name).collect::<Vec<_>>();
    assert_eq!(names(), ["mlx5_0"]);
    tree.file("sys/class/infiniband/mlx5_0/ports/1/state", "1: DOWN");
    assert_eq!(names(), ["mlx5_0", "mlx5_1", "mlx5_2"]);
    fs::remove_dir_all(tree.root.join("sys/class/infiniband/mlx5_0")).unwrap();
    assert_eq!(names(), ["mlx5_1", "mlx5_2"]);
}

/// A machine of two packages with the same number of NICs on each, and the NICs that its PEs get.
#[test]
fn two_sockets_with_a_nic_or_two_each() {
    for (each, expected) in [(1, "mlx5_0 mlx5_0 mlx5_1 mlx5_1"), (2, "mlx5_0 mlx5_1 mlx5_2 mlx5_3")] {
        let tree = Tree::new();
        tree.online("0-3").node(0, "0-1", 8).node(1, "2-3", 8);
        (0..4).for_each(|cpu| {
            tree.cpu(cpu, i32::from(cpu >= 2), &cpu.to_string());
        });
        for nic in 0..2 * each {
            tree.verbs(&format!("mlx5_{nic}"), nic / each, "4: ACTIVE", "InfiniBand");
        }
        tree.file("sys/class/net/eno1/device/numa_node", "0").file("sys/class/net/eno1/operstate", "up");
        let machine = tree.probe();
        let placements = place(&machine, 4, MapBy::Slot, None).unwrap();
        let names: Vec<&str> = placements.iter().map(|one| &*machine.nics[one.rails.nics[0]].name).collect();
        assert_eq!(names.join(" "), expected);
        assert_eq!(machine.home(&placements[3].cpus), Some(1));
    }
}

#[test]
fn a_virtual_machine_without_nodes_shares_its_nics_by_turns() {
    let tree = Tree::new();
    tree.online("0-3").file("proc/meminfo", "MemTotal:        2048 kB");
    (0..4).for_each(|cpu| {
        tree.cpu(cpu, 0, &cpu.to_string());
    });
    tree.efa("efa_0", -1).efa("efa_1", -1);
    tree.file("sys/class/net/eth0/device/numa_node", "-1").file("sys/class/net/eth0/operstate", "up");
    let machine = tree.probe();
    let placements = place(&machine, 4, MapBy::Slot, None).unwrap();
    let names: Vec<&str> = placements.iter().map(|one| &*machine.nics[one.rails.nics[0]].name).collect();
    assert_eq!(names, ["efa_0", "efa_1", "efa_0", "efa_1"]);
    assert_eq!(machine.home(&placements[0].cpus), None);
    assert!(!Sysfs::below(&tree.root, CpuSet::new()).has_several_nodes());
}

#[test]
fn a_container_gets_the_nics_of_the_part_that_it_has() {
    let tree = Tree::new();
    tree.online("0-7").node(0, "0-3", 8).node(1, "4-7", 8);
    (0..8).for_each(|cpu| {
        tree.cpu(cpu, i32::from(cpu >= 4), &cpu.to_string());
    });
    tree.verbs("mlx5_0", 0, "4: ACTIVE", "InfiniBand").verbs("mlx5_1", 1, "4: ACTIVE", "InfiniBand");
    let container = Sysfs::below(&tree.root, "5-6".parse().unwrap());
    assert!(container.has_several_nodes());
    let machine = container.probe().unwrap();
    let placements = place(&machine, 2, MapBy::Slot, None).unwrap();
    let cpus: Vec<String> = placements.iter().map(|one| one.cpus.to_string()).collect();
    assert_eq!(cpus, ["5", "6"]);
    assert!(placements.iter().all(|one| one.rails.nics == [1, 0] && one.rails.own == 1));
    // Even a PE that is not bound has its home on the only node of the container.
    let placements = place(&machine, 1, MapBy::Slot, None).unwrap();
    assert_eq!((machine.home(&placements[0].cpus), placements[0].rails.own), (Some(1), 1));
}

#[test]
fn only_the_usable_part_is_usable() {
    let tree = Tree::new();
    tree.online("0-3");
    (0..4).for_each(|cpu| {
        tree.cpu(cpu, 0, &cpu.to_string());
    });
    let machine = Sysfs::below(&tree.root, "1-2,9".parse().unwrap()).probe().unwrap();
    assert_eq!(machine.cpus().to_string(), "0-3");
    assert_eq!(machine.usable.to_string(), "1-2");
    assert_eq!(machine.usable_cores(), 2);
}

#[test]
fn a_list_of_cpus_that_is_empty_or_none_is_made_up_for() {
    for list in ["", "garbage", "3-1"] {
        let tree = Tree::new();
        tree.online(list).cpu(0, 0, "0").cpu(1, 0, "1");
        assert_eq!(tree.shape(), "0[0:0 1]", "{list:?}");
    }
}

#[test]
fn a_process_on_cpus_that_are_not_listed_is_astray() {
    let tree = Tree::new();
    tree.online("0-1").cpu(0, 0, "0").cpu(1, 0, "1");
    for (cpus, astray) in [("", false), ("1,7", false), ("7", true)] {
        let machine = Sysfs::below(&tree.root, cpus.parse().unwrap()).probe().unwrap();
        assert_eq!(machine.astray, astray, "{cpus:?}");
    }
}

#[test]
fn a_tree_without_cpus_is_refused_by_its_path() {
    let tree = Tree::new();
    let error = Sysfs::below(&tree.root, CpuSet::new()).probe().unwrap_err().to_string();
    assert!(error.contains("sys/devices/system/cpu"), "{error}");
}

#[test]
fn this_machine_holds_the_cpus_that_we_run_on() {
    let machine = Machine::probe().unwrap();
    assert_eq!(machine.usable, allowed(), "{}", shape(&machine));
    assert!(machine.usable_cores() >= 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn whatever_the_kernel_says_each_cpu_is_on_the_map_once(
        online in prop::collection::btree_set(0u32..12, 1..8),
        siblings in prop::collection::vec(prop_oneof!["[0-9]{1,2}", "[0-5]-[5-9]", "[0-9],[0-9]", "[a-z]{0,3}"], 12),
        packages in prop::collection::vec(-1i32..3, 12),
        nodes in prop::collection::vec(prop_oneof!["", "[0-9]", "[0-5]-[5-9]", "[0-9],1[0-1]", "x"], 0..4),
    ) {
        let tree = Tree::new();
        let online: CpuSet = online.into_iter().collect();
        tree.online(&online.to_string());
        for cpu in online.iter() {
            tree.cpu(cpu, packages[cpu as usize], &siblings[cpu as usize]);
        }
        for (id, cpus) in nodes.iter().enumerate() {
            tree.node(id as u32, cpus, 4);
        }
        let machine = tree.probe();
        let on_map: Vec<u32> = machine.cores().flat_map(|core| core.threads.clone()).collect();
        prop_assert_eq!(on_map.len(), online.len(), "{}", shape(&machine));
        prop_assert_eq!(&machine.cpus(), &online);
        prop_assert_eq!(&machine.usable, &online);
        prop_assert!(machine.packages.iter().all(|package| !package.numas.is_empty()));
        prop_assert_eq!(machine.draw(&online).matches('#').count(), online.len());
        prop_assert!(machine.to_string().contains("numa"));
    }
}
