//! The C programs of `examples/c` run as they stand and find their own results right; they notice wrong results; they compile with another
//! OpenSHMEM if one is installed. `fortran.rs` runs the Fortran examples.

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

/// The examples that a newcomer reads first: they take no sizes and print no figure.
const FIRST: [&str; 3] = ["hello", "ring", "grid"];

/// A program that prints a figure, and a broken routine with which the program must find its result wrong.
struct Row {
    name: &'static str,
    /// The file name without its extension.
    source: &'static str,
    unit: &'static str,
    /// True if it runs over TCP too.
    tcp: bool,
    fault: &'static str,
}

const ROWS: [Row; 10] = [
    Row {
        name: "pi",
        source: "pi",
        unit: "Mintervals/s",
        tcp: false,
        fault: "int shmem_double_sum_reduce(shmem_team_t t, double *d, const double *s, size_t n)
                { (void)t; (void)n; *d = *s; return 0; }",
    },
    Row {
        name: "heat",
        source: "heat",
        unit: "Mcells/s",
        tcp: true,
        fault:
            "void shmem_double_put_signal(double *d, const double *s, size_t n, uint64_t *a, uint64_t v, int o, int pe)
                { (void)o; pshmem_double_put_signal(d, s, n - 1, a, v, SHMEM_SIGNAL_SET, pe); }",
    },
    Row {
        name: "sort",
        source: "sort",
        unit: "Mkeys/s",
        tcp: true,
        fault: "void shmem_putmem(void *d, const void *s, size_t n, int pe) { pshmem_putmem(d, s, n / 2, pe); }",
    },
    Row {
        name: "gups",
        source: "gups",
        unit: "GUP/s",
        tcp: true,
        fault: "void shmem_uint64_atomic_xor(uint64_t *d, uint64_t v, int pe) { pshmem_uint64_p(d, v, pe); }",
    },
    Row {
        name: "histogram",
        source: "histogram",
        unit: "Mitems/s",
        tcp: true,
        fault: "void shmem_long_atomic_inc(long *d, int pe) { pshmem_long_p(d, 1, pe); }",
    },
    Row {
        name: "gups_aggregated",
        source: "gups",
        unit: "GUP/s",
        tcp: true,
        fault: "void shmemx_agg_xor(shmemx_agg_t a, uint64_t *d, uint64_t v, int pe) { (void)a; pshmem_uint64_p(d, v, pe); }",
    },
    Row {
        name: "histogram_aggregated",
        source: "histogram",
        unit: "Mitems/s",
        tcp: true,
        fault: "void shmemx_agg_add(shmemx_agg_t a, uint64_t *d, uint64_t v, int pe)
                { if (pe == 0) pshmemx_agg_add(a, d, v, pe); }",
    },
    Row {
        name: "index_gather",
        source: "index_gather",
        unit: "Mreads/s",
        tcp: true,
        fault: "void shmem_uint64_get_nbi(uint64_t *d, const uint64_t *s, size_t n, int pe)
                { if (pe == 0) pshmem_uint64_get_nbi(d, s, n, pe); }",
    },
    Row {
        name: "transpose",
        source: "transpose",
        unit: "MB/s",
        tcp: true,
        fault: "int shmem_uint64_alltoall(shmem_team_t t, uint64_t *d, const uint64_t *s, size_t n)
                { return pshmem_uint64_alltoall(t, d, s, n - 1); }",
    },
    Row {
        name: "bfs",
        source: "bfs",
        unit: "MTEPS",
        tcp: true,
        fault: "void shmem_putmem(void *d, const void *s, size_t n, int pe)
                { static int calls; if (++calls % 3 != 0) pshmem_putmem(d, s, n, pe); }",
    },
];

fn examples() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples/c")
}

/// The program of `examples/c/SOURCE.c`, with a second source if `fault` is not empty.
fn built(name: &str, source: &str, fault: &str) -> PathBuf {
    built_with(name, source, fault, &[])
}

