//! Index gather: every PE has a list of random places in a table that is spread over all PEs, and gets the word at each of them, many at a
//! time. With `--aggregate 1`, requests and answers for the same PE are sent together.
//!
//! `oshrun -n 4 target/release/examples/index_gather --words 100000 --reads 1000000`

mod common;

use common::{AnyError, Figure, Program, Random, Stopwatch, chosen, mix, size};
use ferrite::prelude::*;
use std::sync::Mutex;

pub(crate) const PROGRAM: Program = Program {
    name: "index_gather",
    about: "random reads from the words of all PEs",
    sizes: &[
        size("words", 100_000, 1..=1 << 32, "words of each PE's part of the table"),
        size("reads", 65536, 1..=1 << 32, "words that each PE reads"),
        size("window", 1024, 1..=1 << 32, "reads that are under way together"),
        size("aggregate", 0, 0..=1, "1: what is for the same PE travels together"),
    ],
    run,
};

#[ferrite::main]
fn main(world: &World) -> Result<(), AnyError> {
    PROGRAM.main(world)
}

/// Contents of the table at `word` of `pe`.
fn held(pe: u32, word: usize) -> u64 {
    mix(u64::from(pe) << 40 ^ word as u64)
}

fn run(world: &World, sizes: &[u64]) -> Result<Figure, AnyError> {
    let &[words, reads, window, aggregate] = sizes else { unreachable!("there are four") };
    let (me, pes) = (world.my_pe(), world.n_pes());
    let table = world.alloc::<u64>(words as usize)?;
    (0..words as usize).for_each(|word| table.write(word, held(me, word)));
    let mut stream = Random::of(me);
    let places: Vec<(u32, usize)> = (0..reads).map(|_| chosen(stream.draw(), pes, words)).collect();
    let mut found = vec![0; places.len()];

    let watch = Stopwatch::start(world);
    if aggregate == 1 {
        ask_and_answer(world, &table, &places, &mut found)?;
    } else {
        for (places, found) in places.chunks(window as usize).zip(found.chunks_mut(window as usize)) {
            world.scope(|s| {
                for (&(pe, word), found) in places.iter().zip(found) {
                    s.get(table.at(word), std::slice::from_mut(found), pe);
                }
            });
        }
    }
    let seconds = watch.seconds();
    // Keep the table until all PEs have read it.
    world.barrier();

    let wrong = places.iter().zip(&found).filter(|&(&(pe, word), &found)| found != held(pe, word)).count() as u64;
    Ok(Figure { wrong, amount: reads as f64 * f64::from(pes) / 1e6, unit: "Mreads/s", seconds })
}

/// Send each owner the indices of the requested words and the places for their values; then return the values in the same way.
fn ask_and_answer(
    world: &World,
    table: &SymSlice<u64>,
    places: &[(u32, usize)],
    found: &mut [u64],
) -> Result<(), ferrite::AllocError> {
    let asked = Mutex::new(Vec::new());
    world.aggregate(
        |from, [word, slot]: [u64; 2]| asked.lock().unwrap().push((from, word, slot)),
        |asks| (0..).zip(places).for_each(|(slot, &(pe, word))| asks.send([word as u64, slot], pe)),
    )?;
    world.aggregate(
        |_, [slot, value]: [u64; 2]| found[slot as usize] = value,
        |answers| {
            for (pe, word, slot) in asked.lock().unwrap().drain(..) {
                answers.send([slot, table.read(word as usize)], pe);
            }
        },
    )
}
