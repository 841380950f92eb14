//! Placements, as tables over synthetic machines.

use std::collections::HashSet;

use ferrite_topology::{BindTo, CpuSet, Machine, Resource, Wishes, place, place_programs, usable_parts};
use proptest::prelude::*;

/// Places `pes` PEs and compares the sets, written as lists with a space between PEs.
#[track_caller]
fn check(machine: &Machine, pes: u32, by: &str, bind: Option<&str>, expected: &str) {
    let bind = bind.map(|bind| bind.parse::<BindTo>().unwrap());
    let placements = place(machine, pes, by.parse().unwrap(), bind).unwrap();
    let written: Vec<String> = placements.iter().map(|one| one.cpus.to_string()).collect();
    assert_eq!(written.join(" "), expected, "{pes} PEs by {by}, bound to {bind:?}");
}

#[test]
fn pes_that_fit_the_cores_get_one_each() {
    let machine = Machine::synthetic("2x[2x2]").unwrap();
    check(&machine, 4, "slot", None, "0 1 2 3");
    check(&machine, 4, "core", None, "0 1 2 3");
    check(&machine, 4, "node", None, "0 1 2 3");
    check(&machine, 4, "numa", None, "0 2 4 6");
    check(&machine, 4, "socket", None, "0 4 1 5");
    check(&machine, 8, "numa", None, "0 2 4 6 1 3 5 7");
    check(&machine, 0, "core", None, "");
}

#[test]
fn who_is_not_bound_is_left_to_the_kernel() {
    let machine = Machine::synthetic("1x[1x2x2]").unwrap();
    for (pes, bind, bound) in [
        (2, None, true),
        (1, None, false),
        (1, Some(BindTo::Core), true),
        (2, Some(BindTo::None), false),
        (5, None, false),
    ] {
        let placements = place(&machine, pes, "core".parse().unwrap(), bind).unwrap();
        assert!(placements.iter().all(|one| one.unbound.is_none() == bound), "{pes} PEs, {bind:?}");
    }
}

#[test]
fn reason_for_not_binding_is_reported() {
    let machine = Machine::synthetic("2x[1x2x2]").unwrap();
    let limited = Machine { quota: Some(1), ..machine.clone() };
    let astray = machine.clone().restricted_to(&"9".parse().unwrap());
    let rows = [
        (&machine, 1, "slot", None, "one PE has the whole host"),
        (&machine, 5, "slot", None, "5 PEs share 4 cores"),
        (&machine, 2, "ppr:2:core", None, "2 PEs share 1 core"),
        (&machine, 2, "slot", Some(BindTo::None), "this was requested"),
        (&machine, 9, "slot", Some(BindTo::Core), "3 PEs would share 2 CPUs of a core"),
        (&machine, 9, "socket", Some(BindTo::Socket), "5 PEs would share 4 CPUs of a socket"),
        (&limited, 2, "slot", None, "a control group limits them to the time of 1 CPU"),
        (&astray, 2, "slot", None, "none of their CPUs is on the map"),
        (&astray, 2, "slot", Some(BindTo::Core), "bound"),
        (&limited, 2, "slot", Some(BindTo::Numa), "bound"),
        (&machine, 4, "slot", Some(BindTo::Socket), "bound"),
    ];
    for (machine, pes, by, bind, why) in rows {
        let placements = place(machine, pes, by.parse().unwrap(), bind).unwrap();
        let told: HashSet<String> = placements
            .into_iter()
            .map(|one| one.unbound.map_or("bound".to_owned(), |unbound| unbound.to_string()))
            .collect();
        assert_eq!(told, HashSet::from([why.to_owned()]), "{pes} PEs by {by}, bound to {bind:?}");
    }
}

#[test]
fn a_core_is_all_its_threads() {
    let machine = Machine::synthetic("1x[2x2x2]").unwrap();
    check(&machine, 2, "core", Some("core"), "0,4 1,5");
    check(&machine, 2, "numa", Some("core"), "0,4 2,6");
    check(&machine, 2, "numa", Some("numa"), "0-1,4-5 2-3,6-7");
    check(&machine, 2, "numa", Some("socket"), "0-7 0-7");
    check(&machine, 2, "numa", Some("none"), "0-7 0-7");
}

#[test]
fn pes_that_outnumber_the_cores_are_not_bound_unless_threads_are_left() {
    let machine = Machine::synthetic("1x[1x2x2]").unwrap();
    check(&machine, 3, "core", None, "0-3 0-3 0-3");
    check(&machine, 3, "core", Some("core"), "0,2 1,3 0,2");
    check(&machine, 5, "core", Some("core"), "0-3 0-3 0-3 0-3 0-3");
    check(&machine, 5, "core", Some("numa"), "0-3 0-3 0-3 0-3 0-3");
}

