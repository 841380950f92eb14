//! The NICs of PEs, as tables over synthetic machines.

use ferrite_topology::{CpuSet, Machine, NicKind, place, rails};
use proptest::prelude::*;

/// Places `pes` PEs and compares the NICs of each PE, written as numbers with a space between PEs.
#[track_caller]
fn check(machine: &Machine, pes: u32, by: &str, bind: Option<&str>, expected: &str) {
    let bind_to = bind.map(|bind| bind.parse().unwrap());
    let placements = place(machine, pes, by.parse().unwrap(), bind_to).unwrap();
    let own = |numbers: &[usize]| numbers.iter().map(usize::to_string).collect::<Vec<_>>().join("+");
    let written: Vec<String> = placements.iter().map(|one| own(&one.rails.nics[..one.rails.own])).collect();
    assert_eq!(written.join(" "), expected, "{pes} PEs by {by}, bound to {bind:?}");
}

fn machine(text: &str) -> Machine {
    Machine::synthetic(text).unwrap()
}

#[test]
fn each_pe_gets_the_nic_of_its_node_or_package() {
    check(&machine("2x[1x4]+2nic"), 8, "slot", None, "0 0 0 0 1 1 1 1");
    check(&machine("2x[1x4]+2nic"), 4, "numa", None, "0 1 0 1");
    check(&machine("2x[4x8]+2nic"), 8, "numa", None, "0 0 0 0 1 1 1 1");
    check(&machine("2x[4x8]+2nic"), 4, "ppr:2:socket", None, "0 0 1 1");
    check(&machine("2x[2x2]+1nic/numa"), 8, "slot", None, "0 0 1 1 2 2 3 3");
    check(&machine("2x[2x2]+4nic"), 8, "numa", None, "0 1 2 3 0 1 2 3");
    check(&machine("2x[4x8]+1nic"), 3, "socket", None, "0 0 0");
    check(&machine("2x[1x2]"), 4, "slot", None, "   ");
}

#[test]
fn equally_near_nics_are_shared_out() {
    // If there are as many PEs as NICs, or more, PEs take NICs in turn ...
    check(&machine("1x[1x8]+2nic"), 5, "slot", None, "0 1 0 1 0");
    check(&machine("2x[1x4]+4nic"), 8, "slot", None, "0 1 0 1 2 3 2 3");
    check(&machine("2x[1x4]+4nic"), 8, "numa", None, "0 2 1 3 0 2 1 3");
    // ... also over all nodes of a package, if the NICs belong to the package ...
    check(&machine("2x[4x8]+2nic/package"), 8, "numa", None, "0 1 0 1 2 3 2 3");
    // ... and if there are fewer PEs, each gets several NICs.
    check(&machine("1x[1x8]+4nic"), 2, "slot", None, "0+2 1+3");
    check(&machine("1x[1x8]+4nic"), 3, "slot", None, "0+3 1 2");
    check(&machine("2x[1x4]+2nic/package"), 2, "socket", None, "0+1 2+3");
}

#[test]
fn pes_that_are_not_bound_have_all_nics_between_them() {
    check(&machine("2x[4x8]+2nic"), 1, "slot", None, "0+1");
    check(&machine("2x[4x8]+2nic"), 4, "slot", Some("none"), "0 1 0 1");
    check(&machine("2x[4x8]+4nic"), 4, "socket", Some("socket"), "0 2 1 3");
    check(&machine("1x[1x2]+2nic"), 5, "slot", None, "0 1 0 1 0");
}

#[test]
fn what_is_not_near_comes_after() {
    let rows = [
        ("2x[2x1]+1nic/numa", "0", vec![0, 1, 2, 3]),
        ("2x[2x1]+1nic/numa", "1", vec![1, 0, 2, 3]),
        ("2x[2x1]+1nic/numa", "3", vec![3, 2, 0, 1]),
        ("2x[2x1]+2nic/package", "1", vec![0, 1, 2, 3]),
    ];
    for (text, cpus, order) in rows {
        let cpus: CpuSet = cpus.parse().unwrap();
        assert_eq!(rails(&machine(text), [&cpus])[0].nics, order, "{text}, cpus {cpus}");
    }
    // The second of two PEs takes the other NICs of the node, beginning after the NICs of the first.
    let cpus: CpuSet = "0".parse().unwrap();
    let both = rails(&machine("1x[1x2]+3nic"), [&cpus, &cpus, &cpus, &cpus]);
    assert_eq!(both[1].nics, [1, 2, 0]);
}

#[test]
fn a_nic_that_is_down_or_closed_is_nobodys() {
    let mut machine = machine("2x[1x2]+2nic");
    machine.nics[1].up = Some(false);
    check(&machine, 4, "slot", None, "0 0 0 0");
    (machine.nics[1].up, machine.nics[1].closed) = (None, true);
    check(&machine, 4, "slot", None, "0 0 0 0");
}

