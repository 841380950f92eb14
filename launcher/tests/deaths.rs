//! A job always ends as a whole: with the right exit code, one line that gives the reason, and nothing left behind.

mod job;

use job::{run, start};
use std::fs::File;
use std::os::unix::{fs::PermissionsExt, process::CommandExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

#[test]
fn death_report_has_pe_host_pid_and_cause() {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    for (word, code, manner) in [
        ("1@raise=9", 137, "was killed by SIGKILL"),
        ("1@raise=11", 139, "was killed by SIGSEGV"),
        ("1@raise=6", 134, "was killed by SIGABRT"),
        ("1@exit=7", 7, "exited with 7"),
        ("1@exit=0", 1, "exited without finalize"),
    ] {
        let ran = run(&["-n", "3", "PE!", "join", "exchange", word, "exchange", "leave"]);
        ran.ended(code, &["PE 1 on host", host.trim(), "(pid ", manner]);
    }
}

#[test]
fn ended_job_reports_missing_trace() {
    let trace = std::env::temp_dir().join(format!("no-trace-{}.json", std::process::id()));
    let words = |end| ["-n", "2", "--trace", trace.to_str().unwrap(), "PE!", "join", "exchange", end, "leave"];
    let ran = run(&words("1@exit=7"));
    let lines: Vec<&str> = ran.err.lines().collect();
    assert!(ran.code == 7 && lines.len() == 2 && lines[0].contains("exited with 7"), "{}", ran.err);
    let missing = format!("oshrun: no trace was written to {}: not all PEs reached finalize", trace.display());
    assert_eq!(lines[1], missing);
    let ran = run(&words("exchange"));
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
}

#[test]
fn a_death_reaches_peers_that_are_deaf_to_sigterm() {
    // Without a SIGKILL after the SIGTERM, the job would not end.
    run(&["-n", "3", "PE!", "join", "exchange", "1@exit=3", "deaf"]).ended(3, &["PE 1", "exited with 3"]);
}

#[test]
fn an_abort_ends_the_job_with_its_code_and_reason_once() {
    run(&["-n", "4", "PE!", "join", "2@abort=5,the tank is empty", "exchange", "hang"])
        .ended(5, &["the tank is empty"]);
    run(&["-n", "3", "PE!", "join", "exchange", "abort=9,all of us"]).ended(9, &["all of us"]);
    let quiet = run(&["-n", "3", "PE!", "join", "0@print=last words", "0@abort=0,", "hang"]);
    assert_eq!(quiet.went_well(), "last words\n");
    assert_eq!(run(&["-n", "2", "PE!", "join", "0@abort=3,", "hang"]).code, 3);
}

#[test]
fn a_death_before_or_after_being_a_pe_counts_as_well() {
    run(&["-n", "2", "sh", "-c", "if [ $FERRITE_PE = 1 ]; then exit 4; fi; sleep 1000"])
        .ended(4, &["PE 1", "exited with 4"]);
    run(&["-n", "2", "PE!", "join", "exchange", "leave", "1@exit=6", "0@hang"]).ended(6, &["PE 1", "exited with 6"]);
}

#[test]
fn waiting_for_an_ended_pe_ends_the_job() {
    let ran = run(&["-n", "3", "PE!", "2@exit=0", "join", "exchange"]);
    ran.ended(1, &["PE 2", "exited with 0", "waits for it in init"]);
}

#[test]
fn signals_end_the_job_with_their_code() {
    for (number, name) in [(libc::SIGINT, "SIGINT"), (libc::SIGTERM, "SIGTERM"), (libc::SIGHUP, "SIGHUP")] {
        let job = start(&["-n", "2", "PE!", "join", "exchange", "hang"]);
        job.wait_for(2, "test-pe");
        job.signal(number);
        job.finish().ended(128 + number, &["ending the job on", name]);
    }
}

#[test]
fn second_sigint_kills_pes_that_ignore_sigterm() {
    let mut oshrun = job::command(&["-n", "2", "sh", "-c", "trap '' TERM; sleep 1000 & wait; wait; sleep 1000"]);
    oshrun.env("FERRITE_GRACE", "3600");
    let mut job = job::start_with_input(oshrun, b"");
    job.wait_for(2, "sleep");
    job::insist(&mut job.oshrun, libc::SIGINT);
    assert_eq!(job.finish().code, 130);
}

#[test]
fn pes_have_as_long_to_end_as_the_user_gives_them() {
    let script = "trap 'sleep 3; echo saved; exit 0' TERM; echo up; while :; do sleep 0.05; done";
    let mut oshrun = job::command(&["-n", "1", "sh", "-c", script]);
    oshrun.env("FERRITE_GRACE", "60");
    let job = job::start_with_input(oshrun, b"");
    job::wait_until("it is up", || job.output().contains("up"));
    job.signal(libc::SIGTERM);
    let ran = job.finish();
    assert_eq!((ran.code, ran.out.as_str()), (143, "up\nsaved\n"), "{}", ran.err);
    let mut wrong = job::command(&["-n", "1", "true"]);
    wrong.env("FERRITE_GRACE", "long");
    job::start_with_input(wrong, b"").finish().ended(1, &["FERRITE_GRACE", "a number of seconds"]);
}

/// Schedulers signal every process of a job, and oshrun has two.
#[test]
fn one_signal_to_all_of_oshrun_is_not_an_insistence() {
    let script = "trap 'sleep 3; echo saved; exit 3' TERM; echo up; while :; do sleep 0.05; done";
    // A busy machine may delay the second signal until it counts as another one. Such an attempt says nothing.
    for _ in 0..10 {
        let job = start(&["--grace", "60", "-n", "1", "sh", "-c", script]);
        job::wait_until("it is up", || job.output().contains("up"));
        let worker = job.all_called("oshrun-worker")[0];
        let first = Instant::now();
        job.signal(libc::SIGTERM);
        // SAFETY: the PE needs 3 s to end, so the job is still running and the process is its worker.
        let sent = unsafe { libc::kill(worker, libc::SIGTERM) };
        let apart = first.elapsed();
        let ran = job.finish();
        if apart < Duration::from_millis(200) {
            assert_eq!((sent, ran.code, ran.out.contains("saved")), (0, 143, true), "{}", ran.err);
            return;
        }
    }
    panic!("two signals in succession were more than 200 ms apart ten times");
}

/// A script may start processes before it execs oshrun: `exec > >(tee log)`, a monitor.
#[test]
fn processes_older_than_oshrun_are_not_killed() {
    let script = "(sleep 1; sh -c 'echo a grandchild') & (sleep 1; echo monitor) & exec \"$0\" -n 2 true";
    // Read to the end of the pipe, which these processes hold open.
    let output = Command::new("sh").args(["-c", script, env!("CARGO_BIN_EXE_oshrun")]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("monitor") && said.contains("a grandchild"), "{output:?}");
}

/// Such a process may have left a daemon, whose parent ends while the job runs.
#[test]
fn orphans_of_earlier_children_are_not_killed() {
    let script = "d=$(mktemp -d); (setsid sleep 600 >/dev/null 2>&1 & echo $! >$d/daemon; \
                  while [ ! -e $d/go ]; do sleep 0.05; done) & exec \"$0\" -n 1 sh -c '\
                  while [ ! -s $0/daemon ]; do sleep 0.05; done; touch $0/go; n=$(cat $0/daemon); \
                  while [ \"$(cut -d\" \" -f4 /proc/$n/stat)\" = $1 ]; do sleep 0.05; done; \
                  rm -r $0; echo $n' $d $!";
    let mut shell = Command::new("sh");
    shell.args(["-c", script, env!("CARGO_BIN_EXE_oshrun")]);
    let output = job::bounded(shell);
    let said = String::from_utf8_lossy(&output.stdout);
    let daemon: i32 = said.trim().parse().unwrap_or_else(|_| panic!("{output:?}"));
    // SAFETY: the number is not reused while the daemon lives, so a process with it is the daemon.
    assert_eq!(unsafe { libc::kill(daemon, libc::SIGKILL) }, 0, "the daemon was killed: {output:?}");
}

#[test]
fn hidden_leftovers_are_reported() {
    // The process closes its streams, so that only the final sweep can notice it. The PE reads its number to the end of the pipe, so it
    // has closed them before the PE ends.
    let script = "echo $(setsid sh -c 'echo $$; exec sleep 600 2>/dev/null >&2' &)";
    let blind = "umount -l /proc || exit 77; exec \"$0\" -n 1 sh -c \"$1\"";
    let mut oshrun = Command::new("unshare");
    oshrun.args(["--mount", "sh", "-c", blind, env!("CARGO_BIN_EXE_oshrun"), script]);
    let output = job::bounded(oshrun);
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let Ok(hidden) = out.trim().parse::<i32>() else {
        assert!(!err.contains("oshrun"), "{output:?}");
        return println!("skipped: only root can do without /proc");
    };
    // SAFETY: the number is not reused while the process left behind lives, so a process with it is that one.
    let lives = unsafe { libc::kill(hidden, libc::SIGKILL) } == 0;
    assert!(lives == err.contains("at least one process is left behind"), "{output:?}");
}

/// A directory that all users may enter, removed on drop.
struct Open(PathBuf);

impl Open {
    fn new() -> Open {
        let dir = std::env::temp_dir().join(format!("ferrite-foreign-{}", std::process::id()));
        std::fs::create_dir(&dir).unwrap();
        let dir = Open(dir);
        chmod(&dir.0, 0o755);
        dir
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn chmod(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

/// A process that oshrun may not kill holds the PEs' streams open; oshrun does not wait for it.
#[test]
fn leftovers_of_another_user_are_reported() {
    const NOBODY: u32 = 65534;
    let setpriv = Path::new("/usr/bin/setpriv");
    if !rustix::process::getuid().is_root() || !setpriv.exists() {
        println!("skipped: only root can make a program that runs as another user, of /usr/bin/setpriv");
        return;
    }
    let dir = Open::new();
    let [oshrun, become_root, out, err] = ["oshrun", "become", "out", "err"].map(|name| dir.0.join(name));
    job::copy_program(env!("CARGO_BIN_EXE_oshrun"), &oshrun);
    job::copy_program(setpriv, &become_root);
    chmod(&become_root, 0o4755);
    let mut command = Command::new(&oshrun);
    // The PE ends once the other process belongs to root. Where programs do not run as their owner, that process fails.
    let script = format!(
        "{} --reuid 0 sleep 600 & echo $!; \
         while [ -e /proc/$! ] && ! grep -q -e '(sleep)' -e ') Z' /proc/$!/stat; do sleep 0.05; done",
        become_root.display()
    );
    command.args(["-n", "1", "sh", "-c", &script]).uid(NOBODY).current_dir("/");
    command.stdin(Stdio::null()).stdout(File::create(&out).unwrap()).stderr(File::create(&err).unwrap());
    let status = job::bounded(command).status;
    let stranger: i32 = std::fs::read_to_string(&out).unwrap().trim().parse().expect("its number");
    let said = std::fs::read_to_string(&err).unwrap();
    // SAFETY: the number is not reused while the sleeper lives, so a process with it is the sleeper.
    if unsafe { libc::kill(stranger, libc::SIGKILL) } != 0 {
        println!("skipped: programs in {} do not run as their owner", dir.0.display());
        return;
    }
    assert!(
        status.success() && said.contains(&format!("process {stranger} (of another user) has not yet died")),
        "{said}"
    );
}

#[test]
fn signals_for_the_program_reach_every_pe() {
    let script = "trap 'echo got; exit 0' USR1; echo up; while :; do sleep 0.05; done";
    let job = start(&["-n", "3", "sh", "-c", script]);
    job::wait_until("all PEs are up", || job.output().matches("up").count() == 3);
    job.signal(libc::SIGUSR1);
    let ran = job.finish();
    // The shell prints messages of its own on stderr about the `sleep` that got the signal too.
    assert_eq!((ran.code, ran.out.matches("got").count()), (0, 3), "{}", ran.err);
}

/// The signal asks oshrun for a roll-call, so it must not end a program that does not expect it.
#[test]
fn a_program_without_a_handler_gets_no_sigusr1() {
    let go = std::env::temp_dir().join(format!("go-{}", std::process::id()));
    let waits = format!("echo up; while [ ! -e {} ]; do sleep 0.05; done", go.display());
    let script = "trap 'echo got; exit 0' USR1; echo up; while :; do sleep 0.05; done";
    let job = start(&["-n", "1", "sh", "-c", &waits, ":", "-n", "1", "sh", "-c", script]);
    job::wait_until("both PEs are up", || job.output().matches("up").count() == 2);
    job.signal(libc::SIGUSR1);
    // The last PE has got the signal, so the first would have got it, too.
    job::wait_until("the last PE has got it", || job.output().contains("got"));
    std::fs::write(&go, "").expect("a file of ours");
    let ran = job.finish();
    let _ = std::fs::remove_file(&go);
    assert_eq!((ran.code, ran.out.matches("got").count()), (0, 1), "{}", ran.err);
}

/// The state of a process, as the kernel abbreviates it.
fn state(pid: i32) -> Option<char> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(')')?.1.trim_start().chars().next()
}

#[test]
fn a_stopped_job_stops_and_a_continued_one_goes_on() {
    let job = start(&["-n", "2", "PE!", "join", "exchange", "hang"]);
    let pes = job.wait_for(2, "test-pe");
    let all = |wanted: fn(char) -> bool| {
        let mut pids = pes.clone();
        pids.push(job.oshrun.id() as i32);
        job::wait_until("all processes follow the signal", || pids.iter().all(|&pid| state(pid).is_some_and(wanted)));
    };
    job.signal(libc::SIGTSTP);
    all(|state| state == 'T');
    job.signal(libc::SIGCONT);
    all(|state| state != 'T');
    job.signal(libc::SIGTERM);
    assert_eq!(job.finish().code, 143);
}

#[test]
fn a_killed_oshrun_leaves_nothing() {
    for words in [
        &["-n", "3", "PE!", "join", "exchange", "deaf"][..],
        // Below a wrapper, and with a child that has left the process group and the session.
        &["-n", "3", "sh", "-c", "\"$@\"; true", "sh", "PE!", "join", "exchange", "fork", "deaf"],
        &["-n", "2", "setsid", "-w", "timeout", "100", "PE!", "fork", "deaf"],
    ] {
        let job = start(words);
        job.wait_for(3, "test-pe");
        job.signal(libc::SIGKILL);
        assert_eq!(job.finish().code, 137);
    }
}

/// Starts a hidden descendant of PE 0: in a session of its own, with an empty environment. It has the PE's streams; the pipe on which it
/// gives its number ends when it sleeps.
const HIDING: &str = "start=exec 3>&1; echo $(env -i setsid sh -c 'echo $$; exec sleep 1000 >&3' &)";

#[test]
fn no_part_of_oshrun_leaves_a_descendant_behind() {
    for half in ["oshrun", "oshrun-worker", "oshrun-guard", "both"] {
        let job =
            start(&["-n", "2", "PE!", "join", "exchange", &format!("0@{HIDING}"), "exchange", "print=up", "deaf"]);
        job::wait_until("both are up", || job.output().matches("up").count() == 2);
        let (oshrun, worker) = (job.oshrun.id() as i32, job.all_called("oshrun-worker")[0]);
        let guard = job.all_called("oshrun-guard")[0];
        // SAFETY: all of oshrun's processes run and none has been reaped, so no number is reused.
        let send = |pid: i32, number| assert_eq!(unsafe { libc::kill(pid, number) }, 0);
        match half {
            "oshrun" => send(oshrun, libc::SIGKILL),
            "oshrun-worker" => send(worker, libc::SIGKILL),
            "oshrun-guard" => send(guard, libc::SIGKILL),
            _ => {
                // Neither the guard nor the worker sees the end of only one.
                for pid in [guard, worker] {
                    send(pid, libc::SIGSTOP);
                    job::wait_until("it has stopped", || state(pid) == Some('T'));
                }
                [oshrun, worker].into_iter().for_each(|pid| send(pid, libc::SIGKILL));
                send(guard, libc::SIGCONT);
            }
        }
        let ran = job.finish();
        assert_eq!(ran.code, 137);
        let told = ran.err.contains("its worker was killed by SIGKILL");
        assert_eq!(told, half == "oshrun-worker" || half == "both", "{half}: {}", ran.err);
        assert_eq!(ran.err.contains("its guard was killed by SIGKILL"), half == "oshrun-guard", "{}", ran.err);
        let hidden = ran.out.lines().find(|line| *line != "up").unwrap();
        job::wait_until("a hidden descendant has ended", || !Path::new("/proc").join(hidden).exists());
    }
}

#[test]
fn leftovers_of_pes_are_killed() {
    assert_eq!(run(&["-n", "2", "PE!", "join", "fork", "leave", "print=done"]).went_well(), "done\ndone\n");
    run(&["-n", "2", "sh", "-c", "sleep 1000 & setsid sleep 1000 & exit 0"]).went_well();
}

/// No control group can be made here. The job belongs to another user, because root has no limit on its number of processes.
#[test]
fn processes_that_multiply_are_ended_with_the_job() {
    const ANOTHER: libc::uid_t = 65_534;
    const PROCESSES_MAX: libc::rlim_t = 100;
    // SAFETY: no precondition.
    if unsafe { libc::geteuid() } != 0 {
        return println!("skipped: only root can become a user whose processes are counted");
    }
    let mut command = job::command(&["-n", "1", "PE!", "join", "leave", "multiply"]);
    let become_another = || {
        let limit = libc::rlimit { rlim_cur: PROCESSES_MAX, rlim_max: PROCESSES_MAX };
        // SAFETY: system calls that take numbers, and a structure that outlives the call.
        let failed =
            unsafe { libc::setrlimit(libc::RLIMIT_NPROC, &raw const limit) != 0 || libc::setuid(ANOTHER) != 0 };
        if failed { Err(std::io::Error::last_os_error()) } else { Ok(()) }
    };
    // SAFETY: the closure makes only system calls between fork and exec.
    unsafe { command.pre_exec(become_another) };
    let ran = job::start_with_input(command, b"").finish();
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
}

/// PEs start in the group, because moving a process takes the kernel milliseconds, for which each job would wait.
#[test]
fn pes_are_born_in_the_jobs_control_group_and_oshrun_is_not_moved() {
    let script = "echo $FERRITE_JOB_GROUP; cat /proc/self/cgroup; echo oshrun; cat /proc/$PPID/cgroup";
    let ran = run(&["-n", "1", "sh", "-c", script]);
    let (group, places) = ran.went_well().split_once('\n').unwrap();
    let Some(name) = Path::new(group).file_name().and_then(|name| name.to_str()) else {
        return println!("skipped: this user may not make control groups, or the kernel cannot kill them");
    };
    let (pe, oshrun) = places.split_once("oshrun\n").unwrap();
    assert!(pe.contains(name) && oshrun.contains("0::") && !oshrun.contains(name), "{name}: {places}");
}

/// The group is removed however the job ends.
#[test]
fn no_control_group_is_left() {
    let ran = run(&["-n", "1", "sh", "-c", "echo $FERRITE_JOB_GROUP"]);
    let told = ran.went_well().trim();
    if told.is_empty() {
        return println!("skipped: this user may not make control groups, or the kernel cannot kill them");
    }
    assert!(!Path::new(told).exists(), "{told} is left");
    for half in ["oshrun", "oshrun-worker", "oshrun-guard"] {
        let job = start(&["-n", "1", "sh", "-c", "echo $FERRITE_JOB_GROUP; setsid sleep 1000 & sleep 1000"]);
        job::wait_until("it is up", || job.output().contains('\n'));
        let pid = if half == "oshrun" { job.oshrun.id() as i32 } else { job.all_called(half)[0] };
        // SAFETY: all of oshrun's processes run and none has been reaped, so no number is reused.
        assert_eq!(unsafe { libc::kill(pid, libc::SIGKILL) }, 0);
        let ran = job.finish();
        let group = Path::new(ran.out.trim());
        job::wait_until("its group is gone", || !group.exists());
    }
}

#[test]
fn the_time_limit_ends_the_job() {
    run(&["--timeout", "0.3", "-n", "2", "PE!", "join", "exchange", "hang"]).ended(124, &["--timeout"]);
    run(&["--timeout", "1000", "-n", "2", "true"]).went_well();
}

#[test]
fn wrappers_do_not_hide_how_a_pe_ends() {
    let wrapped = |rest: &[&str]| {
        run(&[
            &["-n", "2", "sh", "-c", "\"$@\"; code=$?; if [ $code = 0 ]; then sleep 1000; fi; exit $code", "sh", "PE!"],
            rest,
        ]
        .concat())
    };
    wrapped(&["join", "exchange", "1@exit=7", "hang"]).ended(7, &["PE 1", "exited with 7"]);
    let faulty = wrapped(&["join", "exchange", "1@raise=11", "hang"]);
    // The shell prints "Segmentation fault" as well.
    assert!(faulty.code == 139 && faulty.err.contains("exited with 139 (as a shell says SIGSEGV)"), "{}", faulty.err);
    // The wrapper goes on as if nothing had happened.
    wrapped(&["join", "exchange", "1@exit=0", "hang"])
        .ended(1, &["PE 1", "ended without finalize, while its wrapper still runs"]);
    // This wrapper exits some time after its PE. oshrun waits for it for two seconds.
    let slow = "\"$@\"; code=$?; sleep 0.3; exit $code";
    let ran = run(&["-n", "2", "sh", "-c", slow, "sh", "PE!", "join", "exchange", "1@exit=7", "hang"]);
    ran.ended(7, &["PE 1", "exited with 7"]);
    wrapped(&["join", "1@abort=4,no more", "hang"]).ended(4, &["no more"]);
    let killed = start(&["-n", "1", "sh", "-c", "\"$@\"; true", "sh", "PE!", "join", "exchange", "deaf"]);
    let shell = killed.wait_for(1, "sh")[0];
    killed.wait_for(1, "test-pe");
    // SAFETY: the shell is alive, below a job that is still running.
    assert_eq!(unsafe { libc::kill(shell, libc::SIGKILL) }, 0);
    killed.finish().ended(137, &["PE 0", "SIGKILL"]);
}

#[test]
fn garbage_on_the_connection_ends_the_job_with_a_reason() {
    for kind in ["http", "huge", "body", "flood"] {
        let ran = run(&["-n", "3", "PE!", "join", &format!("1@garbage={kind}"), "exchange"]);
        ran.ended(1, &["PE 1", "not in its protocol"]);
    }
}

#[test]
fn files_of_shared_memory_go_with_their_pes() {
    let touch = |number: &str| format!("f=/dev/shm/{number}:$(id -u):0; : >$f; echo $f");
    let killed = format!("{}; kill -9 $$", touch("$$"));
    // The shell reads to the end of the pipe: the orphan has created its file, and has closed its streams.
    let orphan = format!("echo $(sh -c '{}; exec 2>&- >&-; exec sleep 600' &)", touch("$$"));
    let start = format!("start={}", touch("$PPID"));
    for words in [
        &["sh", "-c", &killed][..],
        &["sh", "-c", &touch("$$")],
        &["sh", "-c", &orphan],
        &["sh", "-c", "\"$0\" \"$@\"; true", "PE!", "join", &start, "exchange", "raise=9"],
    ] {
        let ran = run(&[&["-n", "2"], words].concat());
        assert!(!ran.out.is_empty(), "{words:?}: {}", ran.err);
        for file in ran.out.lines() {
            assert!(!Path::new(file).exists(), "{words:?}: {file} is left");
        }
    }
}

/// Trace a process, so that it appears not to die. The tracer sees the end of a traced process first, and until then its parent waits in
/// vain, as it does for a process that hangs in the kernel. Returns true if tracing is allowed here.
fn trace(pid: i32) -> bool {
    // SAFETY: seizing changes nothing here, and the process is a PE of the calling test.
    unsafe { libc::ptrace(libc::PTRACE_SEIZE, pid, 0, 0) == 0 }
}

#[test]
fn unkillable_leftovers_are_reported() {
    for half in ["oshrun", "oshrun-worker"] {
        let job = start(&["-n", "2", "PE!", "join", "exchange", "print=up", "deaf"]);
        job::wait_until("both are up", || job.output().matches("up").count() == 2);
        let pe = job.processes().into_iter().next().unwrap();
        if !trace(pe) {
            println!("skipped: ptrace is not allowed here");
            return;
        }
        let named = match half {
            "oshrun" => {
                job.signal(libc::SIGINT);
                format!("process {pe} (PE ")
            }
            _ => {
                let worker = job.all_called(half)[0];
                // SAFETY: the job is still running, so the process is its worker.
                assert_eq!(unsafe { libc::kill(worker, libc::SIGKILL) }, 0);
                format!("process {pe} has not yet died")
            }
        };
        let ran = job.finish();
        assert_eq!(ran.code, if half == "oshrun" { 130 } else { 137 }, "{}", ran.err);
        let last = ran.err.lines().last().unwrap();
        assert!(last.contains(&named) && last.contains("has not yet died of SIGKILL"), "{}", ran.err);
        // SAFETY: this thread traces the process, which was killed; a null pointer for the status is allowed.
        assert_eq!(unsafe { libc::waitpid(pe, std::ptr::null_mut(), libc::__WALL) }, pe);
    }
}
