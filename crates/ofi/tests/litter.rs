//! Files that libfabric's shared memory finds in its way. Alone in its process, for the files are named by its number.
#![cfg(bindings)]

mod support;

use ferrite_fabric::Pe;
use support::{SHM, has, make};

/// A process that was killed has left them, and later another gets its number: this one.
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
