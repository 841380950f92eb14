//! The public unit programs of openshmem-org/tests-sos, where a checkout of them is named by `FERRITE_TESTS_SOS`.

mod support;

use std::collections::BTreeSet;
use std::path::Path;
use support::sos::{self, Verdict};

/// Every program that needs no team split and no collective beyond barrier passes with 1, 2, 3, 4 and 7 PEs.
#[test]
fn the_public_unit_suite_passes() {
    let Some(checkout) = support::env::get("FERRITE_TESTS_SOS") else {
        println!("skipped: set FERRITE_TESTS_SOS to a checkout of openshmem-org/tests-sos");
        return;
    };
    let wanted = support::env::get("FERRITE_SUITE_PROGRAM").unwrap_or_default();
    let chosen: Vec<_> =
        sos::list().into_iter().filter(|row| row.1 == Verdict::Run && row.0.contains(&wanted)).collect();
    let failures: Vec<_> = chosen.iter().flat_map(|row| sos::run(Path::new(&checkout), row.0)).collect();
    println!("{} programs, {} runs failed", chosen.len(), failures.len());
    assert!(failures.is_empty(), "{} runs failed:\n\n{}", failures.len(), failures.join("\n"));
}

/// The list names every program of the checkout, so that none is passed over in silence.
#[test]
fn the_list_is_whole() {
    let rows = sos::list();
    let listed: BTreeSet<String> = rows.iter().map(|row| row.0.to_owned()).collect();
    assert_eq!(listed.len(), rows.len(), "a program is listed twice");
    let Some(checkout) = support::env::get("FERRITE_TESTS_SOS") else {
        println!("skipped the comparison: FERRITE_TESTS_SOS is not set");
        return;
    };
    let mut there = BTreeSet::new();
    for entry in std::fs::read_dir(Path::new(&checkout).join("test/unit")).expect("test/unit of the checkout").flatten()
    {
        let name = entry.file_name().to_string_lossy().into_owned();
        let program = [".c", ".cpp", ".f90"].iter().any(|end| name.ends_with(end));
        if program && name != "mt_lock.c" {
            there.insert(name); // mt_lock.c is a part of mt_lock_test
        }
    }
    let unlisted: Vec<_> = there.difference(&listed).collect();
    assert!(unlisted.is_empty(), "not in the list: {unlisted:?}");
}
