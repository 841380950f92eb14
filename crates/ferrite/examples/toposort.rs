//! Topological sort, as in the bale suite: the rows and columns of an upper triangular matrix were shuffled. The program puts them back
//! into an order in which the matrix is triangular. Rows and columns are distributed cyclically.
//!
//! A row with one column left is a pivot: the row and the column get the last free position, and the column is removed from all other rows.
//! PEs communicate through aggregators only, level by level.
//!
//! `oshrun -n 4 target/release/examples/toposort --rows 100000`

mod common;

use common::{AnyError, Figure, Program, Random, Stopwatch, size};
use ferrite::prelude::*;
use std::sync::Mutex;

pub(crate) const PROGRAM: Program = Program {
    name: "toposort",
    about: "a triangular order of a shuffled matrix",
    sizes: &[
        size("rows", 20_000, 1..=1 << 31, "rows of the whole matrix"),
        size("entries", 8, 0..=1000, "entries drawn for each row, beside the diagonal"),
    ],
    run,
};

#[ferrite::main]
fn main(world: &World) -> Result<(), AnyError> {
    PROGRAM.main(world)
}

/// A cyclic distribution: row or column `i` is the `i / pes`-th of PE `i % pes`.
#[derive(Clone, Copy)]
struct Cyclic {
    n: u64,
    pes: u64,
}

impl Cyclic {
    fn owner(self, i: u64) -> u32 {
        (i % self.pes) as u32
    }

    fn local(self, i: u64) -> usize {
        (i / self.pes) as usize
    }

    fn global(self, local: usize, pe: u32) -> u64 {
        local as u64 * self.pes + u64::from(pe)
    }

    /// Number of rows of `pe`.
    fn count(self, pe: u32) -> usize {
        (self.n + self.pes - 1 - u64::from(pe)).div_euclid(self.pes) as usize
    }

    /// Number of rows of the first PE, which has the most.
    fn most(self) -> usize {
        self.n.div_ceil(self.pes) as usize
    }
}

/// A permutation of 0 to n - 1: multiples of a step that has no common divisor with n.
fn shuffled(i: u64, n: u64, seed: u64) -> u64 {
    let divisor = |mut a: u64, mut b: u64| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let step = (n * 5 / 8 + seed..).find(|&step| divisor(step, n) == 1).unwrap_or(1);
    ((u128::from(i) * u128::from(step) + u128::from(seed)) % u128::from(n)) as u64
}

/// A PE's part of the matrix.
#[derive(Default, Clone)]
struct Part {
    /// For each local row, the number of columns that are left, and the sum of their indices. The sum is the last column if one is left.
    left: Vec<(u64, u64)>,
    /// For each local column, the rows that contain it.
    rows: Vec<Vec<u64>>,
}

/// Draw the matrix row by row. The owners of the row and of the column both get each entry.
fn build(world: &World, all: Cyclic, entries: u64) -> Result<Part, AnyError> {
    let (me, n) = (world.my_pe(), all.n);
    let mut part = Part { left: vec![(0, 0); all.count(me)], rows: vec![Vec::new(); all.count(me)] };
    world.aggregate(
        |_, [is_column, row, column]: [u64; 3]| {
            if is_column == 1 {
                part.rows[all.local(column)].push(row);
            } else {
                let left = &mut part.left[all.local(row)];
                *left = (left.0 + 1, left.1 + column);
            }
        },
        |items| {
            let mut stream = Random::of(me);
            for row in (0..all.count(me)).map(|local| all.global(local, me)) {
                // The diagonal, and different columns to the right of it.
                let mut columns: Vec<u64> = (0..entries).map(|_| row + stream.below(n - row)).chain([row]).collect();
                columns.sort();
                columns.dedup();
                for column in columns {
                    let (row, column) = (shuffled(row, n, 1), shuffled(column, n, 3));
                    items.send([0, row, column], all.owner(row));
                    items.send([1, row, column], all.owner(column));
                }
            }
        },
    )?;
    Ok(part)
}

fn run(world: &World, sizes: &[u64]) -> Result<Figure, AnyError> {
    let &[n, entries] = sizes else { unreachable!("there are two") };
    let (me, pes) = (world.my_pe(), world.n_pes());
    let all = Cyclic { n, pes: u64::from(pes) };
    let part = build(world, all, entries)?;
    let (row_at, column_at) = (world.alloc::<u64>(all.most())?, world.alloc::<u64>(all.most())?);
    let placed = world.alloc_atomic::<u64>()?;

    let watch = Stopwatch::start(world);
    sort(world, all, &part, (&row_at, &column_at), &placed)?;
    let seconds = watch.seconds();

    // No entry is below the diagonal, and each position was given to one row and to one column.
    let seen = world.alloc_atomics::<u64>(2 * all.most())?;
    let mut wrong = 0;
    for local in 0..all.count(me) {
        let column = column_at.read(local);
        for &row in &part.rows[local] {
            wrong += u64::from(world.get(row_at.at(all.local(row)), all.owner(row)) > column);
        }
        for (which, position) in [row_at.read(local), column].into_iter().enumerate() {
            world.inc(seen.at(which * all.most() + all.local(position)), all.owner(position));
        }
    }
    world.barrier();
    let once = |which: usize, local: usize| seen.at(which * all.most() + local).load() == 1;
    wrong += (0..all.count(me)).filter(|&local| !once(0, local) || !once(1, local)).count() as u64;
    Ok(Figure { wrong, amount: n as f64 / 1e6, unit: "Mrows/s", seconds })
}

/// Give rows and columns their positions, from the last to the first.
fn sort(
    world: &World,
    all: Cyclic,
    part: &Part,
    (row_at, column_at): (&SymSlice<u64>, &SymSlice<u64>),
    placed: &SymAtomic<u64>,
) -> Result<(), AnyError> {
    let me = world.my_pe();
    let is_pivot = |&(count, _): &(u64, u64)| count == 1;
    let left = Mutex::new(part.left.clone());
    let mut pivots: Vec<usize> = (0..all.count(me)).filter(|&local| is_pivot(&part.left[local])).collect();
    let next = Mutex::new(Vec::new());
    // Columns that have got their position and are to be removed from their other rows.
    let gone = Mutex::new(Vec::new());
    let place_column = |_, [column, position]: [u64; 2]| {
        column_at.write(all.local(column), position);
        gone.lock().unwrap().push(column);
    };
    let take_out = |_, [row, column]: [u64; 2]| {
        let (local, mut left) = (all.local(row), left.lock().unwrap());
        left[local] = (left[local].0 - 1, left[local].1 - column);
        if is_pivot(&left[local]) {
            next.lock().unwrap().push(local);
        }
    };
    world.aggregate(place_column, |columns| {
        world.aggregate(take_out, |rows| {
            while world.any(!pivots.is_empty()) {
                let first = world.fetch_add(placed, pivots.len() as u64, 0);
                for (row, nth) in pivots.drain(..).zip(first..) {
                    let (position, column) = (all.n - 1 - nth, left.lock().unwrap()[row].1);
                    row_at.write(row, position);
                    columns.send([column, position], all.owner(column));
                }
                world.barrier();
                for column in gone.lock().unwrap().drain(..) {
                    for &row in &part.rows[all.local(column)] {
                        rows.send([row, column], all.owner(row));
                    }
                }
                world.barrier();
                std::mem::swap(&mut pivots, &mut next.lock().unwrap());
            }
        })
    })??;
    Ok(())
}
