//! Jobs run and end correctly with any signal actions and streams that oshrun inherits from its parent.

mod job;

use job::{Ran, command, start_with_input};
use std::os::unix::process::CommandExt;
use std::process::Command;

/// An oshrun that inherits the signal state set by `prepare`, which makes only system calls.
fn started_after(prepare: fn(), words: &[&str]) -> Command {
    let mut command = command(words);
    // SAFETY: the forked copy of this process makes only system calls.
    unsafe {
        command.pre_exec(move || {
            prepare();
            Ok(())
        })
    };
    command
}

fn ignore(number: i32) {
    // SAFETY: ignoring a signal installs no code.
    unsafe { libc::signal(number, libc::SIG_IGN) };
}

fn block_all() {
    let mut set = std::mem::MaybeUninit::uninit();
    // SAFETY: the set is initialised by `sigfillset` before it is used; only this thread's mask changes.
    unsafe {
        libc::sigfillset(set.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, set.as_ptr(), std::ptr::null_mut());
    }
}

/// True if a PE that printed its `/proc/self/status` has the signal in this set.
fn has(ran: &Ran, set: &str, number: i32) -> bool {
    let line = ran.out.lines().find_map(|line| line.strip_prefix(set)).expect("a line for each set");
    u64::from_str_radix(line.trim_start_matches(':').trim(), 16).unwrap() >> (number - 1) & 1 == 1
}

#[test]
fn a_parent_that_ignores_or_blocks_the_ends_of_children_changes_nothing() {
    for prepare in [|| ignore(libc::SIGCHLD), block_all as fn()] {
        let job = start_with_input(started_after(prepare, &["-n", "1", "cat", "/proc/self/status"]), b"");
        let ran = job.finish();
        ran.went_well();
        for number in [libc::SIGCHLD, libc::SIGTERM] {
            assert!(!has(&ran, "SigIgn", number) && !has(&ran, "SigBlk", number), "{}", ran.out);
        }
    }
}

#[test]
fn signals_that_were_blocked_end_the_job_and_those_ignored_do_not() {
    let job = start_with_input(started_after(block_all, &["-n", "2", "sleep", "1000"]), b"");
    job.wait_for(2, "sleep");
    job.signal(libc::SIGTERM);
    job.finish().ended(143, &["SIGTERM"]);
    let gate = std::env::temp_dir().join(format!("ferrite-ignored-{}", std::process::id()));
    let script = "echo up; while [ ! -e $0 ]; do sleep 0.05; done; cat /proc/self/status";
    let prepare = || ignore(libc::SIGHUP);
    let words = ["-n", "1", "sh", "-c", script, gate.to_str().unwrap()];
    let job = start_with_input(started_after(prepare, &words), b"");
    job::wait_until("it is up", || job.output().contains("up"));
    job.signal(libc::SIGHUP);
    std::fs::write(&gate, "").unwrap();
    let ran = job.finish();
    std::fs::remove_file(&gate).unwrap();
    assert!(ran.code == 0 && has(&ran, "SigIgn", libc::SIGHUP), "{} {}", ran.code, ran.err);
}

#[test]
fn writer_of_unread_input_gets_an_error() {
    let told = std::env::temp_dir().join(format!("ferrite-told-{}", std::process::id()));
    let pe = "if [ $FERRITE_PE = 0 ]; then exit 0; fi; while [ ! -e $0 ]; do sleep 0.05; done; echo told";
    let script = "{ yes; : >$2; } 2>/dev/null | \"$0\" --timeout 100 -n 2 sh -c \"$1\" $2";
    let mut shell = Command::new("sh");
    shell.args(["-c", script, env!("CARGO_BIN_EXE_oshrun"), pe]).arg(&told);
    let ran = start_with_input(shell, b"").finish();
    let _ = std::fs::remove_file(told);
    assert_eq!(ran.went_well(), "told\n");
}

#[test]
fn a_full_stderr_changes_no_exit_code() {
    let with_full = |words: &[&str]| {
        let mut shell = Command::new("sh");
        shell.args(["-c", "exec \"$0\" \"$@\" 2>/dev/full", env!("CARGO_BIN_EXE_oshrun")]).args(words);
        start_with_input(shell, b"")
    };
    assert_eq!(with_full(&["no-such-program"]).finish().code, 127);
    let job = with_full(&["-n", "1", "sleep", "1000"]);
    job.wait_for(1, "sleep");
    let worker = job.all_called("oshrun-worker")[0];
    // SAFETY: the job is still running, so the process is its worker.
    assert_eq!(unsafe { libc::kill(worker, libc::SIGKILL) }, 0);
    assert_eq!(job.finish().code, 137);
}
