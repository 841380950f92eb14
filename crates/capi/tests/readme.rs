//! The commands of the README work as printed. Its first program prints the output that the text shows. Every command of "What works" runs
//! here as it stands, or is listed below with the place that runs it.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use support::env;
use support::prefix::Prefix;

/// Beginnings of commands that need more than this test has, and the place that runs each.
const ELSEWHERE: [(&str, &str); 7] = [
    ("cargo run -p ferrite-transport", "ci/rust"),
    ("cargo build -p ferrite-shmem", "the step `examples`, and the tests of that crate"),
    ("man ", "manual.rs"),
    ("oshrun --host a:2,b:2", "launcher/tests/hosts.rs"),
    ("mpiexec.hydra ", "launchers.rs"),
    ("srun ", "launchers.rs"),
    ("oshcc --check race.c", "check.rs"),
];

/// Code in that section that is not a command.
const NAMES: [&str; 4] = ["oshc++", "oshfort", "unsafe", "PATH"];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn readme() -> String {
    fs::read_to_string(repository().join("README.md")).expect("the README is there")
}

/// The text from this heading to the next.
fn section<'a>(text: &'a str, heading: &str) -> &'a str {
    let (_, after) = text.split_once(&format!("\n## {heading}\n")).expect("the heading is there");
    after.split_once("\n## ").map_or(after, |(section, _)| section)
}

/// The blocks between fences, each with its language.
fn blocks(text: &str) -> Vec<(&str, &str)> {
    let between = text.split("\n```").skip(1).step_by(2);
    between.map(|block| block.split_once('\n').expect("a fence ends its line")).collect()
}

/// The texts between single backquotes.
fn code(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// Runs the text in a shell, in this directory and with the installed programs in its path.
fn type_in(directory: &Path, text: &str) -> Output {
    let path = format!("{}:{}", Prefix::get().root().join("bin").display(), env::get("PATH").unwrap_or_default());
    let mut shell = Command::new("timeout");
    shell.args(["300", "sh", "-e", "-c", text]).current_dir(directory).env("PATH", path);
    shell.output().expect("sh runs")
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// Make a directory with the first program, compiled and run as the README says; return it with the output.
fn start(name: &str) -> (PathBuf, Output) {
    let directory = support::scratch("readme").join(format!("{}-{name}", std::process::id()));
    fs::create_dir_all(&directory).expect("a directory of the test's own");
    let readme = readme();
    let blocks = blocks(section(&readme, "Start"));
    assert_eq!(blocks[0], ("sh", "ci/demo\nexport PATH=$PWD/target/prefix/bin:$PATH"), "what comes first is done here");
    let output = type_in(&directory, blocks[1].1);
    (directory, output)
}

#[test]
fn the_first_program_prints_what_the_readme_says() {
    let _turn = support::turn();
    let (directory, output) = start("first");
    assert!(output.status.success(), "{}", said(&output));
    let readme = readme();
    let (_, expected) = blocks(section(&readme, "Start"))[2];
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim_end(), expected);
    let _ = fs::remove_dir_all(directory);
}

#[test]
fn every_command_of_the_readme_runs() {
    let _turn = support::turn();
    let (directory, _) = start("commands");
    for name in ["ring.c", "heat.c", "example.h"] {
        let example = repository().join("crates/capi/examples/c").join(name);
        fs::copy(&example, directory.join(name)).unwrap_or_else(|error| panic!("{}: {error}", example.display()));
    }
    let compiled = type_in(&directory, "oshcc -O2 heat.c -o heat -lm");
    assert!(compiled.status.success(), "{}", said(&compiled));
    let readme = readme();
    let rows = section(&readme, "What works").lines().filter(|line| line.starts_with('|'));
    let mut ran = 0;
    for command in rows.flat_map(code) {
        if NAMES.contains(&command) || ELSEWHERE.iter().any(|(begin, _)| command.starts_with(begin)) {
            continue;
        }
        let output = type_in(&directory, command);
        // `--doctor` may find a problem on this machine and exit with 1. The tests of its checks cover its verdicts.
        let is_fine = output.status.success() || command.ends_with("--doctor") && output.status.code() == Some(1);
        assert!(is_fine && !output.stdout.is_empty(), "{command}: {}\n{}", output.status, said(&output));
        ran += 1;
    }
    assert!(ran >= 8, "only {ran} commands were found");
    let _ = fs::remove_dir_all(directory);
}
