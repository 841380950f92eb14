//! Heat that spreads over a plate whose rim is kept at 0, by the explicit five-point scheme. The plate is cut into blocks, one for each PE
//! of a grid of PEs, whose rows and columns are teams. In every step a PE puts the rim of its block into the halo of each neighbour with a
//! signal, and waits for the signals of its neighbours: no barrier. There are two halos, used in turn: a neighbour that has sent its rim
//! of step k + 1 no longer needs mine of step k, so step k + 2 may overwrite the halo.
//!
//! The plate begins as two waves. The scheme damps them by a known factor, so every cell is checked.
//!
//! `oshrun -n 4 target/release/examples/heat --rows 2000 --columns 2000 --steps 1000`

mod common;

use common::{AnyError, Figure, Program, Stopwatch, size};
use ferrite::prelude::*;
use std::f64::consts::PI;

pub(crate) const PROGRAM: Program = Program {
    name: "heat",
    about: "heat on a plate, with an exchange of halos",
    sizes: &[
        size("rows", 256, 1..=1_000_000, "cells from top to bottom"),
        size("columns", 256, 1..=1_000_000, "cells from left to right"),
        size("steps", 100, 1..=1_000_000_000, "steps of time"),
    ],
    run,
};

#[ferrite::main]
fn main(world: &World) -> Result<(), AnyError> {
    PROGRAM.main(world)
}

const RATE: f64 = 0.2;

/// The whole plate.
#[derive(Clone, Copy)]
struct Plate {
    rows: usize,
    columns: usize,
}

impl Plate {
    /// A wave with these numbers of half periods down and across.
    fn wave(self, down: f64, across: f64, row: usize, column: usize) -> f64 {
        let at = |halves: f64, i: usize, n: usize| (halves * PI * (i + 1) as f64 / (n + 1) as f64).sin();
        at(down, row, self.rows) * at(across, column, self.columns)
    }

    /// The factor by which a step damps the wave.
    fn damping(self, down: f64, across: f64) -> f64 {
        let cosine = |halves: f64, n: usize| (halves * PI / (n + 1) as f64).cos();
        1.0 - RATE * (4.0 - 2.0 * cosine(down, self.rows) - 2.0 * cosine(across, self.columns))
    }

    /// The result of the scheme after this number of steps.
    fn exact(self, steps: i32, row: usize, column: usize) -> f64 {
        let part = |down, across| self.damping(down, across).powi(steps) * self.wave(down, across, row, column);
        part(1.0, 1.0) + part(3.0, 2.0)
    }
}

/// The part of `n` cells that belongs to member `rank` of `size`: its first cell, and its length.
fn share(n: usize, rank: u32, size: u32) -> (usize, usize) {
    let begin = |rank: u32| n * rank as usize / size as usize;
    (begin(rank), begin(rank + 1) - begin(rank))
}

/// A PE's block, with a rim of one cell around it.
struct Block {
    height: usize,
    width: usize,
    cells: Vec<f64>,
}

/// The sides of a block. Data sent to one side arrive at the opposite side.
const WEST: usize = 0;
const EAST: usize = 1;
const NORTH: usize = 2;
const SOUTH: usize = 3;
const SIDES: usize = 4;

impl Block {
    fn at(&self, row: usize, column: usize) -> usize {
        row * (self.width + 2) + column
    }

    /// The indices of the cells along a side, in the block or on the rim.
    fn side(&self, side: usize, on_the_rim: bool) -> Vec<usize> {
        let out = usize::from(on_the_rim);
        let (rows, columns) = (1..=self.height, 1..=self.width);
        match side {
            WEST => rows.map(|row| self.at(row, 1 - out)).collect(),
            EAST => rows.map(|row| self.at(row, self.width + out)).collect(),
            NORTH => columns.map(|column| self.at(1 - out, column)).collect(),
            SOUTH => columns.map(|column| self.at(self.height + out, column)).collect(),
            _ => unreachable!("a block has four sides"),
        }
    }

