//! A three-dimensional Fourier transform of a cube that is cut into slabs: each PE transforms its planes in two directions, an all-to-all
//! turns the cube, and each PE transforms its part in the third direction.
//!
//! The cube begins as two plane waves. Their transform is known: a number at two places, and 0 everywhere else.
//!
//! `oshrun -n 4 target/release/examples/fft --side 256`

mod common;

use common::{AnyError, Figure, Program, Stopwatch, size};
use ferrite::prelude::*;
use std::{
    f64::consts::TAU,
    ops::{Add, Mul, Sub},
};

pub(crate) const PROGRAM: Program = Program {
    name: "fft",
    about: "a three-dimensional Fourier transform",
    sizes: &[size("side", 32, 1..=4096, "points along an edge: a power of two, and a multiple of the number of PEs")],
    run,
};

#[ferrite::main]
fn main(world: &World) -> Result<(), AnyError> {
    PROGRAM.main(world)
}

#[derive(Clone, Copy, PartialEq, Debug, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Complex {
    re: f64,
    im: f64,
}

impl Complex {
    fn at_angle(angle: f64) -> Complex {
        Complex { re: angle.cos(), im: angle.sin() }
    }
}

impl Add for Complex {
    type Output = Complex;
    fn add(self, other: Complex) -> Complex {
        Complex { re: self.re + other.re, im: self.im + other.im }
    }
}

impl Sub for Complex {
    type Output = Complex;
    fn sub(self, other: Complex) -> Complex {
        Complex { re: self.re - other.re, im: self.im - other.im }
    }
}

impl Mul for Complex {
    type Output = Complex;
    fn mul(self, other: Complex) -> Complex {
        let Complex { re, im } = other;
        Complex { re: self.re * re - self.im * im, im: self.re * im + self.im * re }
    }
}

/// Transform one line in place by Cooley and Tukey's algorithm. Its length is a power of two.
fn transform(line: &mut [Complex], roots: &[Complex]) {
    let n = line.len();
    for i in 0..n {
        let j = if n > 1 { i.reverse_bits() >> (usize::BITS - n.trailing_zeros()) } else { i };
        if i < j {
            line.swap(i, j);
        }
    }
    let mut half = 1;
    while half < n {
        for begin in (0..n).step_by(2 * half) {
            for k in 0..half {
                let (a, b) = (line[begin + k], line[begin + k + half] * roots[k * (n / half / 2)]);
                (line[begin + k], line[begin + k + half]) = (a + b, a - b);
            }
        }
        half *= 2;
    }
}

/// A wave with amplitude `number`, and with this number of periods in each direction of the cube.
struct Wave {
    height: f64,
    periods: [usize; 3],
}

fn run(world: &World, sizes: &[u64]) -> Result<Figure, AnyError> {
    let (n, pes, me) = (sizes[0] as usize, world.n_pes() as usize, world.my_pe() as usize);
    if !n.is_power_of_two() || !n.is_multiple_of(pes) {
        return Err(format!("fft: --side is {n}, but should be a power of two and a multiple of {pes}").into());
    }
    let planes = n / pes;
    let waves = [
        Wave { height: 1.0, periods: [1, 2, 3].map(|p| p % n) },
        Wave { height: 0.5, periods: [5, 0, 1].map(|p| p % n) },
    ];
    let roots: Vec<Complex> = (0..n / 2).map(|k| Complex::at_angle(-TAU * k as f64 / n as f64)).collect();
    let wave_at = |x: usize, y: usize, z: usize| {
        let of = |wave: &Wave| {
            let [px, py, pz] = wave.periods;
            let phase = ((px * x + py * y + pz * z) % n) as f64 / n as f64;
            Complex::at_angle(TAU * phase) * Complex { re: wave.height, im: 0.0 }
        };
        of(&waves[0]) + of(&waves[1])
    };
    // My planes: z, then y, then x.
    let mut slab: Vec<Complex> = Vec::with_capacity(planes * n * n);
    for z in me * planes..(me + 1) * planes {
        (0..n).for_each(|y| slab.extend((0..n).map(|x| wave_at(x, y, z))));
    }
    let (packed, mut turned) = (world.alloc::<Complex>(planes * n * n)?, world.alloc::<Complex>(planes * n * n)?);

    let watch = Stopwatch::start(world);
    let mut line = vec![Complex { re: 0.0, im: 0.0 }; n];
    for plane in slab.chunks_mut(n * n) {
        plane.chunks_mut(n).for_each(|row| transform(row, &roots));
        for x in 0..n {
            (0..n).for_each(|y| line[y] = plane[y * n + x]);
            transform(&mut line, &roots);
            (0..n).for_each(|y| plane[y * n + x] = line[y]);
        }
    }
    // For each PE, the rows of my planes that it gets.
    for pe in 0..pes {
        for z in 0..planes {
            let rows = &slab[(z * n + pe * planes) * n..][..planes * n];
            packed.write_slice((pe * planes + z) * planes * n..(pe * planes + z + 1) * planes * n, rows);
        }
    }
    world.alltoall(&packed, &mut turned);
    // My rows of all planes: z, then y, then x.
    let mut cube = turned.to_vec();
    for column in 0..planes * n {
        (0..n).for_each(|z| line[z] = cube[z * planes * n + column]);
        transform(&mut line, &roots);
        (0..n).for_each(|z| cube[z * planes * n + column] = line[z]);
    }
    let seconds = watch.seconds();

    let volume = (n * n * n) as f64;
    let mut wrong = 0;
    for (at, &found) in cube.iter().enumerate() {
        let (x, y, z) = (at % n, me * planes + at / n % planes, at / n / planes);
        let here: f64 = waves.iter().filter(|wave| wave.periods == [x, y, z]).map(|wave| wave.height).sum();
        let difference = found - Complex { re: here * volume, im: 0.0 };
        let distance = difference.re.hypot(difference.im);
        wrong += u64::from(distance.is_nan() || distance > 1e-10 * volume);
    }
    let amount = 5.0 * volume * volume.log2() / 1e9;
    Ok(Figure { wrong, amount, unit: "GFLOP/s", seconds })
}
