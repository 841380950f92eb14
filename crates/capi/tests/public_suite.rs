//! The public programs of openshmem-org/tests-sos, if `FERRITE_TESTS_SOS` names a checkout of them.
//!
//! `FERRITE_SUITE_PROGRAM=part` picks programs by name.

mod support;

use std::collections::BTreeSet;
use std::path::PathBuf;
use support::prefix::Prefix;
use support::sos::{self, Verdict};

fn checkout() -> Option<PathBuf> {
    let found = support::env::get("FERRITE_TESTS_SOS").map(PathBuf::from);
    if found.is_none() {
        println!("skipped: set FERRITE_TESTS_SOS to a checkout of openshmem-org/tests-sos");
    }
    found
}

/// The programs of one directory that have this verdict.
fn chosen(part: &str, verdict: Verdict) -> Vec<&'static str> {
    let wanted = support::env::get("FERRITE_SUITE_PROGRAM").unwrap_or_default();
    let names = sos::list().into_iter().filter(|row| row.1 == verdict).map(|row| row.0);
    names.filter(|name| name.split_once('/').is_some_and(|(of, _)| of == part) && name.contains(&wanted)).collect()
}

/// Every program of the directory passes with 1 to 8 PEs.
fn passes(part: &str) {
    let Some(checkout) = checkout() else { return };
    let programs = chosen(part, Verdict::Run);
    let failures: Vec<_> = programs.iter().flat_map(|name| sos::run(&checkout, name)).collect();
    println!("{part}: {} programs, {} runs failed", programs.len(), failures.len());
    assert!(failures.is_empty(), "{} runs failed:\n\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn the_unit_programs_pass() {
    passes("unit");
}

#[test]
fn the_examples_of_the_specification_pass() {
    passes("spec-example");
}

#[test]
fn the_applications_pass() {
    passes("apps");
}

#[test]
fn the_programs_of_extensions_pass() {
    passes("shmemx");
}

/// If a postponed program can be built, it should be run.
#[test]
fn postponed_tests_do_not_build() {
    let Some(checkout) = checkout() else { return };
    let put_off = sos::PARTS.iter().flat_map(|part| chosen(part, Verdict::Later));
    let builds: Vec<_> = put_off.filter(|name| sos::build(&checkout, name, Prefix::get()).is_ok()).collect();
    assert!(builds.is_empty(), "marked `later`, but the library serves them now: {builds:?}");
}

/// The list names every program of the checkout, so that no program is skipped silently.
#[test]
fn the_list_is_whole() {
    let rows = sos::list();
    let listed: BTreeSet<String> = rows.iter().map(|row| row.0.to_owned()).collect();
    assert_eq!(listed.len(), rows.len(), "a program is listed twice");
    let Some(checkout) = checkout() else { return };
    let mut there = BTreeSet::new();
    for part in sos::PARTS {
        let directory = checkout.join("test").join(part);
        for entry in std::fs::read_dir(&directory).unwrap_or_else(|error| panic!("{}: {error}", directory.display())) {
            let name = entry.expect("an entry of a directory").file_name().to_string_lossy().into_owned();
            let program = [".c", ".cpp", ".f90"].iter().any(|end| name.ends_with(end));
            if program && name != "mt_lock.c" {
                there.insert(format!("{part}/{name}")); // mt_lock.c is a part of mt_lock_test
            }
        }
    }
    assert_eq!(listed, there, "the list and the checkout differ");
}