    /// One time step, from this block to the other.
    fn step(&self, next: &mut [f64]) {
        let pitch = self.width + 2;
        for row in 1..=self.height {
            let begin = self.at(row, 1);
            for at in begin..begin + self.width {
                let here = &self.cells;
                let around = here[at - 1] + here[at + 1] + here[at - pitch] + here[at + pitch];
                next[at] = here[at] + RATE * (around - 4.0 * here[at]);
            }
        }
    }
}

/// The number of columns of the grid of PEs: the largest for which the grid is at least as high as wide.
fn across(pes: u32) -> u32 {
    (1..=pes).take_while(|width| width * width <= pes).filter(|width| pes.is_multiple_of(*width)).last().unwrap_or(1)
}

fn run(world: &World, sizes: &[u64]) -> Result<Figure, AnyError> {
    let plate = Plate { rows: sizes[0] as usize, columns: sizes[1] as usize };
    let steps = sizes[2];
    let (row, column) = world.split_2d(across(world.n_pes()))?;
    if plate.columns < row.n_pes() as usize || plate.rows < column.n_pes() as usize {
        return Err("the plate has fewer rows or columns than the grid of PEs".into());
    }
    let beside =
        |team: &Team<'_>, step: i32| team.my_pe().checked_add_signed(step).and_then(|rank| team.world_pe(rank));
    let neighbours = [beside(&row, -1), beside(&row, 1), beside(&column, -1), beside(&column, 1)];
    let (top, height) = share(plate.rows, column.my_pe(), column.n_pes());
    let (left, width) = share(plate.columns, row.my_pe(), row.n_pes());

    let mut block = Block { height, width, cells: vec![0.0; (height + 2) * (width + 2)] };
    let inner = |block: &Block| -> Vec<(usize, usize, usize)> {
        let rows = (0..height).flat_map(|i| (0..width).map(move |j| (i, j)));
        rows.map(|(i, j)| (block.at(i + 1, j + 1), top + i, left + j)).collect()
    };
    inner(&block).iter().for_each(|&(at, row, column)| block.cells[at] = plate.exact(0, row, column));
    let mut next = block.cells.clone();

    // Two halos of four sides each. On all PEs they have the length of the longest side.
    let longest = world.max(height.max(width));
    let (halo, arrived) = (world.alloc::<f64>(2 * SIDES * longest)?, world.alloc_signals(SIDES)?);
    let place = |step: u64, side: usize| ((step % 2) as usize * SIDES + side) * longest;
    let (inside, rim) =
        (0..SIDES).map(|side| (block.side(side, false), block.side(side, true))).unzip::<_, _, Vec<_>, Vec<_>>();

    let watch = Stopwatch::start(world);
    for step in 1..=steps {
        // Halos and signals of the previous step may still be under way, and must not arrive after this step's.
        world.fence();
        for (side, &pe) in neighbours.iter().enumerate() {
            let Some(pe) = pe else { continue };
            let cells: Vec<f64> = inside[side].iter().map(|&at| block.cells[at]).collect();
            let (begin, opposite) = (place(step, side ^ 1), side ^ 1);
            world.put_signal(
                halo.range(begin..begin + cells.len()),
                &cells,
                arrived.at(opposite),
                SignalOp::Set(step),
                pe,
            );
        }
        for (side, _) in neighbours.iter().enumerate().filter(|(_, pe)| pe.is_some()) {
            // A neighbour may be one step ahead.
            world.wait_until(arrived.at(side), Cmp::Ge(step));
            let begin = place(step, side);
            let cells = halo.range(begin..begin + rim[side].len()).to_vec();
            rim[side].iter().zip(cells).for_each(|(&at, cell)| block.cells[at] = cell);
        }
        block.step(&mut next);
        std::mem::swap(&mut block.cells, &mut next);
    }
    let seconds = watch.seconds();

    let is_wrong = |&&(at, row, column): &&(usize, usize, usize)| {
        let difference = block.cells[at] - plate.exact(steps as i32, row, column);
        difference.is_nan() || difference.abs() > 1e-10
    };
    let wrong = inner(&block).iter().filter(is_wrong).count() as u64;
    column.destroy();
    row.destroy();
    let amount = plate.rows as f64 * plate.columns as f64 * steps as f64 / 1e6;
    Ok(Figure { wrong, amount, unit: "Mcells/s", seconds })
}
