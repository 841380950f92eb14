//! Integer sort by an exchange of keys: each PE owns a range of values. It sends all keys of an owner to that owner in one piece, and sorts
//! the keys that it receives by counting.
//!
//! `oshrun -n 4 target/release/examples/sort --keys 1000000`

mod common;

use common::{AnyError, Figure, Program, Random, Stopwatch, size};
use ferrite::prelude::*;

pub(crate) const PROGRAM: Program = Program {
    name: "sort",
    about: "integer sort by an exchange of keys",
    sizes: &[
        size("keys", 131_072, 1..=1_000_000_000, "keys of each PE"),
        size("values", 1 << 18, 1..=1 << 30, "keys are below this"),
        size("rounds", 3, 1..=1_000_000, "times that everything is sorted"),
    ],
    run,
};

#[ferrite::main]
fn main(world: &World) -> Result<(), AnyError> {
    PROGRAM.main(world)
}

/// The assignment of values to PEs.
#[derive(Clone, Copy)]
struct Ranges {
    /// Number of values of one PE.
    width: u32,
    pes: usize,
}

impl Ranges {
    fn owner(self, key: u32) -> usize {
        (key / self.width) as usize
    }

    /// Number of the keys for each PE.
    fn sizes(self, keys: &[u32]) -> Vec<usize> {
        let mut sizes = vec![0; self.pes];
        keys.iter().for_each(|&key| sizes[self.owner(key)] += 1);
        sizes
    }
}

fn run(world: &World, sizes: &[u64]) -> Result<Figure, AnyError> {
    let &[keys, values, rounds] = sizes else { unreachable!("there are three") };
    let (me, pes) = (world.my_pe(), world.n_pes());
    let ranges = Ranges { width: values.div_ceil(u64::from(pes)) as u32, pes: pes as usize };
    let mut stream = Random::of(me);
    let keys: Vec<u32> = (0..keys).map(|_| stream.below(values) as u32).collect();

    // Room for the largest number of keys that any PE gets, since symmetric memory has the same size on all PEs.
    let expected = (0..pes).map(|pe| world.sum(ranges.sizes(&keys)[pe as usize])).collect::<Vec<_>>();
    let most = expected.iter().copied().max().unwrap_or(0);
    let (bucketed, mut got) = (world.alloc::<u32>(keys.len())?, world.alloc::<u32>(most)?);
    let lowest = ranges.width * me;
    let (mut sorted, mut seconds) = (Vec::new(), 0.0);
    for _ in 0..rounds {
        let watch = Stopwatch::start(world);
        let sizes = ranges.sizes(&keys);
        let mut ends: Vec<usize> = vec![0; ranges.pes];
        (1..ranges.pes).for_each(|pe| ends[pe] = ends[pe - 1] + sizes[pe - 1]);
        for &key in &keys {
            let end = &mut ends[ranges.owner(key)];
            bucketed.write(*end, key);
            *end += 1;
        }
        let came: usize = world.alltoallv(&bucketed, &sizes, &mut got).iter().sum();
        let mut counted = vec![0_usize; ranges.width as usize];
        got.range(..came).to_vec().iter().for_each(|key| counted[(key - lowest) as usize] += 1);
        sorted.clear();
        (lowest..).zip(&counted).for_each(|(key, &count)| sorted.extend(std::iter::repeat_n(key, count)));
        seconds += watch.seconds();
    }

    // The keys are in order and belong to this PE. They are the same keys as before: their number and a sum over all PEs agree.
    let sum = |keys: &[u32]| world.sum(keys.iter().map(|&key| common::mix(u64::from(key))).fold(0, u64::wrapping_add));
    let mut wrong = u64::from(sorted.len() != expected[me as usize]) + u64::from(sum(&keys) != sum(&sorted));
    wrong += u64::from(!sorted.is_sorted());
    wrong += sorted.iter().filter(|&&key| ranges.owner(key) != me as usize).count() as u64;
    let amount = keys.len() as f64 * f64::from(pes) * rounds as f64 / 1e6;
    Ok(Figure { wrong, amount, unit: "Mkeys/s", seconds })
}
