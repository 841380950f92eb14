//! Entry points of instrumented programs: loads and stores, and the synchronisation of their threads.

use super::{Check, accesses::word_key};
use core::{
    ptr,
    sync::atomic::{
        AtomicBool, AtomicPtr, AtomicUsize,
        Ordering::{Acquire, Relaxed, Release},
    },
};
use ferrite_callstack::caller::CallSite;
use ferrite_check::{Class, Conflict, Place, area::hash, races::Manner};
use ferrite_runtime::{World, observe::View};
use std::sync::Arc;

/// Flag: the access changes memory.
pub const WRITES: u32 = 1;
/// Flag: the access is atomic.
pub const ATOMIC: u32 = 2;

/// Memory of this process whose accesses are checked. The program reads this table to skip accesses outside of it without a call. The table
/// belongs to the process, which has one world if it is instrumented.
///
/// Loaded and stored without order: the program's own order is what orders an access against the routine that starts the checks.
#[repr(C)]
#[derive(Debug)]
pub struct Watched {
    /// Address of the host's memory in this process.
    base: AtomicUsize,
    len: AtomicUsize,
    /// Address of this PE's static data.
    statics: AtomicUsize,
    statics_len: AtomicUsize,
    /// Not 0 if all memory is checked.
    all: AtomicUsize,
    /// All checked memory lies below this address, so most accesses need only this comparison.
    below: AtomicUsize,
}

static WATCHED: Watched = Watched {
    base: AtomicUsize::new(0),
    len: AtomicUsize::new(0),
    statics: AtomicUsize::new(0),
    statics_len: AtomicUsize::new(0),
    all: AtomicUsize::new(0),
    below: AtomicUsize::new(0),
};

/// The checked memory. It is empty while there is no world.
pub fn watched() -> &'static Watched {
    &WATCHED
}

/// True if the program was compiled so that its loads and stores are observed. A property of the process.
static INSTRUMENTED: AtomicBool = AtomicBool::new(false);

/// Record that the program was compiled so that its loads and stores are observed.
pub fn program_is_instrumented() {
    INSTRUMENTED.store(true, Relaxed);
}

/// Whether the loads and stores of the program are observed.
pub(super) fn program_is_seen() -> bool {
    INSTRUMENTED.load(Relaxed)
}

/// The checker that the entry points call: that of the process's last world.
static SERVING: AtomicPtr<Check> = AtomicPtr::new(ptr::null_mut());

/// Have the entry points call this checker, if the program is instrumented.
pub(super) fn serve(check: &Arc<Check>) {
    if program_is_seen() {
        SERVING.store(Arc::into_raw(Arc::clone(check)).cast_mut(), Release);
    }
}

/// The checker, and its world if it is started.
#[inline]
fn served(world: &World) -> Option<(&'static Check, View<'_>)> {
    let view = world.view()?;
    // SAFETY: `serve` gives away a count that is never returned, since threads of the program may call at any time.
    Some((unsafe { SERVING.load(Acquire).as_ref() }?, view))
}

impl Check {
    /// Start checking loads and stores.
    pub(super) fn watch(&self, view: View<'_>) {
        if !program_is_seen() || !self.sees_all() {
            return;
        }
        let (base, len) = view.memory().node.mapped();
        let (statics, statics_len) = view.memory().statics_range().unwrap_or_default();
        WATCHED.base.store(base, Relaxed);
        WATCHED.len.store(len, Relaxed);
        WATCHED.statics.store(statics, Relaxed);
        WATCHED.statics_len.store(statics_len, Relaxed);
        // The heap lies below programs and below memory that they map. So only checked memory lies below this address, except in programs
        // at a fixed address.
        WATCHED.below.store((base + len).max(statics + statics_len), Relaxed);
    }

    /// Check private memory too. Called when operations with buffers are under way, or when several threads exist.
    #[inline]
    pub(super) fn watch_private(&self) {
        if self.races.wants_private() && WATCHED.all.load(Relaxed) == 0 && program_is_seen() {
            WATCHED.all.store(1, Relaxed);
            WATCHED.below.store(usize::MAX, Relaxed);
        }
    }

    /// Stop checking loads and stores.
    pub(super) fn unwatch(&self) {
        for part in [&WATCHED.below, &WATCHED.len, &WATCHED.statics_len, &WATCHED.all] {
            part.store(0, Relaxed);
        }
    }
}

/// Record an access of the program to memory.
#[inline]
pub fn access(world: &World, address: usize, len: usize, flags: u32, pc: usize) {
    if let Some((check, view)) = served(world) {
        check.access(view, (address, len), flags, pc);
    }
}

/// Order everything that the thread has done before a later [`take`] of `key`.
pub fn leave(world: &World, key: usize) {
    if let Some((check, _)) = served(world) {
        check.with_thread(|thread| check.races.leave(thread, check.own_key(key)));
    }
}

/// Order everything before a [`leave`] of `key` before this thread's next accesses. A new thread calls this first.
pub fn take(world: &World, key: usize) {
    if let Some((check, _)) = served(world) {
        check.with_thread_of(|| {}, |thread| check.races.take(thread, check.own_key(key)));
    }
}

/// Begin a part of the program that another thread might have run as well, or (if not `begins`) end the last such part.
pub fn part(world: &World, begins: bool) {
    if let Some((check, _)) = served(world) {
        check.with_thread(|thread| match begins {
            true => check.races.part(thread),
            false => check.races.parts_end(thread),
        });
    }
}

/// Forget the accesses of memory that belongs to another object from now on.
pub fn forget(world: &World, address: usize, len: usize) {
    if let Some((check, _)) = served(world) {
        check.races.forget_private(address, len);
    }
}

impl Check {
    fn own_key(&self, key: usize) -> u64 {
        hash([5, u64::from(self.me), key as u64])
    }

    fn access(&self, view: View<'_>, (address, len): (usize, usize), flags: u32, pc: usize) {
        let place = self.here(view, address);
        if !self.sees_all() || matches!(place, Place::Private(_)) && !self.races.wants_private() {
            return;
        }
        let (write, atomic) = (flags & WRITES != 0, flags & ATOMIC != 0);
        let site = self.site(if write { "store" } else { "load" }, CallSite(pc.wrapping_sub(1)));
        let class = if atomic { Class::Signal } else { Class::Plain };
        let manner = Manner { write, class, mark: false };
        let found: Option<Conflict> = self
            .with_thread(|thread| {
                let found = self.races.by_thread(thread, (place, len), manner, site);
                if atomic {
                    let key = word_key(place);
                    if write {
                        self.races.leave(thread, key);
                    }
                    self.races.seen(thread, (place, len), key);
                }
                found
            })
            .flatten();
        if let Some(conflict) = found {
            self.tell_race(view, conflict, len);
        }
    }
}
