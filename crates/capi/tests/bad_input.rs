//! Wrong arguments to every family of routines. A faulty call ends the job with a nonzero status and one line that names PE, routine and
//! argument; a call that only looks wrong goes on as usual. No job hangs. The rows come from the program itself, `bad/main.c`, and those
//! about device memory from `bad/device.c`. Fortran passes everything to the same methods, so `bad/bad.f90` has only a few calls of each
//! kind.
//!
//! `FERRITE_SUITE_PROGRAM=part` picks rows by name.

mod support;

use regex_lite::Regex;
use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use support::LIMIT;
use support::job::{Job, Outcome, command};
use support::prefix::{Prefix, files};
use support::program::{self, Launch};

const PES: u32 = 3;

/// One row of the program's table.
struct Row {
    who: String,
    name: String,
    routine: String,
    argument: String,
}

fn sources() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/bad")
}

fn build(mut compile: Command, name: &str) -> PathBuf {
    let mut hasher = DefaultHasher::new();
    Prefix::get().identity().hash(&mut hasher);
    let shared = ["check.h", "device/device.h"].map(|name| support::sources().join(name));
    files(&sources()).iter().chain(&shared).for_each(|file| fs::read(file).unwrap_or_default().hash(&mut hasher));
    compile.args(["-O1", "-g"]);
    program::build(compile, name, hasher.finish()).unwrap_or_else(|error| panic!("{error}"))
}

fn rows(program: &Path) -> Vec<Row> {
    let listed = Command::new(program).arg("--list").output().expect("the program that was just built");
    let wanted = support::env::get("FERRITE_SUITE_PROGRAM").unwrap_or_default();
    let text = String::from_utf8(listed.stdout).expect("ASCII");
    let mut rows = Vec::new();
    for line in text.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [who, name, routine, argument] = fields[..] else { panic!("`{line}` does not have four fields") };
        let [who, name, routine, argument] = [who, name, routine, argument].map(str::to_owned);
        if name.contains(&wanted) {
            rows.push(Row { who, name, routine, argument });
        }
    }
    rows
}

/// True if the line is the library's and names this routine, this argument and the line of the program.
fn names(line: &str, row: &Row) -> bool {
    let place = r"\([a-z_]+\.(c|h|f90):\d+\)$";
    let pattern = format!(r"^ferrite: PE \d+: {}: .*\b({})\b.* {place}", row.routine, row.argument);
    Regex::new(&pattern).expect("names make a pattern").is_match(line)
}

fn judge(row: &Row, outcome: &Outcome) -> Result<(), String> {
    let wrong = |what: &str| Err(format!("{}: {}", row.name, outcome.report(what)));
    let Some(code) = outcome.code() else { return wrong("hung") };
    if !outcome.outlived.is_empty() {
        return wrong("processes outlived the job");
    }
    let said: Vec<&str> = outcome.stderr.lines().collect();
    match (row.who.as_str(), code, &said[..]) {
        ("fine", 0, []) => Ok(()),
        ("fine", ..) => wrong("nothing was wrong"),
        (_, 0, _) => wrong("ended with 0"),
        // The last two lines: where and why PE 1 died, then how the job ended.
        ("fault", _, [.., why, end])
            if why.contains("PE 1: SIGSEGV")
                && (why.ends_with("address NULL")
                    || why.ends_with("source is NULL")
                    || why.ends_with("dest is NULL")
                    || why.ends_with("fetch is NULL"))
                && end.contains("PE 1")
                && end.contains("SIGSEGV") =>
        {
            Ok(())
        }
        ("one", _, [line]) if names(line, row) => Ok(()),
        // Several PEs make the same mistake, and each may report it.
        ("all", _, [_, ..]) if said.iter().all(|line| names(line, row)) => Ok(()),
        _ => wrong(&format!("not one line that names {} and {}", row.routine, row.argument)),
    }
}

