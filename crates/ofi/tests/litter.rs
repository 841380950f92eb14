//! Files of libfabric's shared memory that a dead process left. The test has a process of its own, because the names of the files contain
//! the process id.
#![cfg(bindings)]

mod support;

use ferrite_fabric::Pe;
use support::{SHM, has, make};

/// A killed process has left the files, and this process has the same id.
#[test]
fn files_of_a_dead_process_of_our_number_are_no_hindrance() {
    if !has(SHM) {
        return;
    }
    let uid = rustix::process::getuid().as_raw();
    let files: Vec<_> = (0..8).map(|endpoint| format!("/dev/shm/{}:{uid}:{endpoint}", std::process::id())).collect();
    for file in &files {
        std::fs::write(file, [0; 8192]).unwrap();
    }
    drop(make(SHM)(Pe(0), 1));
    for file in &files {
        let _ = std::fs::remove_file(file);
    }
}
