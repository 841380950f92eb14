//! The rule about threads that share a lane, as threads of a program share a context.

use crate::{
    Member,
    member::settle,
    rules::{control, heap, pattern},
};
use ferrite_fabric::{Amo, Op, Stage, Ticket, Width};
use std::{
    sync::atomic::{AtomicU64, Ordering},
    thread,
};

const THREADS: usize = 4;
/// Less than 256, so that only one byte of a watched word changes, and no word is seen half written.
const ROUNDS: u64 = 120;
const PIECES: usize = 6;
const PIECE_BYTES_MAX: usize = 10_000;
/// Indices of words in the control segment: the first thread's data, the first thread's flag, and the sum of all threads.
const DATA: usize = 72;
const FLAGS: usize = 80;
const SUM: usize = 88;

fn length(round: u64, piece: usize) -> usize {
    let step = round as usize + piece;
    if step.is_multiple_of(40) { PIECE_BYTES_MAX } else { 1 + 37 * step % 200 }
}

fn content(me: u32, thread: usize, round: u64, piece: usize) -> Vec<u8> {
    let seed = u64::from(me) * 7_919 + (round * THREADS as u64 + thread as u64) * PIECES as u64 + piece as u64;
    pattern(seed, length(round, piece))
}

/// Each thread posts a burst of puts, a fence and a flag, and passes the flag's ticket to a neighbouring thread, which waits for that
/// ticket and reads the data back. Meanwhile another thread of each member checks that no flag arrives before its data.
pub(crate) fn shared(m: &Member<'_>) -> Result<(), &'static str> {
    let (fabric, lane, me, left, right) = (m.fabric(), &*m.lane, m.me.0, m.left(), m.right());
    let tickets = [const { AtomicU64::new(0) }; THREADS];
    let arrived = AtomicU64::new(0);
    let until =
        |happened: &dyn Fn() -> bool| settle(fabric, lane, "threads that share a lane", || happened().then_some(()));
    // Not a barrier of the standard library: if one thread panics, the others never leave that.
    let meet = |meeting: u64| {
        arrived.fetch_add(1, Ordering::AcqRel);
        until(&|| arrived.load(Ordering::Acquire) >= meeting * THREADS as u64);
    };
    // SAFETY: operations posted here point to memory that outlives the wait for them, or to nothing.
    let post = |op: Op| settle(fabric, lane, "a post", || unsafe { lane.post(&op) }.ok());
    let wait = |stage, ticket| until(&|| lane.has_reached(stage, ticket));
    let work = |thread: usize| {
        let place = |thread: usize, piece: usize| heap(right, PIECE_BYTES_MAX * (PIECES * thread + piece));
        let word = |at, value: &u64| post(Op::Put { to: at, from: (&raw const *value).cast(), len: size_of::<u64>() });
        let next = (thread + 1) % THREADS;
        for round in 1..=ROUNDS {
            let sent: Vec<_> = (0..PIECES).map(|piece| content(me, thread, round, piece)).collect();
            for (piece, bytes) in sent.iter().enumerate() {
                post(Op::Put { to: place(thread, piece), from: bytes.as_ptr(), len: bytes.len() });
            }
            word(control(right, DATA + thread), &round);
            lane.fence();
            let flag = word(control(right, FLAGS + thread), &round);
            tickets[thread].store(flag.0, Ordering::Release);
            meet(2 * round - 1);
            wait(Stage::Remote, Ticket(tickets[next].load(Ordering::Acquire)));
            for piece in 0..PIECES {
                let mut back = vec![0; length(round, piece)];
                let get = Op::Get { from: place(next, piece), to: back.as_mut_ptr(), len: back.len() };
                let ticket = post(get);
                until(&|| lane.is_local(ticket));
                assert!(back == content(me, next, round, piece), "piece {piece} of thread {next} in round {round}");
            }
            let (at, fetch) = (control(right, SUM), std::ptr::null_mut());
            post(Op::Amo { at, width: Width::W64, op: Amo::Add, operand: 1, compare: 0, fetch });
            wait(Stage::Local, flag);
            meet(2 * round);
        }
    };
    let watched: Vec<_> = (0..THREADS).map(|thread| (m.control(FLAGS + thread), m.control(DATA + thread))).collect();
    thread::scope(|scope| {
        (0..THREADS).for_each(|thread| _ = scope.spawn(move || work(thread)));
        scope.spawn(|| {
            until(&|| {
                let seen = watched.iter().map(|(flag, data)| {
                    let flag = flag.load(Ordering::Acquire);
                    assert!(data.load(Ordering::Acquire) >= flag, "flag {flag} of {left} came before its data");
                    flag
                });
                seen.min() == Some(ROUNDS)
            });
        });
    });
    // No thread has waited for its additions to the sum.
    m.see(m.control(SUM), |sum| sum == THREADS as u64 * ROUNDS);
    m.meet();
    Ok(())
}
