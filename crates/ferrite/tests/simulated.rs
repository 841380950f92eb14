//! Worlds over a simulated network: they find operations that lack an order, have no findings in correct programs, and repeat a run from
//! its seed.

use ferrite::prelude::*;
use std::{
    collections::{BTreeSet, HashSet},
    panic,
    panic::AssertUnwindSafe,
};

/// Number of these seeds for which the program fails.
fn failures(seeds: std::ops::Range<u64>, pes: u32, body: fn(&World)) -> usize {
    seeds.filter(|&seed| failure(seed, pes, body).is_some()).count()
}

/// The error with which a simulated world ends.
fn failure(seed: u64, pes: u32, body: impl Fn(&World) + Sync) -> Option<String> {
    let end = panic::catch_unwind(AssertUnwindSafe(|| _ = ferrite::sim(seed, pes, body)));
    end.err().map(|why| *why.downcast::<String>().expect("it says why"))
}

/// A put of data, and then a flag that announces the data.
fn flag_after_data(world: &World, order: impl Fn(&World)) {
    let (data, flag) = (world.alloc::<u64>(3).unwrap(), world.alloc_box::<u64>().unwrap());
    let right = (world.my_pe() + 1) % world.n_pes();
    for round in 1..=3 {
        world.put_slice(&data, &[round; 3], right);
        order(world);
        world.put(&flag, round, right);
        world.wait_until(&flag, Cmp::Ge(round));
        assert_eq!(data.to_vec(), [round; 3]);
        world.barrier();
    }
}

/// A put, and then a message about it to a third PE.
fn told_by_another(world: &World, order: impl Fn(&World)) {
    let (data, told) = (world.alloc_box::<u64>().unwrap(), world.alloc_signal().unwrap());
    match world.my_pe() {
        0 => {
            world.put(&data, 7, 2);
            order(world);
            world.signal_op(&told, SignalOp::Set(1), 1);
        }
        1 => {
            world.wait_until(&told, Cmp::Eq(1));
            assert_eq!(world.get(&data, 2), 7);
        }
        _ => {}
    }
    world.barrier();
}

/// Two PEs put, and then look at each other's word: at least one of them must see the other's put.
fn both_look(world: &World, order: impl Fn(&World)) {
    let (mine, seen) = (world.alloc_atomic::<u64>().unwrap(), world.alloc_atomic::<u64>().unwrap());
    let other = 1 - world.my_pe();
    world.set(&mine, 1, other);
    order(world);
    let saw = world.fetch(&mine, world.my_pe());
    world.add(&seen, saw, 0);
    world.barrier();
    assert!(world.fetch(&seen, 0) > 0, "neither has seen the other");
    world.barrier();
}

type Body = fn(&World);

/// A program that lacks an order, the same program with it, and the number of PEs.
const PAIRS: [(Body, Body, u32); 5] = [
    (|world| flag_after_data(world, |_| ()), |world| flag_after_data(world, |world| world.fence()), 2),
    (|world| flag_after_data(world, |_| ()), |world| flag_after_data(world, |world| world.quiet()), 3),
    // A fence orders only operations to the same PE.
    (|world| told_by_another(world, |world| world.fence()), |world| told_by_another(world, |world| world.quiet()), 3),
    (|world| both_look(world, |world| world.fence()), |world| both_look(world, |world| world.quiet()), 2),
    (signal_before_data, signal_with_data, 2),
];

/// A signal update of its own is not ordered after the data.
fn signal_before_data(world: &World) {
    let (data, signal) = (world.alloc::<u64>(4).unwrap(), world.alloc_signal().unwrap());
    world.put_slice(&data, &[1; 4], 1 - world.my_pe());
    world.signal_op(&signal, SignalOp::Set(1), 1 - world.my_pe());
    world.wait_until(&signal, Cmp::Eq(1));
    assert_eq!(data.to_vec(), [1; 4]);
}

