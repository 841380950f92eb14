//! Operations that were posted to one lane arrive while the program waits on another: UCX queues operations for which a transport has no
//! room, so somebody must poll the lane that they were posted to.

mod support;

use ferrite_conformance::{Member, Pipes};
use ferrite_fabric::{Lane, Op, Pe, Remote, SegmentId, Stage};
use support::{again, is_absent, make, other, resume, stop, succeeds};

/// More puts than a queue of shared memory or a socket holds.
const PUTS: usize = 1500;
const BYTES: usize = 1000;
/// Words of the heap: the last put, and the answer to it.
const LAST: usize = 3;
const ANSWER: usize = 4;

fn over(transports: &str) {
    succeeds(again("one_who_waits_elsewhere", Some(transports)).spawn().unwrap());
}

#[test]
fn over_posix() {
    over("posix,self");
}

#[test]
fn over_sysv() {
    over("sysv,self");
}

#[test]
fn over_tcp() {
    over("tcp,self");
}

fn put(member: &Member<'_>, lane: &dyn Lane, to: Remote, from: &[u8]) -> ferrite_fabric::Ticket {
    member.post_on(lane, &Op::Put { to, from: from.as_ptr(), len: from.len() })
}

fn at(pe: Pe, offset: usize) -> Remote {
    Remote { pe, segment: SegmentId::HEAP, offset: offset as u64 }
}

#[test]
#[ignore = "started by the others"]
fn one_who_waits_elsewhere() {
    if is_absent() {
        return;
    }
    let (mut child, pipes) = other("one_who_answers");
    {
        let member = Member::new(make(Pe(0), 2), Pe(0), 2, &pipes);
        let lane = member.fabric().lane().unwrap();
        let data = vec![7; BYTES];
        // Both PEs are connected, and from here on PE 1 does not poll.
        let first = put(&member, &*lane, at(Pe(1), 4096), &data);
        member.wait_on(&*lane, first, Stage::Remote);
        stop(&child);
        for _ in 0..PUTS {
            put(&member, &*lane, at(Pe(1), 4096), &data);
        }
        lane.fence();
        let last = put(&member, &*lane, at(Pe(1), 8 * LAST), &1_u64.to_ne_bytes());
        resume(&child);
        // Wait on the member's own lane: the other lane is no longer polled.
        member.see(member.word(ANSWER), |answer| answer == 1);
        // Wait before the other PE leaves, because over shared memory its end would not be noticed.
        member.wait_on(&*lane, last, Stage::Remote);
        member.meet();
    }
    pipes.drain();
    assert!(child.wait().unwrap().success());
}

/// PE 1 of `one_who_waits_elsewhere`, which starts it.
#[test]
#[ignore = "started by one who waits elsewhere"]
fn one_who_answers() {
    let pipes = Pipes::of_child();
    let member = Member::new(make(Pe(1), 2), Pe(1), 2, &pipes);
    member.see(member.word(LAST), |last| last == 1);
    assert_eq!(member.bytes(4096, BYTES), vec![7; BYTES]);
    let ticket = put(&member, &*member.lane, at(Pe(0), 8 * ANSWER), &1_u64.to_ne_bytes());
    member.wait(ticket, Stage::Remote);
    member.meet();
}
