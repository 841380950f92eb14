//! Worlds of threads: their results, how they end, and that their memory is freed.

use ferrite::prelude::*;
use std::{
    panic,
    sync::atomic::{AtomicU32, Ordering::Relaxed},
};

/// The error of a world that must fail.
fn failure(pes: u32, body: impl Fn(&World) + Sync) -> String {
    let why = panic::catch_unwind(panic::AssertUnwindSafe(|| ferrite::local(pes, body))).expect_err("a PE panics");
    why.downcast_ref::<String>().expect("it says why").clone()
}

#[ferrite::test(pes = 4)]
fn the_attribute_makes_as_many_pes(world: &World) {
    assert_eq!(world.n_pes(), 4);
    assert_eq!(world.sum(1_u32), 4);
}

#[ferrite::test]
fn without_a_number_there_are_two(world: &World) {
    assert_eq!(world.n_pes(), 2);
}

#[ferrite::test(pes = 3)]
fn a_test_may_return_a_result(world: &World) -> Result<(), ferrite::AllocError> {
    let words = world.alloc::<u64>(10)?;
    assert_eq!(words.len(), 10);
    Ok(())
}

#[ferrite::test(pes = 2)]
#[should_panic(expected = "PE 1 returned an error: no")]
fn an_error_fails_the_test(world: &World) -> Result<(), String> {
    if world.my_pe() == 1 { Err("no".to_owned()) } else { Ok(()) }
}

#[test]
fn worlds_of_every_small_size() {
    for pes in 1..=6 {
        let sums = ferrite::local(pes, |world| world.sum(world.my_pe() + 1));
        assert_eq!(sums, vec![pes * (pes + 1) / 2; pes as usize]);
    }
}

#[test]
fn several_worlds_at_once() {
    std::thread::scope(|threads| {
        for pes in 1..=4 {
            threads.spawn(move || {
                ferrite::local(pes, |world| {
                    let words = world.alloc::<u32>(1).unwrap();
                    for round in 0..20 {
                        world.put(words.at(0), round, (world.my_pe() + 1) % pes);
                        world.barrier();
                        assert_eq!(words.read(0), round);
                        world.barrier();
                    }
                });
            });
        }
    });
}

#[test]
fn a_world_within_a_world() {
    ferrite::local(2, |outer| {
        let inner = ferrite::local(2, |inner| inner.sum(1_u32));
        assert_eq!(inner, [2, 2]);
        outer.barrier();
    });
}

#[test]
fn a_panic_names_its_pe_and_ends_those_that_wait() {
    type Wait = fn(&World);
    let waits: [Wait; 7] = [
        |world| world.barrier(),
        |world| _ = world.sum(1),
        |world| _ = world.wait_until(&world.alloc_box::<u64>().unwrap(), Cmp::Ne(0)),
        |world| while !world.test(&world.alloc_box::<u64>().unwrap(), Cmp::Ne(0)) {},
        |world| {
            let word = world.alloc_atomic::<u64>().unwrap();
            while world.fetch(&word, 0) == 0 {}
        },
        |world| {
            let word = world.alloc_box::<u64>().unwrap();
            while world.get(&word, 1) == 0 {}
        },
        |world| world.block_on(std::future::pending()),
    ];
    for wait in waits {
        let said = failure(3, |world| {
            assert!(world.my_pe() != 1, "of its own accord");
            wait(world);
        });
        assert_eq!(said, "PE 1 panicked: of its own accord");
    }
}

#[test]
fn a_panic_after_allocations_ends_those_that_wait() {
    let said = failure(3, |world| {
        let (word, words) = (world.alloc_atomic::<u64>().unwrap(), world.alloc::<u64>(4).unwrap());
        assert!(world.my_pe() != 2, "late");
        while world.fetch(&word, 0) == 0 {
            world.put(words.at(0), 1, 0);
        }
    });
    assert!(said.starts_with("PE 2 panicked: late"), "{said}");
}

#[test]
fn misuse_is_a_panic_of_its_pe() {
    type Body = fn(&World, &SymSlice<u64>, &SymAtomic<u64>);
    let cases: &[(Body, &str)] = &[
        (|world, words, _| world.put(words.at(0), 1, 7), "PE 0: Ctx::put: pe is 7; PE numbers go from 0 to 1"),
        (|world, _, count| _ = world.fetch(count, u32::MAX), "Ctx::fetch: pe is 4294967295; PE numbers go from 0 to 1"),
        (|_, words, _| words.write(3, 0), "index 3 is beyond the end of a symmetric slice of 3 elements"),
        (|_, words, _| _ = words.range(2..5), "range 2..5 is not within a symmetric slice of 3 elements"),
        (|world, words, _| world.put_slice(words, &[1; 4], 0), "the symmetric side has 3 elements, and the other 4"),
        (
            |world, _, _| _ = world.broadcast_value(0, 2),
            "Group::broadcast_value: root is 2; the members go from 0 to 1",
        ),
        (|world, _, _| world.exit(3), "PE 0 called World::exit(3)"),
    ];
    for (body, expected) in cases {
        let said = failure(2, |world| {
            let (words, count) = (world.alloc(3).unwrap(), world.alloc_atomic().unwrap());
            if world.my_pe() == 0 {
                body(world, &words, &count);
            }
            world.barrier();
        });
        assert!(said.contains(expected), "{said}");
    }
}

