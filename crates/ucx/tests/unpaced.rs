//! Connections that stay on this host are spared what is of use on a network alone.

mod support;

use ferrite_fabric::{Op, Segment, SegmentId, Stage, sockets};
use ferrite_ucx::By;
use std::{fs, time::Instant};
use support::{PATIENCE, again, is_absent, pair::Pair, succeeds};

#[test]
fn over_tcp() {
    succeeds(again("all_are_unpaced_soon", Some("tcp,self"), By::Target).spawn().unwrap());
}

#[test]
#[ignore = "started by the other"]
fn all_are_unpaced_soon() {
    let usual = fs::read_to_string("/proc/sys/net/ipv4/tcp_congestion_control").unwrap_or_default();
    if usual.trim() == "reno" {
        println!("skipped: every connection of this host is one without pacing");
        return;
    }
    if is_absent() {
        return;
    }
    let mut word = 7_u64;
    let pair = Pair::new();
    let segment = Segment { id: SegmentId::HEAP, base: (&raw mut word).cast(), len: 8 };
    // SAFETY: the memory outlives the fabrics.
    let key = unsafe { pair.fabrics[1].register(segment) }.unwrap();
    pair.book.keys.lock().unwrap()[1] = Some(key);
    let start = Instant::now();
    loop {
        let mut got = 0_u64;
        let ticket = pair.post(&Op::Get { from: Pair::at(0), to: (&raw mut got).cast(), len: 8 });
        pair.wait(ticket, Stage::Local);
        assert_eq!(got, 7);
        let connections: Vec<_> = sockets::all().unwrap().into_iter().filter(|tcp| tcp.far.is_some()).collect();
        assert!(connections.len() >= 2, "both ends are here: {connections:?}");
        if connections.iter().all(|tcp| tcp.congestion().as_deref() == Some("reno")) {
            return;
        }
        assert!(start.elapsed() < PATIENCE, "{connections:?}");
    }
}
