//! Rules about completion: the operations that a lane reports as complete, locally and at their targets.

use crate::{
    Member,
    rules::{SIZES, control, heap, pattern},
};
use ferrite_fabric::{Amo, Op, Pe, Stage, Ticket, Width};
use std::sync::atomic::Ordering;

pub(crate) fn reuse(m: &Member<'_>) -> Result<(), &'static str> {
    for &len in SIZES.iter().filter(|&&len| len > 0) {
        let mut source = pattern(7, len);
        let small = len <= m.fabric().caps().inject_bytes_max;
        let op = Op::Put { to: heap(m.right(), 0), from: source.as_ptr(), len };
        let ticket = m.post(&op);
        assert!(!small || m.lane.reached(Stage::Local) >= ticket, "{len} bytes are copied at once");
        m.wait(ticket, Stage::Local);
        source.fill(0xee);
        m.wait(ticket, Stage::Remote);
        m.meet();
        assert!(m.bytes(0, len) == pattern(7, len), "{len} bytes");
        m.meet();
    }
    Ok(())
}

/// Operations of every kind are complete at a PE when the lane is quiet there. A provider may learn of each kind's completion in a
/// different way.
pub(crate) fn quiet_at(m: &Member<'_>) -> Result<(), &'static str> {
    const HELD: usize = 4 << 20;
    let there = pattern(m.right().0.into(), 100);
    m.fill(HELD, &pattern(m.me.0.into(), 100));
    let before = m.control(4).load(Ordering::Acquire);
    m.meet();
    let mut sum = before;
    for (round, &len) in (1..).zip(SIZES) {
        let (data, aside, mut got) = (pattern(round, len), [round as u8; 70], [0_u8; 100]);
        m.post(&Op::Put { to: heap(m.left(), HELD + 200), from: aside.as_ptr(), len: aside.len() });
        m.post(&Op::Put { to: heap(m.right(), 64), from: data.as_ptr(), len });
        m.amo(control(m.right(), 4), Width::W64, Amo::Add, round);
        m.post(&Op::Get { from: heap(m.right(), HELD), to: got.as_mut_ptr(), len: got.len() });
        m.until(&*m.lane, "quiet at one PE", || m.lane.is_quiet_at(m.right()));
        assert!(got[..] == there, "what was fetched beside {len} bytes");
        m.meet();
        sum += round;
        assert_eq!(m.control(4).load(Ordering::Acquire), sum, "the word beside {len} bytes");
        assert!(m.bytes(64, len) == pattern(round, len), "{len} bytes");
        m.until(&*m.lane, "quiet at the other", || m.lane.is_quiet_at(m.left()));
        m.meet();
        assert_eq!(m.bytes(HELD + 200, 70), [round as u8; 70]);
        m.meet();
    }
    Ok(())
}

/// All members put to all at once, more than the path to one of them holds. They check the data as soon as each knows that its own puts
/// are complete.
pub(crate) fn crowded(m: &Member<'_>) -> Result<(), &'static str> {
    const WORDS: usize = 200;
    const ROUNDS: u64 = 100;
    let from_member = |pe: u32| WORDS * pe as usize;
    for round in 1..=ROUNDS {
        let mut last = Ticket(0);
        for word in from_member(m.me.0)..from_member(m.me.0 + 1) {
            for pe in (0..m.size).map(Pe) {
                let to = heap(pe, 8 * word);
                last = m.post(&Op::Put { to, from: (&raw const round).cast(), len: 8 });
            }
        }
        m.wait(last, Stage::Remote);
        m.meet();
        for word in 0..from_member(m.size) {
            assert_eq!(m.word(word).load(Ordering::Acquire), round, "word {word} at {}", m.me);
        }
        m.meet();
    }
    Ok(())
}

/// Each operation is reported by itself, while others are under way, and in whatever order the caller asks.
pub(crate) fn one_by_one(m: &Member<'_>) -> Result<(), &'static str> {
    const HELD: usize = 4 << 20;
    let mine = |me: Pe| pattern(me.0.into(), 70_000);
    m.fill(HELD, &mine(m.me));
    let before = m.control(5).load(Ordering::Acquire);
    m.meet();
    let data = pattern(7, 300_000);
    for round in 0..20 {
        let (mut got, mut old) = (vec![0; 70_000], u64::MAX);
        let put = Op::Put { to: heap(m.right(), 64), from: data.as_ptr(), len: data.len() };
        let first: Vec<_> = (0..3).map(|_| m.post(&put)).collect();
        let get = m.post(&Op::Get { from: heap(m.left(), HELD), to: got.as_mut_ptr(), len: got.len() });
        let amo = m.post(&Op::Amo {
            at: control(m.left(), 5),
            width: Width::W64,
            op: Amo::Add,
            operand: 1,
            compare: 0,
            fetch: (&raw mut old).cast(),
        });
        let last = m.post(&put);
        m.wait_for_one(amo);
        assert_eq!(old, before + round, "what was fetched beside what was put");
        m.wait_for_one(get);
        assert!(got == mine(m.left()), "what was fetched by itself");
        first.into_iter().chain([last]).for_each(|ticket| m.wait_for_one(ticket));
        let local = m.lane.reached(Stage::Local);
        assert!(local >= last, "each is local, and only {local:?} are up to {last:?}");
    }
    m.meet();
    m.wait(m.put(heap(m.right(), 64), &data), Stage::Remote);
    m.meet();
    assert!(m.bytes(64, data.len()) == data);
    m.meet();
    Ok(())
}

pub(crate) fn tickets(m: &Member<'_>) -> Result<(), &'static str> {
    let data = pattern(1, 30_000);
    let (place, mut into) = (heap(m.right(), 40_000 * (1 + m.me.0 as usize)), [0_u8; 64]);
    // A get that was reported complete stays complete after the next put, although it completed without the steps that puts need.
    m.wait(m.put(place, &data[..8]), Stage::Remote);
    let got = m.post(&Op::Get { from: place, to: into.as_mut_ptr(), len: 8 });
    m.wait(got, Stage::Remote);
    let (mut issued, mut local, mut remote) = (m.put(place, &data[..8]), Ticket(0), Ticket(0));
    assert!(m.lane.reached(Stage::Remote) >= got, "what was said of {got:?} was taken back");
    for round in 0..2_000_usize {
        let pe = Pe((round % m.size as usize) as u32);
        let op = if round.is_multiple_of(3) {
            Op::Get { from: heap(pe, 64), to: into.as_mut_ptr(), len: into.len() }
        } else {
            let len = if round.is_multiple_of(50) { data.len() } else { round % 100 };
            Op::Put { to: heap(pe, 40_000 * (1 + m.me.0 as usize)), from: data.as_ptr(), len }
        };
        let ticket = m.post(&op);
        assert!(ticket > issued, "a ticket is larger than those before");
        issued = issued.max(ticket);
        for (stage, last) in [(Stage::Local, &mut local), (Stage::Remote, &mut remote)] {
            let now = m.lane.reached(stage);
            assert!(now >= *last, "{stage:?} went back from {last:?} to {now:?}");
            assert!(stage == Stage::Remote || m.lane.is_local(now), "all up to {now:?}, and not it");
            *last = now;
        }
    }
    m.wait(issued, Stage::Remote);
    m.wait(issued, Stage::Local);
    m.meet();
    Ok(())
}
