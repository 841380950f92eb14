//! Jobs that can never go on are reported within a time that no right program needs. Right but slow jobs are not reported.

mod support;

use regex_lite::Regex;
use rustix::process::{Pid, Signal, kill_process};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use support::job::{Job, Outcome};
use support::{LIMIT, env::Conditions, prefix::Prefix, program::build, scratch, turn};

/// Exit status of a job that is ended because it is stalled.
const STALLED: i32 = 70;

/// A source file of `tests/stall`, and the wrapper that compiles it.
type Source = (&'static str, &'static str);
const C: Source = ("stalls.c", "oshcc");
const CXX: Source = ("stalls.cpp", "oshc++");
const FORTRAN: Source = ("stalls.f90", "oshfort");

/// Source, name of the mistake, exit status, and the line reported, in one of these forms; forms for two PEs only begin with `TWO`.
/// `OTHERS` stands for all waiting PEs, which are all but PE 1; `WHO` for their names; `AT` for a place.
type Wrong = (Source, &'static str, i32, &'static [&'static str]);

const WRONG: &[Wrong] = &[
    (C, "skips a barrier", STALLED, &["PE 1 (called|is in) (shmem_)?finalize.*"]),
    (
        C,
        "calls another collective",
        STALLED,
        &[
            r"OTHERS in shmem_barrier_all AT; PE 1 is in shmem_long_sum_reduce\(8 bytes\) AT",
            "TWO PE 1 called a reduction of 8 bytes where WHO called a barrier",
        ],
    ),
    (
        C,
        "allocates",
        STALLED,
        &[
            r"OTHERS in shmem_barrier_all AT; PE 1 is in shmem_malloc\(4096\) AT",
            "TWO PE 1 called an allocation of 4096 bytes where WHO called a barrier",
        ],
    ),
    (C, "names another root", STALLED, &["PE 1 .*broadcast.*"]),
    (C, "sends another size", STALLED, &["PE 1 .*fcollect.*16 bytes.*"]),
    (C, "reduces another count", STALLED, &["PE 1 .*reduc.*8 bytes.*"]),
    (
        C,
        "has nothing to send",
        STALLED,
        &["PE 1 called an alltoall of 0 bytes (there|where WHO called an alltoall of 8 bytes).*"],
    ),
    (
        C,
        "is the only root",
        STALLED,
        &["PE 1 called a broadcast of 32 bytes from root 1 (there|where WHO called a barrier).*"],
    ),
    (
        C,
        "all wait for memory",
        STALLED,
        &[r"all \d PEs wait together in shmem_int_wait_until AT, which no other PE can end"],
    ),
    (
        C,
        "all wait for a signal",
        STALLED,
        &[r"all \d PEs wait together in shmem_signal_wait_until AT, which no other PE can end"],
    ),
    (C, "waits for who has gone on", STALLED, &["OTHERS in shmem_barrier_all AT; PE 1 is in shmem_int_wait_until AT"]),
    (C, "stores at the wrong PE", STALLED, &["PE 1 is in shmem_int_wait_until_any AT"]),
    (
        C,
        "takes two locks crosswise",
        STALLED,
        &[
            "all 2 PEs wait together in shmem_set_lock AT, which no other PE can end",
            "2 of 3 PEs wait together in shmem_set_lock AT; PE 2 is in shmem_barrier_all AT",
            r"\d of 8 PEs wait together in shmem_barrier_all AT; PEs 0-1 are in shmem_set_lock AT",
            "PE 0 is in shmem_set_lock.*",
        ],
    ),
    (C, "takes a lock twice", STALLED, &["OTHERS in shmem_barrier_all AT; PE 1 is in shmem_set_lock AT"]),
    (C, "leaves with the lock", STALLED, &["OTHERS in shmem_set_lock AT; PE 1 is in shmem_finalize AT"]),
    (C, "is in another team's barrier", STALLED, &["OTHERS in shmem_barrier_all AT; PE 1 is in shmem_team_sync AT"]),
    (
        C,
        "does not split",
        STALLED,
        &[
            "OTHERS in shmem_team_split_strided AT; PE 1 is in shmem_barrier_all AT",
            "TWO PE 1 called a barrier where WHO called a split",
        ],
    ),
    (C, "mistakes the active set", STALLED, &[".*"]),
    (C, "returns early", STALLED, &["PE 1 (called|is in) ((shmem_)?finalize|exit).*"]),
    (C, "scans less", STALLED, &["PE 1 .*scan.*"]),
    (CXX, "waits in a template", STALLED, &["OTHERS in shmem_barrier_all AT; PE 1 is in shmem_(long_)?wait_until AT"]),
    (
        CXX,
        "leaves a scope by an exception",
        STALLED,
        &[
            r"OTHERS in shmem_barrier_all AT; PE 1 is in shmem_long_sum_reduce\(16 bytes\) AT",
            "TWO PE 1 called a reduction of 16 bytes where WHO called a barrier",
        ],
    ),
    (CXX, "gathers another type", STALLED, &["PE 1 .*fcollect.*8 bytes.*"]),
    (CXX, "throws what nobody catches", 134, &["PE 1: SIGABRT, aborted, at stalls.cpp:48"]),
    (
        FORTRAN,
        "reduces where others broadcast",
        STALLED,
        &["PE 1 (called a reduction of 16 bytes|is in (?i:shmem_int4_sum_to_all)).*"],
    ),
    (FORTRAN, "waits for a word", STALLED, &["OTHERS in shmem_barrier_all AT; PE 1 is in shmem_int4_wait_until AT"]),
    (FORTRAN, "stops early", STALLED, &["PE 1 (called|is in) ((shmem_)?finalize|exit).*"]),
    (FORTRAN, "takes a lock twice", STALLED, &["OTHERS in shmem_barrier_all AT; PE 1 is in shmem_set_lock AT"]),
    (FORTRAN, "divides by zero", 136, &[r"PE 1: SIGFPE, arithmetic error, at stalls\.f90:\d+"]),
];

/// The expected last line of a job of `pes` PEs.
fn expected(told: &[&str], file: &str, status: i32, pes: u32) -> Regex {
    let (others, who) = match pes {
        2 => ("PE 0 waits".to_owned(), "PE 0"),
        3 => ("2 of 3 PEs wait together".to_owned(), "PEs 0,2"),
        _ => (format!("{} of {pes} PEs wait together", pes - 1), "PEs 0,2-7"),
    };
    let place = format!(r"\({}:\d+\)", file.replace('.', r"\."));
    let forms =
        told.iter().filter_map(|form| form.strip_prefix("TWO ").map_or(Some(*form), |form| (pes == 2).then_some(form)));
    let told = forms
        .collect::<Vec<_>>()
        .join("|")
        .replace("OTHERS", &others)
        .replace("WHO", who)
        .replace(" AT", &format!(" {place}"));
    let end = if status == STALLED { ": look there" } else { "" };
    Regex::new(&format!("^ferrite: .*({told}){end}$")).expect("a pattern of this file")
}

/// A program of `tests/stall`, compiled with this wrapper.
fn program((name, compiler): Source) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stall").join(name);
    let mut compile = Command::new(Prefix::get().tool(compiler));
    compile.args(["-D_GNU_SOURCE", "-O1", "-g", "-w"]).arg(&source);
    let text = std::fs::read(&source).expect("the program is there");
    let contents =
        text.iter().fold(Prefix::get().identity(), |sum, &byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
    build(compile, name, contents).unwrap_or_else(|error| panic!("{error}"))
}

/// Run a job with these options of oshrun.
fn run_by(options: &[&str], name: &str, variables: &[(&str, &str)]) -> Outcome {
    let mut command = Command::new(Prefix::get().tool("oshrun"));
    command.args(options).arg(program(C)).arg(name);
    let variables: Vec<(String, String)> =
        variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Job::start(command, &variables).finish(LIMIT)
}

/// Send a signal to oshrun.
fn send(job: &Job, signal: Signal) {
    kill_process(Pid::from_raw(job.pid()).expect("a process"), signal).expect("oshrun is there");
}

/// Wait until standard error has this text, or the limit has passed.
fn wait_for_error(job: &Job, text: &str) {
    let end = Instant::now() + LIMIT;
    while !job.stderr_so_far().contains(text) && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// False if PEs share no memory: they cannot see each other's state then.
fn see_each_other() -> bool {
    let see = !Conditions::get().are_far();
    if !see {
        println!("skipped: PEs that do not share memory are not told of each other");
    }
    see
}

#[test]
fn jobs_that_cannot_go_on_name_the_culprit() {
    if !see_each_other() {
        return;
    }
    let has_fortran = Command::new("gfortran").arg("--version").output().is_ok();
    if !has_fortran {
        println!("skipped: there is no gfortran on this machine");
    }
    let mut failures = Vec::new();
    for &(source, name, status, told) in WRONG.iter().filter(|row| has_fortran || row.0 != FORTRAN) {
        let _turn = turn();
        let program = program(source);
        let start = |pes: u32| {
            let mut command = Command::new(Prefix::get().tool("oshrun"));
            command.args(["-n", &pes.to_string()]).arg(&program).arg(name);
            Job::start(command, &[("SHMEM_ON_STALL".to_owned(), "abort".to_owned())])
        };
        // The three jobs run at once: their PEs wait more than they compute.
        for (pes, job) in [2, 3, 8].map(|pes| (pes, start(pes))) {
            let outcome = job.finish(LIMIT);
            let last = outcome.stderr.lines().rfind(|line| line.starts_with("ferrite: ")).unwrap_or("").to_owned();
            let expected = expected(told, source.0, status, pes);
            if outcome.code() != Some(status) || !expected.is_match(&last) {
                let (code, expected) = (outcome.code(), expected.as_str());
                failures
                    .push(outcome.report(&format!("{name}, {pes} PEs: status {code:?}, {last:?}, not /{expected}/")));
            }
            if !outcome.stderr.contains("'s last calls: ") {
                failures.push(outcome.report(&format!("{name}: nothing is told of what was called before")));
            }
            if outcome.stderr.contains(" _Z") {
                failures.push(outcome.report(&format!("{name}: a name of C++ is told as linkers have it")));
            }
            if !outcome.outlived.is_empty() {
                failures.push(outcome.report(&format!("{name}: left processes {:?}", outcome.outlived)));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Slow but right programs: their peers wait as long as peers in the wrong programs above.
const SLOW: &[&str] = &[
    "one computes",
    "one sleeps",
    "one stands still",
    "memory is written late",
    "each waits for the one before",
    "looks in a loop of its own",
    "pairs go at their own pace",
    "queue for a lock",
    "the root goes on",
    "calls differ, and may",
    "one asks late for memory",
    "one comes late to the end",
];

#[test]
fn slow_correct_program_is_not_reported() {
    let mut failures = Vec::new();
    for (way, pes) in
        [(&["-n", "2"][..], 2), (TWO_HOSTS, 3), (&["--transport", "tcp", "-n", "3"], 3), (&["-n", "8"], 8)]
    {
        let _turn = turn();
        let program = program(C);
        let start = |&name| {
            let mut command = Command::new(Prefix::get().tool("oshrun"));
            command.args(way).arg(&program).arg(name);
            (name, Job::start(command, &[("SHMEM_ON_STALL".to_owned(), "abort".to_owned())]))
        };
        let jobs: Vec<_> = SLOW.iter().map(start).collect();
        for (name, job) in jobs {
            let outcome = job.finish(LIMIT);
            let all_came = outcome.stdout.matches("done PE").count() == pes;
            if outcome.code() != Some(0) || !outcome.stderr.is_empty() || !all_came {
                failures.push(outcome.report(&format!("{name}, {pes} PEs: not all was well and silent")));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// The lines reported for programs of [`WRONG`] in C where PEs 0 and 1 share a host and PE 2 has another, or where TCP carries everything.
/// They are the same lines, except for differing calls: PEs of one host see each other's calls and report these at once.
const APART: &[(&str, &str)] = &[
    ("skips a barrier", r"PE 1 (called|is in) (shmem_)?finalize.*: look there"),
    ("names another root", r"PE 1 .*broadcast.*: look there"),
    (
        "calls otherwise than another host",
        r"PE 2 (is in shmem_malloc\(4096\) \(stalls\.c:\d+\)|called an allocation of 4096 bytes).*: look there",
    ),
    (
        "all wait for memory",
        r"all 3 PEs wait together in shmem_int_wait_until \(stalls\.c:\d+\), which no other PE can end: look there",
    ),
    (
        "waits for who has gone on",
        r"2 of 3 PEs wait together in shmem_barrier_all .*; PE 1 is in shmem_int_wait_until \(stalls\.c:\d+\): look there",
    ),
    (
        "takes a lock twice",
        r"2 of 3 PEs wait together in shmem_barrier_all .*; PE 1 is in shmem_set_lock \(stalls\.c:\d+\): look there",
    ),
];

/// Options that start agents under two names for this machine; the PEs of the two names share no memory.
/// On a busy machine, neither is reported late.
const TWO_HOSTS: &[&str] =
    &["--host", "ha:2,hb:1", "--rsh", "sh -c 'exec \"$@\"' {host}", "--bind-to", "none", "--host-timeout", "60"];

#[test]
fn stall_is_reported_without_shared_memory() {
    let mut failures = Vec::new();
    let ways: [&[&str]; 2] = [&["--transport", "tcp", "-n", "3"], TWO_HOSTS];
    for (way, (name, pattern)) in ways.iter().flat_map(|way| APART.iter().map(move |row| (way, row))) {
        let _turn = turn();
        let outcome = run_by(way, name, &[("SHMEM_ON_STALL", "abort"), ("SHMEM_STALL_TIMEOUT", "0")]);
        let last = outcome.stderr.lines().rfind(|line| line.starts_with("ferrite: ")).unwrap_or("").to_owned();
        let expected = Regex::new(&format!("^ferrite: .*{pattern}")).expect("a pattern of this file");
        if outcome.code() != Some(STALLED) || !expected.is_match(&last) || !outcome.outlived.is_empty() {
            failures.push(outcome.report(&format!("status {:?}, last line {last:?}, not /{pattern}/", outcome.code())));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// The same test over hosts that are namespaces of this machine. Neither host sees the other's processes.
#[test]
fn stall_is_reported_over_two_hosts() {
    let _turn = turn();
    let mut command = Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ci/hosts"));
    let job = "exec \"$0\" --host \"${FERRITE_TEST_HOSTS%,*}:2,${FERRITE_TEST_HOSTS#*,}:1\" --bind-to none \"$@\"";
    let (oshrun, name) = (Prefix::get().tool("oshrun"), "calls otherwise than another host");
    command.args(["2", "sh", "-c", job]).arg(oshrun).arg(program(C)).arg(name);
    let outcome = Job::start(command, &[("SHMEM_ON_STALL".to_owned(), "abort".to_owned())]).finish(LIMIT);
    if outcome.code() == Some(77) {
        println!("{}", outcome.stderr.trim());
        return;
    }
    let told =
        outcome.stderr.contains("  PE 2: an allocation of 4096 bytes") && outcome.stderr.contains(": look there");
    assert!(outcome.code() == Some(STALLED) && told, "{}", outcome.report("the other host is not told of"));
}

/// One table has the PEs of all hosts, whichever host they wait on.
#[test]
fn a_roll_call_has_all_hosts() {
    const LINES: [&str; 3] = [
        "PEs 0,2 are in shmem_barrier_all (stalls.c:",
        "PE 1 computes, or waits outside of the library",
        "ferrite: PE 0 reaches other hosts by ",
    ];
    let _turn = turn();
    let mut launcher = Command::new(Prefix::get().tool("oshrun"));
    launcher.args(TWO_HOSTS).arg(program(C)).arg("computes for ever");
    let mut job = Job::start(launcher, &[]);
    job.wait_for_output("beginning", LIMIT, |text| text.contains("computes"));
    // A PE reports that it waits only after it has waited for a while.
    let is_told = |stderr: &str| {
        let mut tables = stderr.split("ferrite: roll-call; 2 hosts, 3 of 3 PEs:").skip(1);
        tables.any(|table| LINES.iter().all(|line| table.matches(line).count() == 1))
    };
    let end = Instant::now() + LIMIT;
    while !is_told(&job.stderr_so_far()) && Instant::now() < end {
        send(&job, Signal::USR1);
        std::thread::sleep(Duration::from_millis(500));
    }
    send(&job, Signal::TERM);
    let outcome = job.finish(LIMIT);
    assert_eq!(outcome.code(), Some(143), "{}", outcome.report("ended by the signal"));
    assert!(is_told(&outcome.stderr), "{}", outcome.report("no table has all PEs"));
}

/// The calls of the last run's PEs can be read after a normal end and after a death, for each transport and setting.
#[test]
fn the_last_run_can_be_read_afterwards() {
    let kept = scratch("last-run").join("kept");
    let kept = ("FERRITE_LAST_RUN".to_owned(), kept.to_str().expect("a path of text").to_owned());
    let is_far = Conditions::get().are_far();
    for (name, variable, code, says, put_is_told) in [
        ("calls", None, 0, "has left the job", is_far),
        ("calls", Some(("SHMEM_RECORD", "all")), 0, "has left the job", true),
        ("calls", Some(("SHMEM_TRANSPORT", "tcp")), 0, "has left the job", true),
        (
            "calls and is killed",
            None,
            137,
            r"was killed by SIGKILL \(perhaps by the kernel, for lack of memory\)",
            is_far,
        ),
        ("calls and crashes", None, 139, r"was killed by SIGSEGV( \(core dumped\))?, at .*stalls\.c:\d+", is_far),
    ] {
        let _turn = turn();
        let variable = variable.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let variables: Vec<(String, String)> = variable.into_iter().chain([kept.clone()]).collect();
        let mut command = Command::new(Prefix::get().tool("oshrun"));
        command.args(["-n", "2"]).arg(program(C)).arg(name);
        let outcome = Job::start(command, &variables).finish(LIMIT);
        assert_eq!(outcome.code(), Some(code), "{}", outcome.report("another end"));
        let mut command = Command::new(Prefix::get().tool("oshmem_info"));
        command.arg("--last-run");
        let told = Job::start(command, std::slice::from_ref(&kept)).finish(LIMIT);
        let has = |pattern: &str| Regex::new(pattern).expect("a pattern of this file").is_match(&told.stdout);
        let is_told = has(&format!("ago: oshrun -n 2 .*{name}, which has ended with exit code {code}\n"))
            && has(&format!("\nPE 1 on host .* {says}; last calls, oldest first:\n"))
            && told.stdout.contains("  shmem_barrier_all, 3 times\n")
            && told.stdout.contains("  shmem_long_put(32 bytes, PE 0)\n") == put_is_told;
        assert!(is_told, "{}", told.report(&format!("{name} {variables:?}: {says}; put is told: {put_is_told}")));
    }
}

/// The stall is reported once, and the job is left as it is.
#[test]
fn a_report_leaves_the_job_to_a_debugger() {
    if !see_each_other() {
        return;
    }
    let _turn = turn();
    let mut command = Command::new(Prefix::get().tool("oshrun"));
    command.args(["-n", "3"]).arg(program(C)).arg("skips a barrier");
    let job = Job::start(command, &[]);
    wait_for_error(&job, ": look there");
    // A second report, or the end of the job, would come now.
    std::thread::sleep(Duration::from_secs(3));
    send(&job, Signal::TERM);
    let outcome = job.finish(LIMIT);
    assert_eq!(outcome.stderr.matches(": look there").count(), 1, "{}", outcome.report("told once"));
    assert_eq!(outcome.code(), Some(143), "{}", outcome.report("ended by the signal"));
}

/// A program with a thread of its own may be right, whatever it waits for. Nothing can be proven, so only the timeout reports it.
#[test]
fn unproven_stall_is_reported_after_timeout() {
    let _turn = turn();
    let mut command = Command::new(Prefix::get().tool("oshrun"));
    command.args(["-n", "2"]).arg(program(C)).arg("has a thread");
    let variables = [("SHMEM_ON_STALL", "abort"), ("SHMEM_STALL_TIMEOUT", "3")];
    let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let outcome = Job::start(command, &variables).finish(LIMIT);
    assert_eq!(outcome.code(), Some(STALLED), "{}", outcome.report("not ended"));
    assert!(outcome.stderr.contains("no progress for 3 s"), "{}", outcome.report("not told"));
}

/// SIGUSR1 and the end of --timeout call the roll. PE 1 computes for ever; the others are in a barrier.
fn check_rolls(mut launcher: Command) {
    let _turn = turn();
    const TIME: Duration = Duration::from_secs(20);
    let timeout = TIME.as_secs().to_string();
    launcher.args(["--timeout", &timeout, "--oversubscribe", "-n", "3"]).arg(program(C)).arg("computes for ever");
    let mut job = Job::start(launcher, &[]);
    job.wait_for_output("beginning", LIMIT, |text| text.contains("computes"));
    let calls = |stderr: &str| stderr.matches("PEs 0,2 are in shmem_barrier_all (stalls.c:").count();
    // A PE reports that it waits only after it has waited for a while. The loop ends at the job's own timeout.
    let end = Instant::now() + TIME;
    while see_each_other() && calls(&job.stderr_so_far()) == 0 && Instant::now() < end {
        send(&job, Signal::USR1);
        std::thread::sleep(Duration::from_millis(500));
    }
    let outcome = job.finish(LIMIT);
    assert_eq!(outcome.code(), Some(124), "{}", outcome.report("ended by its time"));
    if see_each_other() {
        assert!(calls(&outcome.stderr) >= 2, "{}", outcome.report("a roll-call by the signal, and one by the time"));
        let busy = outcome.stderr.matches("PE 1 computes, or waits outside of the library").count();
        assert!(busy >= 2, "{}", outcome.report("PE 1 computes"));
        assert!(!outcome.stderr.contains("look there"), "{}", outcome.report("PE 1 is accused of nothing"));
    }
}

#[test]
fn a_signal_and_the_time_limit_call_the_roll() {
    check_rolls(Command::new(Prefix::get().tool("oshrun")));
}

/// If the user sets a time, a wait of that length is reported although the awaited PE computes, or wakes up now and then.
#[test]
fn a_wait_is_told_after_the_users_own_time() {
    for awaited in ["computes for ever", "wakes for ever"] {
        let _turn = turn();
        let mut launcher = Command::new(Prefix::get().tool("oshrun"));
        launcher.args(["--oversubscribe", "-n", "2"]).arg(program(C)).arg(awaited);
        let job = Job::start(launcher, &[("SHMEM_STALL_TIMEOUT".to_owned(), "1".to_owned())]);
        wait_for_error(&job, "a PE has waited for 1 s");
        send(&job, Signal::TERM);
        let outcome = job.finish(LIMIT);
        assert_eq!(outcome.code(), Some(143), "{}", outcome.report("told, and left as it is"));
        assert!(outcome.stderr.contains("PE 0 is in shmem_barrier_all (stalls.c:"), "{}", outcome.report("where?"));
    }
}

/// A roll-call interrupts no system call of the program.
#[test]
fn a_roll_call_leaves_the_program_alone() {
    let _turn = turn();
    let mut launcher = Command::new(Prefix::get().tool("oshrun"));
    launcher.args(["-n", "2"]).arg(program(C)).arg("polls for ever");
    let mut job = Job::start(launcher, &[]);
    job.wait_for_output("beginning", LIMIT, |text| text.matches("polls").count() == 2);
    send(&job, Signal::USR1);
    // The table is printed after the signal would have been passed on.
    wait_for_error(&job, "roll-call");
    send(&job, Signal::TERM);
    let outcome = job.finish(LIMIT);
    assert_eq!(outcome.code(), Some(143), "{}", outcome.report("it was to poll until it is ended"));
    assert!(outcome.stderr.contains("roll-call") && !outcome.stdout.contains("cut"), "{}", outcome.report("cut short"));
}

/// A yield of a waiting PE lasts as long as a time slice of the PE that computes.
#[test]
fn the_roll_is_called_of_pes_that_share_a_core() {
    let mut command = Command::new("taskset");
    command.args(["-c", "0"]).arg(Prefix::get().tool("oshrun"));
    check_rolls(command);
}
