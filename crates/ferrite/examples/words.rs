//! The time of put, get and fetch_add of one word, to the next PE. Each has a function of its own, which a disassembler finds:
//! `objdump -d -C target/release/examples/words | grep -A30 'words::put_word>:'`.
//!
//! `oshrun -n 2 target/release/examples/words --times 10000000`

mod common;

use common::{AnyError, Figure, Program, Stopwatch, size};
use ferrite::{At, Atomic, prelude::*};
use std::hint::black_box;

pub(crate) const PROGRAM: Program = Program {
    name: "words",
    about: "put, get and fetch_add of one word",
    sizes: &[size("times", 100_000, 1..=1 << 40, "operations of each kind")],
    run,
};

#[ferrite::main]
fn main(world: &World) -> Result<(), AnyError> {
    PROGRAM.main(world)
}

#[inline(never)]
fn put_word(world: &World, to: At<'_, u64>, value: u64, pe: u32) {
    world.put(to, value, pe);
}

#[inline(never)]
fn get_word(world: &World, from: At<'_, u64>, pe: u32) -> u64 {
    world.get(from, pe)
}

#[inline(never)]
fn fetch_add_word(world: &World, word: At<'_, Atomic<u64>>, value: u64, pe: u32) -> u64 {
    world.fetch_add(word, value, pe)
}

fn run(world: &World, sizes: &[u64]) -> Result<Figure, AnyError> {
    let (number, count) = (world.alloc_box::<u64>()?, world.alloc_atomic::<u64>()?);
    let right = (world.my_pe() + 1) % world.n_pes();
    let times = sizes[0];

    let watch = Stopwatch::start(world);
    (1..=times).for_each(|i| put_word(world, number.place(), black_box(i), black_box(right)));
    // They come in any order, and the last of all after them.
    world.quiet();
    put_word(world, number.place(), times, right);
    world.quiet();
    let found = (0..times).map(|_| get_word(world, number.place(), black_box(right))).fold(times, u64::min);
    let counted = (0..times).fold(0, |_, _| fetch_add_word(world, count.place(), black_box(1), black_box(right)));
    let seconds = watch.seconds();
    world.barrier();

    let wrong = [found != times, counted != times - 1, number.read() != times, count.load() != times];
    let wrong = wrong.into_iter().map(u64::from).sum();
    Ok(Figure { wrong, amount: 3.0 * times as f64 * f64::from(world.n_pes()) / 1e6, unit: "Mwords/s", seconds })
}
