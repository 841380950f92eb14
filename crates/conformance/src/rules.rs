//! The rules. All members run each rule, on a fresh fabric with memory of zeros. A rule panics if the provider is wrong, and returns a
//! reason if it does not apply.

use crate::{
    Member,
    completion::{crowded, one_by_one, quiet_at, reuse, tickets},
    dozing::dozing,
    member::settle,
    sharing::shared,
    unattended::{forgotten, idle, unasked, unattended},
};
use ferrite_fabric::{Amo, Lane, Op, Pe, Remote, SegmentId, SignalOp, Stage, Ticket, Width};
use std::{collections::BTreeSet, sync::atomic::Ordering, thread};

type Update = fn(u64, u64) -> u64;
type Rule = fn(&Member<'_>) -> Result<(), &'static str>;

/// All rules, with their names.
pub(crate) const ALL: &[(&str, Rule)] = &[
    ("puts of all sizes arrive whole and touch nothing else", puts),
    ("gets of all sizes bring what is there", gets),
    ("a source may be reused when its ticket is local", reuse),
    ("segments are apart", segments),
    ("atomics do what they say, in both widths", atomics),
    ("concurrent atomics lose nothing", counters),
    ("concurrent atomics lose nothing to the processor's", near_and_far),
    ("data is there when its signal is", signals),
    ("a fence orders puts", fences),
    ("a fence orders puts to one segment and to another", fences_between),
    ("one PE has what a lane says it has", quiet_at),
    ("what is complete is there, however crowded the way", crowded),
    ("one operation is complete when a lane says so", one_by_one),
    ("tickets only grow", tickets),
    ("lanes are independent", lanes),
    ("threads share a lane", shared),
    ("lanes are many, and come and go", crowd),
    ("who waits may sleep", dozing),
    ("an idle target is served", idle),
    ("posted puts arrive without a further call", forgotten),
    ("what one lane posted goes on while another is waited on", unattended),
    ("nobody has to ask for tickets", unasked),
    ("a storm of operations ends in the right values", storm),
];

pub(crate) const SIZES: &[usize] =
    &[0, 1, 2, 3, 4, 7, 8, 9, 63, 64, 65, 255, 1000, 4096, 8191, 8192, 8193, 32_768, 65_537, 1 << 20, (3 << 20) + 5];

pub(crate) fn heap(pe: Pe, offset: usize) -> Remote {
    Remote { pe, segment: SegmentId::HEAP, offset: offset as u64 }
}

pub(crate) fn control(pe: Pe, word: usize) -> Remote {
    Remote { pe, segment: SegmentId::CONTROL, offset: 8 * word as u64 }
}

/// Bytes that depend on `seed` and on their position, none of them zero.
pub(crate) fn pattern(seed: u64, len: usize) -> Vec<u8> {
    (0..len).map(|i| (seed.wrapping_mul(31).wrapping_add(i as u64 * 7 + (i >> 8) as u64) % 255) as u8 + 1).collect()
}

/// A small generator of repeatable noise (xorshift).
fn noise(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

fn puts(m: &Member<'_>) -> Result<(), &'static str> {
    for to in [m.right(), m.me] {
        for (i, &len) in SIZES.iter().enumerate() {
            let offset = 64 + i % 9;
            let from = if to == m.me { m.me } else { m.left() };
            let ticket = m.put(heap(to, offset), &pattern(m.me.0.into(), len));
            m.wait(ticket, Stage::Remote);
            m.meet();
            assert_eq!(m.bytes(0, offset), vec![0; offset], "before {len} bytes");
            assert!(m.bytes(offset, len) == pattern(from.0.into(), len), "{len} bytes at {offset}");
            assert_eq!(m.bytes(offset + len, 64), [0; 64], "after {len} bytes");
            m.fill(offset, &vec![0; len]);
            m.meet();
        }
    }
    Ok(())
}

fn gets(m: &Member<'_>) -> Result<(), &'static str> {
    let all = pattern(m.me.0.into(), 5 << 20);
    m.fill(0, &all);
    m.meet();
    for from in [m.right(), m.me] {
        let there = pattern(from.0.into(), 5 << 20);
        for (i, &len) in SIZES.iter().enumerate() {
            let offset = 11 * i;
            assert!(m.get(heap(from, offset), len) == there[offset..offset + len], "{len} bytes at {offset}");
        }
    }
    // Many gets at once, answered in any order.
    let there = pattern(m.right().0.into(), 5 << 20);
    let mut into = vec![0_u8; 1 << 20];
    let mut last = Ticket(0);
    for (i, piece) in into.chunks_mut(513).enumerate() {
        let (to, len) = (piece.as_mut_ptr(), piece.len());
        last = last.max(m.post(&Op::Get { from: heap(m.right(), 513 * i), to, len }));
    }
    m.wait(last, Stage::Local);
    assert!(into == there[..1 << 20]);
    m.meet();
    Ok(())
}

fn segments(m: &Member<'_>) -> Result<(), &'static str> {
    m.put(heap(m.right(), 40), &1_u64.to_ne_bytes());
    let ticket = m.put(control(m.right(), 5), &2_u64.to_ne_bytes());
    m.wait(ticket, Stage::Remote);
    m.meet();
    assert_eq!((m.word(5).load(Ordering::Acquire), m.control(5).load(Ordering::Acquire)), (1, 2));
    assert_eq!(m.get(control(m.left(), 5), 8), 2_u64.to_ne_bytes());
    m.meet();
    Ok(())
}

fn atomics(m: &Member<'_>) -> Result<(), &'static str> {
    let cases: [(Amo, Update); 7] = [
        (Amo::Fetch, |old, _| old),
        (Amo::Set, |_, new| new),
        (Amo::Swap, |_, new| new),
        (Amo::Add, u64::wrapping_add),
        (Amo::And, |old, mask| old & mask),
        (Amo::Or, |old, mask| old | mask),
        (Amo::Xor, |old, mask| old ^ mask),
    ];
    for (width, ones, at) in [(Width::W32, u64::from(u32::MAX), 68), (Width::W64, u64::MAX, 72)] {
        let place = heap(m.right(), at);
        let (mut model, mut state) = (0_u64, 0x9e37_79b9_u64 + u64::from(m.me.0));
        for (op, rule) in cases.iter().cycle().take(70) {
            let operand = noise(&mut state) & ones;
            // Without a fence, an operation may overtake those before it.
            m.lane.fence();
            if noise(&mut state).is_multiple_of(2) || *op == Amo::Fetch {
                assert_eq!(m.fetch(place, width, *op, operand, 0), model, "{op:?} {width:?}");
            } else {
                m.amo(place, width, *op, operand);
            }
            model = rule(model, operand) & ones;
        }
        m.lane.fence();
        assert_eq!(m.fetch(place, width, Amo::CompareSwap, 5, model ^ 1), model, "a swap that fails");
        assert_eq!(m.fetch(place, width, Amo::CompareSwap, 6, model), model, "a swap that succeeds");
        model = 6;
        assert_eq!(m.fetch(place, width, Amo::Fetch, 0, 0), model);
    }
    m.meet();
    assert_eq!(m.bytes(60, 8), [0; 8], "the neighbours of a narrow word stay");
    m.meet();
    Ok(())
}

fn counters(m: &Member<'_>) -> Result<(), &'static str> {
    const TIMES: u64 = 300;
    let place = heap(Pe(0), 128);
    let mine: Vec<u64> = (0..TIMES).map(|_| m.fetch(place, Width::W64, Amo::Add, 1, 0)).collect();
    assert!(mine.is_sorted_by(|a, b| a < b), "an atomic counter only grows");
    let bytes: Vec<u8> = mine.iter().flat_map(|word| word.to_ne_bytes()).collect();
    m.wait(m.put(heap(Pe(0), 4096 + 8 * (TIMES * u64::from(m.me.0)) as usize), &bytes), Stage::Remote);
    let other = heap(Pe(0), 136);
    for _ in 0..TIMES {
        let mut old = m.fetch(other, Width::W64, Amo::Fetch, 0, 0);
        loop {
            let was = m.fetch(other, Width::W64, Amo::CompareSwap, old + 3, old);
            if was == old {
                break;
            }
            old = was;
        }
    }
    m.meet();
    if m.me == Pe(0) {
        let total = TIMES * u64::from(m.size);
        let seen: BTreeSet<u64> = (0..total as usize).map(|i| m.word(512 + i).load(Ordering::Acquire)).collect();
        assert!(seen.into_iter().eq(0..total), "each value is given once");
        assert_eq!(m.word(16).load(Ordering::Acquire), total);
        assert_eq!(m.word(17).load(Ordering::Acquire), 3 * total);
    }
    m.meet();
    Ok(())
}

/// The target updates its words with processor instructions, while the other PEs do so over the fabric.
fn near_and_far(m: &Member<'_>) -> Result<(), &'static str> {
    const TIMES: u64 = 300;
    if m.fabric().caps().nic_atomics {
        return Err("its NIC executes the atomics of near PEs too");
    }
    if m.size == 1 {
        return Err("nobody is far");
    }
    let (adds, swaps) = (heap(Pe(0), 144), heap(Pe(0), 152));
    let others = u64::from(m.size) - 1;
    if m.me == Pe(0) {
        let mut near = 0;
        while m.control(50).load(Ordering::Acquire) < others {
            m.word(18).fetch_add(1, Ordering::Relaxed);
            m.word(19).fetch_add(3, Ordering::Relaxed);
            near += 1;
            m.lane.progress();
        }
        assert_eq!(m.word(18).load(Ordering::Acquire), near + TIMES * others);
        assert_eq!(m.word(19).load(Ordering::Acquire), 3 * (near + TIMES * others));
    } else {
        for _ in 0..TIMES {
            m.fetch(adds, Width::W64, Amo::Add, 1, 0);
            let mut old = m.fetch(swaps, Width::W64, Amo::Fetch, 0, 0);
            loop {
                let was = m.fetch(swaps, Width::W64, Amo::CompareSwap, old + 3, old);
                if was == old {
                    break;
                }
                old = was;
                // The processor is faster and would win every time, so this loop must give up.
                if was.is_multiple_of(2) {
                    m.fetch(swaps, Width::W64, Amo::Add, 3, 0);
                    break;
                }
            }
        }
        m.fetch(control(Pe(0), 50), Width::W64, Amo::Add, 1, 0);
    }
    m.meet();
    Ok(())
}

fn signals(m: &Member<'_>) -> Result<(), &'static str> {
    let mut sum = 0;
    for (round, &len) in (1..).zip(SIZES) {
        for (op, word) in [(SignalOp::Set, 1), (SignalOp::Add, 2)] {
            let to = heap(m.right(), 64 * word);
            m.put_signal(to, &pattern(round, len), control(m.right(), word), op, round);
            sum += if word == 2 { round } else { 0 };
            m.see(m.control(word), |value| value == if word == 1 { round } else { sum });
            assert!(m.bytes(64 * word, len) == pattern(round, len), "{len} bytes with {op:?}");
            m.meet();
        }
    }
    Ok(())
}

fn fences(m: &Member<'_>) -> Result<(), &'static str> {
    // Data of several sizes, then a flag, many times: a member that sees flag n sees data n or newer.
    for len in [8, 512, 20_000, 200_000] {
        let rounds = 40;
        m.meet();
        m.control(3).store(0, Ordering::Release);
        m.meet();
        for round in 1..=rounds {
            let data = vec![round as u8; len];
            // A small put first, whose remote completion is not waited for: the provider may learn of the next put's completion in
            // another way.
            m.put(heap(m.right(), len), &[0; 8]);
            m.put(heap(m.right(), 0), &data);
            m.lane.fence();
            m.put(control(m.right(), 3), &(round as u64).to_ne_bytes());
        }
        let mut last = 0;
        while last < rounds as u64 {
            let flag = m.see(m.control(3), |value| value > last);
            let data = m.bytes(0, len);
            assert!(data.iter().all(|&b| u64::from(b) >= flag), "{len} bytes older than flag {flag}");
            last = flag;
        }
        m.wait(m.put(control(m.right(), 9), &[0; 8]), Stage::Remote);
    }
    m.meet();
    Ok(())
}

/// As [`fences`], but with data in the control segment and the flag in the heap. Each segment may be reached by a path of its own, and
/// the heap's path may be the shorter.
fn fences_between(m: &Member<'_>) -> Result<(), &'static str> {
    const WORDS: usize = 50;
    const ROUNDS: u64 = 300;
    for round in 1..=ROUNDS {
        for word in 0..WORDS {
            m.put(control(m.right(), 100 + word), &round.to_ne_bytes());
        }
        m.lane.fence();
        // Each way to write a flag, in turn.
        let flag = heap(m.right(), 0);
        match round % 3 {
            0 => m.put(flag, &round.to_ne_bytes()),
            1 => m.amo(flag, Width::W64, Amo::Set, round),
            _ => m.put_signal(heap(m.right(), 64), &[1; 100], flag, SignalOp::Set, round),
        };
    }
    let mut last = 0;
    while last < ROUNDS {
        let flag = m.see(m.word(0), |value| value > last);
        let oldest = (0..WORDS).map(|word| m.control(100 + word).load(Ordering::Acquire)).min();
        assert!(oldest >= Some(flag), "a word of {oldest:?} is older than flag {flag}");
        last = flag;
    }
    m.meet();
    Ok(())
}

fn lanes(m: &Member<'_>) -> Result<(), &'static str> {
    const TIMES: u64 = 500;
    let own: Vec<_> = (0..2).map(|_| m.fabric().lane().expect("a lane opens")).collect();
    // Each lane is used by one thread. The members' main lanes are idle.
    let fabric = m.fabric();
    let right = m.right();
    thread::scope(|scope| {
        for (i, lane) in own.into_iter().enumerate() {
            scope.spawn(move || {
                let (add, flag) = (control(right, 20), control(right, 21 + i));
                let mut last = Ticket(0);
                for round in 1..=TIMES {
                    // A later value of the flag must not be overtaken by an earlier one.
                    lane.fence();
                    let op = |at, op, operand| Op::Amo {
                        at,
                        width: Width::W64,
                        op,
                        operand,
                        compare: 0,
                        fetch: std::ptr::null_mut(),
                    };
                    for op in [op(add, Amo::Add, 1), op(flag, Amo::Set, round)] {
                        last = last.max(settle(fabric, &*lane, "a post", || {
                            // SAFETY: an atomic that fetches nothing has no local pointer.
                            unsafe { lane.post(&op) }.ok()
                        }));
                    }
                }
                settle(fabric, &*lane, "a ticket", || (lane.reached(Stage::Remote) >= last).then_some(()));
            });
        }
    });
    m.meet();
    assert_eq!(m.control(20).load(Ordering::Acquire), 2 * TIMES);
    assert_eq!([21, 22].map(|i| m.control(i).load(Ordering::Acquire)), [TIMES; 2]);
    m.meet();
    Ok(())
}

/// More lanes than any provider has queues for, used at once and closed in another order; then many more, one after another.
fn crowd(m: &Member<'_>) -> Result<(), &'static str> {
    const AT_ONCE: usize = 40;
    const IN_TURN: usize = 300;
    let fabric = m.fabric();
    let word = |lane: &dyn Lane, at, operand| {
        let fetch = std::ptr::null_mut();
        m.post_on(lane, &Op::Amo { at, width: Width::W64, op: Amo::Add, operand, compare: 0, fetch })
    };
    let mut lanes: Vec<_> = (0..AT_ONCE).map(|_| fabric.lane().expect("a lane opens")).collect();
    let posted: Vec<_> = lanes.iter().map(|lane| word(&**lane, control(m.right(), 60), 1)).collect();
    for (lane, ticket) in lanes.iter().zip(posted).rev() {
        m.wait_on(&**lane, ticket, Stage::Remote);
    }
    while !lanes.is_empty() {
        lanes.swap_remove(lanes.len() / 2);
    }
    for _ in 0..IN_TURN {
        let lane = fabric.lane().expect("a lane opens");
        m.wait_on(&*lane, word(&*lane, control(m.right(), 60), 1), Stage::Remote);
    }
    m.meet();
    assert_eq!(m.control(60).load(Ordering::Acquire), (AT_ONCE + IN_TURN) as u64);
    m.meet();
    Ok(())
}

/// Each member owns a region at each PE, and keeps a model of the region's content.
fn storm(m: &Member<'_>) -> Result<(), &'static str> {
    const REGION: usize = 256 << 10;
    const STEPS: usize = 3_000;
    let mut state = 0xdead_beef_u64 + 977 * u64::from(m.me.0);
    let region = REGION * m.me.0 as usize;
    let mut models = vec![vec![0_u8; REGION]; m.size as usize];
    for step in 0..STEPS {
        // Steps may overlap, so the fence makes each step see those before it.
        m.lane.fence();
        let draw = noise(&mut state);
        let pe = (draw % u64::from(m.size)) as usize;
        let span = if (draw >> 8).is_multiple_of(16) { 60_000 } else { 200 };
        let len = 1 + (draw >> 16) as usize % span;
        let offset = (draw >> 32) as usize % (REGION - len);
        let model = &mut models[pe];
        let place = |offset| heap(Pe(pe as u32), region + offset);
        match draw >> 12 & 3 {
            0 => assert!(m.get(place(offset), len) == model[offset..offset + len], "step {step}"),
            1 => {
                let at = offset & !7;
                let word = &mut model[at..at + 8];
                let old = u64::from_ne_bytes(word.try_into().expect("eight bytes"));
                assert_eq!(m.fetch(place(at), Width::W64, Amo::Add, draw, 0), old, "step {step}");
                word.copy_from_slice(&old.wrapping_add(draw).to_ne_bytes());
            }
            _ => {
                let data = pattern(draw, len);
                m.put(place(offset), &data);
                model[offset..offset + len].copy_from_slice(&data);
            }
        }
    }
    m.lane.fence();
    for (pe, model) in (0..).zip(&models) {
        assert!(m.get(heap(Pe(pe), region), REGION) == *model, "{} at {}", m.me, Pe(pe));
    }
    m.meet();
    Ok(())
}