fn run(program: &Path, rows: &[Row], variables: &[(String, String)]) {
    let mut failures = Vec::new();
    for row in rows {
        let mut command = command(Prefix::get(), program, Launch::Pes(PES));
        command.arg(&row.name);
        let _turn = support::turn();
        failures.extend(judge(row, &Job::start(command, variables).finish(LIMIT)).err());
    }
    println!("bad input: {} rows, {} failed", rows.len(), failures.len());
    assert!(failures.is_empty(), "{} of {} rows failed:\n\n{}", failures.len(), rows.len(), failures.join("\n"));
}

/// The compiler's command for a program in C.
fn compile(source: &str) -> Command {
    let mut compile = Command::new(Prefix::get().tool("oshcc"));
    compile.args(["-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-Wno-deprecated-declarations"]);
    compile.arg("-I").arg(support::sources()).arg(sources().join(source));
    compile
}

#[test]
fn every_family_in_c() {
    let program = build(compile("main.c"), "bad-input");
    run(&program, &rows(&program), &[]);
}

#[test]
fn device_memory_where_the_specification_forbids_it() {
    let mut compile = compile("device.c");
    compile.arg("-ldl");
    let program = build(compile, "bad-input-device");
    let size = ("SHMEM_DEVICE_SYMMETRIC_SIZE".to_owned(), "8m".to_owned());
    run(&program, &rows(&program), &[support::stand_in_driver(), vec![size]].concat());
}

/// Mistakes that the Fortran program can make: who, name, routine, argument.
const IN_FORTRAN: [(&str, &str, &str, &str); 23] = [
    ("one", "put_pe", "shmem_put8", "pe"),
    ("one", "get_pe", "shmem_get4", "pe"),
    ("one", "put_stack", "shmem_put8", "dest"),
    ("one", "get_stack", "shmem_get4", "source"),
    ("one", "put_negative", "shmem_put8", "dest"),
    ("one", "iput_stride", "shmem_iput8", "dst"),
    ("one", "putmem_beyond", "shmem_putmem", "dest"),
    ("one", "fadd_pe", "shmem_int4_fadd", "pe"),
    ("one", "fadd_stack", "shmem_int4_fadd", "dest"),
    ("one", "cswap_unaligned", "shmem_int8_cswap", "dest"),
    ("one", "wait_stack", "shmem_int4_wait_until", "ivar"),
    ("one", "wait_cmp", "shmem_int4_wait_until", "cmp"),
    ("one", "lock_stack", "shmem_set_lock", "lock"),
    ("one", "lock_free", "shmem_clear_lock", "lock"),
    ("one", "put_signal_pe", "shmemx_put8_signal", "pe"),
    ("one", "put_signal_stack", "shmemx_put8_signal", "dest"),
    ("one", "put_signal_negative", "shmemx_put8_signal", "dest"),
    ("one", "put_signal_nowhere", "shmemx_put8_signal", "sig_addr"),
    ("all", "alltoallv_beyond", "shmemx_alltoallv", "source"),
    ("all", "packed_without_room", "shmem_alltoallv_packed", "target_len"),
    ("all", "barrier_beyond", "shmem_barrier", "PE_size"),
    ("all", "broadcast_root", "shmem_broadcast8", "PE_root"),
    ("all", "reduce_negative", "shmem_int4_sum_to_all", "nreduce"),
];

#[test]
fn some_of_each_kind_in_fortran() {
    if Command::new("gfortran").arg("--version").output().is_err() {
        println!("skipped: there is no gfortran on this machine");
        return;
    }
    let mut compile = Command::new(Prefix::get().tool("oshfort"));
    compile.args(["-Wall", "-Werror", "-Wno-unused"]).arg(sources().join("bad.f90"));
    let program = build(compile, "bad-input-fortran");
    let wanted = support::env::get("FERRITE_SUITE_PROGRAM").unwrap_or_default();
    let rows: Vec<Row> = IN_FORTRAN
        .into_iter()
        .map(|(who, name, routine, argument)| [who, name, routine, argument].map(str::to_owned))
        .map(|[who, name, routine, argument]| Row { who, name, routine, argument })
        .filter(|row| row.name.contains(&wanted))
        .collect();
    run(&program, &rows, &[]);
}
