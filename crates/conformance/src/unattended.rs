//! Rules about operations and peers' requests that must make progress although the program does not poll for them.

use crate::{
    Member,
    rules::{control, heap, pattern},
};
use ferrite_fabric::{Amo, Op, Pe, SignalOp, Stage, Width};
use std::{sync::atomic::Ordering, thread, time::Duration};

/// A lane that records the operations under way must not wait for the caller to ask for them: here no caller asks.
pub(crate) fn unasked(m: &Member<'_>) -> Result<(), &'static str> {
    const TIMES: u64 = 100_000;
    for i in 1..=TIMES {
        // Alternate between two peers, so that no run of operations to one peer is longer than one.
        let to = if i % 2 == 0 { m.right() } else { m.left() };
        let at = control(to, 40 + (i % 2) as usize);
        m.amo(at, Width::W64, Amo::Add, 1);
    }
    for word in [40, 41] {
        m.see(m.control(word), |seen| seen >= TIMES / 2);
    }
    m.meet();
    assert_eq!([40, 41].map(|word| m.control(word).load(Ordering::Relaxed)), [TIMES / 2; 2]);
    Ok(())
}

pub(crate) fn idle(m: &Member<'_>) -> Result<(), &'static str> {
    if m.fabric().caps().needs_target_progress {
        return Err("its targets must enter the library");
    }
    // PE 0 makes no call at all until the others are done.
    if m.me != Pe(0) || m.size == 1 {
        let at = 1 << 20;
        for round in 0..20 {
            let mine = heap(Pe(0), at * m.me.0 as usize);
            let data = pattern(round, 100_000);
            m.wait(m.put(mine, &data), Stage::Remote);
            assert!(m.get(mine, data.len()) == data);
            m.fetch(control(Pe(0), 30), Width::W64, Amo::Add, 1, 0);
            thread::sleep(Duration::from_millis(1));
        }
    }
    m.meet();
    if m.me == Pe(0) {
        let active = u64::from(m.size.max(2) - 1);
        assert_eq!(m.control(30).load(Ordering::Acquire), 20 * active);
    }
    m.meet();
    Ok(())
}

pub(crate) fn forgotten(m: &Member<'_>) -> Result<(), &'static str> {
    if m.fabric().caps().needs_target_progress {
        return Err("nobody moves its operations but the program");
    }
    // More than a NIC takes at once.
    const SIGNALS: u64 = 1_000;
    // The sender makes no further call. The receiver only reads its memory, and makes no call either.
    let bytes = 1_u64.to_ne_bytes();
    m.post(&Op::Put { to: control(m.right(), 40), from: bytes.as_ptr(), len: 8 });
    let (to, signal) = (heap(m.right(), 0), control(m.right(), 41));
    for _ in 0..SIGNALS {
        m.post(&Op::PutSignal { to, from: bytes.as_ptr(), len: 8, signal, op: SignalOp::Add, value: 1 });
    }
    let start = std::time::Instant::now();
    while m.control(40).load(Ordering::Acquire) == 0 || m.control(41).load(Ordering::Acquire) < SIGNALS {
        assert!(start.elapsed() < Duration::from_secs(60), "{} never saw it", m.me);
        thread::sleep(Duration::from_millis(1));
    }
    m.meet();
    Ok(())
}

pub(crate) fn unattended(m: &Member<'_>) -> Result<(), &'static str> {
    // Every member waits on its main lane for the operation that its neighbour posted on another lane. Meanwhile the neighbour does not
    // poll that lane.
    let lane = m.fabric().lane().expect("a lane");
    for (round, len) in (1..).zip([8, 5_000, 100_000, 3 << 20]) {
        let data = pattern(round, len);
        let (to, signal) = (heap(m.right(), 0), control(m.right(), 55));
        let from = data.as_ptr();
        let ticket = m.post_on(&*lane, &Op::PutSignal { to, from, len, signal, op: SignalOp::Set, value: round });
        m.see(m.control(55), |value| value == round);
        assert!(m.bytes(0, len) == data, "{len} bytes");
        m.wait_on(&*lane, ticket, Stage::Remote);
        m.meet();
    }
    Ok(())
}
