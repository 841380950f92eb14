//! The cost of calls on slices and of collectives: PE 0 prints `call NAME NANOSECONDS` for each. `cargo xtask instructions` runs the same
//! calls in C, and compares the two. Each call has a function of its own, so that callgrind counts its instructions by the name of the
//! function.
//!
//! `oshrun -n 2 target/release/examples/calls --times 100000`

mod common;

use common::{AnyError, Figure, Program, Stopwatch, size};
use ferrite::prelude::*;
use std::hint::black_box;

pub(crate) const PROGRAM: Program = Program {
    name: "calls",
    about: "calls on slices, and collectives",
    sizes: &[size("times", 10_000, 1..=1 << 40, "calls of each kind")],
    run,
};

#[ferrite::main]
fn main(world: &World) -> Result<(), AnyError> {
    PROGRAM.main(world)
}

/// Number of words of a slice.
const WORDS: usize = 8;

/// Operands of the calls. Each word of `source` is PE + 1.
struct Memory {
    right: u32,
    own: [u64; WORDS],
    source: SymSlice<u64>,
    dest: SymSlice<u64>,
    /// One slice for each PE.
    many: SymSlice<u64>,
    all: SymSlice<u64>,
    signal: SymSignal,
}

type Row = (&'static str, fn(&World, &mut Memory, u64), fn(u64, u64) -> Option<(bool, u64)>);

/// A function for each call, and a table of all. Each row ends with the expected last word of `dest`, or of `all`, as a function of the
/// PE's number and the number of PEs.
macro_rules! calls {
    ($($name:ident = $call:expr, $found:expr;)*) => {
        $(
            #[inline(never)]
            fn $name(world: &World, memory: &mut Memory, times: u64) {
                let call: fn(&World, &mut Memory) = $call;
                (0..times).for_each(|_| call(world, memory));
            }
        )*
        const CALLS: &[Row] = &[$((stringify!($name), $name, $found)),*];
    };
}

const NOTHING: fn(u64, u64) -> Option<(bool, u64)> = |_, _| None;

calls! {
    measured_nothing = |_, m| _ = black_box(m), NOTHING;
    measured_get = |world, m| world.get_slice(&m.source, &mut m.own, m.right), NOTHING;
    // Put the data of the get back to their PE.
    measured_put = |world, m| world.put_slice(&m.dest, &m.own, m.right), |me, _| Some((false, me + 1));
    measured_put_nbi = |world, m| world.scope(|s| s.put(&m.dest, &m.own, m.right)), |me, _| Some((false, me + 1));
    measured_put_signal = |world, m| world.put_signal(&m.dest, &m.own, &m.signal, SignalOp::Set(1), m.right),
        |me, _| Some((false, me + 1));
    measured_barrier = |world, _| world.barrier(), NOTHING;
    measured_sync = |world, _| world.sync(), NOTHING;
    measured_broadcast = |world, m| world.broadcast(&m.source, &mut m.dest, 0), |_, _| Some((false, 1));
    measured_fcollect = |world, m| world.fcollect(&m.source, &mut m.all), |_, pes| Some((true, pes));
    measured_collect = |world, m| _ = world.collect(&m.source, WORDS, &mut m.all), |_, pes| Some((true, pes));
    measured_alltoall = |world, m| world.alltoall(&m.many, &mut m.all), |_, pes| Some((true, pes));
    measured_sum_reduce = |world, m| world.sum_reduce(&m.source, &mut m.dest), |_, pes| Some((false, pes * (pes + 1) / 2));
    measured_sum_inscan = |world, m| world.sum_inscan(&m.source, &mut m.dest), |me, _| Some((false, (me + 1) * (me + 2) / 2));
}

fn run(world: &World, sizes: &[u64]) -> Result<Figure, AnyError> {
    let (times, me, pes) = (sizes[0], world.my_pe(), world.n_pes());
    let block = WORDS * pes as usize;
    let mut memory = Memory {
        right: (me + 1) % pes,
        own: [0; WORDS],
        source: world.alloc(WORDS)?,
        dest: world.alloc(WORDS)?,
        many: world.alloc(block)?,
        all: world.alloc(block)?,
        signal: world.alloc_signal()?,
    };
    memory.source.fill(u64::from(me) + 1);
    memory.many.fill(u64::from(me) + 1);
    let whole = Stopwatch::start(world);
    let mut wrong = 0;
    for (name, call, found) in CALLS {
        let watch = Stopwatch::start(world);
        call(world, &mut memory, times);
        let nanoseconds = watch.seconds() * 1e9 / times as f64;
        if me == 0 {
            println!("call {} {nanoseconds:.2}", name.trim_start_matches("measured_"));
        }
        world.barrier();
        if let Some((of_all, expected)) = found(u64::from(me), u64::from(pes)) {
            let words = if of_all { &memory.all } else { &memory.dest };
            wrong += u64::from(words.read(words.len() - 1) != expected);
        }
        world.barrier();
    }
    let calls = times as f64 * CALLS.len() as f64;
    Ok(Figure { wrong, amount: calls * f64::from(pes) / 1e6, unit: "Mcalls/s", seconds: whole.seconds() })
}
