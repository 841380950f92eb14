//! Fabrics of one machine. `UCX_TLS` is read once by each process, so what runs over other transports runs in
//! a process of its own: the test binary, started again for one of its ignored tests.
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

/// For hanging, not for slowness.
pub const PATIENCE: Duration = Duration::from_secs(400);

/// The number of the job.
const JOB: u64 = 7;

/// `FERRITE_LIBUCP` names another library than the installed one.
#[expect(clippy::disallowed_methods, reason = "a variable of these tests")]
pub fn library() -> Option<PathBuf> {
    env::var_os("FERRITE_LIBUCP").map(PathBuf::from)
}

/// Whether the child that reads this is to have puts be UCX's, as over a NIC.
#[expect(clippy::disallowed_methods, reason = "a variable of these tests")]
fn writes() -> Option<bool> {
    env::var_os("FERRITE_TEST_WRITES").map(|_| true)
}

/// Who makes progress.
#[expect(clippy::disallowed_methods, reason = "a variable of these tests")]
fn progress() -> Progress {
    if env::var_os("FERRITE_TEST_ALONE").is_some() { Progress::Program } else { Progress::default() }
}

/// Where the program serves alone, PE 0 may sleep all the same.
pub fn options(me: Pe, size: u32) -> Options {
    let (progress, crowded) = (progress(), me == Pe(0));
    Options { library: library(), writes: writes(), progress, crowded, ..Options::new(me, size, JOB) }
}

pub fn make(me: Pe, size: u32) -> Box<dyn Fabric> {
    ferrite_ucx::open(options(me, size)).unwrap()
}

/// Whether there is no UCX here at all; says so. A library that was named must be good.
pub fn is_absent() -> bool {
    match ferrite_ucx::open(options(Pe(0), 1)) {
        Ok(_) => false,
        Err(error) if library().is_none() && error.to_string().starts_with("UCX cannot be used") => {
            println!("skipped: {error}");
            true
        }
        Err(error) => panic!("{error}"),
    }
}

/// Have all threads of a child stand still. The signal alone reaches one of them, which stops the others when it runs: until then they
/// answer.
pub fn stop(child: &Child) {
    signal(child, libc::SIGSTOP);
    let mut status = 0;
    // SAFETY: the status lies in this frame; of a child that has stopped this takes nothing that is waited for later.
    let stopped = unsafe { libc::waitpid(child.id() as libc::pid_t, &raw mut status, libc::WUNTRACED) };
    assert!(stopped == child.id() as libc::pid_t && libc::WIFSTOPPED(status), "it has not stopped: {status:#x}");
}

/// Have it go on.
pub fn resume(child: &Child) {
    signal(child, libc::SIGCONT);
}

/// Send a signal to a child that nobody has waited for.
fn signal(child: &Child, number: libc::c_int) {
    // SAFETY: a call without memory; the child is ours, so its number is nobody else's until it is waited for.
    assert_eq!(unsafe { libc::kill(child.id() as libc::pid_t, number) }, 0);
}

/// This program again, for one of its ignored tests, over `transports` or whatever UCX takes.
pub fn again(test: &str, transports: Option<&str>) -> Command {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args([test, "--exact", "--ignored", "--nocapture", "--test-threads=1"]);
    if let Some(transports) = transports {
        command.env("UCX_TLS", transports);
    }
    command
}

/// Have puts be UCX's in a child, as over a NIC.
pub fn with_writes(mut command: Command) -> Command {
    command.env("FERRITE_TEST_WRITES", "1");
    command
}

/// Another process of this binary, for one of its ignored tests, and the pipes to it. Where `FERRITE_TEST_OTHER_DEVICES` says so
/// it uses other devices than this one: what lies between them is then part of the test.
pub fn other(test: &str) -> (Child, Pipes) {
    let mut command = again(test, None);
    #[expect(clippy::disallowed_methods, reason = "a variable of these tests")]
    if let Some(devices) = env::var_os("FERRITE_TEST_OTHER_DEVICES") {
        command.env("UCX_NET_DEVICES", devices);
    }
    Pipes::start(&mut command)
}

/// Wait for a child, but not for ever.
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
