//! Connections that stay on this host are spared what is of use on a network alone.
#![cfg(bindings)]

mod support;

use ferrite_conformance::{self as conformance, Member};
use ferrite_fabric::{Pe, Remote, SegmentId, sockets};
use std::{
    fs,
    time::{Duration, Instant},
};
use support::{TCP, has, make};

/// For hanging, not for slowness.
const PATIENCE: Duration = Duration::from_secs(400);

/// PE 0 does so itself, and for PE 1, which does nothing, its thread does.
#[test]
fn all_are_unpaced_soon() {
    let usual = fs::read_to_string("/proc/sys/net/ipv4/tcp_congestion_control").unwrap_or_default();
    if usual.trim() == "reno" {
        println!("skipped: every connection of this host is one without pacing");
        return;
    }
    if !has(TCP) {
        return;
    }
    conformance::among_threads(2, &|me, meeting| {
        let m = Member::new(make(TCP)(me, 2), me, 2, meeting);
        m.meet();
        let start = Instant::now();
        while me == Pe(0) {
            m.get(Remote { pe: Pe(1), segment: SegmentId::HEAP, offset: 0 }, 8);
            let connections: Vec<_> = sockets::all().unwrap().into_iter().filter(|tcp| tcp.far.is_some()).collect();
            assert!(connections.len() >= 2, "both ends are here: {connections:?}");
            if connections.iter().all(|tcp| tcp.congestion().as_deref() == Some("reno")) {
                break;
            }
            assert!(start.elapsed() < PATIENCE, "{connections:?}");
        }
        m.meet_and_do_nothing();
    });
}