/// The same, compiled with these options too.
fn built_with(name: &str, source: &str, fault: &str, options: &[&str]) -> PathBuf {
    let prefix = Prefix::get();
    let mut compile = Command::new(prefix.tool("oshcc"));
    compile.args(options);
    compile.args(["-std=c11", "-D_GNU_SOURCE", "-O2", "-Wall", "-Wextra", "-Werror"]);
    compile.arg(examples().join(source).with_extension("c")).args((name != source).then_some("-DAGGREGATE"));
    let mut hasher = DefaultHasher::new();
    (prefix.identity(), fault).hash(&mut hasher);
    for file in files(&examples()) {
        fs::read(file).unwrap_or_default().hash(&mut hasher);
    }
    if !fault.is_empty() {
        let source = support::scratch("faults").join(format!("{name}.c"));
        let text = format!("#include <pshmem.h>\n#include <shmemx.h>\n{fault}\n");
        fs::write(&source, text).expect("the scratch directory is writable");
        compile.arg(source);
    }
    compile.arg("-lm");
    program::build(compile, &format!("example-{name}{}", options.concat()), hasher.finish())
        .unwrap_or_else(|error| panic!("{error}"))
}

fn run(program: &Path, pes: u32, arguments: &[&str], transport: &str) -> Outcome {
    run_with(program, pes, arguments, transport, &[])
}

fn run_with(program: &Path, pes: u32, arguments: &[&str], transport: &str, variables: &[(String, String)]) -> Outcome {
    let _turn = support::turn();
    let mut command = command(Prefix::get(), program, Launch::Pes(pes));
    command.args(arguments);
    let transport = (!transport.is_empty()).then(|| ("SHMEM_TRANSPORT".to_owned(), transport.to_owned()));
    Job::start(command, &[variables, transport.as_slice()].concat()).finish(LIMIT)
}

#[test]
fn every_example_runs_and_finds_its_result_right() {
    for name in FIRST {
        for pes in [2, 4] {
            let outcome = run(&built(name, name, ""), pes, &[], "");
            assert_eq!(outcome.code(), Some(0), "{}", outcome.report("should end well"));
        }
    }
    for row in &ROWS {
        let (name, executable) = (row.name, built(row.name, row.source, ""));
        for (pes, over) in [(2, ""), (4, ""), (2, "tcp")].into_iter().filter(|&(_, over)| row.tcp || over.is_empty()) {
            let outcome = run(&executable, pes, &[], over);
            assert_eq!(outcome.code(), Some(0), "{}", outcome.report("should end well"));
            let line = format!(
                r"(?m)^figure program={name} value=([0-9.e+-]+) unit={} seconds=([0-9.e+-]+) pes={pes}( [a-z]+=[0-9]+)+$",
                row.unit
            );
            let found = Regex::new(&line).expect("a pattern").captures(&outcome.stdout);
            let found = found.unwrap_or_else(|| panic!("{}", outcome.report("should print its figure")));
            let figure: f64 = found[1].parse().expect("a number");
            assert!(figure > 0.0, "{}", outcome.report("should print a figure above 0"));
        }
    }
}

/// Device memory shuts the near path, so operations on host memory take another one.
#[test]
fn host_memory_is_updated_rightly_beside_device_memory() {
    let program = built("gups", "gups", "");
    let mut variables = support::stand_in_driver();
    variables.push(("SHMEM_GPU_SUPPORT_ENABLED".to_owned(), "1".to_owned()));
    for transport in ["", "tcp"] {
        let outcome = run_with(&program, 2, &[], transport, &variables);
        assert_eq!(outcome.code(), Some(0), "{}", outcome.report("should end well"));
        // A line here would say that there is no device memory.
        assert_eq!(outcome.stderr, "", "{}", outcome.report("should have device memory"));
        assert!(outcome.stdout.contains("figure program=gups"), "{}", outcome.report("should print its figure"));
        print!("{}", outcome.stdout);
    }
}

