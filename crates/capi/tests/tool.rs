//! The profiling tool of `examples/tool`: it wraps every routine that moves data, orders or synchronises, and its counts are right, both
//! preloaded before a program and linked into one.

mod support;

use ferrite_abi::{Routine, Status, everything, symbols};
use std::{
    collections::{BTreeSet, hash_map::DefaultHasher},
    fs,
    hash::{Hash, Hasher},
    path::{Path, PathBuf},
    process::Command,
};
use support::{LIMIT, env::Conditions, job::Job, prefix::Prefix, program::build, scratch, turn};

/// The calls that the program of `tests/tool` makes on each of two PEs: routine, then calls and bytes of PE 0 and of PE 1.
const EXPECTED: &[(&str, [(u64, u64); 2])] = &[
    ("put", [(4, 26), (3, 25)]),
    ("get", [(1, 8); 2]),
    ("p", [(1, 4); 2]),
    ("g", [(1, 8); 2]),
    ("iput", [(1, 12); 2]),
    ("ibget", [(1, 16); 2]),
    ("put_nbi", [(2, 26); 2]),
    ("put_signal", [(1, 16); 2]),
    ("signal_add", [(1, 8); 2]),
    ("signal_wait_until", [(1, 0); 2]),
    ("atomic_inc", [(1, 4); 2]),
    ("atomic_fetch_add", [(1, 8); 2]),
    ("wait_until", [(1, 0); 2]),
    ("fence", [(1, 0); 2]),
    ("quiet", [(2, 0); 2]),
    ("barrier", [(1, 0); 2]),
    ("sync", [(2, 0); 2]),
    ("set_lock", [(1, 0); 2]),
    ("clear_lock", [(1, 0); 2]),
    ("broadcast", [(1, 7); 2]),
    ("alltoall", [(1, 8); 2]),
    ("sum_reduce", [(1, 32); 2]),
    ("req_wait", [(1, 0); 2]),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The C sources of the tool.
fn sources() -> Vec<PathBuf> {
    let parts = support::prefix::files(&root().join("examples/tool"));
    parts.into_iter().filter(|path| path.extension().is_some_and(|e| e == "c")).collect()
}

/// Compile these files with the installed oshcc. The result of an earlier run is reused if nothing has changed.
fn compiled(name: &str, arguments: &[&str], files: &[PathBuf]) -> PathBuf {
    let mut oshcc = Command::new(Prefix::get().tool("oshcc"));
    oshcc.args(["-O1", "-Wall", "-Wextra", "-Werror", "-Wno-deprecated-declarations"]);
    // The linker warns of static programs that resolve host names. That comes from the library, not from the tool.
    oshcc.args(arguments).args(files).arg("-Wl,--no-warnings");
    let mut contents = DefaultHasher::new();
    Prefix::get().identity().hash(&mut contents);
    for file in files.iter().chain(&support::prefix::files(&root().join("examples/tool"))) {
        fs::read(file).unwrap_or_default().hash(&mut contents);
    }
    build(oshcc, name, contents.finish()).unwrap_or_else(|error| panic!("{error}"))
}

fn shared_tool() -> PathBuf {
    compiled("tool-shared", &["-shared", "-fPIC"], &sources())
}

/// The expected table, as the tool writes it.
fn table() -> String {
    let row =
        |name: &str, pe: &str, (calls, bytes): (u64, u64)| format!("{name:<20} {pe:>6} {calls:>14} {bytes:>18}\n");
    let mut text = format!("{:<20} {:>6} {:>14} {:>18}\n", "routine", "PE", "calls", "bytes");
    let mut total = (0, 0);
    for (name, [zero, one]) in EXPECTED {
        let sum = (zero.0 + one.0, zero.1 + one.1);
        total = (total.0 + sum.0, total.1 + sum.1);
        text += &(row(name, "all", sum) + &row("", "0", *zero) + &row("", "1", *one));
    }
    text + &row("total", "all", total)
}

/// Runs the program on two PEs with these environment variables.
fn run(program: &Path, variables: &[(&str, String)]) -> String {
    let _turn = turn();
    let mut oshrun = Command::new(Prefix::get().tool("oshrun"));
    oshrun.args(Conditions::get().options).args(["-n", "2"]);
    for (name, value) in variables {
        oshrun.arg("-x").arg(format!("{name}={value}"));
    }
    oshrun.arg(program);
    let outcome = Job::start(oshrun, &Conditions::get().variables).finish(LIMIT);
    assert!(outcome.code() == Some(0) && outcome.outlived.is_empty(), "{}", outcome.report("did not end well"));
    outcome.stderr
}

fn program() -> PathBuf {
    root().join("tests/tool/program.c")
}

#[test]
fn in_front_of_a_program_it_counts_every_call() {
    let executable = compiled("tool-none", &[], &[program()]);
    let preload = ("LD_PRELOAD", shared_tool().display().to_string());
    assert_eq!(run(&executable, std::slice::from_ref(&preload)), table());
    // Written to a file, and only the sums.
    let file = scratch("tool").join("table");
    let output = ("SHMEM_TOOL_OUTPUT", file.display().to_string());
    assert_eq!(run(&executable, &[preload, output, ("SHMEM_TOOL_PES", "0".to_owned())]), "");
    let sums: String = table().lines().filter(|line| !line.starts_with(' ')).map(|line| format!("{line}\n")).collect();
    assert_eq!(fs::read_to_string(file).expect("the tool wrote it"), sums);
}

#[test]
fn inside_of_a_program_it_counts_the_same() {
    let files = [vec![program()], sources()].concat();
    for (way, arguments) in [("tool-inside", &[][..]), ("tool-inside-static", &["-static"])] {
        assert_eq!(run(&compiled(way, arguments, &files), &[]), table(), "{way}");
    }
}

/// True if the tool should wrap a routine: all but set-up, queries, memory, teams, contexts and sessions.
fn is_counted(row: &Routine) -> bool {
    let section = row.facts.section;
    match row.facts.status {
        Status::Removed(_) => false,
        Status::Vendor(_) => {
            !["teams", "starts", "sessions", "the machine", "performance counters", "memory of devices"]
                .contains(&section)
        }
        _ => ["9.6.", "9.7.", "9.8.", "9.10.", "9.11.", "9.12.", "9.13."].iter().any(|part| section.starts_with(part)),
    }
}

/// Routines of the counted sections that do nothing to count.
const NOT_COUNTED: [&str; 11] = [
    "shmemx_query_thread",
    "shmemx_thread_register",
    "shmemx_thread_unregister",
    "shmemx_register_gettid",
    "shmemx_agg_create",
    "shmemx_agg_destroy",
    "shmemx_ct_create",
    "shmemx_ct_free",
    "shmemx_ct_get",
    "shmemx_ct_set",
    "shmemx_malloc_with_hint",
];

/// Routines that the tool wraps for its own needs.
const FOR_ITSELF: [&str; 10] = [
    "shmem_init",
    "shmem_init_thread",
    "start_pes",
    "shmem_finalize",
    "shmemx_init_attr",
    "shmem_init_",
    "shmemx_init_attr_",
    "shmem_finalize_",
    "shmem_pcontrol",
    "tool_count",
];

#[test]
fn it_wraps_all_that_there_is_to_count() {
    let mut nm = Command::new("nm");
    let output = nm.args(["-D", "--defined-only", "--format=posix"]).arg(shared_tool()).output();
    let output = output.unwrap_or_else(|error| panic!("{nm:?}: {error}"));
    let text = String::from_utf8_lossy(&output.stdout);
    let wrapped: BTreeSet<&str> = text.lines().filter_map(|line| line.split(' ').next()).collect();
    let rows = everything();
    let counted = rows.iter().filter(|row| row.served && is_counted(row)).flat_map(symbols).map(|symbol| symbol.name);
    let counted: Vec<String> = counted.filter(|name| !NOT_COUNTED.contains(&name.as_str())).collect();
    assert!(counted.len() > 1788, "{}", counted.len());
    let ought: BTreeSet<&str> = counted.iter().map(String::as_str).chain(FOR_ITSELF).collect();
    let missing: Vec<_> = ought.difference(&wrapped).collect();
    let beyond: Vec<_> = wrapped.difference(&ought).collect();
    assert!(missing.is_empty() && beyond.is_empty(), "not wrapped: {missing:?}; beyond: {beyond:?}");
}
