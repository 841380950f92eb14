//! A histogram over all PEs: each PE has a list of random bins, and adds one to each of them, wherever the bin is. With `--aggregate 1`,
//! items for the same PE are sent together.
//!
//! `oshrun -n 4 target/release/examples/histogram --bins 1000 --items 1000000`

mod common;

use common::{AnyError, Figure, Program, Random, Stopwatch, chosen, size};
use ferrite::prelude::*;

pub(crate) const PROGRAM: Program = Program {
    name: "histogram",
    about: "counters of all PEs, counted up by all",
    sizes: &[
        size("bins", 1000, 1..=1 << 32, "bins of each PE"),
        size("items", 65536, 1..=1 << 32, "items that each PE counts"),
        size("aggregate", 0, 0..=1, "1: what is for the same PE travels together"),
    ],
    run,
};

#[ferrite::main]
fn main(world: &World) -> Result<(), AnyError> {
    PROGRAM.main(world)
}

fn run(world: &World, sizes: &[u64]) -> Result<Figure, AnyError> {
    let &[bins, items, aggregate] = sizes else { unreachable!("there are three") };
    let (me, pes) = (world.my_pe(), world.n_pes());
    let counts = world.alloc_atomics::<u64>(bins as usize)?;
    let drawn = |pe: u32| {
        let mut stream = Random::of(pe);
        (0..items).map(move |_| chosen(stream.draw(), pes, bins))
    };
    let mine: Vec<(u32, usize)> = drawn(me).collect();

    let watch = Stopwatch::start(world);
    if aggregate == 1 {
        world.aggregate_updates(|all| mine.iter().for_each(|&(pe, bin)| all.add(counts.at(bin), 1, pe)))?;
    } else {
        mine.iter().for_each(|&(pe, bin)| world.inc(counts.at(bin), pe));
    }
    world.barrier();
    let seconds = watch.seconds();

    // Each PE counts its own bins again, from the lists of all PEs.
    let mut expected = vec![0; bins as usize];
    let own = (0..pes).flat_map(drawn).filter(|&(pe, _)| pe == me);
    own.for_each(|(_, bin)| expected[bin] += 1);
    let wrong = expected.iter().enumerate().filter(|&(bin, &count)| counts.at(bin).load() != count).count() as u64;
    Ok(Figure { wrong, amount: items as f64 * f64::from(pes) / 1e6, unit: "Mitems/s", seconds })
}
