//! The runtime is a value: several worlds, each of several PEs, exist in one process at once. Each PE is a thread.

mod local;

use ferrite_abi::constants::{SHMEM_CMP_EQ, SHMEM_CMP_GE, SHMEM_SIGNAL_ADD};
use ferrite_runtime::{Ctx, Site, StartOptions, Team, World};
use ferrite_settings::Settings;
use local::{world_of, worlds_of};
use std::{
    ffi::{c_int, c_long},
    sync::atomic::{AtomicU32, Ordering},
    thread,
};

static SITE: Site = Site::of_c("worlds");
const DEFAULT: Ctx = Ctx::DEFAULT;

/// Every PE puts to its right, gets from its left, counts at PE 0, and takes turns under a lock.
fn exercise(world: &World, me: c_int, n: c_int, salt: u64, rounds: u64) {
    let right = (me + 1) % n;
    let left = (me + n - 1) % n;
    let words = world.calloc(&SITE, 4096, 8).cast::<u64>();
    assert!(!words.is_null());
    let lock = world.calloc(&SITE, 1, 8).cast::<c_long>();
    // SAFETY: all addresses are of symmetric blocks that are large enough, and each word has one use.
    unsafe {
        for round in 1..=rounds {
            let sent: Vec<u64> = (0..512).map(|i| salt ^ (round << 20) ^ (me as u64) << 10 ^ i).collect();
            world.put(&SITE, DEFAULT, words.add(1024), sent.as_ptr(), sent.len(), right);
            world.barrier_all(&SITE);
            let mut got = vec![0u64; 512];
            world.get(&SITE, DEFAULT, got.as_mut_ptr(), words.add(1024), got.len(), right);
            assert_eq!(got, sent, "round {round}");
            assert_eq!(*words.add(1024), salt ^ (round << 20) ^ (left as u64) << 10);
            world.atomic_add(&SITE, DEFAULT, words, 1u64, 0);
            world.put_signal(&SITE, DEFAULT, words.add(8), &round, 1, words.add(16), 1, SHMEM_SIGNAL_ADD, right);
            assert_eq!(world.signal_wait_until(&SITE, words.add(16), SHMEM_CMP_GE, round), round);
            assert_eq!(*words.add(8), round);
            world.set_lock(&SITE, lock);
            let mut count = 0u64;
            world.get(&SITE, DEFAULT, &mut count, words.add(32), 1, 0);
            world.p(&SITE, DEFAULT, words.add(32), count + 1, 0);
            world.clear_lock(&SITE, lock);
            world.barrier_all(&SITE);
        }
        let total = world.atomic_fetch(&SITE, DEFAULT, words.cast_const(), 0);
        assert_eq!(total, rounds * n as u64);
        assert_eq!(world.g(&SITE, DEFAULT, words.add(32).cast_const(), 0), rounds * n as u64, "the lock let two in");
        assert_eq!(*lock, 0, "the lock's word is not zero after use");
        world.wait_until(&SITE, words.add(16).cast_const(), SHMEM_CMP_EQ, rounds);
        world.free(&SITE, lock.cast());
        world.free(&SITE, words.cast());
    }
}

#[test]
fn two_worlds_of_four_threads_at_once() {
    thread::scope(|scope| {
        for salt in [0, 0xdead_beef_0000_0000] {
            scope.spawn(move || world_of(4, |world, me| exercise(world, me, 4, salt, 200)));
        }
    });
}

#[test]
fn worlds_of_every_small_size() {
    for n in 1..=5 {
        worlds_of(n, |world, me| exercise(world, me, n as c_int, u64::from(n), 60));
    }
}

#[test]
fn a_world_starts_again_after_its_end() {
    let inits = AtomicU32::new(0);
    thread::scope(|scope| {
        for boot in ferrite_bootstrap::threads(3) {
            let inits = &inits;
            scope.spawn(move || {
                let _fail = local::FailAtOnce;
                let world = World::new();
                for _ in 0..3 {
                    let plan = || StartOptions {
                        boot: boot.clone(),
                        settings: Settings::default(),
                        extent: ferrite_runtime::Extent::Thread,
                        network: None,
                        losses: None,
                    };
                    world.start(plan()).unwrap();
                    world.start(plan()).unwrap();
                    world.finalize(&SITE);
                    let block = world.malloc(&SITE, 100);
                    assert!(!block.is_null(), "the outer init still holds");
                    world.barrier_all(&SITE);
                    world.finalize(&SITE);
                    let mut is = 1;
                    // SAFETY: a local variable that may be written.
                    unsafe { world.query_initialized(&SITE, &mut is) };
                    assert_eq!(is, 0);
                    inits.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    assert_eq!(inits.into_inner(), 9);
}

#[test]
fn memory_is_refused_alike_and_handed_out_alike() {
    world_of(3, |world, me| {
        assert!(world.malloc(&SITE, usize::MAX / 2).is_null());
        assert!(world.malloc(&SITE, 1 << 45).is_null());
        assert!(world.malloc(&SITE, 0).is_null());
        assert!(world.calloc(&SITE, usize::MAX, 16).is_null());
        assert!(world.align(&SITE, 24, 100).is_null());
        let block = world.align(&SITE, 4096, 100);
        assert!((block as usize).is_multiple_of(4096));
        // SAFETY: block sizes as allocated; peers' blocks are reached through `ptr`.
        unsafe {
            block.cast::<c_int>().write(me);
            world.barrier_all(&SITE);
            for pe in 0..3 {
                assert_eq!(*world.ptr(&SITE, block, pe).cast::<c_int>(), pe);
                assert_eq!(world.team_ptr(&SITE, Team::SHARED, block, pe), world.ptr(&SITE, block, pe));
            }
            assert!(world.ptr(&SITE, block, 3).is_null() && world.ptr(&SITE, (&raw const me).cast(), 0).is_null());
            let larger = world.realloc(&SITE, block, 1 << 20);
            assert_eq!(*larger.cast::<c_int>(), me, "realloc lost the contents");
            assert!(world.realloc(&SITE, larger, usize::MAX / 2).is_null());
            assert_eq!(*larger.cast::<c_int>(), me, "a refused realloc must keep the block");
            world.free(&SITE, larger);
        }
    });
}
