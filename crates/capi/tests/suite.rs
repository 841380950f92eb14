//! The C suite: small programs, one trap or routine family each, compiled by the installed `oshcc` and run by `oshrun`.
//!
//! One test per topic, so that a failing topic shows by name. `FERRITE_SUITE_PROGRAM=part,part` picks programs by name,
//! `FERRITE_SUITE_WITHOUT=part,part` leaves some out, and `support/env.rs` says how to run all of them over another transport or on several
//! hosts.

mod support;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;
use support::job::Tally;
use support::prefix::{Prefix, files};
use support::program::Program;

/// Every directory of programs has a test of its own below.
const TOPICS: [&str; 20] = [
    "active_sets",
    "amo",
    "collectives",
    "context",
    "device",
    "errors",
    "extensions",
    "language",
    "lock",
    "memory",
    "order",
    "progress",
    "reductions",
    "rma",
    "setup",
    "signal",
    "statics",
    "teams",
    "threads",
    "wait",
];

fn programs(topic: &str) -> Vec<PathBuf> {
    let mut found = files(&support::sources().join(topic));
    found.retain(|path| path.extension().is_some_and(|extension| extension == "c" || extension == "cpp"));
    found
}

/// Runs the programs of a topic and fails with all their failures.
fn topic(topic: &str) {
    let prefix = Prefix::get();
    let wanted = support::env::get("FERRITE_SUITE_PROGRAM").unwrap_or_default();
    let without = support::env::get("FERRITE_SUITE_WITHOUT");
    let mut tally = Tally::default();
    for source in programs(topic) {
        let program = Program::read(&source);
        if without.iter().flat_map(|parts| parts.split(',')).any(|part| program.name.contains(part)) {
            println!("skipped: {}: FERRITE_SUITE_WITHOUT says so", program.name);
            continue;
        }
        if wanted.split(',').any(|part| program.name.contains(part)) {
            support::job::run_all(&program, prefix, &mut tally);
        }
    }
    let Tally { runs, left_out, failures } = tally;
    println!("{topic}: {runs} runs, {} failed, {left_out} left out", failures.len());
    assert!(failures.is_empty(), "{} of {runs} runs failed:\n\n{}", failures.len(), failures.join("\n"));
}

macro_rules! topics {
    ($($name:ident)*) => {
        $(#[test] fn $name() { topic(stringify!($name)); })*
        /// Fails if a new directory is missing here.
        #[test]
        fn every_topic_has_a_test() {
            assert_eq!([$(stringify!($name)),*], TOPICS);
            let mut there: Vec<String> = std::fs::read_dir(support::sources())
                .expect("the directory of programs")
                .flatten()
                .filter(|entry| entry.path().is_dir())
                .map(|entry| entry.file_name().to_string_lossy().into_owned())
                .collect();
            there.sort();
            assert_eq!(there, TOPICS);
        }
    };
}
topics! {
    active_sets amo collectives context device errors extensions language lock memory order progress reductions rma setup signal statics teams threads
    wait
}

/// An error program that expects no line would pass with any crash.
#[test]
fn error_programs_say_what_they_expect() {
    for source in programs("errors") {
        let program = Program::read(&source);
        assert!(program.says.len() >= 2, "{}: too few `// says:` lines", program.name);
        assert_eq!(program.exit, support::program::Exit::Nonzero, "{}: must expect failure", program.name);
    }
}

/// Every routine of the sections that this suite covers is called by at least one program. A routine without a caller is not tested.
#[test]
fn every_routine_is_called() {
    let mut called = BTreeSet::new();
    for source in TOPICS.iter().flat_map(|topic| programs(topic)) {
        let program = Program::read(&source);
        if program.is_static() {
            continue; // linked statically: no undefined symbols to read
        }
        let executable = program.build(Prefix::get()).unwrap_or_else(|error| panic!("{}\n{error}", program.name));
        let output = Command::new("nm")
            .args(["-D", "--undefined-only"])
            .arg(executable)
            .output()
            .expect("nm comes with the compiler");
        called.extend(String::from_utf8_lossy(&output.stdout).split_whitespace().map(str::to_owned));
    }
    let routines = include_str!("data/routines.txt").lines().filter(|line| !line.starts_with('#'));
    let missing: Vec<_> = routines.filter(|&routine| !called.contains(routine)).collect();
    assert!(missing.is_empty(), "no program calls {missing:?}");
}
