//! Providers that are not here: the suite of all providers over a libfabric that announces their modes and holds
//! this crate to the rules that follow from them.
#![cfg(bindings)]

mod fake;

use fake::{Profile, library, world};
use ferrite_conformance as conformance;
use ferrite_engine::Engine;
use ferrite_fabric::{
    AddressBook, Amo, Fabric, Key, Lane, Op, Pe, Remote, Result, Segment, SegmentId, Stage, Ticket, Width,
};
use ferrite_ofi::{OfiTransport, Options, engine_with};
use libfabric_sys::*;
use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

const ATOMIC: u64 = FI_MSG | FI_RMA | FI_ATOMIC | FI_FENCE;
const CXI: i32 = FI_MR_ENDPOINT | FI_MR_ALLOCATED | FI_MR_PROV_KEY;

/// A wait this long is no wait any more.
const STUCK: Duration = Duration::from_secs(60);

fn options(me: Pe, size: u32) -> Options {
    // Whether a thread may sleep is up to the profile.
    Options { crowded: true, ..Options::new(me, size, 99) }
}

/// The suite with two PEs; gives how often each kind of call was made.
fn check(profile: Profile, nic_atomics: bool) -> HashMap<&'static str, u64> {
    let (library, _guard) = library(profile);
    conformance::threads(2, &|me, size| {
        let fabric = engine_with(library.clone(), options(me, size)).unwrap();
        assert_eq!(fabric.caps().nic_atomics, nic_atomics, "{fabric:?}");
        Box::new(fabric) as Box<dyn Fabric>
    });
    world(|world| {
        assert!(world.broken.is_empty(), "broken: {:#?}", world.broken);
        world.seen.clone()
    })
}

#[test]
fn slingshot() {
    let seen = check(
        Profile {
            name: "cxi",
            caps: ATOMIC,
            mr_mode: CXI,
            inject: 192,
            orders: 0,
            hardware: true,
            ..Profile::default()
        },
        true,
    );
    for call in ["write inject", "atomic", "fetch", "compare", "fenced", "write", "read"] {
        assert!(seen.contains_key(call), "{call}: {seen:?}");
    }
    assert!(!seen.contains_key("inject") && !seen.contains_key("send"), "no requests: {seen:?}");
    assert!(!seen.contains_key("with messages"), "no memory for what comes unexpected: {seen:?}");
}

#[test]
fn slingshot_without_fences() {
    let caps = ATOMIC & !FI_FENCE;
    let seen =
        check(Profile { name: "cxi", caps, mr_mode: CXI, orders: 0, hardware: true, ..Profile::default() }, true);
    assert!(!seen.contains_key("fenced") && seen.contains_key("atomic"), "{seen:?}");
}

#[test]
fn slingshot_without_atomics() {
    let caps = FI_MSG | FI_RMA;
    let seen = check(Profile { name: "cxi", caps, mr_mode: CXI, ..Profile::default() }, false);
    assert!(seen.contains_key("inject") && !seen.contains_key("atomic"), "{seen:?}");
}

#[test]
fn verbs() {
    let mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
    check(Profile { mr_mode, ..Profile::default() }, false);
}

#[test]
fn efa_copies_nothing() {
    let mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
    let seen = check(Profile { name: "efa", mr_mode, inject: 0, ..Profile::default() }, false);
    assert!(seen.contains_key("send") && !seen.contains_key("inject"), "{seen:?}");
}

#[test]
fn psm3_lets_us_choose_keys() {
    check(Profile { name: "psm3", caps: ATOMIC, inject: 64, ..Profile::default() }, false);
}

#[test]
fn everything_at_once() {
    let mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
    let profile =
        Profile { mr_mode, inject: 16, orders: 0, message_max: 5000, depth: 8, refuse: 3, ..Profile::default() };
    check(profile, false);
}

#[test]
fn a_storm_of_refusals() {
    check(Profile { refuse: 2, depth: 8, ..Profile::default() }, false);
}

#[test]
fn who_sleeps_is_woken() {
    let seen = check(Profile { wakes: true, ..Profile::default() }, false);
    assert!(seen.contains_key("sleep"), "{seen:?}");
}

