//! State that the library shares between threads and PEs. Each piece is tested under stress: by threads as the scheduler runs them, and, if
//! only PEs share it, by seeds of the simulator.
//!
//! | state | shared by |
//! |---|---|
//! | `local::Ensemble`: which PE ended the world, and which PEs must learn of it | the PEs of a world, from its start on |
//! | `sim::Turns`: which PE continues | the PEs of a simulated world |
//! | `memory::Book`: blocks, and which of them are given up | threads that drop handles, PEs that reclaim |
//! | `Inner::contexts`: contexts are created, dropped and completed one at a time | threads with contexts |
//! | `Inner::in_phase`, `phases`: the numbers of phases | PEs |
//! | `aggregate::Slot`: the handler; `Failure`: its panic | threads that send, and the thread that handles |
//! | `statics`: offsets | worlds that start at the same time |
//! | `process::TAKEN`: whether the process has a world | threads that start one |
//!
//! The runtime's tests cover locks, signals and atomics of programs.

use ferrite::prelude::*;
use std::{
    panic::{self, AssertUnwindSafe},
    sync::{
        Barrier, Mutex,
        atomic::{AtomicU64, Ordering::SeqCst},
        mpsc,
    },
    thread,
};

/// The message of the panic with which `run` must end.
fn failure(run: impl FnOnce()) -> String {
    let why = panic::catch_unwind(AssertUnwindSafe(run)).expect_err("a PE panics");
    *why.downcast::<String>().expect("it says why")
}

/// The PEs work until the PE `culprit` panics, at its step `last`.
fn until_a_panic(world: &World, culprit: u32, last: usize) {
    let word = world.alloc_box::<u64>().expect("room");
    for step in 0.. {
        assert!(world.my_pe() != culprit || step != last, "on purpose");
        match step % 3 {
            0 => world.barrier(),
            1 => _ = world.sum(1_u32),
            _ => world.put(&word, 1, (culprit + 1) % world.n_pes()),
        }
    }
}

/// Two PEs may panic at once. Then either panic may be reported, and the world ends.
#[test]
fn a_world_ends_whenever_a_pe_panics() {
    for round in 0..30 {
        let (pes, last) = (2 + round % 3, (round / 3) as usize % 7);
        let said = failure(|| _ = ferrite::local(pes, |world| until_a_panic(world, round % pes, last)));
        assert_eq!(said, format!("PE {} panicked: on purpose", round % pes));
        // All PEs panic at once, before they have done anything.
        let said = failure(|| _ = ferrite::local(pes, |_| panic!("all of them")));
        assert!(said.ends_with("panicked: all of them"), "{said}");
    }
}

#[test]
fn a_simulated_world_ends_whenever_a_pe_panics() {
    for seed in 0..20 {
        let (culprit, last) = (seed as u32 % 3, seed as usize % 5);
        let said = failure(|| _ = ferrite::sim(seed, 3, |world| until_a_panic(world, culprit, last)));
        assert!(said.starts_with(&format!("seed {seed}: PE {culprit} panicked: on purpose")), "{said}");
    }
}

/// A block that is in use is not allocated again, even while another thread drops handles. When all handles are dropped, all blocks are
/// reclaimed.
#[test]
fn handles_are_dropped_by_threads_while_blocks_are_reclaimed() {
    ferrite::local(2, |world| {
        let (give, taken) = mpsc::channel::<SymSlice<u64>>();
        thread::scope(|threads| {
            threads.spawn(|| taken.into_iter().for_each(drop));
            let kept = world.alloc::<u64>(64).expect("room");
            kept.fill(7);
            for _ in 0..300 {
                let block = world.alloc::<u64>(64).expect("room");
                assert_eq!(block.to_vec(), [0; 64]);
                block.fill(u64::MAX);
                give.send(block).expect("the thread is there");
            }
            drop(give);
            assert_eq!(kept.to_vec(), [7; 64]);
        });
        // The thread has ended, so this reclaims all blocks that were not reclaimed before.
        world.reclaim();
        assert_eq!(world.reclaim(), 0);
    });
}

#[test]
fn dropped_handles_are_agreed_on() {
    for seed in 0..40 {
        ferrite::sim(seed, 3, |world| {
            let (me, right) = (world.my_pe() as usize, (world.my_pe() + 1) % 3);
            let mut blocks: Vec<_> = (0..6).map(|_| Some(world.alloc_box::<u64>().expect("room"))).collect();
            // Each PE drops the blocks in its own order, while a put to each is under way.
            for at in [[0, 3, 1, 4], [4, 1, 0, 3], [3, 4, 0, 1]][me] {
                let block = blocks[at].take().expect("dropped once");
                world.put(&block, 1, right);
            }
            let fresh = world.alloc_box::<u64>().expect("room");
            assert_eq!(fresh.read(), 0, "what was under way to a block has come to the next");
            world.barrier();
            assert_eq!(fresh.read(), 0);
            drop((fresh, blocks));
            assert_eq!(world.reclaim(), 3, "of six four were reclaimed before");
        });
    }
}

