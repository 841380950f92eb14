//! A token that goes around all PEs: the time that a signal takes from one to the next.
//!
//! `oshrun -n 4 target/release/examples/ring --rounds 1000`

mod common;

use common::{AnyError, Figure, Program, Stopwatch, size};
use ferrite::prelude::*;

pub(crate) const PROGRAM: Program = Program {
    name: "ring",
    about: "a token goes around all PEs",
    sizes: &[size("rounds", 1000, 1..=1_000_000_000, "times that it comes around")],
    run,
};

#[ferrite::main]
fn main(world: &World) -> Result<(), AnyError> {
    PROGRAM.main(world)
}

fn run(world: &World, sizes: &[u64]) -> Result<Figure, AnyError> {
    let (token, arrived) = (world.alloc_box::<u64>()?, world.alloc_signal()?);
    let (me, pes, rounds) = (world.my_pe(), world.n_pes(), sizes[0]);
    let right = (me + 1) % pes;

    let watch = Stopwatch::start(world);
    for round in 1..=rounds {
        if me == 0 {
            world.put_signal(&token, &[token.read() + 1], &arrived, SignalOp::Set(round), right);
            world.wait_until(&arrived, Cmp::Eq(round));
        } else {
            world.wait_until(&arrived, Cmp::Eq(round));
            world.put_signal(&token, &[token.read() + 1], &arrived, SignalOp::Set(round), right);
        }
    }
    let seconds = watch.seconds();

    // Each PE has added one in each round.
    let expected = u64::from(pes) * (rounds - 1) + if me == 0 { u64::from(pes) } else { u64::from(me) };
    let wrong = u64::from(token.read() != expected);
    Ok(Figure { wrong, amount: rounds as f64 * f64::from(pes) / 1e6, unit: "Mhops/s", seconds })
}