/// A thread that sleeps looks once, and not again before something happens.
#[test]
fn who_is_not_woken_sleeps() {
    let (library, _guard) = library(Profile { wakes: true, ..Profile::default() });
    let fabric = engine_with(library, options(Pe(0), 1)).unwrap();
    std::thread::sleep(Duration::from_millis(300));
    let sleeps = world(|world| world.seen.get("sleep").copied());
    assert!(sleeps.is_some_and(|sleeps| sleeps < 10), "{sleeps:?}");
    drop(fabric);
}

/// The program takes a request before the sleeping thread is up, which then sleeps on: the reply is still under way when the program
/// goes away.
#[test]
fn what_is_left_to_a_thread_that_sleeps_is_done() {
    let (library, _guard) = library(Profile { wakes: true, ..Profile::default() });
    let (memory, fabrics) = two(&library, 8);
    let _book = connect(&fabrics, register(&fabrics, &memory, 64));
    let lanes = fabrics.each_ref().map(|fabric| fabric.lane().unwrap());
    let at = Remote { pe: Pe(1), segment: SegmentId::HEAP, offset: 8 };
    for round in 0..20 {
        // Both threads sleep by then, most likely.
        std::thread::sleep(Duration::from_millis(5));
        world(|world| world.muffled = true);
        let mut old = u64::MAX;
        let (op, fetch) = (Amo::Add, (&raw mut old).cast());
        // SAFETY: `old` outlives the operation.
        let asked = unsafe { lanes[0].post(&Op::Amo { at, width: Width::W64, op, operand: 1, compare: 0, fetch }) };
        while memory[1][1].load(Ordering::Acquire) == round {
            lanes.iter().for_each(|lane| _ = lane.progress());
        }
        world(|world| world.muffled = false);
        reach(&*lanes[0], [&fabrics[0], &fabrics[1]], asked.unwrap());
        assert_eq!(old, round);
    }
}

#[test]
fn one_that_cannot_tell_of_delivery_is_refused() {
    let (library, _guard) = library(Profile { delivery: false, ..Profile::default() });
    let error = engine_with(library, options(Pe(0), 2)).unwrap_err().to_string();
    assert!(error.contains("verbs;ofi_rxm on fake0") && error.contains("FI_DELIVERY_COMPLETE"), "{error}");
}

#[test]
fn a_limit_of_locked_memory_is_explained() {
    let (library, _guard) = library(Profile { lockable: 1 << 20, ..Profile::default() });
    let fabric = engine_with(library, options(Pe(0), 1)).unwrap();
    let mut words = vec![0_u64; 1 << 18];
    let segment = Segment { id: SegmentId::HEAP, base: words.as_mut_ptr().cast(), len: 2 << 20 };
    // SAFETY: the fabric ends before the words.
    let error = unsafe { fabric.register(segment) }.unwrap_err().to_string();
    assert!(error.contains("2097152 bytes") && error.contains("ulimit -l"), "{error}");
}

#[test]
fn an_endpoint_that_cannot_be_had_leaves_nothing_open() {
    let hardware = Profile { caps: ATOMIC, hardware: true, ..Profile::default() };
    for endpoints in [0, 1] {
        let (library, _guard) = library(Profile { endpoints, ..hardware.clone() });
        let fabric = engine_with(library, options(Pe(0), 1));
        let error = fabric.and_then(|fabric| fabric.lane().map(|_| ())).unwrap_err().to_string();
        assert!(error.contains("enabling an endpoint"), "{error}");
        world(|world| {
            assert!(world.broken.is_empty(), "broken: {:#?}", world.broken);
            assert!(world.eps.values().all(|ep| ep.closed) && world.mrs.is_empty(), "{endpoints}");
        });
    }
}

/// A world of two whose keys can change.
#[derive(Default)]
struct Keys(Mutex<(Vec<Vec<u8>>, Vec<Key>)>);

impl AddressBook for Keys {
    fn address(&self, pe: Pe) -> Result<Vec<u8>> {
        Ok(self.0.lock().unwrap().0[pe.0 as usize].clone())
    }

    fn key(&self, pe: Pe, _: SegmentId) -> Result<Key> {
        Ok(self.0.lock().unwrap().1[pe.0 as usize].clone())
    }
}

fn finish(lane: &dyn Lane, both: [&Engine<OfiTransport>; 2], op: &Op) {
    // SAFETY: what the operation points to outlives this.
    let ticket = until(lane, both, &format!("a place for {op:?}"), || unsafe { lane.post(op) }.ok());
    reach(lane, both, ticket);
}

