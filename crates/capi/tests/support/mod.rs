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
pub mod sos;
pub mod tagged;

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

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

/// Lock under which one job runs at a time: jobs of seven PEs side by side would only measure the machine's load.
pub fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}