#[test]
fn a_pe_that_is_alone_is_not_bound_unless_that_is_asked_for() {
    let machine = Machine::synthetic("2x[2x2]").unwrap();
    for by in ["slot", "core", "numa", "socket", "node", "ppr:1:node"] {
        check(&machine, 1, by, None, "0-7");
        check(&machine, 1, by, Some("core"), "0");
        check(&machine, 1, by, Some("numa"), "0-1");
    }
}

#[test]
fn a_job_that_has_time_and_not_cpus_is_not_bound_unless_that_is_asked_for() {
    let machine = Machine { quota: Some(2), ..Machine::synthetic("1x[2x2]").unwrap() };
    check(&machine, 2, "core", None, "0-3 0-3");
    check(&machine, 2, "numa", Some("numa"), "0-1 2-3");
}

#[test]
fn ppr_fills_one_resource_after_the_other() {
    let machine = Machine::synthetic("2x[2x2]").unwrap();
    check(&machine, 4, "ppr:1:numa", None, "0 2 4 6");
    check(&machine, 3, "ppr:2:socket", None, "0 1 4");
    check(&machine, 4, "ppr:2:socket", Some("socket"), "0-3 0-3 4-7 4-7");
    check(&machine, 2, "ppr:8:node", None, "0 1");
    // Three PEs share a node of two cores: no PE is bound, whether requested or not.
    check(&machine, 3, "ppr:3:numa", None, "0-7 0-7 0-7");
    check(&machine, 3, "ppr:3:numa", Some("core"), "0-7 0-7 0-7");
    check(&machine, 3, "ppr:3:numa", Some("socket"), "0-3 0-3 0-3");
}

#[test]
fn ppr_with_too_many_pes_says_what_would_fit() {
    let machine = Machine::synthetic("2x[2x2]").unwrap();
    let error = place(&machine, 5, "ppr:2:socket".parse().unwrap(), None).unwrap_err().to_string();
    assert!(error.contains("ppr:2:socket has room for 4 PEs") && error.contains("5 were requested"), "{error}");
}

#[test]
fn ppr_counts_each_program_by_itself() {
    let machine = Machine::synthetic("2x[2x2]").unwrap();
    let cpus = |pes: &[u32], by: &str| {
        let wishes = Wishes { map_by: by.parse().unwrap(), bind_to: None, cpus_per_pe: 1 };
        let placements = place_programs(&machine, pes, wishes).map_err(|error| error.to_string())?;
        Ok::<_, String>(placements.iter().map(|one| one.cpus.to_string()).collect::<Vec<_>>().join(" "))
    };
    // The second program gets what the first has left of each part.
    assert_eq!(cpus(&[1, 1], "ppr:1:socket").unwrap(), "0 1");
    assert_eq!(cpus(&[4, 2], "ppr:1:numa").unwrap(), "0 2 4 6 1 3");
    assert_eq!(cpus(&[2, 1], "ppr:2:node").unwrap(), "0 1 2");
    assert_eq!(cpus(&[2, 1], "slot").unwrap(), "0 1 2");
    assert!(cpus(&[2, 3], "ppr:1:socket").unwrap_err().contains("3 were requested"));
}

#[test]
fn parts_are_counted_that_have_a_usable_cpu() {
    let whole = Machine::synthetic("2x[2x2]").unwrap();
    let part = whole.clone().restricted_to(&"0-1,4".parse().unwrap());
    for (resource, all, some) in
        [(Resource::Core, 8, 3), (Resource::Numa, 4, 2), (Resource::Socket, 2, 2), (Resource::Node, 1, 1)]
    {
        assert_eq!((usable_parts(&whole, resource), usable_parts(&part, resource)), (all, some), "{resource}");
    }
}

#[test]
fn only_usable_cpus_are_given_away() {
    let machine = Machine::synthetic("2x[1x4]").unwrap().restricted_to(&"2-3,7".parse().unwrap());
    check(&machine, 3, "core", None, "2 3 7");
    check(&machine, 3, "socket", None, "2 7 3");
    check(&machine, 2, "socket", Some("socket"), "2-3 7");
    check(&machine, 4, "core", None, "2-3,7 2-3,7 2-3,7 2-3,7");
    // A core of which only one thread is usable is a place too.
    let machine = Machine::synthetic("1x[1x2x2]").unwrap().restricted_to(&"0,2-3".parse().unwrap());
    check(&machine, 2, "core", None, "0,2 3");
}