fn signal_with_data(world: &World) {
    let (data, signal) = (world.alloc::<u64>(4).unwrap(), world.alloc_signal().unwrap());
    world.put_signal(&data, &[1; 4], &signal, SignalOp::Set(1), 1 - world.my_pe());
    world.wait_until(&signal, Cmp::Eq(1));
    assert_eq!(data.to_vec(), [1; 4]);
}

#[test]
fn a_missing_order_is_found_in_the_first_hundred_seeds() {
    for (at, (wrong, _, pes)) in PAIRS.into_iter().enumerate() {
        // Stop at the first failure, because each failing schedule is reduced, which takes time.
        let found = (0..100).find(|&seed| failure(seed, pes, wrong).is_some());
        assert!(found.is_some(), "program {at}");
    }
}

#[test]
fn ordered_programs_have_no_findings() {
    for (_, right, pes) in PAIRS {
        assert_eq!(failures(0..60, pes, right), 0);
    }
}

/// Run by `cargo test -p ferrite-shmem --test simulated -- --ignored`. Takes some minutes.
#[test]
#[ignore = "ten thousand seeds of each program"]
fn ordered_programs_have_no_findings_in_ten_thousand_seeds() {
    for (_, right, pes) in PAIRS {
        assert_eq!(failures(0..10_000, pes, right), 0);
    }
}

#[test]
fn the_report_has_the_seed_and_the_smallest_schedule() {
    let why = (0..100).find_map(|seed| failure(seed, 2, PAIRS[0].0).map(|why| (seed, why)));
    let (seed, why) = why.expect("a seed fails");
    assert!(why.starts_with(&format!("seed {seed}: PE ")) && why.contains("assertion `left == right` failed"), "{why}");
    assert!(why.contains("the smallest schedule that fails has 1 decision of the network:"), "{why}");
    assert!(why.contains("put of 24 bytes to PE "), "{why}");
    assert_eq!(failure(seed, 2, PAIRS[0].0), Some(why), "the same again");
}

#[test]
fn a_run_follows_from_its_seed() {
    // Which PE is first, and the order in which the numbers arrive.
    let race = |world: &World| {
        let (first, order) = (world.alloc_atomic::<u32>().unwrap(), world.alloc::<u32>(3).unwrap());
        let turn = world.alloc_atomic::<u64>().unwrap();
        world.compare_swap(&first, 0, world.my_pe() + 1, 0);
        for _ in 0..2 {
            let at = world.fetch_inc(&turn, 1) % 3;
            world.put(order.at(at as usize), world.my_pe(), 2);
        }
        world.barrier();
        (world.fetch(&first, 0), world.get_vec(&order, 2))
    };
    let all: HashSet<_> = (0..50)
        .map(|seed| {
            let once = ferrite::sim(seed, 3, race);
            assert_eq!(once, ferrite::sim(seed, 3, race), "seed {seed}");
            once
        })
        .collect();
    assert!(all.len() > 10, "{}", all.len());
}

#[test]
fn deadlock_is_reported() {
    let why = failure(3, 3, |world| {
        let flag = world.alloc_box::<u64>().unwrap();
        if world.my_pe() == 1 {
            world.wait_until(&flag, Cmp::Ne(0));
        }
        world.barrier();
    });
    let why = why.expect("it fails");
    assert!(why.contains("all PEs wait, and nothing is under way: no PE will ever go on"), "{why}");
    assert!(why.contains("it fails where everything arrives at once, too"), "{why}");
}

/// PE 1 fails while an operation of PE 0 may be held back until all PEs wait. PE 0 does not wait for it.
#[test]
fn a_failure_ends_a_world_with_operations_under_way() {
    for seed in 0..20 {
        let error = failure(seed, 2, |world| {
            let (words, flag) = (world.alloc::<u64>(1).unwrap(), world.alloc_box::<u64>().unwrap());
            assert!(world.my_pe() == 0, "on purpose");
            let ones = [1];
            world.scope(|scope| {
                scope.put(&words, &ones, 1);
                world.wait_until(&flag, Cmp::Eq(1));
            });
        });
        assert!(error.is_some_and(|error| error.contains("on purpose")));
    }
}

