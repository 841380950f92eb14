//! One connection for both directions of a pair: both PEs use the same one, and two ends that send at once do not block each other.

use ferrite_conformance::{self as conformance, Meeting, Member};
use ferrite_fabric::{Fabric, Op, Pe, Remote, SegmentId, Stage, Ticket, Width};
use ferrite_tcp::Options;
use std::{
    fs,
    sync::{Mutex, atomic::Ordering},
    thread,
    time::{Duration, Instant},
};

const GENEROUS: Duration = Duration::from_secs(60);

fn fabric(me: Pe, size: u32, buffer_bytes: Option<usize>) -> Box<dyn Fabric> {
    let interface = Some("127.0.0.1".to_owned());
    ferrite_tcp::open(Options { interface, buffer_bytes, ..Options::new(me, size, [21; 32]) }).unwrap()
}

fn port(fabric: &dyn Fabric) -> u16 {
    let address = fabric.address();
    u16::from_le_bytes(address[address.len() - 2..].try_into().unwrap())
}

const ESTABLISHED: &str = "01";
/// The peer has closed the connection, and this PE has not yet.
const CLOSE_WAIT: &str = "08";

/// Number of established connections to these ports.
fn connections(ports: &[u16]) -> usize {
    connections_in(&[ESTABLISHED], ports)
}

/// Number of connections to or from these ports in one of these states.
fn connections_in(states: &[&str], ports: &[u16]) -> usize {
    let table = fs::read_to_string("/proc/net/tcp").unwrap();
    let made = table.lines().skip(1).filter(|row| {
        let fields: Vec<&str> = row.split_whitespace().collect();
        let is_ours = |end: &str| {
            let port = end.rsplit(':').next().and_then(|port| u16::from_str_radix(port, 16).ok());
            port.is_some_and(|port| ports.contains(&port))
        };
        states.contains(&fields[3]) && is_ours(fields[2])
    });
    made.count()
}

/// Two PEs connect: first PE `first`, or both at once. Afterwards they have one connection, and it works.
fn one_connection(first: Option<Pe>) {
    let ports = Mutex::new(Vec::new());
    conformance::among_threads(2, &|me, meeting: &dyn Meeting| {
        let fabric = fabric(me, 2, None);
        ports.lock().unwrap().push(port(&*fabric));
        let m = Member::new(fabric, me, 2, meeting);
        let there = Remote { pe: m.right(), segment: SegmentId::HEAP, offset: 0 };
        let work = |value: u64| {
            m.wait(m.put(there, &value.to_ne_bytes()), Stage::Remote);
            assert_eq!(m.get(there, 8), value.to_ne_bytes());
        };
        m.meet();
        if first.is_none_or(|first| first == me) {
            work(1);
        }
        m.meet();
        work(2);
        m.meet();
        assert_eq!(m.word(0).load(Ordering::Acquire), 2);
        // Write the next value only after both PEs have seen this one.
        m.meet();
        // The losing one of two simultaneous connections is closed a little later.
        let start = Instant::now();
        let ports = ports.lock().unwrap().clone();
        while connections(&ports) != 1 {
            assert!(start.elapsed() < GENEROUS, "{} connections between two PEs", connections(&ports));
            thread::sleep(Duration::from_millis(1));
        }
        work(3);
        assert!(m.fabric().fault().is_none());
        m.meet();
    });
}

#[test]
fn the_accepted_connection_is_used_as_well() {
    one_connection(Some(Pe(0)));
    one_connection(Some(Pe(1)));
}

#[test]
fn two_that_dial_at_once_end_with_one_connection() {
    for _ in 0..20 {
        one_connection(None);
    }
}

/// PE 1 leaves in order. Returns the member of PE 0 when it has.
fn after_departure_of_pe_1<'m>(m: Member<'m>, me: Pe, meeting: &dyn Meeting) -> Option<Member<'m>> {
    if me == Pe(1) {
        drop(m);
        meeting.exchange(Vec::new());
        return None;
    }
    m.meet();
    Some(m)
}

