//! The suite of all providers, with PEs as processes: this binary starts itself again for the second PE, and the two communicate over its
//! standard input and output. Also what happens when the second one dies.
#![cfg(bindings)]

mod support;

use ferrite_conformance::{self as conformance, Member, Pipes};
use ferrite_fabric::{Op, Pe, Remote, SegmentId};
use ferrite_ofi::Options;
use std::{
    process::{Child, Command},
    time::{Duration, Instant},
};
use support::{SHM, TCP, UDP, Way, has, make, named, options};

/// The second process, and the pipes to it.
fn start(test: &str) -> (Child, Pipes) {
    let mut again = Command::new(std::env::current_exe().unwrap());
    Pipes::start(again.args([test, "--exact", "--ignored", "--nocapture"]))
}

fn parent(way: Way, test: &str) {
    if !has(way) {
        return;
    }
    let (mut child, pipes) = start(test);
    conformance::run(Pe(0), 2, &make(way), &pipes);
    pipes.drain();
    assert!(child.wait().unwrap().success());
}

fn child(way: Way) {
    conformance::run(Pe(1), 2, &make(way), &Pipes::of_child());
}

#[test]
fn two_over_tcp() {
    parent(TCP, "other_over_tcp");
}

#[test]
fn two_over_shm() {
    parent(SHM, "other_over_shm");
}

#[test]
fn two_over_udp() {
    parent(UDP, "other_over_udp");
}

#[test]
fn two_over_named() {
    if let Some(way) = named() {
        parent(way, "other_over_named");
    }
}

#[test]
#[ignore = "started by two_over_tcp"]
fn other_over_tcp() {
    child(TCP);
}

#[test]
#[ignore = "started by two_over_shm"]
fn other_over_shm() {
    child(SHM);
}

#[test]
#[ignore = "started by two_over_udp"]
fn other_over_udp() {
    child(UDP);
}

#[test]
#[ignore = "started by two_over_named"]
fn other_over_named() {
    child(named().expect("the other process has a name"));
}

/// A killed peer causes a fault, whether memory accesses or requests are under way.
fn loses(op: fn(&mut u64) -> Op) {
    const PATIENCE: Duration = Duration::from_secs(60);
    if !has(TCP) {
        return;
    }
    let (mut other, pipes) = start("doomed");
    let options = Options { silence: Some(Duration::from_secs(3)), ..options(Pe(0), 2, TCP) };
    let member = Member::new(ferrite_ofi::open(options).unwrap(), Pe(0), 2, &pipes);
    let mut word = 0;
    // Wait until the PEs are connected in both directions.
    let ticket = member.post(&op(&mut word));
    member.wait(ticket, ferrite_fabric::Stage::Local);
    other.kill().unwrap();
    other.wait().unwrap();
    let begun = Instant::now();
    let fault = loop {
        assert!(begun.elapsed() < PATIENCE, "nobody noticed");
        // SAFETY: the word outlives the loop, and the fabric ends with it.
        let _ = unsafe { member.lane.post(&op(&mut word)) };
        member.lane.progress();
        if let Some(fault) = member.fabric().fault() {
            break fault.to_string();
        }
        std::thread::sleep(Duration::from_micros(100));
    };
    println!("{fault}");
    assert!(fault.contains("PE 1"), "{fault}");
}

fn there() -> Remote {
    Remote { pe: Pe(1), segment: SegmentId::HEAP, offset: 64 }
}

#[test]
fn a_lost_peer_is_a_fault_to_gets() {
    loses(|word| Op::Get { from: there(), to: std::ptr::from_mut(word).cast(), len: 8 });
}

#[test]
fn a_lost_peer_is_a_fault_to_atomics() {
    use ferrite_fabric::{Amo, Width};
    loses(|word| {
        let fetch = std::ptr::from_mut(word).cast();
        Op::Amo { at: there(), width: Width::W64, op: Amo::Fetch, operand: 0, compare: 0, fetch }
    });
}

/// PE 1 of [`loses`], which kills this process.
#[test]
#[ignore = "started by those who lose a peer"]
fn doomed() {
    let pipes = Pipes::of_child();
    let _member = Member::new(make(TCP)(Pe(1), 2), Pe(1), 2, &pipes);
    loop {
        std::thread::sleep(Duration::from_secs(1));
    }
}
