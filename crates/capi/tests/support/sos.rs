//! The public suite openshmem-org/tests-sos, which stays outside this repository: `FERRITE_TESTS_SOS` names a checkout.

use super::job::{Job, command};
use super::prefix::{Prefix, files};
use super::program::{self, Launch};
use super::turn;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// PE counts that every program must pass with.
const COUNTS: [u32; 8] = [1, 2, 3, 4, 5, 6, 7, 8];

/// Bound for a hang. Some programs move a lot of data with eight PEs on few cores.
const LIMIT: Duration = Duration::from_secs(600);

/// How the suite treats a program of the public suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The program is run.
    Run,
    /// The program needs routines that the library does not have yet.
    Later,
    /// The program uses MPI too: `mpi.rs` runs it.
    Mpi,
}

/// The directories of `test` whose programs are listed.
pub const PARTS: [&str; 4] = ["apps", "shmemx", "spec-example", "unit"];

/// The list in the repository: directory and file name, verdict, reason.
pub fn list() -> Vec<(&'static str, Verdict, &'static str)> {
    let rows = include_str!("../data/tests-sos.txt").lines().filter(|line| !line.starts_with('#'));
    rows.map(|row| {
        let (name, rest) = row.split_once(char::is_whitespace).unwrap_or_else(|| panic!("`{row}` has no verdict"));
        let (verdict, reason) = rest.trim().split_once(char::is_whitespace).unwrap_or((rest.trim(), ""));
        let verdict = match verdict {
            "run" => Verdict::Run,
            "later" => Verdict::Later,
            "mpi" => Verdict::Mpi,
            _ => panic!("`{verdict}` is no verdict: {row}"),
        };
        assert!(verdict == Verdict::Run || !reason.is_empty(), "`{row}` gives no reason");
        (name, verdict, reason.trim())
    })
    .collect()
}

/// Builds and runs one program with every PE count; returns the failures.
pub fn run(checkout: &Path, name: &str) -> Vec<String> {
    let prefix = Prefix::get();
    let executable = match build(checkout, name, prefix) {
        Ok(executable) => executable,
        Err(error) => return vec![format!("{name} does not compile\n{error}")],
    };
    let mut failures = Vec::new();
    for count in COUNTS {
        let _turn = turn();
        let outcome = Job::start(command(prefix, &executable, Launch::Pes(count)), &[]).finish(LIMIT);
        let what = match outcome.code() {
            None => format!("hung: still running after {} s", LIMIT.as_secs()),
            Some(0) if outcome.outlived.is_empty() => continue,
            Some(0) => format!("processes {:?} outlived the job", outcome.outlived),
            Some(code) => format!("ended with status {code}"),
        };
        failures.push(format!("{name} with {count} PEs: {}", outcome.report(&what)));
    }
    failures
}

/// Builds one program; `Err` has the compiler's output.
pub fn build(checkout: &Path, name: &str, prefix: &Prefix) -> Result<PathBuf, String> {
    let test = checkout.join("test");
    let source = test.join(name);
    let compiler = match name.rsplit_once('.') {
        Some((_, "cpp")) => "oshc++",
        Some((_, "f90")) => "oshfort",
        _ => "oshcc",
    };
    let mut compile = Command::new(prefix.tool(compiler));
    compile.args(["-O2", "-w", "-pthread", "-I"]).arg(test.join("include"));
    compile.arg("-I").arg(source.parent().expect("a program lies in a directory")).arg(&source);
    match name {
        "unit/mt_lock_test.c" => drop(compile.arg(test.join("unit/mt_lock.c"))),
        "spec-example/shmem_ctx.c" => drop(compile.arg("-fopenmp")),
        _ => {}
    }
    compile.arg("-lm");
    let mut hasher = DefaultHasher::new();
    prefix.identity().hash(&mut hasher);
    for path in files(&test.join("include")).into_iter().chain([source, test.join("unit/mt_lock.c")]) {
        std::fs::read(path).unwrap_or_default().hash(&mut hasher);
    }
    program::build(compile, &format!("sos-{name}"), hasher.finish())
}