fn reach(lane: &dyn Lane, both: [&Engine<OfiTransport>; 2], ticket: Ticket) {
    until(lane, both, &format!("{ticket:?}"), || (lane.reached(Stage::Remote) >= ticket).then_some(()));
}

/// Make progress until there is something.
fn until<T>(lane: &dyn Lane, both: [&Engine<OfiTransport>; 2], what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    while start.elapsed() < STUCK {
        if let Some(found) = look() {
            return found;
        }
        lane.progress();
        for fabric in both {
            assert!(fabric.fault().is_none(), "{:?}", fabric.fault());
        }
    }
    panic!("waiting for {what}, and nothing happens");
}

/// Memory of so many words for each of two fabrics, which are dropped before it.
fn two(library: &Libfabric, words: usize) -> ([Vec<AtomicU64>; 2], [Engine<OfiTransport>; 2]) {
    let fabrics = [0, 1].map(|me| engine_with(library.clone(), options(Pe(me), 2)).unwrap());
    ([0, 1].map(|_| (0..words).map(|_| AtomicU64::new(0)).collect()), fabrics)
}

/// Let peers reach the first bytes of the memory, as the heap.
fn register(fabrics: &[Engine<OfiTransport>; 2], memory: &[Vec<AtomicU64>; 2], len: usize) -> Vec<Key> {
    let keys = fabrics.iter().zip(memory).map(|(fabric, words)| {
        let base = words.as_ptr().cast_mut().cast();
        // SAFETY: the memory outlives the fabrics.
        unsafe { fabric.register(Segment { id: SegmentId::HEAP, base, len }) }.unwrap()
    });
    keys.collect()
}

/// Have them know each other.
fn connect(fabrics: &[Engine<OfiTransport>; 2], keys: Vec<Key>) -> Arc<Keys> {
    let book = Arc::new(Keys::default());
    *book.0.lock().unwrap() = (fabrics.iter().map(Fabric::address).collect(), keys);
    for fabric in fabrics {
        fabric.connect(Arc::<Keys>::clone(&book)).unwrap();
    }
    book
}

/// A heap that grows at its end is reached whole, by operations that straddle what was registered one after the other.
fn grows(profile: Profile) {
    const STEP: usize = 4096;
    let (library, _guard) = library(profile);
    let (memory, fabrics) = two(&library, STEP / 2);
    let register = |steps: usize| register(&fabrics, &memory, steps * STEP);
    let book = connect(&fabrics, register(1));
    let lane = fabrics[0].lane().unwrap();
    let both = [&fabrics[0], &fabrics[1]];
    for steps in 1..=4 {
        book.0.lock().unwrap().1 = register(steps);
        assert_eq!(register(steps), book.0.lock().unwrap().1, "what has not grown keeps its key");
        let data: Vec<u8> = (0..steps * STEP - 16).map(|i| (i * steps) as u8).collect();
        let there = Remote { pe: Pe(1), segment: SegmentId::HEAP, offset: 8 };
        finish(&*lane, both, &Op::Put { to: there, from: data.as_ptr(), len: data.len() });
        let mut back = vec![0; data.len()];
        finish(&*lane, both, &Op::Get { from: there, to: back.as_mut_ptr(), len: back.len() });
        assert!(back == data, "{steps} steps");
        // A small put over a seam is copied as any other.
        for seam in (1..steps).map(|step| (step * STEP) as u64) {
            let mut small = [seam as u8 ^ 0x5a; 1000];
            let there = Remote { offset: seam - 100, ..there };
            let op = Op::Put { to: there, from: small.as_ptr(), len: small.len() };
            // SAFETY: the memory outlives the fabrics, and the source need not outlive the call.
            let ticket = unsafe { lane.post(&op) }.unwrap();
            small.fill(0);
            reach(&*lane, both, ticket);
            let mut back = [1_u8; 1000];
            finish(&*lane, both, &Op::Get { from: there, to: back.as_mut_ptr(), len: back.len() });
            assert!(back == [seam as u8 ^ 0x5a; 1000], "over {seam}");
        }
        let offset = (steps * STEP - 8) as u64;
        let (at, mut old) = (Remote { offset, ..there }, 1_u64);
        let (op, fetch) = (Amo::Add, (&raw mut old).cast());
        finish(&*lane, both, &Op::Amo { at, width: Width::W64, op, operand: 5, compare: 0, fetch });
        assert_eq!((old, memory[1][offset as usize / 8].load(Ordering::Acquire)), (0, 5));
    }
    world(|world| assert!(world.broken.is_empty(), "broken: {:#?}", world.broken));
    // Beyond all that is registered there is a fault, and no wait.
    let beyond = Remote { pe: Pe(1), segment: SegmentId::HEAP, offset: 4 * STEP as u64 };
    // SAFETY: nothing is read.
    unsafe { lane.post(&Op::Put { to: beyond, from: [1_u8].as_ptr(), len: 1 }) }.unwrap_err();
    let fault = fabrics[0].fault().unwrap().to_string();
    assert!(fault.contains("offset 16384 of segment 0 of PE 1"), "{fault}");
}

