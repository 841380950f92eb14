//! The C suite: small programs, one trap or routine family each, compiled by the installed `oshcc` and run by `oshrun`.
//!
//! One test per topic, so that a failing topic shows by name; `FERRITE_SUITE_PROGRAM=part` picks programs by name.

mod support;

use std::path::PathBuf;
use support::prefix::{Prefix, files};
use support::program::Program;

/// Every directory of programs has a test of its own below.
const TOPICS: [&str; 13] = [
    "amo", "context", "errors", "language", "lock", "memory", "order", "rma", "setup", "signal", "statics", "threads", "wait",
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
    let mut failures = Vec::new();
    let mut runs = 0;
    for source in programs(topic) {
        let program = Program::read(&source);
        if program.name.contains(&wanted) {
            runs += program.launches.len() * program.environments.len();
            failures.extend(support::job::run_all(&program, prefix));
        }
    }
    println!("{topic}: {runs} runs, {} failed", failures.len());
    assert!(failures.is_empty(), "{} of {runs} runs failed:\n\n{}", failures.len(), failures.join("\n"));
}

macro_rules! topics {
    ($($name:ident)*) => {
        $(#[test] fn $name() { topic(stringify!($name)); })*
        /// A new directory must not be forgotten here.
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
topics! { amo context errors language lock memory order rma setup signal statics threads wait }

/// An error program that expects no line would pass by any crash.
#[test]
fn error_programs_say_what_they_expect() {
    for source in programs("errors") {
        let program = Program::read(&source);
        assert!(program.says.len() >= 2, "{}: too few `// says:` lines", program.name);
        assert_eq!(program.exit, support::program::Exit::Nonzero, "{}: must expect failure", program.name);
    }
}
