//! Jobs as a whole. However a PE, the launcher or the user ends a job, its status is right, a line says which PE died and how, and no
//! process, socket or file is left.

mod support;

use regex_lite::Regex;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use support::LIMIT;
use support::burners::Burners;
use support::footprint::Footprint;
use support::job::{GRACE, Job, Outcome, command};
use support::prefix::Prefix;
use support::program::{self, Launch, Program};

const PES: u32 = 3;

/// The program that acts on its arguments.
fn actor() -> PathBuf {
    let prefix = Prefix::get();
    let mut compile = Command::new(prefix.tool("oshcc"));
    compile.args(["-std=c11", "-D_GNU_SOURCE", "-O1", "-pthread", "-I"]).arg(support::sources());
    compile.arg(support::sources().join("job.c"));
    let source = std::fs::metadata(support::sources().join("job.c")).and_then(|meta| meta.modified());
    let age =
        source.ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok()).map_or(0, |age| age.as_secs());
    program::build(compile, "job", prefix.identity() ^ age).unwrap_or_else(|error| panic!("{error}"))
}

/// Starts a job of `PES` and waits until every PE has reported itself.
fn start(act: &str, place: &str) -> Job {
    let mut command = command(Prefix::get(), &actor(), Launch::Pes(PES));
    command.args([act, place]);
    let mut job = Job::start(command, &[]);
    job.wait_for_output("report of every PE", LIMIT, |text| text.matches("ready PE").count() == PES as usize);
    job
}

/// The process number that PE `pe` reported.
fn pid_of(pe: u32, stdout: &str) -> String {
    let report = Regex::new(&format!(r"ready PE {pe} of \d+ pid (\d+)\.")).expect("a fixed pattern");
    report.captures(stdout).unwrap_or_else(|| panic!("no report of PE {pe} in {stdout}"))[1].to_owned()
}

fn must_be_clean(outcome: &Outcome, footprint: &Footprint) {
    assert!(outcome.outlived.is_empty(), "{}", outcome.report(&format!("left processes {:?}", outcome.outlived)));
    let end = Instant::now() + GRACE;
    while !footprint.remains().is_empty() && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(footprint.remains(), Vec::<String>::new(), "{}", outcome.report("left something behind"));
}

/// Runs a job to its end; checks its status and that nothing is left.
fn ends(act: &str, place: &str, code: i32) -> Outcome {
    let _turn = support::turn();
    let job = start(act, place);
    let footprint = Footprint::of(job.tag());
    let outcome = job.finish(LIMIT);
    assert_eq!(outcome.code(), Some(code), "{}", outcome.report("ended with another status"));
    must_be_clean(&outcome, &footprint);
    outcome
}

/// One line of stderr must name the last PE, its process, the host and how it ended.
fn names_the_dead(outcome: &Outcome, how: &str) {
    let pid = pid_of(PES - 1, &outcome.stdout);
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let how = Regex::new(how).expect("a fixed pattern");
    let pe = Regex::new(&format!(r"\bPE {}\b", PES - 1)).expect("a fixed pattern");
    let said = outcome
        .stderr
        .lines()
        .any(|line| pe.is_match(line) && line.contains(&pid) && line.contains(&host) && how.is_match(line));
    assert!(said, "{}", outcome.report(&format!("no line names PE {}, pid {pid}, host {host} and /{how}/", PES - 1)));
}

const PLACES: [&str; 6] = ["barrier", "lock", "wait", "sleep", "compute", "finalize"];

#[test]
fn a_pe_killed_ends_the_job_wherever_the_others_are() {
    for place in PLACES {
        names_the_dead(&ends("sigkill", place, 137), r"(?i)SIGKILL|signal 9|killed");
    }
}

#[test]
fn a_pe_that_crashes_ends_the_job() {
    names_the_dead(&ends("sigsegv", "barrier", 139), r"(?i)SIGSEGV|signal 11|segmentation");
    names_the_dead(&ends("abort", "wait", 134), r"(?i)SIGABRT|signal 6|abort");
}

#[test]
fn a_pe_that_exits_nonzero_ends_the_job() {
    for place in ["barrier", "sleep", "lock"] {
        names_the_dead(&ends("exit7", place, 7), r"\b7\b");
        names_the_dead(&ends("_exit7", place, 7), r"\b7\b");
    }
}

