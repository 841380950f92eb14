//! Jobs over libfabric and UCX. However a job ends, its status is its own, the reason is reported, and nothing is left. A job that needs
//! neither library loads neither. `ci/fabrics` runs the C suite over them.

mod support;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use support::LIMIT;
use support::burners::Burners;
use support::job::{Job, Outcome, command};
use support::prefix::Prefix;
use support::program::{self, Launch, Program};

const PES: u32 = 3;

/// A provider: its library, and the variables that select it.
struct Provider {
    library: &'static str,
    variables: &'static [(&'static str, &'static str)],
}

const PROVIDERS: [Provider; 3] = [
    Provider {
        library: "libfabric.so.1",
        variables: &[("SHMEM_TRANSPORT", "libfabric"), ("SHMEM_OFI_PROVIDER", "tcp")],
    },
    Provider { library: "libucp.so.0", variables: &[("SHMEM_TRANSPORT", "ucx"), ("UCX_TLS", "tcp,self")] },
    Provider { library: "libucp.so.0", variables: &[("SHMEM_TRANSPORT", "ucx"), ("UCX_TLS", "posix,self")] },
];

/// True if the loader finds the library.
fn has(library: &str) -> bool {
    let known = Command::new("/sbin/ldconfig").arg("-p").output();
    let found = known.is_ok_and(|known| String::from_utf8_lossy(&known.stdout).contains(library));
    if !found {
        println!("skipped: jobs over {library}: it is not installed");
    }
    found
}

/// The program that acts on its arguments.
fn actor() -> PathBuf {
    program::plain(&support::sources().join("job.c"), "fabric-job")
}

fn run(executable: &Path, pes: u32, arguments: &[&str], variables: &[(&str, &str)]) -> Outcome {
    let mut command = command(Prefix::get(), executable, Launch::Pes(pes));
    command.args(arguments);
    let variables: Vec<_> = variables.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
    Job::start(command, &variables).finish(LIMIT)
}

/// Runs a job over each provider; it must end with `code` and leave no process.
fn over_each(executable: &Path, pes: u32, arguments: &[&str], code: i32, right: impl Fn(&Outcome)) {
    over_each_with(&[], executable, pes, arguments, code, right);
}

/// The same with more variables.
fn over_each_with(
    more: &[(&str, &str)],
    executable: &Path,
    pes: u32,
    arguments: &[&str],
    code: i32,
    right: impl Fn(&Outcome),
) {
    let _turn = support::turn();
    for provider in PROVIDERS.iter().filter(|provider| has(provider.library)) {
        let outcome = run(executable, pes, arguments, &[provider.variables, more].concat());
        assert_eq!(outcome.code(), Some(code), "{}", outcome.report("ended with another status"));
        assert!(outcome.outlived.is_empty(), "{}", outcome.report("processes were left"));
        right(&outcome);
    }
}

#[test]
fn a_pe_that_is_killed_ends_the_job_with_the_reason() {
    for place in ["barrier", "wait", "lock", "compute"] {
        over_each(&actor(), PES, &["sigkill", place], 137, |outcome| {
            let said = outcome.stderr.lines().any(|line| line.contains("PE 2") && line.contains("SIGKILL"));
            assert!(said, "{}", outcome.report("no line says who was killed"));
        });
    }
}

#[test]
fn a_status_stays_its_own() {
    for (act, code) in [("exit7", 7), ("_exit7", 7), ("global_exit3", 3), ("sigsegv", 139), ("end", 0)] {
        over_each(&actor(), PES, &[act, "wait"], code, |_| {});
    }
}

#[test]
fn a_program_may_end_without_finalize() {
    for name in ["start_pes_needs_no_finalize", "exit_without_finalize"] {
        let program = Program::read(&support::sources().join("setup").join(name).with_extension("c"));
        let executable = program.build(Prefix::get()).unwrap_or_else(|error| panic!("{error}"));
        over_each(&executable, PES, &[], 0, |_| {});
    }
}

#[test]
fn random_operations_agree_with_their_model() {
    let soak = program::plain(&support::sources().with_file_name("soak").join("soak.c"), "fabric-soak");
    over_each(&soak, 2, &["2", "31"], 0, |outcome| {
        assert_eq!(outcome.stdout.matches("all right").count(), 2, "{}", outcome.report("too few results"));
    });
}

/// The same test as `jobs_come_to_their_end_beside_others` of `jobs.rs`.
#[test]
fn jobs_come_to_their_end_beside_threads_that_burn_every_core() {
    let beside = program::plain(&support::sources().join("beside.c"), "fabric-beside");
    let _burners = Burners::start();
    over_each(&beside, 2, &["40"], 0, |outcome| {
        assert_eq!(outcome.stderr, "", "{}", outcome.report("nobody is lost or late"));
    });
}