#[test]
fn writes_to_a_finished_peer_end_in_a_fault() {
    conformance::among_threads(2, &|me, meeting| {
        let m = Member::new(fabric(me, 2, None), me, 2, meeting);
        let there = Remote { pe: m.right(), segment: SegmentId::HEAP, offset: 0 };
        m.wait(m.put(there, &[1; 8]), Stage::Remote);
        m.meet();
        let Some(m) = after_departure_of_pe_1(m, me, meeting) else { return };
        assert!(m.fabric().fault().is_none(), "a peer may leave first");
        let (start, bytes) = (Instant::now(), [2_u8; 8]);
        while m.fabric().fault().is_none() {
            // SAFETY: so small a put is copied.
            let _ = unsafe { m.lane.post(&Op::Put { to: there, from: bytes.as_ptr(), len: bytes.len() }) };
            m.lane.progress();
            assert!(start.elapsed() < GENEROUS, "nobody is there, and nobody says so");
        }
        // The text depends on who notices first: the engine reports the loss, or a post meets the ended connection.
        let fault = m.fabric().fault().unwrap().to_string();
        let ways = ["the connection with PE 1 was lost", "the connection to PE 1 is lost"];
        assert!(ways.iter().any(|way| fault == format!("{way}: the peer has finished")), "{fault}");
    });
}

/// A thread that waits for something else also asks its peers whether everything has arrived. A peer may have left in order by then.
#[test]
fn a_finished_peer_is_asked_without_a_fault_by_a_thread_that_does_not_wait_for_it() {
    let ports = Mutex::new(Vec::new());
    conformance::among_threads(2, &|me, meeting| {
        let fabric = fabric(me, 2, None);
        ports.lock().unwrap().push(port(&*fabric));
        let m = Member::new(fabric, me, 2, meeting);
        let there = Remote { pe: m.right(), segment: SegmentId::CONTROL, offset: 0 };
        let one = 1_u64;
        let ticket = m.post(&Op::Put { to: there, from: (&raw const one).cast(), len: 8 });
        m.see(m.control(0), |seen| seen == one);
        m.meet();
        let Some(m) = after_departure_of_pe_1(m, me, meeting) else { return };
        let (start, ports) = (Instant::now(), ports.lock().unwrap().clone());
        while connections_in(&[ESTABLISHED, CLOSE_WAIT], &ports) > 0 {
            assert!(start.elapsed() < GENEROUS, "the peer has left, and its connection stays");
            thread::sleep(Duration::from_millis(1));
        }
        for _ in 0..1000 {
            assert!(!m.lane.probe(ticket), "no answer can have come");
            assert!(m.fabric().fault().is_none(), "{:?}", m.fabric().fault());
        }
        while m.fabric().fault().is_none() {
            assert!(!m.lane.has_reached(Stage::Remote, ticket));
            assert!(start.elapsed() < GENEROUS, "a thread that waits learns nothing");
        }
    });
}

/// Post everything, then wait for everything.
fn all(m: &Member<'_>, ops: &[Op]) {
    let last = ops.iter().map(|op| m.post(op)).fold(Ticket(0), Ticket::max);
    m.wait(last, Stage::Local);
    m.wait(last, Stage::Remote);
}

/// Size of the kernel's buffers: smaller than the data under way, and large enough that TCP does not wait for its timers.
const BUFFER: usize = 32 << 10;
const BIG: usize = 2 << 20;
const HERE: usize = 0;
const THERE: usize = 4 << 20;

