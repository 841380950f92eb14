//! The table of frequent implementation errors, `data/semantics.txt`: every topic names the programs that test it, and each of these
//! programs exists and is run.

use std::path::{Path, PathBuf};

/// A topic and the properties that must hold in it, each with the files that test it.
struct Topic {
    number: usize,
    title: &'static str,
    traps: Vec<(&'static str, Vec<&'static str>)>,
}

fn table() -> Vec<Topic> {
    let mut topics: Vec<Topic> = Vec::new();
    for line in include_str!("data/semantics.txt").lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
        if let Some(trap) = line.strip_prefix("    ") {
            let (what, files) = trap.rsplit_once(": ").unwrap_or_else(|| panic!("`{trap}` names no file"));
            let topic = topics.last_mut().unwrap_or_else(|| panic!("`{trap}` stands before any topic"));
            topic.traps.push((what, files.split_whitespace().collect()));
        } else {
            let (number, title) = line.split_once(' ').unwrap_or_else(|| panic!("`{line}` has no title"));
            let number = number.parse().unwrap_or_else(|_| panic!("`{line}` does not begin with a number"));
            topics.push(Topic { number, title, traps: Vec::new() });
        }
    }
    topics
}

fn tests() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests")
}

/// Path of a file of the table, in this crate's tests or below the repository's root.
fn found(name: &str) -> Option<PathBuf> {
    [tests().join(name), tests().join("../../..").join(name)].into_iter().find(|path| path.is_file())
}

/// True if a suite runs the file. A program needs a header with directives; a Cargo target needs none.
fn is_run(path: &Path) -> bool {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("c" | "cpp") => text.lines().any(|line| line.starts_with("// pes: ")),
        Some("rs") => text.contains("#[test]") || path.parent().is_some_and(|parent| parent.ends_with("statics")),
        Some("f90" | "F90" | "f") => {
            text.lines().any(|line| line.starts_with("! pes: ")) || !path.starts_with(tests().join("fortran"))
        }
        _ => false,
    }
}

#[test]
fn each_of_the_eighteen_topics_has_tests_that_are_run() {
    let topics = table();
    let numbers: Vec<usize> = topics.iter().map(|topic| topic.number).collect();
    assert_eq!(numbers, (1..=18).collect::<Vec<_>>());
    let mut wrong = Vec::new();
    for topic in &topics {
        assert!(topic.traps.len() >= 3, "{} {}: hardly a topic", topic.number, topic.title);
        for (what, files) in &topic.traps {
            if files.is_empty() {
                wrong.push(format!("{}: `{what}` has no test", topic.title));
            }
            for file in files {
                match found(file) {
                    None => wrong.push(format!("{}: `{what}`: there is no {file}", topic.title)),
                    Some(path) if !is_run(&path) => {
                        wrong.push(format!("{}: `{what}`: nothing runs {file}", topic.title));
                    }
                    Some(_) => {}
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
