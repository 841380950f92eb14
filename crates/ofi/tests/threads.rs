//! The suite of all providers, with PEs as threads of one process.
#![cfg(bindings)]

mod support;

use ferrite_conformance as conformance;
use support::{SHM, TCP, UDP, Way, has, make, named};

fn check(size: u32, way: Way) {
    if has(way) {
        conformance::threads(size, &make(way));
    }
}

#[test]
fn tcp_alone() {
    check(1, TCP);
}

#[test]
fn tcp_two() {
    check(2, TCP);
}

#[test]
fn tcp_three() {
    check(3, TCP);
}

#[test]
fn shm_two() {
    check(2, SHM);
}

#[test]
fn udp_two() {
    check(2, UDP);
}

#[test]
fn named_two() {
    if let Some(way) = named() {
        check(2, way);
    }
}
