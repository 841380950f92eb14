//! Connections that stay on this host are spared what is of use on a network alone.

mod support;

use ferrite_conformance as conformance;
use ferrite_fabric::{Op, Segment, SegmentId, Stage};
use ferrite_ucx::By;
use support::{again, is_absent, pair::Pair, succeeds};

#[test]
fn over_tcp() {
    succeeds(again("all_are_unpaced_soon", Some("tcp,self"), By::Target).spawn().unwrap());
}

#[test]
#[ignore = "started by the other"]
fn all_are_unpaced_soon() {
    if !conformance::unpaced_shows() || is_absent() {
        return;
    }
    let mut word = 7_u64;
    let pair = Pair::new();
    let segment = Segment { id: SegmentId::HEAP, base: (&raw mut word).cast(), len: 8 };
    // SAFETY: the memory outlives the fabrics.
    let key = unsafe { pair.fabrics[1].register(segment) }.unwrap();
    pair.book.keys.lock().unwrap()[1] = Some(key);
    conformance::unpaced_soon(|| {
        let mut got = 0_u64;
        let ticket = pair.post(&Op::Get { from: Pair::at(0), to: (&raw mut got).cast(), len: 8 });
        pair.wait(ticket, Stage::Local);
        assert_eq!(got, 7);
    });
}
