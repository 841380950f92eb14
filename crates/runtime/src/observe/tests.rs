use super::*;
use crate::{Ctx, Site, StartOptions};
use core::ffi::c_int;
use ferrite_abi::constants::SHMEM_CMP_EQ;
use ferrite_os::mutex;
use ferrite_settings::Settings;
use std::sync::{Arc, Mutex};

static SITE: Site = Site::of_c("test");

/// Records the calls that it is shown.
#[derive(Default, Clone)]
struct Memory(Arc<Mutex<Vec<(bool, Call)>>>);

impl Observer for Memory {
    fn before(&self, _view: View<'_>, call: &Call) {
        mutex::lock(&self.0).push((true, *call));
    }

    fn after(&self, view: View<'_>, call: &Call) {
        // Calls of an observer are hidden.
        view.fence(call.site, Ctx::DEFAULT);
        mutex::lock(&self.0).push((false, *call));
        assert!(view.me() < 2);
    }

    fn finish(&self, view: View<'_>) {
        view.barrier_all(&SITE);
        mutex::lock(&self.0).push((false, Call::of(&SITE, Kind::Control)));
    }
}

/// Run `body` as two PEs, each with a world that `world` makes.
fn as_two_pes(world: fn() -> World, body: impl Fn(&World, usize) + Sync) {
    std::thread::scope(|scope| {
        for boot in ferrite_bootstrap::threads(2) {
            let body = &body;
            scope.spawn(move || {
                let (world, me) = (world(), boot.me().0 as usize);
                let settings = Settings::default();
                world
                    .start(StartOptions { boot, settings, network: None, extent: crate::Extent::Thread, losses: None })
                    .expect("a world of threads starts");
                body(&world, me);
                world.finalize(&SITE);
            });
        }
    });
}

/// The calls that PE 0 of two is shown while it runs `body`.
fn shown(body: impl Fn(&World, usize) + Sync) -> Vec<(bool, Call)> {
    let seen = Memory::default();
    as_two_pes(World::new, |world, me| {
        let memory = if me == 0 { seen.clone() } else { Memory::default() };
        world.view().expect("it has started").attach(Arc::new(memory));
        body(world, me);
    });
    mutex::lock(&seen.0).clone()
}

#[test]
fn each_routine_is_one_call_with_a_beginning_and_an_end() {
    let calls = shown(|world, me| {
        let peer = 1 - me as c_int;
        // SAFETY: words of a block of the heap; the lock is used as one.
        unsafe {
            let block = world.calloc(&SITE, 5, 8).cast::<u64>();
            world.put(&SITE, Ctx::DEFAULT, block, &7, 1, peer);
            world.wait_until(&SITE, block, SHMEM_CMP_EQ, 7);
            world.atomic_fetch_add::<u64>(&SITE, Ctx::DEFAULT, block.add(1), 5, peer);
            world.put_signal(&SITE, Ctx::DEFAULT, block.add(2), &3, 1, block.add(3), 1, 0, peer);
            world.signal_wait_until(&SITE, block.add(3), SHMEM_CMP_EQ, 1);
            world.quiet(&SITE, Ctx::DEFAULT);
            world.barrier_all(&SITE);
            world.set_lock(&SITE, block.add(4).cast());
            world.clear_lock(&SITE, block.add(4).cast());
            world.free(&SITE, block.cast());
        }
    });
    let begun: Vec<Kind> = calls.iter().filter(|(begins, _)| *begins).map(|(_, call)| call.kind).collect();
    use Kind::*;
    let wanted = [Allocate, Put, Wait, Atomic, PutSignal, Wait, Quiet, Barrier, Lock, Unlock, Free, Barrier];
    assert_eq!(begun, wanted);
    let ended: Vec<Kind> = calls.iter().filter(|(begins, _)| !begins).map(|(_, call)| call.kind).collect();
    // The last is `finish`, after whose beginning nothing is shown.
    assert_eq!(ended, [&wanted[..], &[Control]].concat());
    assert!(calls.iter().take(2 * wanted.len()).enumerate().all(|(at, (begins, _))| *begins == (at % 2 == 0)));
}

#[test]
fn calls_say_what_was_asked_and_what_came_of_it() {
    let calls = shown(|world, me| {
        // SAFETY: words of a block of the heap.
        unsafe {
            let block = world.malloc(&SITE, 64).cast::<u32>();
            world.iput(&SITE, Ctx::DEFAULT, block, [1, 2, 3].as_ptr(), 2, 1, 3, 1 - me as c_int);
            assert_eq!(world.test(&SITE, block.add(9), SHMEM_CMP_EQ, u32::MAX), 0);
            world.team_sync(&SITE, crate::Team::SHARED);
        }
    });
    let call = |kind: Kind| calls.iter().rfind(|(begins, call)| !begins && call.kind == kind).expect("it was called").1;
    let (block, put) = (call(Kind::Allocate), call(Kind::Put));
    assert_eq!((block.layout.bytes(), put.remote), (64, block.result));
    assert_eq!(put.layout, Layout { block: 4, count: 3, here: 4, there: 8 });
    assert_eq!((put.pe, call(Kind::Test).result), (1, 0));
    // Each team numbers its own collectives.
    let (first, shared) = (block.group.expect("of all PEs"), call(Kind::Sync).group.expect("a team's"));
    assert_eq!((first.number, first.size, shared.number), (0, 2, 0));
    assert_ne!(first.slot, shared.slot);
}

/// Asks for guard bytes, and keeps the blocks that PE 0 is told of: their sizes, and the guard bytes behind them.
struct Guards;

static BLOCKS: Mutex<Vec<(usize, usize)>> = Mutex::new(Vec::new());
const GUARD_BYTES: usize = 4096;

impl Tool for Guards {
    fn attach(&self, _start: &Start<'_>) -> ferrite_fabric::Result<Option<Attachment>> {
        let wishes = Wishes { guard_bytes: GUARD_BYTES, ..Wishes::default() };
        Ok(Some(Attachment { observer: Arc::new(Guards), wishes }))
    }
}

impl Observer for Guards {
    fn event(&self, view: View<'_>, event: &Event<'_>) {
        if let Event::Block { bytes, guard, .. } = *event
            && view.me() == 0
        {
            mutex::lock(&BLOCKS).push((bytes, guard));
        }
    }
}

#[test]
fn tool_gets_its_guard_bytes_and_is_told_of_each_block() {
    as_two_pes(
        || World::with_tools(&[&Guards]),
        |world, _| {
            let [first, second] = [100, 8].map(|bytes| world.malloc(&SITE, bytes) as usize);
            assert!(first.abs_diff(second) >= 8 + GUARD_BYTES, "{first:#x} {second:#x}");
        },
    );
    assert_eq!(*mutex::lock(&BLOCKS), [(100, GUARD_BYTES), (8, GUARD_BYTES)]);
}