#[test]
fn loops_of_the_programs_own_let_others_run() {
    for seed in 0..10 {
        ferrite::sim(seed, 3, |world| {
            let (count, flag) = (world.alloc_atomic::<u64>().unwrap(), world.alloc_box::<u64>().unwrap());
            world.inc(&count, 0);
            while world.fetch(&count, 0) < 3 {}
            world.put(&flag, 1, (world.my_pe() + 1) % 3);
            while !world.test(&flag, Cmp::Eq(1)) {}
            let lock = world.alloc_lock().unwrap();
            for _ in 0..3 {
                let _held = world.acquire(&lock);
                let old = world.get(&flag, 0);
                world.put(&flag, old + 1, 0);
            }
            world.barrier();
            assert_eq!(world.get(&flag, 0), 10);
            world.barrier();
        });
    }
}

/// The library's own messages go through the same adversary.
#[test]
fn teams_collectives_phases_scopes_and_aggregators() {
    for seed in 0..12 {
        ferrite::sim(seed, 4, |world| {
            let me = world.my_pe();
            let (row, column) = world.split_2d(2).unwrap();
            assert_eq!((row.sum(me), column.sum(me)), ([1, 1, 5, 5][me as usize], [2, 4, 2, 4][me as usize]));
            let (source, mut dest) = (world.alloc::<u64>(300).unwrap(), world.alloc::<u64>(300).unwrap());
            source.fill(u64::from(me));
            world.sum_reduce(&source, &mut dest);
            assert_eq!(dest.to_vec(), [6; 300]);
            // Other PEs may still be in the reduction, and the broadcast must not overwrite its data.
            world.sync();
            world.broadcast(&source, &mut dest, 3);
            assert_eq!(dest.to_vec(), [3; 300]);
            world.barrier();
            let right = (me + 1) % 4;
            world.put_slice(&dest, &[9; 300], right);
            world.phase(&mut dest, |mine| assert!(mine.iter().all(|&word| word == 9)));
            let mut back = [0; 300];
            world.scope(|s| s.get(&dest, &mut back, right));
            assert_eq!(back, [9; 300]);
            world.barrier();
            let mut seen = Vec::new();
            let body = |items: &ferrite::Items<'_, u32>| (0..50).for_each(|i| items.send(i, (me + i) % 4));
            world.aggregate(|_, item: u32| seen.push(item), body).unwrap();
            seen.sort();
            assert!(seen.into_iter().eq(0..50), "each once");
            drop(source);
            world.reclaim();
            world.sync_later().wait();
            column.destroy();
            row.destroy();
        });
    }
}

/// The values that PE 1 sees in a small program, over many seeds. All PEs have `x`, `y` and a flag.
fn outcomes(play: impl Fn(&World, &Words<'_>) -> Option<u64> + Sync) -> BTreeSet<u64> {
    let one = |seed| {
        ferrite::sim(seed, 3, |world| {
            let (x, y) = (world.alloc_atomic::<u64>().unwrap(), world.alloc_box::<u64>().unwrap());
            let (data, flag) = (world.alloc_box::<u64>().unwrap(), world.alloc_signal().unwrap());
            let seen = play(world, &Words { data: &data, x: &x, y: &y, flag: &flag });
            world.barrier();
            seen
        })
    };
    (0..10).flat_map(one).flatten().collect()
}

/// The variables of litmus tests, on PE 1 unless stated otherwise.
struct Words<'w> {
    data: &'w SymBox<u64>,
    x: &'w SymAtomic<u64>,
    y: &'w SymBox<u64>,
    flag: &'w SymSignal,
}