#[test]
fn global_exit_ends_the_job_wherever_the_others_are() {
    for place in PLACES {
        ends("global_exit3", place, 3);
    }
}

#[test]
fn a_job_that_ends_well_leaves_nothing() {
    let outcome = ends("end", "nowhere", 0);
    assert_eq!(outcome.stderr, "", "{}", outcome.report("a good end says nothing"));
}

/// A mistake of all PEs is reported once.
#[test]
fn a_missing_finalize_is_reported_once() {
    let program = Program::read(&support::sources().join("setup/exit_without_finalize.c"));
    let executable = program.build(Prefix::get()).unwrap_or_else(|error| panic!("{error}"));
    let _turn = support::turn();
    let outcome = Job::start(command(Prefix::get(), &executable, Launch::Pes(PES)), &[]).finish(LIMIT);
    assert_eq!(outcome.code(), Some(0), "{}", outcome.report("finalize is made up for"));
    let told = outcome.stderr.lines().filter(|line| line.contains("the program ended without shmem_finalize"));
    assert_eq!(told.count(), 1, "{}", outcome.stderr);
}

fn pid(job: &Job) -> Pid {
    Pid::from_raw(job.pid()).expect("a process number")
}

/// Ends, by `end`, a job that would run for ever.
fn ended_from_outside(place: &str, code: i32, end: impl Fn(Pid)) {
    let _turn = support::turn();
    let job = start("stay", place);
    let footprint = Footprint::of(job.tag());
    end(pid(&job));
    let outcome = job.finish(LIMIT);
    assert_eq!(outcome.code(), Some(code), "{}", outcome.report("ended with another status"));
    must_be_clean(&outcome, &footprint);
}

#[test]
fn an_interrupt_from_the_terminal_ends_the_job() {
    for place in ["barrier", "sleep", "compute"] {
        // A terminal sends SIGINT to the whole foreground group.
        ended_from_outside(place, 130, |pid| kill_process_group(pid, Signal::INT).expect("the job runs"));
        ended_from_outside(place, 130, |pid| kill_process(pid, Signal::INT).expect("the job runs"));
    }
}

#[test]
fn a_terminated_launcher_ends_the_job() {
    for place in ["barrier", "sleep", "compute"] {
        ended_from_outside(place, 143, |pid| kill_process(pid, Signal::TERM).expect("the job runs"));
    }
}

#[test]
fn a_launcher_killed_outright_takes_its_pes_along() {
    for place in PLACES.into_iter().filter(|&place| place != "finalize") {
        ended_from_outside(place, 137, |pid| kill_process(pid, Signal::KILL).expect("the job runs"));
    }
}

/// No process of oshrun is left to end the PEs. Below a wrapper, the PEs notice by themselves that oshrun has ended.
#[test]
fn a_launcher_killed_whole_takes_pes_that_wait_along() {
    for place in ["lock", "wait"] {
        killed_whole(place, "\"$@\"; true");
    }
}

/// Kill all processes of oshrun at once while its PEs wait at `place` below a wrapper; nothing may be left.
fn killed_whole(place: &str, wrapper: &str) {
    let _turn = support::turn();
    let mut command = Command::new(Prefix::get().tool("oshrun"));
    command.args(["-n", &PES.to_string(), "sh", "-c", wrapper, "sh"]).arg(actor()).args(["stay", place]);
    let mut job = Job::start(command, &[]);
    job.wait_for_output("report of every PE", LIMIT, |text| text.matches("ready PE").count() == PES as usize);
    let footprint = Footprint::of(job.tag());
    let name = |pid: i32| std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    let launcher: Vec<i32> = job.tag().processes().into_iter().filter(|&pid| name(pid).starts_with("oshrun")).collect();
    let launcher: Vec<Pid> = launcher.into_iter().filter_map(Pid::from_raw).collect();
    // Stop all of them first, so that none sees another end.
    launcher.iter().for_each(|&pid| kill_process(pid, Signal::STOP).expect("the job runs"));
    // The kernel may have ended one already, with its parent.
    launcher.iter().for_each(|&pid| _ = kill_process(pid, Signal::KILL));
    let outcome = job.finish(LIMIT);
    assert_eq!(outcome.code(), Some(137), "{}", outcome.report("ended with another status"));
    must_be_clean(&outcome, &footprint);
}