#[test]
fn missing_provider_is_refused_by_name() {
    let _turn = support::turn();
    for (library, transport, variable) in
        [("libfabric.so.1", "libfabric", "SHMEM_OFI_PROVIDER"), ("libucp.so.0", "ucx", "UCX_TLS")]
    {
        if !has(library) {
            continue;
        }
        let outcome = run(&actor(), 2, &["end", "wait"], &[("SHMEM_TRANSPORT", transport), (variable, "nonsense")]);
        assert!(outcome.code().is_some_and(|code| code != 0), "{}", outcome.report("there is no such provider"));
        let names = |line: &str| line.contains(variable) || line.contains("\"nonsense\"");
        let said = outcome.stderr.lines().any(|line| line.starts_with("ferrite:") && names(line));
        assert!(said, "{}", outcome.report(&format!("no line of ours names {variable}, or what it says")));
        assert!(outcome.outlived.is_empty(), "{}", outcome.report("processes were left"));
    }
}

/// A program whose PEs print the library's threads that they have.
fn attendants() -> PathBuf {
    program::plain(&support::sources().join("attendants.c"), "fabric-attendants")
}

/// The choice also holds where PEs share cores and sleep while they wait.
#[test]
fn progress_can_be_chosen() {
    let attendants = attendants();
    for (progress, wait, threads) in [("auto", "auto", 2), ("program", "auto", 0), ("program", "yield", 0)] {
        let chosen = [("FERRITE_PROGRESS", progress), ("FERRITE_WAIT", wait)];
        over_each_with(&chosen, &attendants, 2, &[], 0, |outcome| {
            let seen = outcome.stdout.matches("has ferrite-").count();
            assert_eq!(seen, threads, "{}", outcome.report(&format!("threads with {chosen:?}")));
        });
    }
}

#[test]
fn progress_must_be_the_same_on_all_pes() {
    over_each(&attendants(), PES, &["1"], 70, |outcome| {
        let said = outcome.stderr.contains("PE 1 and PE 0 have different values of FERRITE_PROGRESS");
        assert!(said, "{}", outcome.report("it is not said why"));
    });
}

/// Awaited operations arrive and posted operations leave, though no service thread makes progress.
#[test]
fn a_program_that_serves_alone_gets_on() {
    for name in ["memory/grows_behind_long_puts.c", "wait/looks_that_serve.c"] {
        let program = Program::read(&support::sources().join(name));
        let executable = program.build(Prefix::get()).unwrap_or_else(|error| panic!("{error}"));
        over_each_with(&[("FERRITE_PROGRESS", "program")], &executable, PES, &[], 0, |_| {});
    }
}

/// Loading the two libraries takes a process up to 200 ms.
#[test]
fn a_job_of_one_host_loads_neither_library() {
    let _turn = support::turn();
    let loads = |variables: &[(&str, &str)], library: &str| {
        let outcome = run(&actor(), 2, &["end", "wait"], &[&[("LD_DEBUG", "libs")], variables].concat());
        assert_eq!(outcome.code(), Some(0), "{}", outcome.report("the job failed"));
        assert!(outcome.stderr.contains("find library=libc.so"), "the loader does not say what it loads");
        outcome.stderr.contains(&format!("find library={library}"))
    };
    for library in ["libfabric.so.1", "libucp.so.0"] {
        assert!(!loads(&[], library), "{library} was loaded for a job of one host");
    }
    for provider in PROVIDERS.iter().filter(|provider| has(provider.library)) {
        assert!(loads(provider.variables, provider.library), "{} was not seen where it is asked for", provider.library);
    }
}

#[test]
fn a_variable_of_ucx_that_leaves_no_device_is_named() {
    if !has("libucp.so.0") {
        return;
    }
    let _turn = support::turn();
    let outcome = run(&actor(), 2, &["end", "nowhere"], &[("SHMEM_TRANSPORT", "ucx"), ("UCX_TLS", "none_such")]);
    assert_eq!(outcome.code(), Some(70), "{}", outcome.report("UCX cannot start"));
    let told = "UCX_TLS=none_such leaves UCX no transport or device of this host";
    assert!(outcome.stderr.contains(told), "{}", outcome.report("should name the variable"));
}

/// A program of `tests/stall`, compiled with these arguments.
fn of_stalls(name: &str, arguments: &[&str]) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stall").join(name).with_extension("c");
    let mut compile = Command::new(Prefix::get().tool("oshcc"));
    compile.args(["-D_GNU_SOURCE", "-O1", "-g"]).arg(&source).args(arguments);
    let mut contents = DefaultHasher::new();
    Prefix::get().identity().hash(&mut contents);
    std::fs::read(&source).expect("the program is there").hash(&mut contents);
    program::build(compile, name, contents.finish()).unwrap_or_else(|error| panic!("{error}"))
}

/// All PEs wait while the data are on their way, and no PE can hasten that. A link by TCP stands still for longer than a proof takes.
#[test]
fn a_get_that_takes_seconds_is_no_stall() {
    let slow = of_stalls("slow_link", &["-shared", "-fPIC", "-ldl"]).display().to_string();
    let variables = [("LD_PRELOAD", &*slow), ("SHMEM_ON_STALL", "abort")];
    over_each_with(&variables, &of_stalls("long_get", &[]), 2, &[], 0, |outcome| {
        assert_eq!(outcome.stderr, "", "{}", outcome.report("a transfer that goes on was reported"));
        // UCX's shared memory is no link that the test could stop.
        let by_tcp = !outcome.stdout.contains("UCX_TLS=posix");
        let stood_still = outcome.stdout.contains("the get took 5 s or more");
        assert_eq!(stood_still, by_tcp, "{}", outcome.report("a link by TCP was to stand still"));
    });
}