/// The adversary shows every outcome that is allowed, and no other.
#[track_caller]
fn check(name: &str, allowed: &[u64], seen: BTreeSet<u64>) {
    println!("{name}: allowed {allowed:?}, seen {seen:?}");
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), allowed, "{name}");
}

/// The litmus tests of ferrite_check(7) in which PE 1 or 2 waits for a flag.
#[test]
fn litmus_tests_with_flags_show_only_allowed_outcomes() {
    let after_flag = |world: &World, words: &Words<'_>| {
        (world.my_pe() == 1).then(|| {
            world.wait_until(words.flag, Cmp::Eq(1));
            words.data.read()
        })
    };
    let send = |world: &World, words: &Words<'_>, order: fn(&World), to: u32| {
        if world.my_pe() == 0 {
            world.put(words.data, 1, 1);
            order(world);
            world.signal_op(words.flag, SignalOp::Set(1), to);
        }
    };
    for (name, order, allowed) in [
        ("no_order", (|_| {}) as fn(&World), &[0, 1][..]),
        ("fence_and_atomic", |world| world.fence(), &[1]),
        ("quiet_and_atomic", |world| world.quiet(), &[1]),
    ] {
        check(
            name,
            allowed,
            outcomes(|world, words| {
                send(world, words, order, 1);
                after_flag(world, words)
            }),
        );
    }
    for (name, order, allowed) in [
        ("fence_elsewhere", (|world| world.fence()) as fn(&World), &[0, 1][..]),
        ("quiet_elsewhere", |world| world.quiet(), &[1]),
    ] {
        let elsewhere = outcomes(|world, words| {
            send(world, words, order, 2);
            (world.my_pe() == 2).then(|| {
                world.wait_until(words.flag, Cmp::Eq(1));
                world.get(words.data, 1)
            })
        });
        check(name, allowed, elsewhere);
    }
    let with_signal = |behind: bool| {
        outcomes(move |world, words| {
            if world.my_pe() == 0 {
                if behind {
                    world.put(words.data, 1, 1);
                }
                let (to, value) = if behind { (words.y, [7]) } else { (words.data, [1]) };
                world.put_signal(to, &value, words.flag, SignalOp::Set(1), 1);
            }
            after_flag(world, words)
        })
    };
    check("data_with_signal", &[1], with_signal(false));
    check("data_before_signal", &[0, 1], with_signal(true));
}

/// The litmus tests without a flag.
#[test]
fn litmus_tests_without_flags_show_only_allowed_outcomes() {
    let two_puts = |fences: bool| {
        outcomes(move |world, words| {
            if world.my_pe() == 0 {
                world.put(words.data, 1, 1);
                if fences {
                    world.fence();
                }
                world.put(words.data, 2, 1);
            }
            world.barrier();
            (world.my_pe() == 1).then(|| words.data.read())
        })
    };
    check("two_puts", &[1, 2], two_puts(false));
    check("two_puts_and_fence", &[2], two_puts(true));
    let meets = |completes: bool| {
        outcomes(move |world, words| {
            if world.my_pe() == 0 {
                world.put(words.data, 1, 1);
            }
            if completes {
                world.barrier()
            } else {
                world.sync()
            }
            (world.my_pe() == 1).then(|| words.data.read())
        })
    };
    check("sync_alone", &[0, 1], meets(false));
    check("barrier", &[1], meets(true));
    let adds = outcomes(|world, words| {
        if world.my_pe() != 2 {
            world.add(words.x, 1, 1);
        }
        world.barrier();
        (world.my_pe() == 1).then(|| world.fetch(words.x, 1))
    });
    check("adds_of_two", &[2], adds);
    let own = outcomes(|world, words| {
        (world.my_pe() == 0).then(|| {
            world.put(words.data, 1, 1);
            world.get(words.data, 1)
        })
    });
    check("put_and_get", &[0, 1], own);
}
