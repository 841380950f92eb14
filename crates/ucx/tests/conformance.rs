//! The suite of all providers, with PEs as threads.

mod support;

use ferrite_conformance::{self as conformance, Member};
use support::{again, is_absent, make, succeeds, with_writes};

fn over(transports: Option<&str>) {
    succeeds(again("pes_as_threads", transports).spawn().unwrap());
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
fn over_posix_with_writes() {
    succeeds(with_writes(again("few_pes_as_threads", Some("posix,self"))).spawn().unwrap());
}

#[test]
fn over_sysv() {
    over(Some("sysv,self"));
}

#[test]
fn over_what_ucx_takes() {
    over(None);
}

/// Puts are writes of UCX, as they would be over a NIC.
#[test]
fn over_tcp_with_writes() {
    succeeds(with_writes(again("few_pes_as_threads", Some("tcp,self"))).spawn().unwrap());
}

/// The program alone makes progress, without a service thread.
#[test]
fn over_tcp_by_the_program_alone() {
    let mut command = again("few_pes_as_threads", Some("tcp,self"));
    succeeds(command.env("FERRITE_TEST_ALONE", "1").spawn().unwrap());
}

#[test]
fn tcp_wakes_a_waiter_for_its_own_operation() {
    succeeds(again("one_who_fetches", Some("tcp,self")).spawn().unwrap());
}

#[test]
#[ignore = "started by tcp_wakes_a_waiter_for_its_own_operation"]
fn one_who_fetches() {
    if is_absent() {
        return;
    }
    conformance::among_threads(2, &|me, meeting| {
        conformance::woken_by_ones_own(&Member::new(make(me, 2), me, 2, meeting));
    });
}

/// Started by the other tests, with the transports in the environment.
#[test]
#[ignore = "started by the others"]
fn pes_as_threads() {
    as_threads(&[1, 2, 3, 4]);
}

/// Started for another implementation of one kind of operation over the same transport.
#[test]
#[ignore = "started by the others"]
fn few_pes_as_threads() {
    as_threads(&[1, 3]);
}

fn as_threads(sizes: &[u32]) {
    if is_absent() {
        return;
    }
    for &size in sizes {
        conformance::threads(size, &make);
    }
}
