//! Runs a test in a process of its own.

use ferrite_device::{Device, cuda};
use std::{
    env,
    os::fd::{AsRawFd, OwnedFd},
    path::PathBuf,
    process::{Command, ExitStatus},
    sync::Arc,
    thread,
};

/// Set in the process of a test: the part of the test that it runs.
const PART: &str = "DEVICE_TEST_PART";
/// The number of an inherited descriptor.
const FILE: &str = "DEVICE_TEST_FILE";

/// The unit of memory of the stand-in.
pub const UNIT: usize = 2 << 20;

/// Run `body`, the calling test, in a process with this environment.
pub fn alone(environment: &[(&str, &str)], body: impl FnOnce()) {
    match part().as_deref() {
        Some("whole") => body(),
        Some(_) => {}
        None => {
            let status = start("whole", environment, None);
            assert!(status.success(), "{environment:?}: {status}");
        }
    }
}

/// The part of a test for a second process: it runs when [`start`] is called with this name.
pub fn second(name: &str, body: impl FnOnce(i32)) {
    if part().as_deref() == Some(name) {
        body(variable(FILE).map_or(-1, |number| number.parse().unwrap()));
    }
}

/// Run a part of the calling test in another process, which inherits `file`.
pub fn start(part: &str, environment: &[(&str, &str)], file: Option<&OwnedFd>) -> ExitStatus {
    let test = thread::current().name().unwrap().to_owned();
    let mut command = Command::new(env::current_exe().unwrap());
    command.args([test.as_str(), "--exact", "--nocapture"]).env(PART, part).envs(environment.iter().copied());
    if let Some(file) = file {
        // SAFETY: the descriptor is open. Each test has its process, so no other program inherits it.
        assert_eq!(unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETFD, 0) }, 0);
        command.env(FILE, file.as_raw_fd().to_string());
    }
    // The output of a process that succeeds would look like one of a test.
    let output = command.output().unwrap();
    if !output.status.success() {
        print!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    }
    output.status
}

fn part() -> Option<String> {
    variable(PART)
}

#[allow(clippy::disallowed_methods, reason = "the test's own environment")]
pub fn variable(name: &str) -> Option<String> {
    env::var(name).ok()
}

/// The stand-in.
pub fn library() -> PathBuf {
    cuda_standin::folder(&env::current_exe().unwrap()).unwrap().join("libcuda.so.1")
}

pub fn open() -> Arc<dyn Device> {
    cuda::open(Some(&library())).unwrap()
}

/// Number of open descriptors and of mappings of device memory.
pub fn resources() -> (usize, usize) {
    let files = std::fs::read_dir("/proc/self/fd").unwrap().count();
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    (files, maps.lines().filter(|line| line.contains("cuda-standin")).count())
}
