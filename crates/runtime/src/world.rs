//! The runtime as a value.
//!
//! A [`World`] is one PE's end of a job: its mappings, heap, teams and contexts. The C library keeps the world of its process in a static;
//! worlds of threads and simulated worlds are further values of the same type. The statics of this crate concern the process: its fork
//! handlers, and its end.
//!
//! The fields that every communication reads ([`Near`]) lie in the world itself, so that a static world is reached without an indirection.
//! Everything else is in [`Live`] and exists between `start` and `stop` only.

use crate::{
    device::DeviceRoom,
    diagnose::{crash, roll_call},
    end::loss::Losses,
    life::phase::Phases,
    live::Live,
    near::Near,
    observe::{OBSERVERS_MAX, Tool},
};
use core::{
    ptr,
    sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, Ordering},
};
use ferrite_bootstrap::Boot;
use ferrite_os::mutex;
use std::sync::{Arc, Mutex};

/// One PE's end of a job.
#[repr(C)]
pub struct World {
    pub(crate) near: Near,
    /// The guard of atomics: as `near`, but closed if a NIC executes the job's atomics.
    pub(crate) words: Near,
    /// All mapped memory, even where `near` and `words` are closed: for their cold paths, and for the library's own accesses.
    pub(crate) mapped: Near,
    live: AtomicPtr<Live>,
    /// Whether calls are shown to observers.
    pub(crate) observed: AtomicBool,
    /// Exit code of the process in place of a success, set by an observer; otherwise 0. It outlives finalize.
    pub(crate) success: AtomicI32,
    pub(crate) phases: Mutex<Phases>,
    /// Held during an init and during the last part of a finalize; `phases` is only locked for short accesses.
    pub(crate) gate: Mutex<()>,
    boot: Mutex<Option<Arc<dyn Boot>>>,
    /// The losses of this job, or of the last one, if losses return.
    pub(crate) losses: Mutex<Option<Arc<Losses>>>,
    /// The tools that may be attached when the world starts.
    pub(crate) tools: &'static [&'static dyn Tool],
}

impl World {
    /// A world that has not been started, and has no tools.
    pub const fn new() -> World {
        World::with_tools(&[])
    }

    /// A world that has not been started. Each init asks the tools, of which there are at most four, whether they are to be attached.
    pub const fn with_tools(tools: &'static [&'static dyn Tool]) -> World {
        assert!(tools.len() < OBSERVERS_MAX, "a world has a place for each of four tools");
        World {
            near: Near::closed(),
            words: Near::closed(),
            mapped: Near::closed(),
            live: AtomicPtr::new(ptr::null_mut()),
            observed: AtomicBool::new(false),
            success: AtomicI32::new(0),
            phases: Mutex::new(Phases::new()),
            gate: Mutex::new(()),
            boot: Mutex::new(None),
            losses: Mutex::new(None),
            tools,
        }
    }

    /// The cold state, if the world has been started.
    #[inline(always)]
    pub(crate) fn live(&self) -> Option<&Live> {
        // SAFETY: non-null only between `open` and `close`, whose callers promise that no reference outlives them.
        unsafe { self.live.load(Ordering::Acquire).as_ref() }
    }

    /// The device memory of this world, if the program has requested it.
    #[inline]
    pub(crate) fn device_room(&self) -> Option<&DeviceRoom> {
        self.live()?.device.get().map(|room| &**room)
    }

    /// The PE's connection to its launcher, once it has one. It outlives finalize; the next init may bring another.
    pub(crate) fn boot(&self) -> Option<Arc<dyn Boot>> {
        mutex::lock(&self.boot).clone()
    }

    /// Connect the world to a launcher, for the job that begins.
    pub fn set_boot(&self, boot: &Arc<dyn Boot>) {
        let before = mutex::lock(&self.boot).replace(Arc::clone(boot));
        // Outside of the lock: a connection that is no longer used waits for its thread.
        drop(before);
    }

    /// Whether the last init has failed because a peer was lost, and the program has not abandoned the job.
    pub(crate) fn is_start_lost(&self) -> bool {
        self.live().is_none() && mutex::lock(&self.phases).is_start_lost()
    }

    /// Whether the last finalize has been called, and no init since.
    pub(crate) fn has_been_finalized(&self) -> bool {
        self.live().is_none() && mutex::lock(&self.phases).has_ended()
    }

    /// Make the threads of this PE notice soon that another PE has ended the job, or that a peer was lost: from here on each call takes the
    /// path of refused calls, which checks [`Boot::over`]. May be called from any thread at any time.
    pub fn interrupt(&self) {
        self.near.shut();
        self.words.shut();
    }

    /// Make the started state available to all routines.
    pub(crate) fn open(&self, live: Box<Live>) {
        let slow_ordering = live.needs_slow_ordering();
        self.mapped.open(&live.memory, slow_ordering);
        self.near.open(&live.memory, slow_ordering);
        if !live.nic_atomics() {
            self.words.open(&live.memory, slow_ordering);
        }
        self.show_calls(&live);
        let live = Box::into_raw(live);
        self.live.store(live, Ordering::Release);
        // SAFETY: made just now, and kept until `close`, after which no reference to it remains.
        let live = unsafe { &*live };
        live.watch_crashes();
        live.watch_for_roll_calls();
    }

    /// Take the cold state out; every routine refuses from here on.
    ///
    /// # Safety
    /// No other thread is inside a routine of this world: the program called finalize.
    pub(crate) unsafe fn close(&self) -> Option<Box<Live>> {
        self.forget_children();
        let live = self.abandon();
        // SAFETY: the pointer came from `Box::into_raw` in `open`, and the caller is its only owner now.
        (!live.is_null()).then(|| unsafe { Box::from_raw(live) })
    }

    /// As `close`, but leave the state as it is, with its threads, connections and memory.
    pub(crate) fn abandon(&self) -> *mut Live {
        self.observed.store(false, Ordering::Relaxed);
        [&self.near, &self.words, &self.mapped].into_iter().for_each(Near::close);
        let live = self.live.swap(ptr::null_mut(), Ordering::AcqRel);
        crash::forget(live);
        roll_call::forget(live);
        live
    }
}

impl Default for World {
    fn default() -> World {
        World::new()
    }
}

impl Drop for World {
    fn drop(&mut self) {
        // A world that was not finalized does not wait for its peers; only its own memory is released.
        // SAFETY: `&mut`: no other thread is inside.
        drop(unsafe { self.close() });
    }
}