/// Where the job has a control group, a PE that waits ends the other programs of its wrapper too.
#[test]
fn a_launcher_killed_whole_takes_all_of_its_group_along() {
    let mut group = Command::new(Prefix::get().tool("oshrun"));
    group.args(["-n", "1", "sh", "-c", "echo $FERRITE_JOB_GROUP"]);
    let group = group.output().expect("oshrun runs");
    if group.stdout.trim_ascii().is_empty() {
        return println!("skipped: this user may not make control groups, or the kernel cannot kill them");
    }
    killed_whole("wait", "setsid sleep 1000 & \"$@\"; true");
}

#[test]
fn a_program_without_a_launcher_is_pe_0_of_1() {
    let _turn = support::turn();
    let mut alone = command(Prefix::get(), &actor(), Launch::Alone);
    alone.args(["end", "nowhere"]);
    let outcome = Job::start(alone, &[]).finish(LIMIT);
    assert_eq!(outcome.code(), Some(0), "{}", outcome.report("ended with another status"));
    assert!(outcome.stdout.starts_with("ready PE 0 of 1 pid"), "{}", outcome.report("is not PE 0 of 1"));
    assert!(outcome.outlived.is_empty(), "{}", outcome.report("left processes"));
}

/// The report of a PE on a wrong argument with `SHMEM_BACKTRACE=1`, with the library in `libraries` if given.
fn backtrace(libraries: Option<&Path>) -> String {
    let prefix = Prefix::get();
    let mut compile = Command::new(prefix.tool("oshcc"));
    compile.args(["-std=c11", "-D_GNU_SOURCE", "-I"]).arg(support::sources());
    compile.arg(support::sources().join("errors/pe_out_of_range.c"));
    let program = program::build(compile, "backtrace", prefix.identity()).unwrap_or_else(|error| panic!("{error}"));
    let mut variables = vec![("SHMEM_BACKTRACE".to_owned(), "1".to_owned())];
    variables.extend(libraries.map(|directory| ("LD_LIBRARY_PATH".to_owned(), directory.display().to_string())));
    let outcome = Job::start(command(prefix, &program, Launch::Pes(2)), &variables).finish(LIMIT);
    assert_ne!(outcome.code(), Some(0), "{}", outcome.report("should have refused"));
    outcome.stderr
}

#[test]
fn backtraces_have_lines_or_name_the_debug_files() {
    let _turn = support::turn();
    let line = Regex::new(r"crates/runtime/src/end/mod\.rs:\d+").expect("a fixed pattern");
    let (with, note) = (backtrace(None), "Debug files");
    assert!(line.is_match(&with) && !with.contains(note), "{with}");
    let apart = support::scratch("jobs").join("without-debug-files");
    std::fs::create_dir_all(&apart).expect("a directory under the build directory");
    let library = "libsma.so.1";
    std::fs::copy(Prefix::get().root().join("lib").join(library), apart.join(library)).expect("the installed library");
    let without = backtrace(Some(&apart));
    assert!(!line.is_match(&without) && without.contains(note), "{without}");
}

/// A scheduler announces several tasks, but no process-management server answers. Starting N times PE 0 of 1 would be wrong.
fn refuses_to_be_alone(executable: &Path, variables: &[(&str, &str)], mentions: &str) {
    let _turn = support::turn();
    let mut alone = command(Prefix::get(), executable, Launch::Alone);
    alone.args(["end", "nowhere"]);
    let variables: Vec<_> = variables.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
    let outcome = Job::start(alone, &variables).finish(LIMIT);
    assert!(outcome.code().is_some_and(|code| code != 0), "{}", outcome.report("should have refused"));
    assert!(!outcome.stdout.contains("ready"), "{}", outcome.report("ran all the same"));
    let pattern = Regex::new(mentions).expect("a fixed pattern");
    assert!(pattern.is_match(&outcome.stderr), "{}", outcome.report(&format!("does not mention /{mentions}/")));
}

