//! Fabrics of one machine. UCX reads `UCX_TLS` once in each process, so a test over other transports runs in a process of its own: the test
//! binary, started again for one of its ignored tests.
#![allow(dead_code, reason = "compiled into each test program")]

pub mod pair;

use ferrite_conformance::Pipes;
use ferrite_fabric::{Fabric, Pe, Progress};
use ferrite_ucx::Options;
use std::{
    env,
    path::PathBuf,
    process::{Child, Command},
    thread,
    time::{Duration, Instant},
};

/// Bound for a hang; it says nothing about speed.
pub const PATIENCE: Duration = Duration::from_secs(400);

/// The number of the job.
const JOB: u64 = 7;

/// Another library than the installed one, from `FERRITE_LIBUCP`.
#[expect(clippy::disallowed_methods, reason = "a variable of these tests")]
pub fn library() -> Option<PathBuf> {
    env::var_os("FERRITE_LIBUCP").map(PathBuf::from)
}

/// For a child process: whether its puts are writes of UCX, as over a NIC.
#[expect(clippy::disallowed_methods, reason = "a variable of these tests")]
fn writes() -> Option<bool> {
    env::var_os("FERRITE_TEST_WRITES").map(|_| true)
}

/// Which threads make progress.
#[expect(clippy::disallowed_methods, reason = "a variable of these tests")]
fn progress() -> Progress {
    if env::var_os("FERRITE_TEST_ALONE").is_some() { Progress::Program } else { Progress::default() }
}

/// Options of a PE. If the program alone makes progress, PE 0 may sleep all the same.
pub fn options(me: Pe, size: u32) -> Options {
    let (progress, crowded) = (progress(), me == Pe(0));
    Options { library: library(), writes: writes(), progress, crowded, ..Options::new(me, size, JOB) }
}

pub fn make(me: Pe, size: u32) -> Box<dyn Fabric> {
    ferrite_ucx::open(options(me, size)).unwrap()
}

/// Whether UCX is missing here; prints that, too. A library that `FERRITE_LIBUCP` names must be usable.
pub fn is_absent() -> bool {
    match ferrite_ucx::open(options(Pe(0), 1)) {
        Ok(_) => false,
        Err(error) if library().is_none() && error.to_string().starts_with("loading UCX") => {
            println!("skipped: {error}");
            true
        }
        Err(error) => panic!("{error}"),
    }
}

/// Stop all threads of a child. The signal reaches one of them, which stops the others only when it runs; until then they answer. So wait
/// for the stop.
pub fn stop(child: &Child) {
    signal(child, libc::SIGSTOP);
    let mut status = 0;
    // SAFETY: the status lies in this frame. Waiting for a stop leaves the end of the child to a later wait.
    let stopped = unsafe { libc::waitpid(child.id() as libc::pid_t, &raw mut status, libc::WUNTRACED) };
    assert!(stopped == child.id() as libc::pid_t && libc::WIFSTOPPED(status), "it has not stopped: {status:#x}");
}

/// Continue a stopped child.
pub fn resume(child: &Child) {
    signal(child, libc::SIGCONT);
}

/// Send a signal to a child that has not been waited for.
fn signal(child: &Child, number: libc::c_int) {
    // SAFETY: a call without memory. The child is ours, so no other process has its number until it is waited for.
    assert_eq!(unsafe { libc::kill(child.id() as libc::pid_t, number) }, 0);
}

/// This program again, for one of its ignored tests, over `transports`, or over the ones that UCX chooses.
pub fn again(test: &str, transports: Option<&str>) -> Command {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args([test, "--exact", "--ignored", "--nocapture", "--test-threads=1"]);
    if let Some(transports) = transports {
        command.env("UCX_TLS", transports);
    }
    command
}

/// Make puts of a child writes of UCX, as over a NIC.
pub fn with_writes(mut command: Command) -> Command {
    command.env("FERRITE_TEST_WRITES", "1");
    command
}

/// Another process of this binary, for one of its ignored tests, and the pipes to it. With `FERRITE_TEST_OTHER_DEVICES` it uses other
/// devices than this process, so that the test includes the network between them.
pub fn other(test: &str) -> (Child, Pipes) {
    let mut command = again(test, None);
    #[expect(clippy::disallowed_methods, reason = "a variable of these tests")]
    if let Some(devices) = env::var_os("FERRITE_TEST_OTHER_DEVICES") {
        command.env("UCX_NET_DEVICES", devices);
    }
    Pipes::start(&mut command)
}

/// Wait until a child succeeds, but not for ever.
pub fn succeeds(mut child: Child) {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            assert!(status.success(), "the child ended with {status}");
            return;
        }
        if start.elapsed() > PATIENCE {
            let _ = child.kill();
            let _ = child.wait();
            panic!("the child does not end");
        }
        thread::sleep(Duration::from_millis(5));
    }
}
