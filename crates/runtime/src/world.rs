//! The runtime as a value.
//!
//! A [`World`] is one PE's end of a job: what it maps, its heap, its teams and contexts. The C library keeps the
//! one of its process in a static; worlds of threads and simulated worlds are further values of the same type.
//! Nothing in this crate is a global.
//!
//! What every communication reads ([`Near`]) lies in the world itself, so that a static world is reached without
//! an indirection. All else is [`Live`] and exists between `start` and `stop` only.

use crate::{
    diagnose::{crash, roll_call},
    life::phase::Phases,
    live::Live,
    ops::near::Near,
};
use core::{
    ptr,
    sync::atomic::{AtomicBool, AtomicPtr, Ordering},
};
use ferrite_bootstrap::Boot;
use std::{
    ffi::CString,
    sync::{Arc, Mutex, OnceLock},
};

/// One PE's end of a job.
#[repr(C)]
pub struct World {
    pub(crate) near: Near,
    /// The guard of atomics: the same, but shut where a NIC executes those of the job.
    pub(crate) words: Near,
    /// What is mapped, whatever those two let through: for their cold twins, and for what the library does of itself.
    pub(crate) mapped: Near,
    live: AtomicPtr<Live>,
    /// Whether calls are shown to observers.
    pub(crate) observed: AtomicBool,
    /// Mistakes of the program were found that are to be its exit code; this outlives finalize.
    pub(crate) mistaken: AtomicBool,
    pub(crate) phases: Mutex<Phases>,
    /// Held through an init and through the end of a finalize; `phases` is only looked into.
    pub(crate) gate: Mutex<()>,
    boot: OnceLock<Arc<dyn Boot>>,
    /// The node's name, once it was asked for.
    pub(crate) node_name: OnceLock<CString>,
}

impl World {
    /// A world that nothing has been started in.
    pub const fn new() -> World {
        World {
            near: Near::closed(),
            words: Near::closed(),
            mapped: Near::closed(),
            live: AtomicPtr::new(ptr::null_mut()),
            observed: AtomicBool::new(false),
            mistaken: AtomicBool::new(false),
            phases: Mutex::new(Phases::new()),
            gate: Mutex::new(()),
            boot: OnceLock::new(),
            node_name: OnceLock::new(),
        }
    }

    /// The cold state, if the world has been started.
    #[inline(always)]
    pub(crate) fn live(&self) -> Option<&Live> {
        // SAFETY: non-null only between `open` and `close`, whose callers promise that no reference outlives them.
        unsafe { self.live.load(Ordering::Acquire).as_ref() }
    }

    /// The PE's tie to its launcher, once it has one: it outlives finalize.
    pub(crate) fn boot(&self) -> Option<Arc<dyn Boot>> {
        self.boot.get().cloned()
    }

    /// Tie the world to a launcher; the first tie holds.
    pub(crate) fn set_boot(&self, boot: Arc<dyn Boot>) -> Arc<dyn Boot> {
        self.boot.get_or_init(|| boot).clone()
    }

    /// Let the world be used.
    pub(crate) fn open(&self, live: Box<Live>) {
        live.open_near(&self.mapped);
        live.open_near(&self.near);
        if !live.nic_atomics() {
            live.open_near(&self.words);
        }
        if live.settings.counters {
            self.count_from_now_on(&live);
        }
        self.show_calls(&live);
        let live = Box::into_raw(live);
        self.live.store(live, Ordering::Release);
        // SAFETY: made just now, and there until `close`, after which nothing reaches it.
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

    /// As `close`, but the state stays as it is, with its threads, connections and memory.
    pub(crate) fn abandon(&self) -> *mut Live {
        self.observed.store(false, Ordering::Relaxed);
        Live::close_near(&self.near);
        Live::close_near(&self.words);
        Live::close_near(&self.mapped);
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
        // A world that was not finalized leaves its peers to themselves; its own memory goes.
        // SAFETY: `&mut`: nobody is inside.
        drop(unsafe { self.close() });
    }
}
