//! Aggregators: each item is handled once, in order, and is complete when that is promised; and how panics end.

use ferrite::prelude::*;
use std::{
    panic::{self, AssertUnwindSafe},
    sync::Mutex,
};

#[test]
fn each_item_is_handled_once_and_in_order() {
    for pes in [1, 2, 5] {
        ferrite::local(pes, |world| {
            let mut seen = vec![Vec::new(); pes as usize];
            let sent = |from: u32, to: u32| (0..20_000_u32).filter(move |i| (i * 7 + from) % pes == to);
            world
                .aggregate(
                    |from, item: [u32; 2]| seen[from as usize].push(item),
                    |items| {
                        for i in 0..20_000 {
                            items.send([i, world.my_pe()], (i * 7 + world.my_pe()) % pes);
                        }
                    },
                )
                .unwrap();
            for from in 0..pes {
                let wanted = sent(from, world.my_pe()).map(|i| [i, from]);
                assert!(seen[from as usize].iter().copied().eq(wanted), "from {from} of {pes}");
            }
        });
    }
}

#[ferrite::test(pes = 3)]
fn collectives_and_quiet_complete_what_was_sent(world: &World) {
    let count = Mutex::new(0_u64);
    world
        .aggregate(
            |_, item: u64| *count.lock().unwrap() += item,
            |items| {
                for round in 1..50 {
                    (0..3).for_each(|pe| items.send(1, pe));
                    world.barrier();
                    assert_eq!(*count.lock().unwrap(), 3 * round);
                    world.barrier();
                }
            },
        )
        .unwrap();
}

/// The size of an item is not the size of a word, and does not divide a cache line.
#[ferrite::test(pes = 2)]
fn items_of_odd_sizes(world: &World) {
    let mut seen = Vec::new();
    world
        .aggregate(
            |_, item: [u8; 13]| seen.push(item),
            |items| (0..10_000_u32).for_each(|i| items.send([i as u8; 13], 1 - world.my_pe())),
        )
        .unwrap();
    assert!(seen.iter().copied().eq((0..10_000_u32).map(|i| [i as u8; 13])));
}

#[ferrite::test(pes = 4)]
fn updates_beside_plain_atomics(world: &World) {
    let (sums, marks) = (world.alloc_atomics::<u64>(16).unwrap(), world.alloc_atomics::<i64>(16).unwrap());
    world
        .aggregate_updates(|updates| {
            for i in 0..4_000 {
                updates.add(sums.at(i % 16), 1, (i % 4) as u32);
                world.add(sums.at(i % 16), 1, ((i + 1) % 4) as u32);
                updates.or(marks.at(i % 16), 1 << world.my_pe(), (i % 4) as u32);
            }
        })
        .unwrap();
    assert_eq!((0..16).map(|i| sums.at(i).load()).sum::<u64>(), 2 * 4_000);
    assert!((0..16).all(|i| [0, 15].contains(&marks.at(i).load())));
}

#[ferrite::test(pes = 2)]
fn threads_share_an_aggregator(world: &World) {
    let count = Mutex::new(0);
    let handler = |_, _: u32| *count.lock().unwrap() += 1;
    let body = |items: &ferrite::Items<'_, u32>| {
        std::thread::scope(|threads| {
            for _ in 0..3 {
                threads.spawn(|| (0..1000).for_each(|i| items.send(i, i % 2)));
            }
        });
    };
    world.aggregate(handler, body).unwrap();
    assert_eq!(count.into_inner().unwrap(), 3 * 1000);
}

#[test]
fn a_panic_of_a_handler_is_its_pes() {
    let why = panic::catch_unwind(|| {
        ferrite::local(2, |world| {
            let handler = |_, item: u64| assert!(item != 3, "three is not wanted");
            world.aggregate(handler, |items| (0..10).for_each(|i| items.send(i, 1))).unwrap();
            world.barrier();
        });
    });
    let why = *why.unwrap_err().downcast::<String>().unwrap();
    assert_eq!(why, "PE 1 panicked: three is not wanted");
}

/// Data that the handler borrowed may be gone when more items arrive.
#[ferrite::test(pes = 2)]
fn after_a_panic_of_a_body_no_handler_is_called(world: &World) {
    if world.my_pe() == 0 {
        let mut seen = vec![0_u64; 4];
        let body = || world.aggregate(|_, item: u64| seen.push(item), |_| panic!("on purpose"));
        panic::catch_unwind(AssertUnwindSafe(body)).expect_err("it panics");
        drop(seen);
        world.barrier();
    } else {
        let body = || {
            world.aggregate(
                |_, _: u64| (),
                |items| {
                    (0..100).for_each(|i| items.send(i, 0));
                    items.flush();
                    panic!("too")
                },
            )
        };
        panic::catch_unwind(AssertUnwindSafe(body)).expect_err("it panics");
        world.barrier();
    }
}

#[ferrite::test(pes = 2)]
fn many_one_after_the_other(world: &World) {
    let word = world.alloc_atomic::<u64>().unwrap();
    for round in 1..=100 {
        world.aggregate_updates(|updates| updates.add(&word, 1, 0)).unwrap();
        assert_eq!(world.fetch(&word, 0), 2 * round);
        world.barrier();
    }
}

#[ferrite::test(pes = 2)]
fn more_than_there_is_room_for(world: &World) {
    // Each aggregator keeps its buffers while the ones nested in it are made.
    fn within(world: &World, depth: usize) -> usize {
        match world.aggregate_updates(|_| if depth < 200 { within(world, depth + 1) } else { depth }) {
            Ok(deepest) => deepest,
            Err(error) => {
                assert!(error.to_string().starts_with("no room for the buffers of an aggregator"), "{error}");
                depth
            }
        }
    }
    assert!(within(world, 0) > 10);
}
