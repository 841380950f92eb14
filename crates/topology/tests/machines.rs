//! The placement of PEs, their memory and their NICs on real machines.

mod boards;

use boards::*;
use ferrite_topology::{CpuSet, Machine, MapBy, NicKind, Placement, place};

fn placed(machine: &Machine, pes: u32, by: &str, bind: Option<&str>) -> Vec<Placement> {
    place(machine, pes, by.parse().unwrap(), bind.map(|bind| bind.parse().unwrap())).unwrap()
}

/// The placements as "cpus@home:nics": a PE's cpus, the node of its memory, and its own NICs. Equal texts in a row are written as "text
/// xN".
fn written(machine: &Machine, placements: &[Placement]) -> String {
    let one = |placement: &Placement| {
        let home = machine.home(&placement.cpus).map(|node| format!("@{node}")).unwrap_or_default();
        let own = placement.rails.nics[..placement.rails.own].iter().map(|&nic| &*machine.nics[nic].name);
        let own = own.collect::<Vec<_>>().join("+");
        format!("{}{home}:{own}", placement.cpus)
    };
    placements.iter().map(one).collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn check(machine: &Machine, pes: u32, by: &str, bind: Option<&str>, expected: &str) {
    let found = written(machine, &placed(machine, pes, by, bind));
    assert_eq!(found, expected, "{pes} PEs by {by}, bound to {bind:?}");
}

/// Number of PEs on each NIC, in the order of the map.
#[track_caller]
fn check_loads(machine: &Machine, pes: u32, by: &str, expected: &[usize]) {
    let mut loads = vec![0; machine.nics.len()];
    for one in placed(machine, pes, by, None) {
        one.rails.nics[..one.rails.own].iter().for_each(|&nic| loads[nic] += 1);
    }
    assert_eq!(loads, expected, "{pes} PEs by {by}");
}

#[test]
fn epyc_of_eight_nodes_and_two_adapters() {
    let machine = epyc_nps4();
    let each = "0,128@0:mlx5_0 16,144@1:mlx5_0 32,160@2:mlx5_0 48,176@3:mlx5_0 64,192@4:mlx5_1 80,208@5:mlx5_1 \
                96,224@6:mlx5_1 112,240@7:mlx5_1";
    check(&machine, 8, "numa", None, each);
    check(&machine, 2, "socket", None, "0,128@0:mlx5_0 64,192@4:mlx5_1");
    check(&machine, 2, "slot", None, "0,128@0:mlx5_0 1,129@0:mlx5_0");
    check(&machine, 2, "socket", Some("socket"), "0-63,128-191:mlx5_0 64-127,192-255:mlx5_1");
    check(&machine, 2, "ppr:1:socket", Some("numa"), "0-15,128-143@0:mlx5_0 64-79,192-207@4:mlx5_1");
    for pes in [16, 64, 128] {
        check_loads(&machine, pes, "numa", &[pes as usize / 2, pes as usize / 2, 0]);
    }
    check_loads(&machine, 128, "slot", &[64, 64, 0]);
    // A PE that is alone and not bound has both NICs.
    check(&machine, 1, "slot", None, "0-255:mlx5_0+mlx5_1");
}

#[test]
fn frontier_gives_each_node_its_own_nic() {
    let machine = frontier();
    check(&machine, 4, "numa", None, "1,65@0:cxi2 17,81@1:cxi1 33,97@2:cxi3 49,113@3:cxi0");
    // One PE for each half of a GPU. The cores of a half share a third-level cache.
    let halves =
        "1,65@0:cxi2 17,81@1:cxi1 33,97@2:cxi3 49,113@3:cxi0 2,66@0:cxi2 18,82@1:cxi1 34,98@2:cxi3 50,114@3:cxi0";
    check(&machine, 8, "numa", None, halves);
    check(&machine, 2, "ppr:1:numa", Some("numa"), "1-7,9-15,65-71,73-79@0:cxi2 17-23,25-31,81-87,89-95@1:cxi1");
    for (pes, each) in [(56, 14), (8, 2)] {
        check_loads(&machine, pes, "numa", &[each; 4]);
    }
    check_loads(&machine, 56, "slot", &[14; 4]);
    // Two PEs that may run anywhere share all four NICs.
    let everywhere = machine.usable.to_string();
    check(&machine, 2, "slot", Some("none"), &format!("{everywhere}:cxi0+cxi2 {everywhere}:cxi1+cxi3"));
}

#[test]
fn perlmutter_shares_one_nic_among_two_packages() {
    let machine = perlmutter_cpu();
    check(&machine, 2, "socket", None, "0,128@0:cxi0 64,192@4:cxi0");
    check_loads(&machine, 128, "slot", &[128]);
}

#[test]
fn sub_numa_clusters_use_the_adapter_of_their_package() {
    let machine = xeon_snc2();
    check(&machine, 4, "numa", None, "0,40@0:mlx5_0 2,42@2:mlx5_0 1,41@1:mlx5_1 3,43@3:mlx5_1");
    check(&machine, 4, "socket", None, "0,40@0:mlx5_0 1,41@1:mlx5_1 4,44@0:mlx5_0 5,45@1:mlx5_1");
    check_loads(&machine, 40, "slot", &[20, 20]);
    // PEs fill cores in order: first all cores of one package, then all of the other.
    check_loads(&machine, 20, "slot", &[20, 0]);
    check_loads(&machine, 20, "socket", &[10, 10]);
    let machine = xeon_cod();
    check(&machine, 4, "numa", None, "0@0: 7@1: 14@2: 21@3:");
    check(&machine, 3, "ppr:2:socket", None, "0@0: 1@0: 14@2:");
}

#[test]
fn cpus_are_numbered_in_turns_over_packages() {
    let machine = westmere();
    check(&machine, 4, "socket", None, "0,12@0:mlx4_0 1,13@1:mlx4_0 2,14@0:mlx4_0 3,15@1:mlx4_0");
    check(&machine, 3, "slot", None, "0,12@0:mlx4_0 2,14@0:mlx4_0 4,16@0:mlx4_0");
}

#[test]
fn four_threads_of_a_core_stay_together() {
    let machine = power9();
    check(&machine, 4, "socket", None, "0-3@0:mlx5_0 88-91@8:mlx5_3 4-7@0:mlx5_0 92-95@8:mlx5_3");
    // More PEs than cores and fewer than threads: by default PEs are not bound; with --bind-to, several share a core.
    assert!(placed(&machine, 16, "socket", None).iter().all(|one| one.cpus == machine.usable));
    let crowded = placed(&machine, 16, "socket", Some("core"));
    assert_eq!(crowded.iter().filter(|one| one.cpus.to_string() == "0-3").count(), 2);
    check_loads(&machine, 8, "numa", &[4, 4]);
    // The memory of GPUs is not the home node of any PE.
    assert!((250..256).all(|id| machine.memory_only.iter().any(|node| node.id == id)));
}

#[test]
fn fast_memory_beside_the_cores_is_nobodys_home() {
    let machine = knl_snc4();
    let each = "0,16,32,48@0:hfi1_0 4,20,36,52@1:hfi1_0 8,24,40,56@2:hfi1_0 12,28,44,60@3:hfi1_0";
    check(&machine, 4, "numa", None, each);
    check_loads(&machine, 16, "slot", &[16]);
    assert!(machine.picture(&[]).contains("┌ numa 4  4.0 GiB\n└ memory only\n"));
    let machine = cxl();
    check(&machine, 3, "numa", None, "0@0:mlx5_0 2@1:mlx5_0+mlx5_1 4@2:mlx5_1");
    // The package in the middle has no NIC of its own, so its PEs use the NICs of the others in turn.
    check(&machine, 6, "slot", None, "0@0:mlx5_0 1@0:mlx5_0 2@1:mlx5_0 3@1:mlx5_1 4@2:mlx5_1 5@2:mlx5_1");
}

#[test]
fn nodes_are_called_as_the_kernel_calls_them() {
    check(&a64fx(), 4, "numa", None, "12@4: 24@5: 36@6: 48@7:");
    check(&a64fx(), 2, "ppr:1:numa", Some("numa"), "12-23@4: 24-35@5:");
    check(&kunpeng(), 4, "numa", None, "0@0:hns_0 32@1:hns_0 64@2:hns_1 96@3:hns_1");
    let machine = sparse();
    check(&machine, 4, "ppr:1:numa", None, "0@0:mlx5_0 6@1:mlx5_1 12@2:mlx5_0 18@33:mlx5_0");
    check_loads(&machine, 48, "slot", &[24, 24]);
}

#[test]
fn a_node_without_memory_is_nobodys_home() {
    check(&offline(), 4, "socket", None, "4: 5@1: 6: 7@1:");
}

#[test]
fn cores_of_two_kinds_are_cores() {
    check(&hybrid(), 8, "slot", None, "0-1: 2-3: 4-5: 6-7: 8-9: 10-11: 12: 13:");
    check(&hybrid(), 14, "slot", Some("core"), "0-1: 2-3: 4-5: 6-7: 8-9: 10-11: 12: 13: 14: 15: 16: 17: 18: 19:");
    assert!(placed(&hybrid(), 15, "slot", None).iter().all(|one| one.cpus == hybrid().usable));
}

/// Distance of a NIC from a node: 0 on the node, 1 in its package, 2 elsewhere.
fn distance(machine: &Machine, node: u32, nic: u32) -> u8 {
    let package = |id| machine.packages.iter().position(|package| package.numas.iter().any(|numa| numa.id == id));
    if node == nic { 0 } else { 1 + u8::from(package(node) != package(nic)) }
}

/// Properties of every machine, for all numbers of PEs that leave each PE a core.
#[test]
fn every_pe_is_on_its_own_core_near_to_its_own_nic() {
    for (name, machine) in all() {
        let rails: Vec<usize> = (0..machine.nics.len()).filter(|&at| machine.nics[at].kind != NicKind::Net).collect();
        for pes in 2..=machine.usable_cores() as u32 {
            for by in [MapBy::Slot, MapBy::Numa, MapBy::Socket] {
                let about = format!("{name}, {pes} PEs by {by}");
                let placements = place(&machine, pes, by, None).unwrap();
                let mut taken = CpuSet::new();
                for one in &placements {
                    assert!(taken.intersection(&one.cpus).is_empty() && !one.cpus.is_empty(), "{about}");
                    taken = taken.union(&one.cpus);
                    assert_eq!(one.rails.nics.len(), rails.len(), "{about}");
                    let node = machine
                        .numas()
                        .find(|numa| numa.cores.iter().any(|core| core.usable(&one.cpus).next().is_some()));
                    let node = node.unwrap().id;
                    let away = |nic: usize| distance(&machine, node, machine.nics[nic].numa.unwrap());
                    let nearest = rails.iter().map(|&nic| away(nic)).min().unwrap_or(0);
                    assert!(one.rails.nics[..one.rails.own].iter().all(|&nic| away(nic) == nearest), "{about}");
                }
                assert_eq!(taken.intersection(&machine.usable), taken, "{about}");
            }
        }
    }
}
