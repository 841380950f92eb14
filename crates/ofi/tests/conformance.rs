//! The suite of all providers, with PEs as threads of one process.
#![cfg(bindings)]

mod support;

use ferrite_conformance::{self as conformance, Member};
use ferrite_fabric::{Amo, Op, Pe, Progress, Remote, SegmentId, Stage, Ticket, Width};
use ferrite_ofi::Options;
use support::{SHM, TCP, UDP, Way, has, make, named, options};

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

/// Two rails on one interface, and among three PEs one with a single NIC.
#[test]
fn tcp_over_two_rails() {
    if has(TCP) {
        let rails = |me| if me == Pe(2) { Vec::new() } else { vec!["lo".to_owned(); 2] };
        let several = |me, size| Options { rails: rails(me), needs_rails: true, ..options(me, size, TCP) };
        conformance::threads(2, &|me, size| ferrite_ofi::open(several(me, size)).unwrap());
        conformance::threads(3, &|me, size| ferrite_ofi::open(several(me, size)).unwrap());
    }
}

/// Without a service thread, operations that need no peer's help complete by polls of the program alone.
#[test]
fn tcp_by_the_program_alone() {
    if has(TCP) {
        let alone = |me, size| Options { progress: Progress::Program, ..options(me, size, TCP) };
        conformance::threads(3, &|me, size| ferrite_ofi::open(alone(me, size)).unwrap());
    }
}

/// The queue of a lane has a descriptor only if PEs share cores.
#[test]
fn tcp_wakes_a_waiter_for_its_own_operation() {
    if has(TCP) {
        conformance::among_threads(2, &|me, meeting| {
            conformance::woken_by_ones_own(&Member::new(make(TCP)(me, 2), me, 2, meeting));
        });
    }
}

/// The last of three PEs makes no progress, and a lane is full of operations to it. Operations to another PE still complete.
fn past_one_that_does_nothing(of: fn(Remote, &[u8]) -> Op) {
    if !has(TCP) {
        return;
    }
    let there = |pe, offset| Remote { pe: Pe(pe), segment: SegmentId::HEAP, offset };
    conformance::among_threads(3, &|me, meeting| {
        let progress = if me == Pe(2) { Progress::Program } else { Progress::Needed };
        let fabric = ferrite_ofi::open(Options { progress, ..options(me, 3, TCP) }).unwrap();
        let m = Member::new(fabric, me, 3, meeting);
        let data = vec![7; 3000];
        if me == Pe(0) {
            // Connect while that PE still makes progress.
            m.wait(m.put(there(2, 0), &data), Stage::Remote);
        }
        m.meet_and_serve();
        // From here on, the last PE makes no progress.
        m.meet_and_do_nothing();
        let mut last = Ticket::NONE;
        if me == Pe(0) {
            // SAFETY: the data stay until all is complete.
            while let Ok(ticket) = unsafe { m.lane.post(&of(there(2, 0), &data)) } {
                last = ticket;
            }
            for round in 0..10 {
                m.wait_for_one(m.post(&Op::Put { to: there(1, 64), from: data.as_ptr(), len: data.len() }));
                m.until(&*m.lane, "quiet at one PE", || m.lane.is_quiet_at(Pe(1)));
                assert_eq!(m.get(there(1, 64), data.len()), data);
                assert_eq!(m.fetch(there(1, 8192), Width::W64, Amo::Add, 1, 0), round);
            }
            assert!(m.lane.reached(Stage::Remote) < last, "nobody was in the way");
        }
        m.meet_and_do_nothing();
        if me == Pe(0) {
            m.wait(last, Stage::Remote);
        }
        m.meet_and_serve();
    });
}

#[test]
fn small_puts_to_an_idle_peer_block_no_other() {
    past_one_that_does_nothing(|to, data| Op::Put { to, from: data.as_ptr(), len: data.len() });
}

#[test]
fn requests_to_an_idle_peer_block_no_other() {
    past_one_that_does_nothing(|at, _| Op::Amo {
        at,
        width: Width::W64,
        op: Amo::Add,
        operand: 1,
        compare: 0,
        fetch: std::ptr::null_mut(),
    });
}

#[test]
fn gets_from_an_idle_peer_block_no_other() {
    past_one_that_does_nothing(|from, data| Op::Get { from, to: data.as_ptr().cast_mut(), len: data.len() });
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
