//! PEs that die by a signal: the report names the place and the address, and the exit status is the signal's.

mod support;

use regex_lite::Regex;
use std::{
    path::{Path, PathBuf},
    process::Command,
};
use support::{
    LIMIT,
    job::{Job, Outcome},
    prefix::Prefix,
    program::build,
    turn,
};

/// How PE 1 dies, the job's status, and the line reported. `LINE` stands for the number of the program's line that is marked with the way's
/// name.
const WAYS: &[(&str, i32, &str)] = &[
    (
        "stores far behind",
        139,
        r"PE 1: SIGSEGV, segmentation fault, at crashes\.c:LINE: address 0x[0-9a-f]+ of its own symmetric heap, 512 MiB behind the block of 512 bytes that shmem_malloc gave",
    ),
    (
        // A routine that ends in a tail call to the copy leaves no stack frame of its own.
        "puts from null",
        139,
        r"PE 1: SIGSEGV, segmentation fault, (in shmem_putmem, called )?at crashes\.c:LINE: source is 0x8 \(NULL \+ 8\)",
    ),
    (
        "gets to null",
        139,
        r"PE 1: SIGSEGV, segmentation fault, (in shmem_long_get, called )?at crashes\.c:LINE: dest is NULL$",
    ),
    ("divides", 136, r"PE 1: SIGFPE, arithmetic error, at crashes\.c:LINE$"),
    (
        "loads by its line's first instruction",
        139,
        r"PE 1: SIGSEGV, segmentation fault, at crashes\.c:LINE: address 0x[0-9a-f]+ of its own symmetric heap",
    ),
    (
        "loads in all threads at once",
        139,
        r"PE 1: SIGSEGV, segmentation fault, at crashes\.c:LINE: address 0x[0-9a-f]+ of its own symmetric heap",
    ),
    ("calls nothing", 139, r"PE 1: SIGSEGV, segmentation fault, .*: address NULL"),
    ("overflows the stack", 139, r"PE 1: SIGSEGV, segmentation fault, at crashes\.c:\d+: the stack is full"),
    ("stops by an assertion", 134, r"PE 1: SIGABRT, aborted, at crashes\.c:\d+"),
    ("is killed", 139, r"PE 1: SIGSEGV, segmentation fault, at crashes\.c:\d+"),
    // A handler installed before shmem_init restores the default action and returns.
    ("has given it back", 139, r"PE 1: SIGSEGV, segmentation fault, at crashes\.c:\d+: address 0x"),
];

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stall/crashes.c")
}

/// Number of the line marked with the way's name, or a pattern for any number if no line is.
fn line_of(way: &str) -> String {
    let text = std::fs::read_to_string(source()).expect("the program is there");
    let marked = text.lines().position(|line| line.split_once("; // ").is_some_and(|(_, mark)| mark == way));
    marked.map_or(r"\d+".to_owned(), |before| (before + 1).to_string())
}

fn program(source: &str) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stall").join(source);
    let mut compile = Command::new(Prefix::get().tool("oshcc"));
    compile.args(["-std=c11", "-D_GNU_SOURCE", "-O1", "-g", "-w"]).arg(&source);
    let text = std::fs::read(&source).expect("the program is there");
    let contents =
        text.iter().fold(Prefix::get().identity(), |sum, &byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
    let name = source.file_stem().and_then(|stem| stem.to_str()).expect("the name is ASCII");
    build(compile, name, contents).unwrap_or_else(|error| panic!("{error}"))
}

/// Without debug information, the place is the name of the function.
#[test]
fn names_of_cxx_are_readable() {
    let source = source().with_extension("cpp");
    for (name, defines) in [("crashes-cxx", None), ("crashes-cxx-alone", Some("-DALONE"))] {
        let mut compile = Command::new(Prefix::get().tool("oshc++"));
        compile.args(["-std=c++17", "-O1", "-w"]).args(defines).arg(&source);
        let text = std::fs::read(&source).expect("the program is there");
        let contents =
            text.iter().fold(Prefix::get().identity(), |sum, &byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
        let program = build(compile, name, contents).unwrap_or_else(|error| panic!("{error}"));
        let _turn = turn();
        let mut command = Command::new(Prefix::get().tool("oshrun"));
        command.args(["-n", "2"]).arg(program);
        let outcome = Job::start(command, &[]).finish(LIMIT);
        let place = "SIGSEGV, segmentation fault, at stencil::Grid<double>::relax(int) (crashes-cxx";
        let is_readable = outcome.stderr.contains(place) && !outcome.stderr.contains("_ZN");
        assert!(outcome.code() == Some(139) && is_readable, "{}", outcome.report("names of C++"));
    }
}

fn run(way: &str, variables: &[(String, String)]) -> Outcome {
    let mut command = Command::new(Prefix::get().tool("oshrun"));
    command.args(["-n", "2"]).arg(program("crashes.c")).arg(way);
    Job::start(command, variables).finish(LIMIT)
}

#[test]
fn crash_report_has_place_and_cause() {
    let mut failures = Vec::new();
    for &(way, code, pattern) in WAYS {
        let _turn = turn();
        let outcome = run(way, &[]);
        let pattern = pattern.replace("LINE", &line_of(way));
        let expected = Regex::new(&pattern).expect("a pattern of this file");
        if outcome.code() != Some(code) || outcome.stderr.lines().filter(|line| expected.is_match(line)).count() != 1 {
            failures.push(outcome.report(&format!("{way}: status {:?}, not one line has /{pattern}/", outcome.code())));
        }
        // The first allocation is listed once, although the heap has grown for it. A put may follow it.
        let calls = outcome.stderr.split("PE 1's last calls: ").nth(1).and_then(|rest| rest.lines().next());
        let calls = calls.unwrap_or_default();
        if calls != "init, shmem_malloc(512)" && !calls.starts_with("init, shmem_malloc(512), shmem_") {
            failures.push(outcome.report(&format!("{way}: what PE 1 has called is not told")));
        }
        if !outcome.outlived.is_empty() {
            failures.push(outcome.report(&format!("{way}: left processes {:?}", outcome.outlived)));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn the_programs_own_handler_runs() {
    let _turn = turn();
    for way in ["handles it", "has handled it before"] {
        let outcome = run(way, &[]);
        assert_eq!(outcome.code(), Some(3), "{way}: {}", outcome.report("another end than the handler's"));
        assert!(outcome.stdout.contains("the program's own handler"), "{way}: {}", outcome.report("it did not run"));
        assert!(!outcome.stderr.contains("SIGSEGV, segmentation fault"), "{way}: {}", outcome.report("it was told of"));
    }
}

#[test]
fn crash_report_can_be_switched_off() {
    let _turn = turn();
    let outcome = run("divides", &[("SHMEM_CRASH_REPORT".to_owned(), "0".to_owned())]);
    assert_eq!(outcome.code(), Some(136));
    assert!(!outcome.stderr.contains("arithmetic error"), "{}", outcome.report("it was told of"));
}

/// Where no child can report, the process itself tells the signal and the address.
#[test]
fn a_crash_in_the_allocator_is_reported() {
    let _turn = turn();
    let mut command = Command::new(Prefix::get().tool("oshrun"));
    command.args(["-n", "2"]).arg(program("allocator.c"));
    let outcome = Job::start(command, &[]).finish(LIMIT);
    let is_told = outcome.stderr.lines().any(|l| l == "ferrite: PE 1: SIGSEGV, segmentation fault at address 0x8");
    assert!(outcome.code() == Some(139) && is_told, "{}", outcome.report("the crash is not told"));
}
