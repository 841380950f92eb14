//! Connections that stay on this host are spared what is of use on a network alone.
#![cfg(bindings)]

mod support;

use ferrite_conformance::{self as conformance, Member};
use ferrite_fabric::{Pe, Remote, SegmentId};
use support::{TCP, has, make};

/// PE 0 does so itself, and for PE 1, which does nothing, its thread does.
#[test]
fn all_are_unpaced_soon() {
    if !conformance::unpaced_shows() || !has(TCP) {
        return;
    }
    conformance::among_threads(2, &|me, meeting| {
        let m = Member::new(make(TCP)(me, 2), me, 2, meeting);
        m.meet();
        if me == Pe(0) {
            let at = Remote { pe: Pe(1), segment: SegmentId::HEAP, offset: 0 };
            conformance::unpaced_soon(|| _ = m.get(at, 8));
        }
        m.meet_and_do_nothing();
    });
}
