//! Measurements of Ferrite for `ci/peers/run`: `PROGRAM latency|death|loss NUMBER [FILE]`. The examples `histogram` and `index_gather` have the rest.

use ferrite::prelude::*;
use std::time::Instant;

#[allow(dead_code, reason = "each program uses a part of it")]
#[path = "common.rs"]
mod common;
use common::{die, now_ms, tell};

fn run(world: &World, words: &[String]) {
    let (me, number) = (world.my_pe(), words[1].parse::<u64>().unwrap());
    assert_eq!(world.n_pes(), 2, "two PEs");
    if words[0] == "latency" {
        let (word, signal) = (world.alloc::<u64>(1).unwrap(), world.alloc_signal().unwrap());
        let other = 1 - me;
        world.barrier();
        let start = Instant::now();
        for i in 1..=number {
            if me == 0 {
                world.put_signal(&word, &[i], &signal, SignalOp::Set(i), other);
            }
            world.wait_until(&signal, Cmp::Ge(i));
            if me == 1 {
                world.put_signal(&word, &[word.read(0)], &signal, SignalOp::Set(i), other);
            }
        }
        assert_eq!(word.read(0), number);
        tell(me as usize, start.elapsed().as_secs_f64() * 1e6 / number as f64);
    } else {
        world.barrier();
        if me == 1 {
            die(&words[2]);
        }
    }
    world.barrier();
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words[0].as_str() {
        "loss" => {
            let loss = ferrite::with_world(|world| run(world, &words)).expect_err("PE 1 dies");
            let came = now_ms();
            let died: f64 = std::fs::read_to_string(&words[2]).unwrap().trim().parse().unwrap();
            assert_eq!(loss.pes(), [1]);
            println!("figure {:.3}", came - died);
        }
        _ => run(&ferrite::init(), &words),
    }
}