/// Constants are put by a provider that maps sources for writing too: libfabric's cxi before 2.2.
#[test]
fn sources_that_may_only_be_read_are_copied_where_they_are_refused() {
    static CONSTANTS: [u8; 100_001] = {
        let mut bytes = [0; 100_001];
        let mut i = 0;
        while i < bytes.len() {
            bytes[i] = (i % 251) as u8;
            i += 1;
        }
        bytes
    };
    let profile = Profile {
        name: "cxi",
        caps: ATOMIC,
        mr_mode: CXI,
        hardware: true,
        maps_for_writing: true,
        ..Profile::default()
    };
    let (library, _guard) = library(profile);
    let (memory, fabrics) = two(&library, 1 << 14);
    let _book = connect(&fabrics, register(&fabrics, &memory, 8 << 14));
    let lane = fabrics[0].lane().unwrap();
    let both = [&fabrics[0], &fabrics[1]];
    let there = Remote { pe: Pe(1), segment: SegmentId::HEAP, offset: 3 };
    for len in [1, 4096, 4097, 50_000, CONSTANTS.len()] {
        finish(&*lane, both, &Op::Put { to: there, from: CONSTANTS.as_ptr(), len });
        let mut back = vec![0; len];
        finish(&*lane, both, &Op::Get { from: there, to: back.as_mut_ptr(), len });
        assert!(back == CONSTANTS[..len], "{len} bytes");
        // What may be written goes from where it is, as before.
        let data: Vec<u8> = (0..len).map(|i| (i % 7) as u8).collect();
        finish(&*lane, both, &Op::Put { to: there, from: data.as_ptr(), len });
        finish(&*lane, both, &Op::Get { from: there, to: back.as_mut_ptr(), len });
        assert!(back == data, "{len} bytes");
    }
    world(|world| assert!(world.broken.is_empty(), "broken: {:#?}", world.broken));
}

/// What of the program's memory cannot be locked any more is copied in pieces, whichever way it goes.
#[test]
fn what_cannot_be_registered_is_copied() {
    let mr_mode = FI_MR_LOCAL | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
    let (library, _guard) = library(Profile { mr_mode, ..Profile::default() });
    let (memory, fabrics) = two(&library, 1 << 14);
    let _book = connect(&fabrics, register(&fabrics, &memory, 8 << 14));
    let lane = fabrics[0].lane().unwrap();
    let both = [&fabrics[0], &fabrics[1]];
    let there = Remote { pe: Pe(1), segment: SegmentId::HEAP, offset: 5 };
    world(|world| world.profile.lockable = 0);
    for len in [4096, 4097, 50_000] {
        let data: Vec<u8> = (0..len).map(|i| (i % 241) as u8).collect();
        finish(&*lane, both, &Op::Put { to: there, from: data.as_ptr(), len });
        let mut back = vec![0; len];
        finish(&*lane, both, &Op::Get { from: there, to: back.as_mut_ptr(), len });
        assert!(back == data, "{len} bytes");
    }
    world(|world| assert!(world.broken.is_empty(), "broken: {:#?}", world.broken));
}

#[test]
fn a_heap_grows_where_the_provider_chooses_keys() {
    let mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
    grows(Profile { mr_mode, ..Profile::default() });
}

#[test]
fn a_heap_grows_where_we_choose_keys() {
    grows(Profile { name: "psm3", ..Profile::default() });
}

#[test]
fn a_heap_grows_where_regions_are_bound() {
    grows(Profile { name: "cxi", caps: ATOMIC, mr_mode: CXI, hardware: true, ..Profile::default() });
}