/// The examples give back what they allocate, and race nowhere: the checker has nothing to say of them, of their calls alone and of their
/// loads and stores too.
#[test]
fn every_example_passes_the_checker() {
    let rows = ROWS.iter().map(|row| (row.name, row.source));
    let programs: Vec<_> = FIRST.into_iter().map(|name| (name, name)).chain(rows).collect();
    let builds = [(&[][..], "calls were checked"), (&["--check"], "calls, loads and stores were checked")];
    for ((name, source), (options, looked_at)) in programs.iter().flat_map(|&it| builds.map(|build| (it, build))) {
        let program = built_with(name, source, "", options);
        let _turn = support::turn();
        let mut command = Command::new(Prefix::get().tool("oshrun"));
        command.args(["-n", "2", "--check"]).arg(program);
        let outcome = Job::start(command, &[]).finish(LIMIT);
        assert_eq!(outcome.code(), Some(0), "{}", outcome.report("should end well"));
        let end = format!("ferrite: check: no mistakes found; {looked_at}");
        let is_alone = outcome.stderr.lines().count() == 1 && outcome.stderr.starts_with(&end);
        assert!(is_alone, "{}", outcome.report("nothing is to be said of it"));
    }
}

#[test]
fn every_source_has_its_row() {
    for source in files(&examples()).iter().filter(|path| path.extension().is_some_and(|e| e == "c")) {
        let name = source.file_stem().expect("a file").to_str().expect("plain names");
        // `parameter_server` has a test of its own.
        let needs_none = FIRST.contains(&name) || name == "parameter_server";
        assert!(needs_none || ROWS.iter().any(|row| row.source == name), "{name} has no row");
    }
}

/// Without this test, a result that an example calls right would prove nothing.
#[test]
fn every_example_detects_wrong_results() {
    for row in &ROWS {
        let outcome = run(&built(row.name, row.source, row.fault), 2, &[], "");
        let said = Regex::new(&format!(r"(?m)^{}: [0-9]+ results are wrong$", row.name)).expect("a pattern");
        let noticed = outcome.code() == Some(1) && said.is_match(&outcome.stderr);
        assert!(noticed, "{}", outcome.report("should find its result wrong"));
        assert!(!outcome.stdout.contains("figure"), "{}", outcome.report("should print no figure"));
    }
}

#[test]
fn sizes_come_from_the_command_line() {
    let program = built("gups", "gups", "");
    for (arguments, code, stdout, stderr) in [
        (&["--help"][..], 0, "--words ", ""),
        (&["--updates", "10", "--words=3"], 0, " words=3 updates=10\n", ""),
        (&["--words", "0"], 2, "", "gups: --words is '0', but should be a number from 1 to 4294967296"),
        (&["--words", "7x"], 2, "", "gups: --words is '7x', but should be a number from 1 to 4294967296"),
        (&["--words"], 2, "", "gups: --words is '', but should be a number from 1 to 4294967296"),
        (&["--word", "5"], 2, "", "gups: there is no option --word; --help lists those there are"),
        (&["5"], 2, "", "gups: there is no option 5; --help lists those there are"),
    ] {
        let outcome = run(&program, 2, arguments, "");
        assert_eq!(outcome.code(), Some(code), "{}", outcome.report("should end otherwise"));
        assert!(outcome.stdout.contains(stdout), "{}", outcome.report("should print otherwise"));
        assert_eq!(outcome.stderr.lines().find(|line| line.starts_with("gups")).unwrap_or(""), stderr);
    }
}

/// The figures are compared with other libraries, so the programs use no extension of Ferrite.
#[test]
fn every_figure_compiles_with_another_openshmem() {
    let compiler = Path::new("/usr/bin/oshcc");
    let other = Command::new(compiler).arg("--showme").output().is_ok_and(|output| output.status.success());
    if !other {
        println!("skipped: there is no other OpenSHMEM on this machine: /usr/bin/oshcc is not Open MPI's");
        return;
    }
    for row in &ROWS {
        let mut compile = Command::new(compiler);
        compile.args(["-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]);
        let output = compile.arg(examples().join(row.source).with_extension("c")).output().expect("it was just run");
        assert!(output.status.success(), "{compile:?}\n{}", String::from_utf8_lossy(&output.stderr));
    }
}
