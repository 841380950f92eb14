//! Losses that return, in C: a PE is killed at a random moment of each kind of call, and the others meet again. `crates/ferrite/tests/losses.rs`
//! is the same in Rust.
//!
//! `FERRITE_TEST_KILLS` is the number of kills, and `FERRITE_TEST_SEED` the first seed.

mod support;

use std::{
    fs::{self, File},
    io::{BufRead, BufReader, Write},
    panic::{self, AssertUnwindSafe},
    path::PathBuf,
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::{Duration, Instant},
};
use support::{
    job::{Job, Outcome},
    prefix::Prefix,
    scratch,
};

/// Time that only ends hangs.
const LONG: Duration = Duration::from_secs(240);
/// Maximum time from a death to the return of each survivor. A busy machine may take most of it. Without any word of the death, a survivor
/// returns after 60 s, when a silent peer is lost.
const RETURN_LIMIT: Duration = Duration::from_secs(50);

/// An assertion of UCX 1.13 that fails now and then where a peer dies while an endpoint connects to it: UCX then ends the process.
const DEFECT_OF_UCX: &str = "ucp_request.c:684";

/// Calls that all PEs make, over and over, until one of them is killed.
const CALLS: [&str; 12] =
    ["put", "get", "atomic", "signal", "wait", "lock", "barrier", "reduce", "malloc", "split", "finalize", "start"];