/// A wrong setting is a mistake of all PEs, and reported once.
#[test]
fn a_wrong_setting_has_one_report() {
    let _turn = support::turn();
    for _ in 0..8 {
        let mut command = Command::new(Prefix::get().tool("oshrun"));
        command.args(["-n", "3"]).arg(actor()).args(["end", "compute"]);
        let outcome = Job::start(command, &[("SHMEM_TRANSPORT".to_owned(), "ib".to_owned())]).finish(LIMIT);
        assert_eq!(outcome.code(), Some(70), "{}", outcome.report("refused"));
        let one_line = outcome.stderr.lines().count() == 1 && outcome.stderr.contains("SHMEM_TRANSPORT is \"ib\"");
        assert!(one_line, "{}", outcome.report("the reason, once"));
    }
}

#[test]
fn a_scheduler_without_a_protocol_is_an_error() {
    let slurm = [
        ("SLURM_JOB_ID", "7"),
        ("SLURM_STEP_ID", "0"),
        ("SLURM_NTASKS", "4"),
        ("SLURM_PROCID", "2"),
        ("SLURM_STEP_NUM_TASKS", "4"),
    ];
    refuses_to_be_alone(&actor(), &slurm, r"(?s)(?i)slurm.*\b4\b|\b4\b.*slurm");
    let open_mpi = [("OMPI_COMM_WORLD_SIZE", "4"), ("OMPI_COMM_WORLD_RANK", "1")];
    refuses_to_be_alone(&actor(), &open_mpi, r"\b4\b");
}

#[test]
fn a_scheduler_with_one_task_is_no_error() {
    let _turn = support::turn();
    let mut alone = command(Prefix::get(), &actor(), Launch::Alone);
    alone.args(["end", "nowhere"]);
    let one = [("SLURM_JOB_ID", "7"), ("SLURM_STEP_ID", "0"), ("SLURM_NTASKS", "1"), ("SLURM_PROCID", "0")];
    let variables = one.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let outcome = Job::start(alone, &variables).finish(LIMIT);
    assert_eq!(outcome.code(), Some(0), "{}", outcome.report("one task needs no protocol"));
}

#[test]
fn output_of_a_pe_is_never_cut_within_a_line() {
    let outcome = ends("end", "nowhere", 0);
    let line = Regex::new(r"^ready PE \d+ of \d+ pid \d+\.$").expect("a fixed pattern");
    assert_eq!(outcome.stdout.lines().count(), PES as usize, "{}", outcome.report("one line for each PE"));
    assert!(outcome.stdout.lines().all(|text| line.is_match(text)), "{}", outcome.report("lines were mixed"));
}

/// A PE that waits on a shared core yields it and gets it back. Jobs that take turns in small steps come to their end beside each other,
/// and beside threads that burn every core. `ci/beside` measures how soon.
#[test]
fn jobs_come_to_their_end_beside_others() {
    let _turn = support::turn();
    let beside = program::plain(&support::sources().join("beside.c"), "beside");
    let start = |transport: &str| {
        let mut command = command(Prefix::get(), &beside, Launch::Pes(2));
        command.arg("40");
        Job::start(command, &[("SHMEM_TRANSPORT".to_owned(), transport.to_owned())])
    };
    let end = |jobs: Vec<Job>| {
        for outcome in jobs.into_iter().map(|job| job.finish(LIMIT)) {
            assert_eq!(outcome.code(), Some(0), "{}", outcome.report("beside others"));
            assert!(outcome.stdout.starts_with("took "), "{}", outcome.report("did not come to its end"));
            assert_eq!(outcome.stderr, "", "{}", outcome.report("nobody is lost or late"));
            assert!(outcome.outlived.is_empty(), "{}", outcome.report(&format!("left {:?}", outcome.outlived)));
        }
    };
    let jobs = || ["shm", "tcp"].map(start).into();
    end(jobs());
    let burners = Burners::start();
    end(jobs());
    drop(burners);
}

/// Runs the actor under a limit on its address space, with heaps of `size` if given.
fn within(kib: u32, size: Option<&str>) -> Outcome {
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -v $1 && shift && exec \"$@\"", "sh", &kib.to_string()]);
    command.arg(Prefix::get().tool("oshrun")).args(["-n", "2"]).arg(actor()).args(["end", "nowhere"]);
    let size = size.map(|size| ("SHMEM_SYMMETRIC_SIZE".to_owned(), size.to_owned()));
    Job::start(command, size.as_slice()).finish(LIMIT)
}

