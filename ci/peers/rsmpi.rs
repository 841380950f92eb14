//! Measurements of rsmpi for `ci/peers/run`: `PROGRAM histogram|gather|latency|death NUMBER [FILE]`. Items for the same rank travel together by one
//! `all_to_all_varcount`, since rsmpi has neither aggregation nor one-sided operations.

use mpi::{
    datatype::{Partition, PartitionMut},
    traits::*,
};
use std::time::Instant;

#[allow(dead_code, reason = "each program uses a part of it")]
#[path = "common.rs"]
mod common;
use common::{Draws, die, tell};

/// Words of each rank.
const WORDS: usize = 100_000;
const BINS: usize = 1000;

/// Send each rank its items; returns those that came, and how many from each rank.
fn exchange(world: &impl CommunicatorCollectives, to: &[Vec<u64>]) -> (Vec<u64>, Vec<i32>) {
    let counts: Vec<i32> = to.iter().map(|items| items.len() as i32).collect();
    let mut coming = vec![0; counts.len()];
    world.all_to_all_into(&counts[..], &mut coming[..]);
    let starts = |counts: &[i32]| -> Vec<i32> {
        counts
            .iter()
            .scan(0, |at, count| {
                *at += count;
                Some(*at - count)
            })
            .collect()
    };
    let mut come = vec![0_u64; coming.iter().sum::<i32>() as usize];
    let all = to.concat();
    let sent = Partition::new(&all[..], &counts[..], starts(&counts));
    let mut got = PartitionMut::new(&mut come[..], &coming[..], starts(&coming));
    world.all_to_all_varcount_into(&sent, &mut got);
    (come, coming)
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number: usize = words[1].parse().unwrap();
    let universe = mpi::initialize().unwrap();
    let world = universe.world();
    let (me, pes) = (world.rank() as usize, world.size() as usize);
    assert_eq!(pes, 2, "two ranks");
    match words[0].as_str() {
        "histogram" => {
            let bins: Vec<usize> = Draws::of(me).below(BINS * pes).take(number).collect();
            let mut counts = vec![0_u64; BINS];
            world.barrier();
            let start = Instant::now();
            let mut to = vec![Vec::new(); pes];
            bins.iter().for_each(|bin| to[bin / BINS].push((bin % BINS) as u64));
            exchange(&world, &to).0.iter().for_each(|&bin| counts[bin as usize] += 1);
            world.barrier();
            let seconds = start.elapsed().as_secs_f64();
            let (mine, mut all) = (counts.iter().sum::<u64>(), 0);
            world.all_reduce_into(&mine, &mut all, mpi::collective::SystemOperation::sum());
            assert_eq!(all, (number * pes) as u64);
            tell(me, (number * pes) as f64 / 1e6 / seconds);
        }
        "gather" => {
            let table: Vec<u64> = (0..WORDS).map(|word| (me * WORDS + word) as u64 * 3).collect();
            let places: Vec<usize> = Draws::of(me).below(WORDS * pes).take(number).collect();
            let mut found = vec![0; number];
            world.barrier();
            let start = Instant::now();
            let (mut to, mut slots) = (vec![Vec::new(); pes], vec![Vec::new(); pes]);
            for (slot, place) in places.iter().enumerate() {
                to[place / WORDS].push((place % WORDS) as u64);
                slots[place / WORDS].push(slot);
            }
            let (asked, counts) = exchange(&world, &to);
            let mut asked = asked.iter().map(|&word| table[word as usize]);
            let answers: Vec<Vec<u64>> =
                counts.iter().map(|&count| asked.by_ref().take(count as usize).collect()).collect();
            let answers = exchange(&world, &answers).0;
            slots.concat().iter().zip(answers).for_each(|(&slot, answer)| found[slot] = answer);
            world.barrier();
            let seconds = start.elapsed().as_secs_f64();
            assert!(places.iter().zip(&found).all(|(&place, &word)| word == place as u64 * 3));
            tell(me, (number * pes) as f64 / 1e6 / seconds);
        }
        "latency" => {
            let other = world.process_at_rank(1 - me as i32);
            world.barrier();
            let start = Instant::now();
            for i in 0..number as u64 {
                if me == 0 {
                    other.send(&i);
                    assert_eq!(other.receive::<u64>().0, i);
                } else {
                    other.send(&other.receive::<u64>().0);
                }
            }
            tell(me, start.elapsed().as_secs_f64() * 1e6 / number as f64);
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
