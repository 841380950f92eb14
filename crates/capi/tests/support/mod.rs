//! Code that the suites of C programs share: the installed prefix, the programs with their headers, and jobs that are bounded in time and
//! leave nothing behind.
#![allow(dead_code, reason = "each suite uses its part")]

pub mod burners;
pub mod env;
pub mod footprint;
pub mod html;
pub mod job;
pub mod prefix;
pub mod program;
pub mod service;
pub mod sos;
pub mod tagged;

use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Time limit of a job. It ends hangs, and is far longer than any job takes on a busy machine.
pub const LIMIT: Duration = Duration::from_secs(240);

/// The directory of the C programs.
pub fn sources() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/c")
}

/// A directory for files that the suites build and capture.
pub fn scratch(name: &str) -> PathBuf {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&directory).unwrap_or_else(|error| panic!("creating {}: {error}", directory.display()));
    directory
}

/// The variables with which a job finds the stand-in for CUDA's driver. None if `FERRITE_TEST_GPU` is set: jobs then use the host's GPUs.
pub fn stand_in_driver() -> Vec<(String, String)> {
    if env::get("FERRITE_TEST_GPU").is_some() {
        return Vec::new();
    }
    let test = std::env::current_exe().expect("a running program has a path");
    let folder = cuda_standin::folder(&test).unwrap_or_else(|error| panic!("the stand-in for CUDA: {error}"));
    let path = cuda_standin::library_path(&folder).into_string().expect("a path in UTF-8");
    vec![("LD_LIBRARY_PATH".to_owned(), path)]
}

/// The first of two free ports. The kernel chooses higher ports by itself, and the tests of `bootstrap` use lower ones.
pub fn free_port(number: u32) -> u16 {
    let first = 26_000 + (std::process::id() * 37 + number * 101) % 5_000;
    let is_free = |port: u16| TcpListener::bind(("127.0.0.1", port)).is_ok();
    (first as u16..32_000).find(|&port| is_free(port) && is_free(port + 1)).expect("two ports are free")
}

/// Lock under which one job runs at a time: jobs of seven PEs side by side would only measure the machine's load.
pub fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}