#[test]
fn contexts_go_while_all_are_completed() {
    ferrite::local(2, |world| {
        let (word, total) = (world.alloc_atomic::<u64>().expect("room"), 4 * 100);
        let (give, taken) = mpsc::channel::<ferrite::Ctx<'_, ferrite::Serialized>>();
        let taken = Mutex::new(taken);
        thread::scope(|threads| {
            for _ in 0..4 {
                threads.spawn(|| {
                    loop {
                        let next = taken.lock().expect("no panics").recv();
                        let Ok(ctx) = next else { break };
                        ctx.inc(&word, 0);
                        drop(ctx);
                    }
                });
            }
            for made in 0..total {
                // If the maximum number of contexts exists, wait until one is dropped.
                let ctx = loop {
                    if let Some(ctx) = world.serialized_context() {
                        break ctx;
                    }
                    // This completes all contexts while the threads drop theirs.
                    world.quiet();
                };
                give.send(ctx).expect("the threads are there");
                if made % 10 == 0 {
                    // An allocation completes all contexts that exist at this moment.
                    drop(world.alloc::<u8>(1));
                }
            }
            drop(give);
        });
        world.barrier();
        assert_eq!(world.fetch(&word, 0), 2 * total);
        world.barrier();
    });
}

#[test]
fn phases_follow_each_other_by_every_schedule() {
    for seed in 0..25 {
        ferrite::sim(seed, 3, |world| {
            let (mut a, mut b) = (world.alloc::<u64>(4).expect("room"), world.alloc::<u64>(4).expect("room"));
            let right = (world.my_pe() + 1) % 3;
            for round in 1..=3 {
                world.put_slice(&a, &[round; 4], right);
                world.phase((&mut a, &mut b), |(a, b)| {
                    assert_eq!(a, [round; 4], "what was put before a phase is there");
                    b.copy_from_slice(a);
                    a.fill(0);
                });
                let mut theirs = [0; 4];
                world.get_slice(&b, &mut theirs, right);
                assert_eq!(theirs, [round; 4], "a phase is over on all PEs when it is over on one");
                world.phase(&mut b, |b| b.fill(9));
            }
        });
    }
}

#[test]
fn threads_that_send_share_a_handler() {
    ferrite::local(3, |world| {
        let (mut items, mut inside) = (0_u64, 0_u32);
        let handler = |_, item: u64| {
            // Calls of the handler are serialised, so no other thread changes these.
            inside += 1;
            items += item;
            inside -= 1;
            assert_eq!(inside, 0);
        };
        let send = |all: &ferrite::Items<'_, u64>| {
            thread::scope(|threads| {
                for _ in 0..3 {
                    threads.spawn(|| (0..500).for_each(|i| all.send(1, i % 3)));
                }
            });
        };
        world.aggregate(handler, send).expect("room");
        assert_eq!(world.sum(items), 3 * 3 * 500);
    });
}

/// The panic is reported to one of the threads that send, or to the PE when the aggregator ends.
#[test]
fn handler_panic_is_reported_once() {
    for round in 0..20 {
        let told = AtomicU64::new(0);
        let end = panic::catch_unwind(AssertUnwindSafe(|| {
            ferrite::local(2, |world| {
                let handler = |_, item: u64| assert!(item != round, "not this one");
                let body = |all: &ferrite::Items<'_, u64>| {
                    let send = || (0..100).for_each(|i| all.send(i, 1));
                    thread::scope(|threads| {
                        let both = [threads.spawn(send), threads.spawn(send)];
                        let panics = both.map(|thread| thread.join().is_err()).into_iter().filter(|&panicked| panicked);
                        told.fetch_add(panics.count() as u64, SeqCst);
                    });
                };
                world.aggregate(handler, body).expect("room");
            })
        }));
        if let Err(why) = &end {
            assert_eq!(why.downcast_ref::<String>().expect("it says why"), "PE 1 panicked: not this one");
        }
        assert_eq!(told.into_inner() + u64::from(end.is_err()), 1);
    }
}

ferrite::statics! {
    static NARROW: [u8; 3];
    static WIDE: [u64; 5];
    static COUNT: Atomic<u32>;
}

#[test]
fn worlds_that_start_at_once_agree_on_statics() {
    thread::scope(|threads| {
        for number in 0..6_u64 {
            threads.spawn(move || {
                ferrite::local(2, |world| {
                    let other = 1 - world.my_pe();
                    world.put_slice(NARROW.all(world), &[number as u8; 3], other);
                    world.put_slice(WIDE.all(world), &[number; 5], other);
                    world.inc(COUNT.on(world), other);
                    world.barrier();
                    assert_eq!(
                        (NARROW.all(world).to_vec(), WIDE.all(world).to_vec()),
                        (vec![number as u8; 3], vec![number; 5])
                    );
                    assert_eq!(world.fetch(COUNT.on(world), world.my_pe()), 1);
                    world.barrier();
                });
            });
        }
    });
}

#[test]
fn one_thread_gets_the_world_of_the_process() {
    for _ in 0..3 {
        let (at_once, all_asked) = (Barrier::new(4), Barrier::new(4));
        let worlds: usize = thread::scope(|threads| {
            let asks = || {
                at_once.wait();
                let world = panic::catch_unwind(ferrite::init);
                // Keep the world until the other threads have been refused.
                all_asked.wait();
                world.map(World::finalize).is_ok()
            };
            let all = [(); 4].map(|()| threads.spawn(asks));
            all.map(|thread| thread.join().expect("no panics but those that are caught"))
                .into_iter()
                .filter(|&got| got)
                .count()
        });
        assert_eq!(worlds, 1);
    }
}
