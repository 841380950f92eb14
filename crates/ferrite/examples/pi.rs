//! Pi as the integral of 4 / (1 + x * x) from 0 to 1: every PE adds up its share of the intervals, and a reduction adds up the PEs.
//!
//! `oshrun -n 4 target/release/examples/pi --intervals 100000000`

mod common;

use common::{AnyError, Figure, Program, Stopwatch, size};
use ferrite::prelude::*;

pub(crate) const PROGRAM: Program = Program {
    name: "pi",
    about: "pi by a sum over all PEs",
    sizes: &[size("intervals", 2_000_000, 1..=1_000_000_000_000, "intervals that all PEs share")],
    run,
};

#[ferrite::main]
fn main(world: &World) -> Result<(), AnyError> {
    PROGRAM.main(world)
}

fn run(world: &World, sizes: &[u64]) -> Result<Figure, AnyError> {
    let n = sizes[0];
    let watch = Stopwatch::start(world);
    let mine = (u64::from(world.my_pe())..n).step_by(world.n_pes() as usize);
    let part: f64 = mine
        .map(|i| {
            let x = (i as f64 + 0.5) / n as f64;
            4.0 / (1.0 + x * x)
        })
        .sum();
    let pi = world.sum(part) / n as f64;
    let seconds = watch.seconds();

    // The error of the midpoint rule is 1 / (12 n^2) here, and the sum of n terms adds rounding errors.
    let tolerance = 0.1 / (n as f64).powi(2) + 1e-15 * (n as f64).sqrt() + 1e-13;
    let wrong = u64::from((pi - std::f64::consts::PI).abs() > tolerance);
    Ok(Figure { wrong, amount: n as f64 / 1e6, unit: "Mintervals/s", seconds })
}
