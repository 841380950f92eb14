//! Aggregation with PEs as threads: on one node, on several, and mixed. Each item is handled once and in order, before a flush returns.

mod local;

use ferrite_runtime::{Agg, Ctx, Site, World};
use local::worlds_of;
use std::{
    cell::RefCell,
    ffi::{c_int, c_void},
    ptr,
};

static SITE: Site = Site::of_c("an aggregation test");

/// An item: its number among its sender's items to this target, and a checksum.
#[repr(C)]
#[derive(Clone, Copy)]
struct Item {
    number: u64,
    check: [u32; 3],
}

/// For each source, the number of its next item: all items below it were handled.
type Log = RefCell<Vec<u64>>;

/// Handle a batch; fails unless the items of each source come once and in order.
unsafe extern "C" fn take(log: *mut c_void, items: *const c_void, count: usize, source: c_int) {
    // SAFETY: the context is the log given to `agg_create`, and `items` has `count` items.
    let (log, items) = unsafe { (&*log.cast::<Log>(), std::slice::from_raw_parts(items.cast::<Item>(), count)) };
    assert!(count > 0);
    for item in items {
        let next = &mut log.borrow_mut()[source as usize];
        assert_eq!((item.number, item.check), (*next, check(source, *next)), "from PE {source}");
        *next += 1;
    }
}

fn check(source: c_int, number: u64) -> [u32; 3] {
    [source as u32, number as u32, !number as u32]
}

/// The next of a stream of numbers that looks random.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

fn create(world: &World, log: Option<&Log>, item: usize, buffer: usize) -> Agg {
    let mut agg = Agg::NULL;
    let context = log.map_or(ptr::null_mut(), |log| ptr::from_ref(log).cast_mut().cast());
    // SAFETY: the log outlives the aggregator.
    let result = unsafe { world.agg_create(&SITE, item, log.map(|_| take as _), context, buffer, &raw mut agg) };
    assert_eq!(result, 0);
    agg
}

/// Check that this PE has handled exactly the items that all PEs have sent to it.
fn compare(world: &World, sent: &[u64], log: &Log, me: c_int) {
    let n = sent.len();
    let board = world.calloc(&SITE, n * n, 8).cast::<u64>();
    for pe in 0..n as c_int {
        // SAFETY: row `me` of each PE's board is written by this PE only.
        unsafe { world.put(&SITE, Ctx::DEFAULT, board.add(me as usize * n), sent.as_ptr(), n, pe) };
    }
    world.barrier_all(&SITE);
    for (source, &handled) in log.borrow().iter().enumerate() {
        // SAFETY: no PE puts after the barrier.
        assert_eq!(handled, unsafe { *board.add(source * n + me as usize) }, "PE {me} from PE {source}");
    }
    world.barrier_all(&SITE);
    // SAFETY: all PEs have read the board.
    unsafe { world.free(&SITE, board.cast()) };
}

/// The call that completes the items of a round.
#[derive(Clone, Copy)]
enum End {
    Flush,
    Quiet,
    Barrier,
    Sync,
}

#[test]
fn every_item_is_handled_once_and_in_order() {
    worlds_of(4, |world, me| {
        let n = 4;
        // Buffers for one item, for a few items that do not fill cache lines, and of the library's choice (0).
        for (buffer, end) in [(1, End::Flush), (100, End::Quiet), (0, End::Barrier), (64, End::Sync)] {
            let log = Log::new(vec![0; n]);
            let agg = create(world, Some(&log), size_of::<Item>(), buffer);
            let (mut sent, mut stream) = (vec![0; n], me as u64 + 1);
            for round in 0..5_u64 {
                for _ in 0..next(&mut stream) % 200 {
                    let pe = next(&mut stream) as usize % n;
                    let item = Item { number: sent[pe], check: check(me, sent[pe]) };
                    // SAFETY: the item has the size that was given to `agg_create`.
                    unsafe { world.agg_send(&SITE, agg, (&raw const item).cast(), pe as c_int) };
                    sent[pe] += 1;
                }
                match end {
                    End::Flush => world.agg_flush(&SITE, agg),
                    End::Quiet => world.quiet(&SITE, Ctx::DEFAULT),
                    End::Barrier => {}
                    End::Sync => world.sync_all(&SITE),
                }
                // After the barrier the other PEs have flushed too.
                world.barrier_all(&SITE);
                if round % 2 == 0 {
                    compare(world, &sent, &log, me);
                }
            }
            let mut ending = agg;
            // SAFETY: the aggregator is not used after this.
            unsafe { world.agg_destroy(&SITE, &raw mut ending) };
            assert_eq!(ending, Agg::NULL);
        }
    });
}

