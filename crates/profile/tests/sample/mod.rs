//! Invented jobs, with which pages and traces are tested.

#![allow(dead_code, reason = "each test uses its part")]

use ferrite_profile::{
    Class, Event, Job, Meeting, Peer, Record, Routine, Team,
    record::{HeapUse, SIZE_BINS, size_bin},
};

const ROUNDS: u64 = 40;
const ROUND_NS: u64 = 1_000_000;

/// A job whose PEs put rows to their neighbours in a ring with a signal, wait for theirs, and meet; PE 1 is late each time.
pub fn neighbours(pes: u32) -> Job {
    Job::of((0..pes).map(|pe| neighbour(pe, pes)).collect())
}

/// A job whose PEs all put to all others.
pub fn everybody(pes: u32) -> Job {
    let records = (0..pes).map(|pe| {
        let peers = (0..pes).map(|to| Peer {
            pe: to,
            ops: [u64::from(to % 7), 1, 2],
            bytes: [8 * u64::from((to * 31 + pe) % 1009), 64, 16],
            transport: u8::from(to / 16 != pe / 16),
        });
        Record { peers: peers.collect(), ..neighbour(pe, pes) }
    });
    Job::of(records.collect())
}

const TEAM: fn(u32) -> Team = |pes| Team { slot: 0, born: 0, first: 0, size: pes };

fn routines() -> Vec<Routine> {
    let names = [
        ("shmem_putmem_signal", Class::Put),
        ("shmem_signal_wait_until", Class::Wait),
        ("shmem_barrier_all", Class::Collective),
        ("shmem_malloc", Class::Heap),
    ];
    let routine = |(name, class): (&str, _)| Routine { name: name.into(), class, calls: 0, ns: 0, ns_max: 0, bytes: 0 };
    names.map(routine).into()
}

/// The calls of a PE in one round: a put to the next PE, a wait, a barrier.
fn round(pe: u32, pes: u32, round: u64) -> [Event; 3] {
    let begin = round * ROUND_NS;
    let late = if pe == 1 { 300_000 } else { 10_000 + 997 * u64::from(pe % 50) };
    let call = |begin, end, routine, peer, word| Event {
        begin,
        end,
        routine,
        thread: 0,
        peer,
        bytes: 8192 << (round % 3),
        word,
        meeting: None,
        site: 1,
    };
    let (put, wait, meet) = (begin + 200_000, begin + 230_000, begin + 500_000 + late);
    [
        call(put, put + 4_000, 0, Some((pe + 1) % pes), Some(64)),
        call(wait, wait + 90_000 + 1000 * (round % 9), 1, None, Some(64)),
        Event { meeting: Some((TEAM(pes), round)), bytes: 0, ..call(meet, begin + 810_000, 2, None, None) },
    ]
}

fn neighbour(pe: u32, pes: u32) -> Record {
    let (next, previous) = ((pe + 1) % pes, (pe + pes - 1) % pes);
    let events: Vec<Event> = (0..ROUNDS).flat_map(|number| round(pe, pes, number)).collect();
    let mut routines = routines();
    let mut sizes = vec![[0; SIZE_BINS]; Class::ALL.len()];
    for event in &events {
        let one = &mut routines[event.routine as usize];
        one.calls += 1;
        one.ns += event.end - event.begin;
        one.ns_max = one.ns_max.max(event.end - event.begin);
        one.bytes += event.bytes;
        if one.class != Class::Wait {
            sizes[one.class as usize][size_bin(event.bytes)] += 1;
        }
    }
    let meetings = events.iter().filter_map(|event| {
        let (team, number) = event.meeting?;
        Some(Meeting { team, number, routine: 2, bytes: 0, begin: event.begin, end: event.end, site: 1 })
    });
    let heap = (0..20).map(|step| HeapUse {
        at: step * 2 * ROUND_NS,
        live: (1 << 20) * (1 + step * step % 7),
        extent: (2 << 20) * (1 + step.min(6)),
    });
    Record {
        pe,
        pes,
        node: pe / 16,
        host: format!("node{}", pe / 16),
        program: "./heat --rows 4096 <&>".into(),
        end: ROUNDS * ROUND_NS,
        routines,
        peers: vec![
            Peer { pe: next, ops: [ROUNDS, 0, 0], bytes: [ROUNDS * 8192, 0, 0], transport: 0 },
            Peer { pe: previous, ops: [1, 2, 0], bytes: [64, 1024, 0], transport: 1 },
        ],
        transports: vec!["shared memory".into(), "tcp".into()],
        sizes,
        heap: heap.collect(),
        meetings: meetings.collect(),
        stride: 1,
        sites: vec!["heat.c:214".into()],
        syncs: vec![(ROUNDS * ROUND_NS, ROUNDS * ROUND_NS + 10); 4],
        events,
        ..Record::default()
    }
}
