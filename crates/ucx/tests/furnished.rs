//! Memory of UCX's own under a segment: peers inside the machine map it, and reach it without a message.

mod support;

use ferrite_conformance::Pages;
use ferrite_fabric::{Amo, Op, Remote, Segment, SegmentId, SignalOp, Stage, Ticket, Width};
use ferrite_ucx::By;
use rustix::{
    fs::statvfs,
    process::{Resource, Rlimit, getrlimit, setrlimit},
};
use std::{array, ptr, sync::atomic::Ordering};
use support::{again, is_absent, pair::Pair, succeeds};

const STEP: usize = 64 << 10;
const STEPS: usize = 3;

fn over(test: &str, transports: &str, environment: &[(&str, &str)]) {
    let mut command = again(test, Some(transports), By::Target);
    succeeds(command.envs(environment.iter().copied()).spawn().unwrap());
}

#[test]
fn posix_lends() {
    over("it_is_mapped", "posix,self", &[]);
}

#[test]
fn sysv_lends() {
    over("it_is_mapped", "sysv,self", &[]);
}

#[test]
fn all_of_shared_memory_lends() {
    over("it_is_mapped", "shm,self", &[]);
}

#[test]
fn tcp_does_not() {
    over("it_is_ours", "tcp,self", &[]);
}

/// What UCX allocates so belongs to one process.
#[test]
fn private_memory_is_none() {
    over("it_is_ours", "posix,self", &[("UCX_ALLOC_PRIO", "mmap,heap")]);
}

/// As where /dev/shm is full.
#[test]
fn nowhere_to_allocate_is_no_end() {
    over("it_is_ours_where_memory_is_scarce", "posix,self", &[]);
}

fn pages() -> Pages {
    Pages::new(STEP * STEPS)
}

/// Two heaps that have grown to so many steps; gives whether UCX's memory is under the last of each.
fn grow(pair: &Pair, heaps: &[Pages; 2], steps: usize) -> bool {
    let furnished = pair.fabrics.each_ref().map(|fabric| {
        let me = usize::from(!ptr::eq(fabric, &raw const pair.fabrics[0]));
        // SAFETY: nothing was written there yet; the memory outlives the fabrics.
        let (furnished, key) = unsafe {
            let furnished = fabric.furnish(heaps[me].base().add((steps - 1) * STEP), STEP).unwrap();
            (
                furnished,
                fabric.register(Segment { id: SegmentId::HEAP, base: heaps[me].base(), len: steps * STEP }).unwrap(),
            )
        };
        pair.book.keys.lock().unwrap()[me] = Some(key);
        furnished
    });
    assert_eq!(furnished[0], furnished[1]);
    furnished[0]
}

/// So many words from the `first` on.
fn words<const N: usize>(heap: &Pages, first: usize) -> [u64; N] {
    array::from_fn(|i| heap[first + i].load(Ordering::Acquire))
}

#[test]
#[ignore = "started by the others"]
fn it_is_mapped() {
    if is_absent() {
        return;
    }
    let (heaps, statics) = ([pages(), pages()], pages());
    let pair = Pair::new();
    let word = |offset, op, operand, fetch: *mut u64| Op::Amo {
        at: Pair::at(offset),
        width: Width::W64,
        op,
        operand,
        compare: 0,
        fetch: fetch.cast(),
    };
    for steps in 1..=STEPS {
        if !grow(&pair, &heaps, steps) {
            let room = statvfs("/dev/shm").unwrap();
            assert!(room.f_bavail < room.f_blocks / 2 + 1024, "UCX lends nothing");
            return println!("skipped: /dev/shm is half full");
        }
        let start = (steps - 1) * STEP;
        // The first operation looks the key up. It is one like any other.
        let first = pair.post(&word(start + 8, Amo::Add, 1, ptr::null_mut()));
        pair.wait(first, Stage::Remote);
        // From here on nobody asks anybody.
        let (data, mut back, mut old) = ([steps as u8; 1000], [0_u8; 1000], 0_u64);
        let at = Pair::at(start + 800);
        for op in [
            Op::Put { to: at, from: data.as_ptr(), len: data.len() },
            Op::Get { from: at, to: back.as_mut_ptr(), len: back.len() },
            word(start + 8, Amo::Add, 1, &raw mut old),
            Op::PutSignal {
                to: at,
                from: data.as_ptr(),
                len: 0,
                signal: Pair::at(start + 16),
                op: SignalOp::Add,
                value: 5,
            },
        ] {
            assert_eq!(pair.post(&op), Ticket::NONE, "{op:?}");
        }
        assert_eq!((data == back, old), (true, 1));
        assert_eq!(words(&heaps[1], start / 8), [0, 2, 5, 0]);
    }
    // After a fence it waits for messages on their way, and then needs none again.
    let segment = Segment { id: SegmentId::STATICS, base: statics.base(), len: STEP };
    // SAFETY: the memory outlives the fabrics.
    unsafe { pair.fabrics[1].register(segment) }.unwrap();
    for round in 1..=100_u64 {
        let from = (&raw const round).cast();
        let to = Remote { segment: SegmentId::STATICS, ..Pair::at(0) };
        assert_ne!(pair.post(&Op::Put { to, from, len: 8 }), Ticket::NONE);
        pair.lane.fence();
        assert_eq!(pair.post(&Op::Put { to: Pair::at(24), from, len: 8 }), Ticket::NONE);
        assert_eq!((words(&statics, 0), words(&heaps[1], 3)), ([round], [round]));
    }
    // Over the edge of two pieces, and back: by messages, and whole.
    let (data, mut back) = (vec![7_u8; 2 * STEP], vec![0_u8; 2 * STEP]);
    pair.wait(pair.post(&Op::Put { to: Pair::at(STEP / 2), from: data.as_ptr(), len: data.len() }), Stage::Remote);
    pair.wait(pair.post(&Op::Get { from: Pair::at(STEP / 2), to: back.as_mut_ptr(), len: back.len() }), Stage::Local);
    assert!(data == back);
    // What UCX has lent is ours for longer than it has it.
    drop(pair);
    assert_eq!(words(&heaps[1], STEP / 16), [0x0707_0707_0707_0707; 2 * STEP / 8]);
    assert_eq!(words(&heaps[1], 0), [0, 2, 5, 100]);
}

#[test]
#[ignore = "started by the others"]
fn it_is_ours_where_memory_is_scarce() {
    // Who ignores the signal is told by the call instead.
    // SAFETY: no handler.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
    let before = getrlimit(Resource::Fsize);
    stays_ours(&|little| {
        let limit = if little { Rlimit { current: Some(4096), ..before } } else { before };
        setrlimit(Resource::Fsize, limit).unwrap();
    });
}

#[test]
#[ignore = "started by the others"]
fn it_is_ours() {
    stays_ours(&|_| ());
}

/// `scarce` says whether there is to be little for UCX to allocate from.
fn stays_ours(scarce: &dyn Fn(bool)) {
    if is_absent() {
        return;
    }
    let heaps = [pages(), pages()];
    let pair = Pair::new();
    for steps in 1..=STEPS {
        scarce(true);
        assert!(!grow(&pair, &heaps, steps), "what peers cannot map was put in the place of our memory");
        scarce(false);
        let data = [steps as u8; 100];
        let put = pair.post(&Op::Put { to: Pair::at((steps - 1) * STEP), from: data.as_ptr(), len: data.len() });
        assert_ne!(put, Ticket::NONE);
        pair.wait(put, Stage::Remote);
        assert_eq!(words(&heaps[1], (steps - 1) * STEP / 8), [u64::from_ne_bytes([steps as u8; 8])]);
    }
}