/// Large puts and gets and very many small ones, more than all buffers hold. In both directions at once, or in one if the other PE only
/// computes.
fn both_ways(computes: &(dyn Fn(Pe) -> bool + Sync)) {
    conformance::among_threads(2, &|me, meeting| {
        let m = Member::new(fabric(me, 2, Some(BUFFER)), me, 2, meeting);
        let heap = |offset: usize| Remote { pe: m.right(), segment: SegmentId::HEAP, offset: offset as u64 };
        m.fill(HERE, &vec![1 + me.0 as u8; BIG]);
        m.meet();
        if !computes(me) {
            let data = vec![11 + me.0 as u8; BIG];
            let mut back = vec![0_u8; BIG];
            let mut small = vec![0_u8; 4096 * 512];
            let mut olds = vec![0_u64; 4096];
            let get = |to: &mut [u8]| Op::Get { from: heap(HERE), to: to.as_mut_ptr(), len: to.len() };
            let add = |fetch: &mut u64| Op::Amo {
                at: heap(THERE - 8),
                width: Width::W64,
                op: ferrite_fabric::Amo::Add,
                operand: 1,
                compare: 0,
                fetch: (&raw mut *fetch).cast(),
            };
            let mut ops = vec![Op::Put { to: heap(THERE), from: data.as_ptr(), len: BIG }, get(&mut back)];
            ops.extend(small.chunks_mut(512).zip(&mut olds).flat_map(|(piece, old)| [get(piece), add(old)]));
            ops.push(Op::Put { to: heap(THERE), from: data.as_ptr(), len: BIG });
            all(&m, &ops);
            let theirs = 1 + m.right().0 as u8;
            assert!(back.iter().chain(&small).all(|&byte| byte == theirs));
            assert!(olds.iter().copied().eq(0..4096));
        }
        m.meet();
        if !computes(m.left()) {
            assert!(m.bytes(THERE, BIG).iter().all(|&byte| byte == 11 + m.left().0 as u8));
        }
        m.meet();
    });
}

#[test]
fn both_send_more_than_all_buffers_hold() {
    both_ways(&|_| false);
}

#[test]
fn a_peer_that_computes_is_served_through_full_buffers() {
    both_ways(&|me| me == Pe(1));
}

/// Five PEs. Each has more connections than a poll tries one by one.
#[test]
fn among_many() {
    conformance::among_threads(5, &|me, meeting| {
        let m = Member::new(fabric(me, 5, None), me, 5, meeting);
        for round in 1..=200_u64 {
            let mut last = Ticket(0);
            for pe in (0..5).filter(|&pe| pe != me.0) {
                let to = Remote { pe: Pe(pe), segment: SegmentId::CONTROL, offset: 8 * u64::from(me.0) };
                last = m.post(&Op::Put { to, from: (&raw const round).cast(), len: 8 });
            }
            for pe in (0..5).filter(|&pe| pe != me.0) {
                m.see(m.control(pe as usize), |seen| seen >= round);
            }
            let from = Remote { pe: m.right(), segment: SegmentId::CONTROL, offset: 8 * u64::from(me.0) };
            assert!(u64::from_ne_bytes(m.get(from, 8).try_into().unwrap()) >= round);
            m.wait(last, Stage::Remote);
        }
        m.meet();
        assert!(m.fabric().fault().is_none());
        m.meet();
    });
}

/// A put comes that the socket does not take at once, while the service thread sleeps. The program does not call the library afterwards,
/// and the target sends nothing.
#[test]
fn service_thread_sends_what_the_socket_refused() {
    const LEN: usize = 5 << 20;
    conformance::among_threads(2, &|me, meeting: &dyn Meeting| {
        // With this `silence`, the service thread does not wake up to look for silent hosts either.
        let options = Options {
            buffer_bytes: Some(64 << 10),
            silence: Duration::from_secs(10_000),
            ..Options::new(me, 2, [21; 32])
        };
        let m = Member::new(ferrite_tcp::open(options).unwrap(), me, 2, meeting);
        let there = Remote { pe: m.right(), segment: SegmentId::HEAP, offset: 0 };
        m.wait(m.put(there, &[1; 8]), Stage::Remote);
        m.meet();
        thread::sleep(Duration::from_millis(300));
        m.meet();
        let data = vec![7; LEN];
        if me == Pe(0) {
            m.post(&Op::Put { to: there, from: data.as_ptr(), len: LEN });
        } else {
            let start = Instant::now();
            while m.bytes(LEN - 1, 1) != [7] {
                assert!(start.elapsed() < GENEROUS, "the end of the put does not come");
                thread::sleep(Duration::from_millis(1));
            }
        }
        m.meet();
    });
}
