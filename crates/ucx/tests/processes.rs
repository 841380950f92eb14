//! The suite of all providers, with PEs as processes: this binary starts itself again for the first PE, with the transports in the
//! environment, and that process starts the second. The two communicate over a pair of pipes.

mod support;

use ferrite_conformance::{self as conformance, Pipes};
use ferrite_fabric::Pe;
use support::{again, is_absent, make, other, succeeds};

fn over(transports: Option<&str>) {
    succeeds(again("the_first_process", transports).spawn().unwrap());
}

#[test]
fn over_tcp() {
    over(Some("tcp,self"));
}

#[test]
fn over_posix() {
    over(Some("posix,self"));
}

#[test]
fn over_sysv() {
    over(Some("sysv,self"));
}

#[test]
fn over_what_ucx_takes() {
    over(None);
}

/// No names are left in shared memory.
#[test]
fn nothing_is_left_behind() {
    let left = || -> Vec<_> {
        let files = std::fs::read_dir("/dev/shm").into_iter().flatten().flatten();
        files.map(|file| file.file_name()).filter(|name| name.to_string_lossy().contains("ucx")).collect()
    };
    let before = left();
    over(Some("posix,self"));
    // Other tests of this binary have such names while they run. They remove them within this time.
    let start = std::time::Instant::now();
    while left().iter().any(|name| !before.contains(name)) {
        assert!(start.elapsed() < support::PATIENCE, "left behind: {:?}", left());
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

#[test]
#[ignore = "started by the others"]
fn the_first_process() {
    if is_absent() {
        return;
    }
    let (mut child, pipes) = other("the_other_process");
    conformance::run(Pe(0), 2, &make, &pipes);
    pipes.drain();
    assert!(child.wait().unwrap().success());
}

/// PE 1 of `the_first_process`, which starts it.
#[test]
#[ignore = "started by the first process"]
fn the_other_process() {
    conformance::run(Pe(1), 2, &make, &Pipes::of_child());
}
