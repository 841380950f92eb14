//! Providers that this machine lacks: the suite of all providers runs over a fake libfabric, which announces the modes of a provider and
//! checks that this crate keeps the rules that follow from them.
#![cfg(bindings)]

mod fake;

use fake::{Profile, Turn, library};
use ferrite_conformance as conformance;
use ferrite_engine::{Engine, Rail};
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

/// A wait of this length counts as a hang.
const STUCK: Duration = Duration::from_secs(60);

fn options(me: Pe, size: u32) -> Options {
    // The profile decides whether a thread may sleep.
    Options { crowded: true, ..Options::new(me, size, 99) }
}

/// Run the suite with two PEs. Returns the number of calls of each kind.
fn check(profile: Profile, nic_atomics: bool) -> HashMap<&'static str, u64> {
    let (library, turn) = library(profile);
    conformance::threads(2, &|me, size| {
        let fabric = engine_with(library.clone(), options(me, size)).unwrap();
        assert_eq!(fabric.caps().nic_atomics, nic_atomics, "{fabric:?}");
        Box::new(fabric) as Box<dyn Fabric>
    });
    turn.world(|world| {
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
fn sleeper_is_woken() {
    let seen = check(Profile { wakes: true, ..Profile::default() }, false);
    assert!(seen.contains_key("sleep"), "{seen:?}");
}

/// Wait until the threads of `count` queues have found nothing to do and sleep.
fn wait_until_asleep(turn: &Turn, count: usize) {
    let start = Instant::now();
    while turn.world(|world| world.asleep.len()) < count {
        assert!(start.elapsed() < Duration::from_secs(120), "the service threads do not sleep");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// A sleeping thread looks once, and looks again only when something happens.
#[test]
fn sleeper_without_wakeup_sleeps_on() {
    let (library, turn) = library(Profile { wakes: true, ..Profile::default() });
    let fabric = engine_with(library, options(Pe(0), 1)).unwrap();
    wait_until_asleep(&turn, 1);
    // Time in which a thread that wrongly keeps looking would show.
    std::thread::sleep(Duration::from_millis(300));
    let sleeps = turn.world(|world| world.seen["sleep"]);
    assert!(sleeps < 10, "{sleeps}");
    drop(fabric);
}

/// The program takes a request before the sleeping thread is awake, so the thread sleeps on. The reply is still under way when the program
/// stops calling.
#[test]
fn work_left_to_a_sleeping_thread_is_done() {
    let (library, turn) = library(Profile { wakes: true, ..Profile::default() });
    let (memory, fabrics) = two(&library, 8);
    let _book = connect(&fabrics, register(&fabrics, &memory, 64));
    let lanes = fabrics.each_ref().map(|fabric| fabric.lane().unwrap());
    let at = Remote { pe: Pe(1), segment: SegmentId::HEAP, offset: 8 };
    for round in 0..20 {
        wait_until_asleep(&turn, 2);
        turn.world(|world| world.muffled = true);
        let mut old = u64::MAX;
        let (op, fetch) = (Amo::Add, (&raw mut old).cast());
        // SAFETY: `old` outlives the operation.
        let asked = unsafe { lanes[0].post(&Op::Amo { at, width: Width::W64, op, operand: 1, compare: 0, fetch }) };
        while memory[1][1].load(Ordering::Acquire) == round {
            lanes.iter().for_each(|lane| _ = lane.progress());
        }
        turn.world(|world| world.muffled = false);
        reach(&*lanes[0], [&fabrics[0], &fabrics[1]], asked.unwrap());
        assert_eq!(old, round);
    }
}

#[test]
fn provider_without_delivery_complete_is_refused() {
    let (library, _turn) = library(Profile { delivery: false, ..Profile::default() });
    let error = engine_with(library, options(Pe(0), 2)).unwrap_err().to_string();
    assert!(error.contains("verbs;ofi_rxm on fake0") && error.contains("FI_DELIVERY_COMPLETE"), "{error}");
}

#[test]
fn a_limit_of_locked_memory_is_explained() {
    let (library, _turn) = library(Profile { lockable: 1 << 20, ..Profile::default() });
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
        let (library, turn) = library(Profile { endpoints, ..hardware.clone() });
        let fabric = engine_with(library, options(Pe(0), 1));
        let error = fabric.and_then(|fabric| fabric.lane().map(|_| ())).unwrap_err().to_string();
        assert!(error.contains("enabling an endpoint"), "{error}");
        turn.world(|world| {
            assert!(world.broken.is_empty(), "broken: {:#?}", world.broken);
            assert!(world.eps.values().all(|ep| ep.closed) && world.mrs.is_empty(), "{endpoints}");
        });
    }
}

/// The address book of two PEs; its keys can change.
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

fn finish(lane: &dyn Lane, both: [&Engine<Rail<OfiTransport>>; 2], op: &Op) {
    // SAFETY: what the operation points to outlives this.
    let ticket = until(lane, both, &format!("a place for {op:?}"), || unsafe { lane.post(op) }.ok());
    reach(lane, both, ticket);
}

fn reach(lane: &dyn Lane, both: [&Engine<Rail<OfiTransport>>; 2], ticket: Ticket) {
    until(lane, both, &format!("{ticket:?}"), || (lane.reached(Stage::Remote) >= ticket).then_some(()));
}

/// Make progress until `look` returns a value.
fn until<T>(
    lane: &dyn Lane,
    both: [&Engine<Rail<OfiTransport>>; 2],
    what: &str,
    mut look: impl FnMut() -> Option<T>,
) -> T {
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

/// Memory for two fabrics, which are dropped before it.
fn two(library: &Libfabric, words: usize) -> ([Vec<AtomicU64>; 2], [Engine<Rail<OfiTransport>>; 2]) {
    let fabrics = [0, 1].map(|me| engine_with(library.clone(), options(Pe(me), 2)).unwrap());
    ([0, 1].map(|_| (0..words).map(|_| AtomicU64::new(0)).collect()), fabrics)
}

/// Register the first `len` bytes of each memory as the heap. Returns the keys.
fn register(fabrics: &[Engine<Rail<OfiTransport>>; 2], memory: &[Vec<AtomicU64>; 2], len: usize) -> Vec<Key> {
    let keys = fabrics.iter().zip(memory).map(|(fabric, words)| {
        let base = words.as_ptr().cast_mut().cast();
        // SAFETY: the memory outlives the fabrics.
        unsafe { fabric.register(Segment { id: SegmentId::HEAP, base, len }) }.unwrap()
    });
    keys.collect()
}

/// Exchange the addresses and keys of the two fabrics.
fn connect(fabrics: &[Engine<Rail<OfiTransport>>; 2], keys: Vec<Key>) -> Arc<Keys> {
    let book = Arc::new(Keys::default());
    *book.0.lock().unwrap() = (fabrics.iter().map(Fabric::address).collect(), keys);
    for fabric in fabrics {
        fabric.connect(Arc::<Keys>::clone(&book)).unwrap();
    }
    book
}

/// A heap that grows at its end can be accessed as a whole, also by operations that span several registrations.
fn grows(profile: Profile) {
    const STEP: usize = 4096;
    let (library, turn) = library(profile);
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
        // A small put that spans two registrations is copied when it is posted, like any other small put.
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
    turn.world(|world| assert!(world.broken.is_empty(), "broken: {:#?}", world.broken));
    // An access beyond all registrations is a fault. It does not wait.
    let beyond = Remote { pe: Pe(1), segment: SegmentId::HEAP, offset: 4 * STEP as u64 };
    // SAFETY: nothing is read.
    unsafe { lane.post(&Op::Put { to: beyond, from: [1_u8].as_ptr(), len: 1 }) }.unwrap_err();
    let fault = fabrics[0].fault().unwrap().to_string();
    assert!(fault.contains("offset 16384 of segment 0 of PE 1"), "{fault}");
}

/// Puts of constants over a provider that maps sources for writing too: libfabric's cxi before 2.2.
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
    let (library, turn) = library(profile);
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
        // Writable memory is still sent without a copy.
        let data: Vec<u8> = (0..len).map(|i| (i % 7) as u8).collect();
        finish(&*lane, both, &Op::Put { to: there, from: data.as_ptr(), len });
        finish(&*lane, both, &Op::Get { from: there, to: back.as_mut_ptr(), len });
        assert!(back == data, "{len} bytes");
    }
    turn.world(|world| assert!(world.broken.is_empty(), "broken: {:#?}", world.broken));
}

/// If no more memory of the program can be locked, it is copied in pieces, in both directions.
#[test]
fn unregistrable_memory_is_copied() {
    let mr_mode = FI_MR_LOCAL | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
    let (library, turn) = library(Profile { mr_mode, ..Profile::default() });
    let (memory, fabrics) = two(&library, 1 << 14);
    let _book = connect(&fabrics, register(&fabrics, &memory, 8 << 14));
    let lane = fabrics[0].lane().unwrap();
    let both = [&fabrics[0], &fabrics[1]];
    let there = Remote { pe: Pe(1), segment: SegmentId::HEAP, offset: 5 };
    turn.world(|world| world.profile.lockable = 0);
    for len in [4096, 4097, 50_000] {
        let data: Vec<u8> = (0..len).map(|i| (i % 241) as u8).collect();
        finish(&*lane, both, &Op::Put { to: there, from: data.as_ptr(), len });
        let mut back = vec![0; len];
        finish(&*lane, both, &Op::Get { from: there, to: back.as_mut_ptr(), len });
        assert!(back == data, "{len} bytes");
    }
    turn.world(|world| assert!(world.broken.is_empty(), "broken: {:#?}", world.broken));
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

#[test]
fn no_more_atomics_are_under_way_than_the_limit() {
    for limit in [2, 5] {
        let (library, turn) = library(Profile { name: "cxi", caps: ATOMIC, mr_mode: CXI, ..Profile::default() });
        let limited = |me| engine_with(library.clone(), Options { atomic_depth: Some(limit), ..options(Pe(me), 2) });
        let fabrics = [0, 1].map(|me| limited(me).unwrap());
        let memory = [0, 1].map(|_| vec![AtomicU64::new(0)]);
        let _book = connect(&fabrics, register(&fabrics, &memory, 8));
        let lane = fabrics[0].lane().unwrap();
        let at = Remote { pe: Pe(1), segment: SegmentId::HEAP, offset: 0 };
        let mut old = [u64::MAX; 8];
        let post = |place: &mut u64| {
            let fetch = std::ptr::from_mut(place).cast();
            let op = Op::Amo { at, width: Width::W64, op: Amo::Add, operand: 1, compare: 0, fetch };
            // SAFETY: the place outlives the operation.
            until(&*lane, [&fabrics[0], &fabrics[1]], "a place", || unsafe { lane.post(&op) }.ok())
        };
        let mut most = 0;
        let tickets = old.each_mut().map(|place| {
            let ticket = post(place);
            most = most.max(turn.world(|world| world.eps.values().map(|ep| ep.flying.len()).sum::<usize>()));
            ticket
        });
        tickets.iter().for_each(|&ticket| reach(&*lane, [&fabrics[0], &fabrics[1]], ticket));
        assert_eq!(most, limit, "of 8 atomics");
        old.sort_unstable();
        assert_eq!(old, [0, 1, 2, 3, 4, 5, 6, 7]);
        turn.world(|world| assert!(world.broken.is_empty(), "broken: {:#?}", world.broken));
    }
}
