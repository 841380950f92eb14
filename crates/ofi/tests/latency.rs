#![cfg(bindings)]
mod support;
use ferrite_conformance::{self as conformance, Member};
use ferrite_fabric::{Amo, Op, Pe, Remote, SegmentId, Stage, Width};
use std::{sync::atomic::{AtomicBool, Ordering}, time::Instant};
use support::{TCP, SHM, make, has};

#[test]
fn latency() {
    for way in [TCP, SHM] {
        if !has(way) { continue }
        let done = AtomicBool::new(false);
        conformance::among_threads(2, &|me, meeting| {
            let m = Member::new(make(way)(me, 2), me, 2, meeting);
            m.meet();
            if me == Pe(0) {
                let at = Remote { pe: Pe(1), segment: SegmentId::HEAP, offset: 64 };
                let mut word = 0_u64;
                let p: *mut u8 = (&raw mut word).cast();
                for (name, op) in [
                    ("put8", Op::Put { to: at, from: p, len: 8 }),
                    ("put1000", Op::Put { to: at, from: vec![0_u8; 1000].leak().as_ptr(), len: 1000 }),
                    ("get8", Op::Get { from: at, to: p, len: 8 }),
                    ("amo", Op::Amo { at, width: Width::W64, op: Amo::Add, operand: 1, compare: 0, fetch: std::ptr::null_mut() }),
                    ("fetch", Op::Amo { at, width: Width::W64, op: Amo::Add, operand: 1, compare: 0, fetch: p }),
                ] {
                    let mut all: Vec<f64> = (0..30000).map(|_| {
                        let start = Instant::now();
                        let t = m.post(&op);
                        while !m.lane.has_reached(Stage::Remote, t) {}
                        start.elapsed().as_nanos() as f64 / 1000.0
                    }).collect();
                    all.sort_by(f64::total_cmp);
                    println!("{} {name}: min {:.2} p5 {:.2} p25 {:.2} median {:.2}", way.0, all[0], all[1500], all[7500], all[15000]);
                    let start = Instant::now();
                    let mut last = None;
                    for _ in 0..20000 { last = Some(m.post(&op)); }
                    let posted = start.elapsed();
                    while !m.lane.has_reached(Stage::Remote, last.unwrap()) {}
                    println!("   rate: {:.2} us/op ({:?} posted)", start.elapsed().as_nanos() as f64 / 20_000_000.0, posted);
                }
                done.store(true, Ordering::Release);
            } else {
                while !done.load(Ordering::Acquire) { m.lane.progress(); }
            }
            m.meet();
        });
    }
}