#[test]
fn a_nic_whose_place_is_not_known_is_one_of_those_elsewhere() {
    // Two NICs on node 0, and one on an unknown node, or on a node without cpus.
    let mut machine = machine("2x[1x4]+3nic");
    for numa in [None, Some(7)] {
        machine.nics.iter_mut().zip([Some(0), Some(0), numa]).for_each(|(nic, numa)| nic.numa = numa);
        let nics = |cpus: &str| rails(&machine, [&cpus.parse().unwrap()])[0].nics.clone();
        assert_eq!((nics("0"), nics("4")), (vec![0, 1, 2], vec![0, 1, 2]));
        check(&machine, 8, "slot", None, "0 1 0 1 0 1 2 0");
    }
}

#[test]
fn a_node_that_spans_packages_is_near_to_the_others_of_each() {
    let mut machine = machine("2x[2x1]+4nic");
    // Node 1 spans both packages.
    machine.packages[1].numas[0].id = 1;
    (0..3).for_each(|nic| machine.nics[nic].numa = Some([0, 1, 1][nic]));
    let nics = |cpus: &str| rails(&machine, [&cpus.parse().unwrap()])[0].nics.clone();
    assert_eq!(nics("0"), [0, 1, 2, 3]);
    assert_eq!(nics("3"), [3, 1, 2, 0]);
}

#[test]
fn only_nics_of_one_known_network_are_rails() {
    let mut machine = machine("2x[1x2]+4nic");
    let on = |machine: &mut Machine, networks: [Option<&str>; 4]| {
        machine.nics.iter_mut().zip(networks).for_each(|(nic, network)| nic.network = network.map(str::to_owned));
    };
    // Two NICs on one network, one on another, one on an unknown network: the network with two NICs is used, near or not.
    on(&mut machine, [Some("a"), Some("b"), None, Some("b")]);
    check(&machine, 4, "slot", None, "1 1 3 3");
    on(&mut machine, [None, None, Some("b"), Some("b")]);
    check(&machine, 4, "slot", None, "2 3 2 3");
    // If several networks have the same number of NICs, all PEs of all hosts take the first of these networks.
    on(&mut machine, [Some("a"), None, None, Some("b")]);
    check(&machine, 4, "slot", None, "0 0 0 0");
    on(&mut machine, [None; 4]);
    machine.nics.iter_mut().for_each(|nic| nic.kind = NicKind::Net);
    check(&machine, 4, "slot", None, "   ");
}

#[test]
fn memory_is_near_to_pes_that_are_at_home_on_one_of_several_nodes() {
    let rows = [
        ("2x[2x2]", "0", Some(0)),
        ("2x[2x2]", "2-3", Some(1)),
        ("2x[2x2x2]", "7,15", Some(3)),
        ("2x[2x2]", "0-3", None),
        ("2x[2x2]", "0-7", None),
        ("2x[2x2]", "99", None),
        ("1x[1x4]", "0", None),
    ];
    for (text, cpus, home) in rows {
        assert_eq!(machine(text).home(&cpus.parse().unwrap()), home, "{text}, cpus {cpus}");
    }
}

proptest! {
    #[test]
    fn loads_are_even(
        (packages, numas, cores) in (1u32..4, 1u32..4, 1u32..5),
        nics in 1u32..9,
        place_of in prop::sample::select(vec!["", "/package", "/numa"]),
        pes in 1u32..40,
        by in prop::sample::select(vec!["slot", "numa", "socket"]),
    ) {
        let machine = machine(&format!("{packages}x[{numas}x{cores}]+{nics}nic{place_of}"));
        let placements = place(&machine, pes, by.parse().unwrap(), None).unwrap();
        let everything: Vec<usize> = (0..machine.nics.len()).collect();
        let mut loads = vec![0_u32; machine.nics.len()];
        for one in &placements {
            let mut all = one.rails.nics.clone();
            all.sort_unstable();
            prop_assert_eq!(&all, &everything);
            prop_assert!((1..=all.len()).contains(&one.rails.own));
            one.rails.nics[..one.rails.own].iter().for_each(|&nic| loads[nic] += 1);
        }
        // There are two groups of PEs: at home on a node with NICs, and on nodes without. Each group loads the NICs of a node equally, up
        // to one PE, so the sums differ by at most two.
        for a in 0..loads.len() {
            for b in 0..loads.len() {
                if machine.nics[a].numa == machine.nics[b].numa {
                    prop_assert!(loads[a].abs_diff(loads[b]) <= 2, "{:?}", loads);
                }
            }
        }
    }
}