/// The default heap size fits wherever any size fits, and the size that an error message proposes fits too.
#[test]
fn little_address_space_makes_small_heaps() {
    let _turn = support::turn();
    for kib in [500_000, 600_000, 700_000, 1_000_000] {
        let outcome = within(kib, None);
        assert_eq!(outcome.code(), Some(0), "{}", outcome.report(&format!("within {kib} KiB")));
    }
    let none = within(300_000, None);
    assert_ne!(none.code(), Some(0), "{}", none.report("that cannot be"));
    assert!(none.stderr.contains("ulimit -v") && none.stderr.contains("run fewer PEs"), "{}", none.report("why?"));
    let refused = within(700_000, Some("4g"));
    let most = Regex::new(r"at most ([0-9.]+) MiB fit").expect("a fixed pattern");
    let most = most.captures(&refused.stderr).unwrap_or_else(|| panic!("{}", refused.report("no advice")));
    let heeded = within(700_000, Some(&format!("{}m", &most[1])));
    assert_eq!(heeded.code(), Some(0), "{}", heeded.report("the advice was wrong"));
}

/// A user who looks for errors under valgrind must not see errors of the library.
#[test]
fn a_job_under_valgrind_hears_of_no_error() {
    if Command::new("valgrind").arg("--version").output().is_err() {
        println!("skipped: there is no valgrind here");
        return;
    }
    let _turn = support::turn();
    let mut command = Command::new(Prefix::get().tool("oshrun"));
    command.args(["-n", "2", "valgrind", "-q", "--error-exitcode=9"]).arg(actor()).args(["end", "nowhere"]);
    let small = ("SHMEM_SYMMETRIC_SIZE".to_owned(), "32m".to_owned());
    let outcome = Job::start(command, &[small]).finish(LIMIT);
    assert_eq!(outcome.code(), Some(0), "{}", outcome.report("valgrind complains"));
}

/// Each PE is in a container of its own: the PEs share memory and network, but cannot see each other's processes.
#[test]
fn pes_in_namespaces_of_their_own_share_memory() {
    let unshare = ["--user", "--map-root-user", "--pid", "--fork", "--kill-child", "--ipc", "--uts"];
    if !Command::new("unshare").args(unshare).arg("true").output().is_ok_and(|output| output.status.success()) {
        println!("skipped: no namespaces can be made here");
        return;
    }
    let _turn = support::turn();
    let mut launchers = vec![Prefix::get().tool("oshrun")];
    if Command::new("mpiexec.hydra").arg("--version").output().is_ok() {
        launchers.push("mpiexec.hydra".into());
    } else {
        println!("skipped: there is no mpiexec.hydra here");
    }
    for launcher in launchers {
        let mut command = Command::new(&launcher);
        command.args(["-n", "2", "unshare"]).args(unshare).arg(actor()).args(["node", "nowhere"]);
        let outcome = Job::start(command, &[]).finish(LIMIT);
        assert_eq!(outcome.code(), Some(0), "{}", outcome.report(&format!("by {}", launcher.display())));
        let shared = outcome.stdout.matches("node of 2").count();
        assert_eq!(shared, 2, "{}", outcome.report(&format!("by {}", launcher.display())));
    }
}

/// A test of these tests: a file or a process that is left is noticed.
#[test]
fn leftovers_are_seen() {
    let mut shell = Command::new("sh");
    // The sleeper runs before the shell prints: a single process left is the sleeper, never a shell that has not started it yet.
    shell.args(["-c", "exec 9>/dev/shm/ferrite-suite-leftover.$$; sleep 600 & echo ready; sleep 1"]);
    let mut job = Job::start(shell, &[]);
    job.wait_for_output("line", LIMIT, |text| text.contains("ready"));
    let footprint = Footprint::of(job.tag());
    let tag = job.tag().clone();
    let end = Instant::now() + LIMIT;
    while tag.processes().len() > 1 && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(50)); // the shell ends, its sleeper stays
    }
    assert_eq!(tag.outlived(Duration::ZERO).len(), 1, "the sleeping child");
    tag.kill();
    job.finish(LIMIT);
    let remains = footprint.remains();
    assert_eq!(remains.len(), 1, "the file in /dev/shm: {remains:?}");
    let path = remains[0].strip_prefix("file ").expect("a file, not a socket");
    assert!(path.starts_with("/dev/shm/ferrite-suite-leftover."), "{path}");
    std::fs::remove_file(path).expect("the leftover of this test");
}
