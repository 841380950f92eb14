//! PEs that use several cpus each: programs with threads.

use ferrite_topology::{BindTo, CpuSet, Machine, Placement, Wishes, place_programs};
use proptest::prelude::*;

fn placed(machine: &str, pes: u32, by: &str, bind: Option<&str>, each: u32) -> Vec<Placement> {
    let machine = Machine::synthetic(machine).unwrap();
    let bind_to = bind.map(|bind| bind.parse().unwrap());
    place_programs(&machine, &[pes], Wishes { map_by: by.parse().unwrap(), bind_to, cpus_per_pe: each }).unwrap()
}

/// The sets of the PEs with a space between them, or the reason why they are not bound.
fn told(machine: &str, pes: u32, by: &str, bind: Option<&str>, each: u32) -> String {
    let placements = placed(machine, pes, by, bind, each);
    match &placements[0].unbound {
        Some(why) => why.to_string(),
        None => placements.iter().map(|one| one.cpus.to_string()).collect::<Vec<_>>().join(" "),
    }
}

#[test]
fn each_gets_cores_side_by_side() {
    for (machine, pes, by, bind, each, expected) in [
        ("2x[1x16]", 4, "slot", None, 8, "0-7 8-15 16-23 24-31"),
        ("2x[1x16]", 2, "socket", None, 8, "0-7 16-23"),
        ("2x[2x4]", 4, "slot", None, 3, "0-2 4-6 8-10 12-14"),
        ("2x[2x4]", 4, "numa", None, 2, "0-1 4-5 8-9 12-13"),
        // Threads of a core count, so two threads need one core.
        ("1x[1x4x2]", 2, "slot", None, 2, "0,4 1,5"),
        ("1x[1x4x2]", 2, "slot", None, 3, "0-1,4-5 2-3,6-7"),
        // More cpus than a NUMA node has, and more than a package has.
        ("2x[2x4]", 2, "slot", None, 6, "0-5 8-13"),
        ("2x[2x4]", 2, "slot", Some("core"), 8, "0-7 8-15"),
        ("4x[1x2]", 2, "slot", None, 3, "0-2 3-5"),
        ("2x[1x16]", 2, "slot", Some("numa"), 8, "0-15 0-15"),
        ("2x[1x16]", 4, "ppr:2:socket", None, 4, "0-3 4-7 16-19 20-23"),
        ("1x[1x4]", 1, "slot", Some("core"), 2, "0-1"),
    ] {
        assert_eq!(told(machine, pes, by, bind, each), expected, "{pes} PEs of {each} on {machine} by {by}, {bind:?}");
    }
}

#[test]
fn pes_that_do_not_fit_are_not_bound_with_the_reason() {
    for (machine, pes, bind, each, why) in [
        ("2x[1x16]", 5, None, 8, "5 PEs of 8 CPUs each do not fit: there is room for 4"),
        ("2x[1x16]", 5, Some("core"), 8, "5 PEs of 8 CPUs each do not fit: there is room for 4"),
        ("1x[1x4]", 2, None, 64, "2 PEs of 64 CPUs each do not fit: there is room for 0"),
        ("1x[1x4]", 2, Some("core"), 64, "2 PEs of 64 CPUs each do not fit: there is room for 0"),
        ("1x[1x4]", 2, Some("socket"), 3, "2 PEs of 3 CPUs each would share 4 CPUs of a socket"),
        ("1x[1x4]", 1, None, 2, "one PE has the whole host"),
        ("1x[1x4]", 2, Some("none"), 2, "this was requested"),
    ] {
        assert_eq!(told(machine, pes, "slot", bind, each), why, "{pes} PEs of {each} on {machine}, {bind:?}");
        let all = Machine::synthetic(machine).unwrap().usable;
        assert!(placed(machine, pes, "slot", bind, each).iter().all(|one| one.cpus == all));
    }
    // There is room elsewhere, but the user wants the PEs here.
    let told = told("2x[1x16]", 4, "ppr:4:socket", Some("core"), 8);
    assert_eq!(told, "2 PEs of 8 CPUs each would share 8 CPUs");
}

proptest! {
    #[test]
    fn who_is_bound_has_so_many_cpus_to_itself(
        (packages, numas, cores, threads) in (1u32..4, 1u32..4, 1u32..5, 1u32..3),
        usable in prop::collection::vec(any::<bool>(), 96),
        (pes, each) in (1u32..20, 1u32..9),
        by in prop::sample::select(&["slot", "core", "numa", "socket", "ppr:2:socket", "ppr:3:numa"][..]),
        bind_to in prop::sample::select(&[None, Some(BindTo::Core)][..]),
    ) {
        let machine = Machine::synthetic(&format!("{packages}x[{numas}x{cores}x{threads}]")).unwrap();
        let wanted: CpuSet = machine.cpus().iter().filter(|&cpu| usable[cpu as usize]).collect();
        let machine = machine.restricted_to(&wanted);
        let wishes = Wishes { map_by: by.parse().unwrap(), bind_to, cpus_per_pe: each };
        let Ok(placements) = place_programs(&machine, &[pes], wishes) else {
            prop_assert!(by.starts_with("ppr:"));
            return Ok(());
        };
        prop_assert_eq!(placements.len(), pes as usize);
        if placements[0].unbound.is_none() {
            for one in &placements {
                // PEs that are bound share a core if its threads are enough for both.
                let sharing = placements.iter().filter(|other| other.cpus == one.cpus).count();
                prop_assert!(one.cpus.len() >= each as usize * sharing && (bind_to.is_some() || sharing == 1));
            }
            let mut sets: Vec<CpuSet> = placements.into_iter().map(|one| one.cpus).collect();
            sets.sort_by_key(ToString::to_string);
            sets.dedup();
            let all = sets.iter().fold(CpuSet::new(), |all, set| all.union(set));
            prop_assert_eq!(all.len(), sets.iter().map(CpuSet::len).sum::<usize>());
        }
    }
}