/// A name, the library that it needs, and the variables that select it.
type Transport = (&'static str, Option<&'static str>, &'static [(&'static str, &'static str)]);

const TRANSPORTS: [Transport; 4] = [
    ("shared memory", None, &[("SHMEM_TRANSPORT", "auto")]),
    ("TCP", None, &[("SHMEM_TRANSPORT", "tcp")]),
    ("libfabric's tcp", Some("libfabric.so.1"), &[("SHMEM_TRANSPORT", "libfabric"), ("SHMEM_OFI_PROVIDER", "tcp")]),
    (
        "UCX's tcp",
        Some("libucp.so.0"),
        &[("SHMEM_TRANSPORT", "ucx"), ("UCX_TLS", "tcp,self"), ("UCX_LOG_LEVEL", "fatal")],
    ),
];

/// The transports whose libraries are installed.
fn transports() -> Vec<Transport> {
    let known = Command::new("/sbin/ldconfig").arg("-p").output();
    let known = known.map_or_else(|_| String::new(), |known| String::from_utf8_lossy(&known.stdout).into_owned());
    let is_here = |transport: &&Transport| {
        let is_here = transport.1.is_none_or(|library| known.contains(library));
        if !is_here {
            println!("skipped: losses over {}: it is not installed", transport.0);
        }
        is_here
    };
    TRANSPORTS.iter().filter(is_here).copied().collect()
}

fn program(name: &str, source: &str) -> PathBuf {
    let executable = scratch(name).join("pe");
    let source = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/losses").join(source);
    let mut oshcc = Command::new(Prefix::get().tool("oshcc"));
    let output = oshcc.args(["-O2", "-Wall", "-Wextra", "-o"]).arg(&executable).arg(source).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    executable
}

/// Numbers that a seed decides (xorshift).
struct Dice(u64);

impl Dice {
    fn of(seed: u64) -> Dice {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        (0..4).for_each(|_| _ = dice.below(2));
        dice
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

/// A process that the test has started. It is killed with this value.
struct Pe {
    process: Child,
    to: ChildStdin,
    lines: Receiver<(Instant, String)>,
    /// The file of its standard error.
    errors: PathBuf,
}

impl Pe {
    fn start(executable: &PathBuf, variables: &[(&str, String)], arguments: &[&str]) -> Pe {
        let mut command = Command::new(executable);
        let errors = executable.with_file_name(format!("{}.err", arguments[0]));
        let said = File::create(&errors).unwrap();
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(said);
        for name in ["FERRITE_BOOT", "FERRITE_SECRET", "FERRITE_SECRET_FILE", "FERRITE_NETWORK", "PMI_FD", "PMI_RANK"] {
            command.env_remove(name);
        }
        command.env("SHMEM_SYMMETRIC_SIZE", "64m").envs(variables.iter().map(|(name, value)| (name, value)));
        let mut process = command.spawn().unwrap();
        let (to, from) = (process.stdin.take().unwrap(), process.stdout.take().unwrap());
        let (send, lines) = channel();
        thread::spawn(move || {
            // UCX prints its messages to standard output: "[time] [host:process:...".
            let lines = BufReader::new(from).lines().map_while(Result::ok);
            let of_test = lines.filter(|line| !line.starts_with('['));
            of_test.for_each(|line| _ = send.send((Instant::now(), line)));
        });
        Pe { process, to, lines, errors }
    }

    /// The next line, and when it came.
    fn line(&self, what: &str) -> (Instant, String) {
        self.lines.recv_timeout(LONG).unwrap_or_else(|error| panic!("{what}: no line: {error}"))
    }

    /// Standard error of the process, whole if it has ended.
    fn errors(&self) -> String {
        // A process that has ended has no line after its last.
        while self.lines.recv_timeout(Duration::from_secs(1)).is_ok() {}
        String::from_utf8_lossy(&fs::read(&self.errors).unwrap_or_default()).into_owned()
    }

    fn id(&self, what: &str) -> String {
        let line = self.line(what).1;
        line.strip_prefix("id ").unwrap_or_else(|| panic!("{what}: {line}")).to_owned()
    }
}

impl Drop for Pe {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The survivors of a job meet again, and compute what is right.
fn meet_again(pes: &mut [Pe], what: &str) {
    let left = pes.len() as u64;
    let mut id = "draw".to_owned();
    for (rank, pe) in pes.iter_mut().enumerate() {
        writeln!(pe.to, "{rank} {left} {id}").unwrap_or_else(|error| panic!("{what}: {error}"));
        if rank == 0 {
            id = pe.id(what);
        }
    }
    for pe in pes {
        assert_eq!(pe.line(what).1, format!("total {}", left * (left + 1) / 2), "{what}");
        assert!(pe.process.wait().unwrap().success(), "{what}");
    }
}

/// A survivor returns in time, and names the lost PE. `None` if it had finished before, or never met the others.
fn returns(pe: &Pe, killed: Instant, victim: u32, call: &str, what: &str) -> Option<Duration> {
    let (at, line) = std::iter::repeat_with(|| pe.line(what)).find(|(_, line)| line != "ready").unwrap();
    let is_early = matches!(call, "finalize" | "start") && line == "whole";
    if is_early || call == "start" && line == "apart" {
        return None;
    }
    let time = at.saturating_duration_since(killed);
    let named = line.strip_prefix("lost ").unwrap_or_else(|| panic!("{what}: {line}"));
    assert!(named.split(',').any(|pe| pe == victim.to_string()), "{what}: {line}");
    assert!(time < RETURN_LIMIT, "{what}: {time:?}");
    Some(time)
}

/// Kill one PE as the seed says. Returns how long each survivor took to return.
fn kill(executable: &PathBuf, seed: u64, (transport, _, variables): Transport) -> Vec<Duration> {
    let mut dice = Dice::of(seed);
    let size = 2 + dice.below(7) as u32;
    let (victim, call) = (dice.below(size.into()) as u32, CALLS[dice.below(CALLS.len() as u64) as usize]);
    let what = format!("seed {seed}, {transport}: PE {victim} of {size} in {call}");
    let mut variables: Vec<(&str, String)> = variables.iter().map(|&(name, value)| (name, value.to_owned())).collect();
    // Only where a PE is killed before the others have met does a test wait for this time.
    variables.push(("FERRITE_START_TIMEOUT", if call == "start" { "10" } else { "60" }.to_owned()));
    let start =
        |rank: u32, id: &str| Pe::start(executable, &variables, &[&rank.to_string(), &size.to_string(), call, id]);
    let first = start(0, "draw");
    let id = first.id(&what);
    let mut pes: Vec<Pe> = [first].into_iter().chain((1..size).map(|rank| start(rank, &id))).collect();
    let survive = || {
        if call == "start" {
            thread::sleep(Duration::from_micros(dice.below(40_000)));
        } else {
            pes.iter().for_each(|pe| assert_eq!(pe.line(&what).1, "ready", "{what}"));
            thread::sleep(Duration::from_micros(dice.below(20_000)));
        }
        let killed = Instant::now();
        drop(pes.remove(victim as usize));
        let times = pes.iter().filter_map(|pe| returns(pe, killed, victim, call, &what)).collect();
        meet_again(&mut pes, &what);
        times
    };
    let survived = panic::catch_unwind(AssertUnwindSafe(survive));
    survived.unwrap_or_else(|failure| {
        let errors: Vec<String> = pes.iter().map(Pe::errors).collect();
        if errors.iter().any(|said| said.contains(DEFECT_OF_UCX)) {
            println!("skipped: {what}: UCX has ended a survivor, {DEFECT_OF_UCX}");
            return Vec::new();
        }
        errors.iter().for_each(|said| println!("{what}: a survivor has said:\n{said}"));
        panic::resume_unwind(failure)
    })
}

fn number(name: &str, default: u64) -> u64 {
    support::env::get(name).map_or(default, |value| value.parse().expect("a number"))
}

#[test]
fn kills_return() {
    let _turn = support::turn();
    let (executable, transports) = (program("losses", "pe.c"), transports());
    let (count, first) = (number("FERRITE_TEST_KILLS", 24), number("FERRITE_TEST_SEED", 1));
    let mut all = Vec::new();
    for (index, &transport) in transports.iter().enumerate() {
        let seeds = (first..first + count).filter(|seed| seed % transports.len() as u64 == index as u64);
        let mut times: Vec<Duration> = seeds.flat_map(|seed| kill(&executable, seed, transport)).collect();
        all.append(&mut times.clone());
        report(transport.0, &mut times);
    }
    report(&format!("{count} kills"), &mut all);
}

fn report(what: &str, times: &mut [Duration]) {
    times.sort();
    if let (Some(median), Some(worst)) = (times.get(times.len() / 2), times.last()) {
        println!("{what}: {} returns, median {median:?}, worst {worst:?}", times.len());
    }
}

/// SHMEM_ON_LOSS=return, in a program that is started by environment alone.
#[test]
fn environment_asks_for_losses_that_return() {
    let _turn = support::turn();
    let executable = program("losses-environment", "pe.c");
    let port = support::free_port(7);
    let start = |rank: u32| {
        let variables = [
            ("FERRITE_BOOT", format!("tcp://localhost:{port}")),
            ("FERRITE_RANK", rank.to_string()),
            ("FERRITE_SIZE", "3".to_owned()),
            ("SHMEM_ON_LOSS", "return".to_owned()),
        ];
        Pe::start(&executable, &variables, &[&rank.to_string(), "3", "barrier", "environment"])
    };
    let mut pes: Vec<Pe> = (0..3).map(start).collect();
    pes.iter().for_each(|pe| assert_eq!(pe.line("environment").1, "ready"));
    let killed = Instant::now();
    drop(pes.remove(1));
    pes.iter().for_each(|pe| _ = returns(pe, killed, 1, "barrier", "environment").expect("a loss"));
    meet_again(&mut pes, "environment");
}

/// A job of three PEs under oshrun, whose last one ends in this way, and whose others meet again.
fn launched(act: &str, variables: &[(String, String)]) -> Outcome {
    let name = format!("losses-launched-{act}");
    let executable = program(&name, "launched.c");
    let id = executable.with_file_name("id");
    let _ = fs::remove_file(&id);
    let mut oshrun = Command::new(Prefix::get().tool("oshrun"));
    oshrun.args(["-n", "3", "--on-loss", "return"]).arg(&executable).arg(act).arg(id);
    Job::start(oshrun, variables).finish(LONG)
}

#[test]
fn oshrun_leaves_survivors_alone() {
    let _turn = support::turn();
    let told = [
        ("killed", "was killed by SIGKILL", 0),
        ("leaves", "exited without finalize", 0),
        ("exits", "exited with 3", 3),
    ];
    for transport in ["auto", "tcp"] {
        for (act, how, code) in told {
            let outcome = launched(act, &[("SHMEM_TRANSPORT".to_owned(), transport.to_owned())]);
            assert_eq!(outcome.code(), Some(code), "{}", outcome.report("ended with another code"));
            assert_eq!(outcome.stdout, "total 2\ntotal 2\n", "{}", outcome.report("was not survived"));
            let is_told = outcome.stderr.lines().filter(|line| line.contains("PE 2") && line.contains(how)).count();
            assert_eq!(is_told, 1, "{}", outcome.report("does not tell of the loss"));
            assert!(outcome.outlived.is_empty(), "{}", outcome.report("left processes"));
        }
    }
}

#[test]
fn jobs_of_oshrun_without_losses_end_well() {
    let _turn = support::turn();
    let outcome = launched("nothing", &[]);
    assert_eq!((outcome.code(), &*outcome.stderr), (Some(0), ""), "{}", outcome.report("has failed"));
}

/// A PE that dies before all have met ends the job: nothing has begun that others could survive.
#[test]
fn a_pe_that_never_comes_ends_the_job_of_oshrun() {
    let _turn = support::turn();
    let outcome = launched("early", &[]);
    assert!(outcome.code().is_some_and(|code| code != 0), "{}", outcome.report("succeeded"));
    assert!(outcome.stderr.contains("PE 2"), "{}", outcome.report("does not name the PE"));
}