#[test]
fn blocks_dropped_by_all_are_reclaimed_in_any_order() {
    ferrite::local(3, |world| {
        for round in 0..10 {
            let mut blocks: Vec<_> = (0..100).map(|i| world.alloc::<u8>(1000 + i).unwrap()).collect();
            // Each PE drops in its own order, and keeps one block that others drop.
            blocks.rotate_left(world.my_pe() as usize * 17 + round);
            let kept = blocks.split_off(99 - world.my_pe() as usize);
            drop(blocks);
            world.barrier();
            let given_up = world.reclaim();
            assert_eq!(world.gather(given_up), [given_up; 3], "all agree");
            assert!((94..100).contains(&given_up), "{given_up}");
            drop(kept);
            assert_eq!(world.reclaim(), 100 - given_up);
        }
    });
}

#[test]
fn memory_is_used_again_and_zero_again() {
    ferrite::local(2, |world| {
        for _ in 0..200 {
            let block = world.alloc::<u64>(1 << 16).unwrap();
            assert!(block.to_vec().iter().all(|&word| word == 0));
            block.fill(u64::MAX);
            world.barrier();
        }
    });
}

#[test]
fn handles_outlive_their_world() {
    let handles = ferrite::local(2, |world| {
        let word = world.alloc_box::<u64>().unwrap();
        word.write(u64::from(world.my_pe()) + 5);
        word
    });
    assert_eq!(handles.iter().map(|word| word.read()).collect::<Vec<_>>(), [5, 6]);
}

#[test]
fn allocations_are_refused_alike() {
    ferrite::local(2, |world| {
        assert!(world.alloc::<u64>(usize::MAX).is_err());
        let error = world.alloc::<u8>(1 << 50).unwrap_err();
        assert!(error.to_string().starts_with("no room for 1125899906842624 bytes"), "{error}");
        assert_eq!(world.alloc::<u64>(3).unwrap().to_vec(), [0; 3]);
        assert!(world.alloc::<u64>(0).unwrap().to_vec().is_empty());
    });
}

#[test]
fn a_handle_of_another_pe_is_refused_as_a_target() {
    let places = std::sync::Mutex::new(Vec::new());
    let said = failure(2, |world| {
        let word = world.alloc_box::<u64>().unwrap();
        places.lock().unwrap().push(std::sync::Arc::new(word));
        world.barrier();
        let all: Vec<_> = places.lock().unwrap().clone();
        if world.my_pe() == 0 {
            all.iter().for_each(|word| world.put(&**word, 1, 1));
        }
        world.barrier();
    });
    assert!(said.contains("pass a place of a handle of this World"), "{said}");
}

ferrite::statics! {
    static COUNT: Atomic<u32>;
    static TABLE: [u16; 7];
    static GUARD: Lock;
}

#[ferrite::test(pes = 3)]
fn statics_are_symmetric_and_of_each_world(world: &World) {
    world.inc(COUNT.on(world), 0);
    TABLE.all(world).write(&[world.my_pe() as u16; 7]);
    drop(world.acquire(GUARD.on(world)));
    world.barrier();
    assert_eq!(world.fetch(COUNT.on(world), 0), 3);
    assert_eq!(world.get(TABLE.all(world).at(6), 2), 2);
    let other = ferrite::local(1, |world| world.fetch(COUNT.on(world), 0));
    assert_eq!(other, [0]);
}

#[test]
fn the_world_of_a_process_without_a_launcher() {
    let world = ferrite::init();
    assert_eq!((world.my_pe(), world.n_pes()), (0, 1));
    assert!(panic::catch_unwind(ferrite::init).is_err(), "there is one already");
    world.finalize();
    drop(ferrite::init());
}

#[test]
fn a_panic_may_be_caught_by_the_program() {
    let caught = AtomicU32::new(0);
    ferrite::local(2, |world| {
        let words = world.alloc::<u64>(2).unwrap();
        if panic::catch_unwind(panic::AssertUnwindSafe(|| words.read(2))).is_err() {
            caught.fetch_add(1, Relaxed);
        }
        world.barrier();
    });
    assert_eq!(caught.into_inner(), 2);
}