#[test]
fn cores_that_a_cpuset_has_cut_in_half_take_one_pe() {
    let machine = Machine::synthetic("2x[1x4x2]").unwrap().restricted_to(&"0-2,5,9-10".parse().unwrap());
    check(&machine, 4, "slot", Some("core"), "0 1,9 2,10 5");
    check(&machine, 6, "slot", Some("core"), "0 1,9 2,10 5 1,9 2,10");
    check(&machine, 6, "socket", Some("core"), "0 5 1,9 2,10 1,9 2,10");
    check(
        &machine,
        7,
        "slot",
        Some("core"),
        "0-2,5,9-10 0-2,5,9-10 0-2,5,9-10 0-2,5,9-10 0-2,5,9-10 0-2,5,9-10 0-2,5,9-10",
    );
    // PEs also share cores within a part.
    check(&machine, 5, "ppr:5:socket", Some("core"), "0 1,9 2,10 1,9 2,10");
}

/// If several packages share one memory, the kernel's node contains cores of each of them.
#[test]
fn a_node_that_spans_packages_is_one() {
    let mut machine = Machine::synthetic("4x[1x2]").unwrap();
    machine.packages.iter_mut().zip([0, 0, 1, 1]).for_each(|(package, id)| package.numas[0].id = id);
    check(&machine, 2, "ppr:1:numa", None, "0 4");
    check(&machine, 6, "ppr:3:numa", None, "0 1 2 4 5 6");
    check(&machine, 4, "numa", None, "0 4 1 5");
    check(&machine, 2, "numa", Some("numa"), "0-3 4-7");
    check(&machine, 4, "socket", None, "0 2 4 6");
    assert_eq!((usable_parts(&machine, Resource::Numa), machine.numa_ids()), (2, vec![0, 1]));
    // Parts of a node need not be adjacent.
    machine.packages.iter_mut().zip([0, 1, 0, 1]).for_each(|(package, id)| package.numas[0].id = id);
    check(&machine, 4, "ppr:2:numa", Some("numa"), "0-1,4-5 0-1,4-5 2-3,6-7 2-3,6-7");
    check(&machine, 6, "ppr:3:numa", None, "0 1 4 2 3 6");
}

#[test]
fn a_restriction_to_cpus_that_are_not_there_is_none() {
    let machine = Machine::synthetic("1x[1x2]").unwrap().restricted_to(&"8".parse().unwrap());
    check(&machine, 2, "core", None, "0-1 0-1");
    check(&machine, 2, "core", Some("core"), "0 1");
}

fn wishes() -> impl Strategy<Value = (String, Option<&'static str>)> {
    let by = prop_oneof![
        prop::sample::select(vec!["slot", "core", "numa", "socket", "node"]).prop_map(str::to_owned),
        (1u32..5, prop::sample::select(vec!["core", "numa", "socket", "node"]))
            .prop_map(|(count, per)| format!("ppr:{count}:{per}")),
    ];
    (by, prop::sample::select(vec![None, Some("none"), Some("core"), Some("numa"), Some("socket")]))
}

proptest! {
    #[test]
    fn every_pe_has_usable_cpus_and_no_cpu_is_crowded(
        (packages, numas, cores, threads) in (1u32..4, 1u32..4, 1u32..5, 1u32..3),
        usable in prop::collection::vec(any::<bool>(), 96),
        pes in 0u32..40,
        (by, bind) in wishes(),
    ) {
        let machine = Machine::synthetic(&format!("{packages}x[{numas}x{cores}x{threads}]")).unwrap();
        let wanted: CpuSet = machine.cpus().iter().filter(|&cpu| usable[cpu as usize]).collect();
        let machine = machine.restricted_to(&wanted);
        let Ok(placements) = place(&machine, pes, by.parse().unwrap(), bind.map(|bind| bind.parse().unwrap())) else {
            prop_assert!(by.starts_with("ppr:"));
            return Ok(());
        };
        let sets: Vec<CpuSet> = placements.into_iter().map(|one| one.cpus).collect();
        prop_assert_eq!(sets.len(), pes as usize);
        for set in &sets {
            prop_assert!(!set.is_empty());
            prop_assert_eq!(&set.intersection(&machine.usable), set);
            let sharing = sets.iter().filter(|other| *other == set).count();
            prop_assert!(sharing <= set.len() || *set == machine.usable, "{} PEs share {}", sharing, set);
        }
        let fits = pes as usize <= machine.usable_cores();
        if bind.is_none() && fits && !by.starts_with("ppr:") {
            let all = sets.iter().fold(CpuSet::new(), |all, set| all.union(set));
            prop_assert_eq!(all.len(), sets.iter().map(CpuSet::len).sum::<usize>(), "PEs share a core");
        }
    }
}
