//! Random access to memory: every PE changes words anywhere in a table that is spread over all of them, by atomic exclusive or. With
//! `--aggregate 1` the updates for the same PE travel together.
//!
//! `oshrun -n 4 target/release/examples/gups --words 1048576 --updates 1000000`

mod common;

use common::{AnyError, Figure, Program, Random, Stopwatch, chosen, size};
use ferrite::prelude::*;

pub(crate) const PROGRAM: Program = Program {
    name: "gups",
    about: "random access to the words of all PEs",
    sizes: &[
        size("words", 65536, 1..=1 << 32, "words of each PE's part of the table"),
        size("updates", 65536, 1..=1 << 40, "updates that each PE makes"),
        size("aggregate", 0, 0..=1, "1: updates of the same PE travel together"),
    ],
    run,
};

#[ferrite::main]
fn main(world: &World) -> Result<(), AnyError> {
    PROGRAM.main(world)
}

fn run(world: &World, sizes: &[u64]) -> Result<Figure, AnyError> {
    let &[words, updates, aggregate] = sizes else { unreachable!("there are three") };
    let (me, pes) = (world.my_pe(), world.n_pes());
    let table = world.alloc_atomics::<u64>(words as usize)?;
    let initial = |i: usize| u64::from(me) * words + i as u64;
    (0..words as usize).for_each(|i| world.set(table.at(i), initial(i), me));

    let watch = Stopwatch::start(world);
    let mut stream = Random::of(me);
    let mut each = |update: &dyn Fn(usize, u64, u32)| {
        for _ in 0..updates {
            let random = stream.draw();
            let (pe, word) = chosen(random, pes, words);
            update(word, random, pe);
        }
    };
    if aggregate == 1 {
        world.aggregate_updates(|all| each(&|word, random, pe| all.xor(table.at(word), random, pe)))?;
    } else {
        each(&|word, random, pe| world.xor(table.at(word), random, pe));
    }
    world.barrier();
    let seconds = watch.seconds();

    // Each PE repeats the updates of all PEs to its own part.
    let mut expected: Vec<u64> = (0..words as usize).map(initial).collect();
    for pe in 0..pes {
        let mut stream = Random::of(pe);
        for _ in 0..updates {
            let random = stream.draw();
            let (owner, word) = chosen(random, pes, words);
            if owner == me {
                expected[word] ^= random;
            }
        }
    }
    let wrong = expected.iter().enumerate().filter(|&(i, &word)| table.at(i).load() != word).count() as u64;
    Ok(Figure { wrong, amount: updates as f64 * f64::from(pes) / 1e9, unit: "GUP/s", seconds })
}
