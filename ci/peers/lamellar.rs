//! Measurements of Lamellar for `ci/peers/run`: `PROGRAM histogram|gather|latency|death NUMBER [FILE]`.

use lamellar::active_messaging::prelude::*;
use lamellar::array::prelude::*;
use std::time::Instant;

#[allow(dead_code, reason = "each program uses a part of it")]
#[path = "common.rs"]
mod common;
use common::{Draws, die, tell};

/// Words of each PE.
const WORDS: usize = 100_000;
const BINS: usize = 1000;

#[AmData(Clone, Debug)]
struct Echo {
    value: u64,
}

#[am]
impl LamellarAM for Echo {
    async fn exec(self) -> u64 {
        self.value
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number: usize = words[1].parse().unwrap();
    let world = lamellar::LamellarWorldBuilder::new().build();
    let (me, pes) = (world.my_pe(), world.num_pes());
    assert_eq!(pes, 2, "two PEs");
    match words[0].as_str() {
        "histogram" => {
            let counts = AtomicArray::<u64>::new(&world, BINS * pes, Distribution::Block).block();
            let bins: Vec<usize> = Draws::of(me).below(BINS * pes).take(number).collect();
            world.barrier();
            let start = Instant::now();
            counts.batch_add(bins, 1).block();
            world.wait_all();
            world.barrier();
            let seconds = start.elapsed().as_secs_f64();
            assert_eq!(counts.sum().block(), Some((number * pes) as u64));
            tell(me, (number * pes) as f64 / 1e6 / seconds);
        }
        "gather" => {
            let table = AtomicArray::<u64>::new(&world, WORDS * pes, Distribution::Block).block();
            let own = table.local_data();
            (0..WORDS).for_each(|word| own.at(word).store((me * WORDS + word) as u64 * 3));
            drop(own);
            world.barrier();
            let table = table.into_read_only().block();
            let places: Vec<usize> = Draws::of(me).below(WORDS * pes).take(number).collect();
            world.barrier();
            let start = Instant::now();
            let found = table.batch_load(places.clone()).block();
            world.barrier();
            let seconds = start.elapsed().as_secs_f64();
            assert!(places.iter().zip(&found).all(|(&place, &word)| word == place as u64 * 3));
            tell(me, (number * pes) as f64 / 1e6 / seconds);
        }
        "latency" => {
            world.barrier();
            if me == 0 {
                let start = Instant::now();
                for i in 0..number as u64 {
                    assert_eq!(world.exec_am_pe(1, Echo { value: i }).block(), i);
                }
                tell(me, start.elapsed().as_secs_f64() * 1e6 / number as f64);
            }
            world.barrier();
        }
        "death" => {
            world.barrier();
            if me == 1 {
                die(&words[2]);
            }
            world.barrier();
        }
        other => panic!("{other}?"),
    }
}