/// A flush guarantees its caller that the items sent are handled, even if the target has not flushed.
#[test]
fn a_flush_returns_when_its_items_are_handled() {
    worlds_of(3, |world, me| {
        let log = Log::new(vec![0; 3]);
        let mut agg = create(world, Some(&log), size_of::<Item>(), 0);
        let handled = world.calloc(&SITE, 1, 8).cast::<u64>();
        if me == 0 {
            for number in 0..10 {
                let item = Item { number, check: check(0, number) };
                // SAFETY: the item has the size that was given to `agg_create`.
                unsafe { world.agg_send(&SITE, agg, (&raw const item).cast(), 1) };
            }
            world.agg_flush(&SITE, agg);
            // SAFETY: a symmetric word.
            unsafe { world.atomic_set(&SITE, Ctx::DEFAULT, handled, 10, 1) };
        }
        if me == 1 {
            // A PE that waits handles incoming items.
            // SAFETY: a word of this heap.
            unsafe { world.wait_until(&SITE, handled, ferrite_abi::constants::SHMEM_CMP_EQ, 10) };
            assert_eq!(log.borrow()[0], 10);
        }
        world.barrier_all(&SITE);
        // SAFETY: the aggregator and the word are not used after this.
        unsafe {
            world.agg_destroy(&SITE, &raw mut agg);
            world.free(&SITE, handled.cast());
        }
    });
}

/// Updates of all kinds, and plain atomics on the same words at the same time.
#[test]
fn updates_are_applied_once_and_exclude_plain_atomics() {
    worlds_of(4, |world, me| {
        const WORDS: usize = 16;
        const UPDATES: u64 = 3_000;
        let table = world.calloc(&SITE, 4 * WORDS, 8).cast::<u64>();
        let mut agg = create(world, None, 0, 256);
        let mut stream = me as u64 + 7;
        for _ in 0..UPDATES {
            let r = next(&mut stream);
            let (pe, word, bits) = ((r % 4) as c_int, (r >> 2) as usize % WORDS, 1 << (r >> 8 & 31) | (r >> 16) << 32);
            // SAFETY: symmetric words.
            unsafe {
                world.agg_add(&SITE, agg, table.add(word), 1, pe);
                world.atomic_add(&SITE, Ctx::DEFAULT, table.add(word), 1 << 32, pe);
                world.agg_xor(&SITE, agg, table.add(WORDS + word), bits, pe);
                world.agg_or(&SITE, agg, table.add(2 * WORDS + word), bits, pe);
                // Only one PE puts to each of these words, so that the last put is known.
                world.agg_put(&SITE, agg, table.add(3 * WORDS + me as usize), r, pe);
            }
        }
        world.barrier_all(&SITE);
        let mut expected = vec![0_u64; 4 * WORDS];
        for source in 0..4 {
            let mut stream = source + 7;
            for _ in 0..UPDATES {
                let r = next(&mut stream);
                if (r % 4) as c_int == me {
                    let (word, bits) = ((r >> 2) as usize % WORDS, 1 << (r >> 8 & 31) | (r >> 16) << 32);
                    expected[word] += 1 + (1 << 32);
                    expected[WORDS + word] ^= bits;
                    expected[2 * WORDS + word] |= bits;
                    expected[3 * WORDS + source as usize] = r;
                }
            }
        }
        // SAFETY: no PE updates the table after the barrier.
        assert_eq!(unsafe { std::slice::from_raw_parts(table, 4 * WORDS) }, expected);
        world.barrier_all(&SITE);
        // SAFETY: the aggregator and the table are not used after this.
        unsafe {
            world.agg_destroy(&SITE, &raw mut agg);
            world.free(&SITE, table.cast());
        }
    });
}

/// Several aggregators fill up while their targets flush others. One is left for finalize.
#[test]
fn aggregators_do_not_wait_for_each_other() {
    worlds_of(3, |world, me| {
        let logs: Vec<&Log> = (0..3).map(|_| &*Box::leak(Box::new(Log::new(vec![0; 3])))).collect();
        let mut aggs: Vec<Agg> = logs.iter().map(|log| create(world, Some(log), size_of::<Item>(), 40)).collect();
        // Each PE fills the aggregators in a different order, with more items than the slots hold.
        for turn in 0..3 {
            let agg = aggs[(turn + me as usize) % 3];
            for number in 0..500 {
                for pe in 0..3 {
                    let item = Item { number, check: check(me, number) };
                    // SAFETY: the item has the size that was given to `agg_create`.
                    unsafe { world.agg_send(&SITE, agg, (&raw const item).cast(), pe) };
                }
            }
            world.agg_flush(&SITE, agg);
        }
        world.barrier_all(&SITE);
        for log in &logs {
            assert_eq!(*log.borrow(), [500; 3]);
        }
        // SAFETY: these two aggregators are not used after this.
        aggs[..2].iter_mut().for_each(|agg| unsafe { world.agg_destroy(&SITE, &raw mut *agg) });
    });
}
