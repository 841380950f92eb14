//! The suite of all providers, with PEs as threads.

mod support;

use ferrite_fabric::conformance;
use ferrite_ucx::Atomics;
use support::{again, is_absent, make, succeeds};

fn over(transports: Option<&str>, atomics: Atomics) {
    succeeds(again("pes_as_threads", transports, atomics).spawn().unwrap());
}

#[test]
fn over_tcp() {
    over(Some("tcp,self"), Atomics::Target);
}

#[test]
fn over_posix() {
    over(Some("posix,self"), Atomics::Target);
}

#[test]
fn over_sysv() {
    over(Some("sysv,self"), Atomics::Target);
}

#[test]
fn over_what_ucx_takes() {
    over(None, Atomics::Target);
}

#[test]
fn over_tcp_with_atomics_of_the_library() {
    over(Some("tcp,self"), Atomics::Library);
}

#[test]
fn over_posix_with_atomics_of_the_library() {
    over(Some("posix,self"), Atomics::Library);
}

/// Started by the others, in an environment that says which transports to take.
#[test]
#[ignore = "started by the others"]
fn pes_as_threads() {
    if is_absent() {
        return;
    }
    for size in [1, 2, 3, 4] {
        conformance::threads(size, &make);
    }
}
