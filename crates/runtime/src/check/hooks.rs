//! What instrumented programs call: loads and stores, and what their threads tell each other.

use super::{Check, accesses::word_key};
use crate::{World, live::Live, observe::caller::CallSite};
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use ferrite_check::{Class, Conflict, Place, area::hash, races::Manner};

/// The access changes memory.
pub const WRITES: u32 = 1;
/// It is atomic.
pub const ATOMIC: u32 = 2;

/// What of the memory of this process is looked at, for the program to see without a call that an access is of nothing that is. A fact of
/// the process, which has one world where it is instrumented.
///
/// Loaded and stored without order: what orders an access against the routine that has memory looked at is the program's own order.
#[repr(C)]
#[derive(Debug)]
pub struct Watched {
    /// The host's memory, where this process has it.
    base: AtomicUsize,
    len: AtomicUsize,
    /// Its static data.
    statics: AtomicUsize,
    statics_len: AtomicUsize,
    /// Not 0: all memory is.
    all: AtomicUsize,
    /// All of it lies below this address, which is all that most accesses are held against.
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

/// What is looked at. Nothing, as long as no world is there.
pub fn watched() -> &'static Watched {
    &WATCHED
}

impl Check {
    /// Loads and stores are looked at from here on.
    pub fn watch(&self, live: &Live) {
        if !super::INSTRUMENTED.load(Relaxed) || !self.sees_all() {
            return;
        }
        let (base, len) = live.memory.node.mapped();
        let (statics, statics_len) = live.memory.statics_range().unwrap_or_default();
        WATCHED.base.store(base, Relaxed);
        WATCHED.len.store(len, Relaxed);
        WATCHED.statics.store(statics, Relaxed);
        WATCHED.statics_len.store(statics_len, Relaxed);
        // The heap lies below programs and what they map, so that nothing of theirs is below it but of programs at a fixed address.
        WATCHED.below.store((base + len).max(statics + statics_len), Relaxed);
    }

    /// Private memory may be looked at, too, since buffers of operations are there, or several threads.
    #[inline]
    pub(super) fn watch_private(&self) {
        if self.races.wants_private() && WATCHED.all.load(Relaxed) == 0 && super::INSTRUMENTED.load(Relaxed) {
            WATCHED.all.store(1, Relaxed);
            WATCHED.below.store(usize::MAX, Relaxed);
        }
    }

    /// No more.
    pub(super) fn unwatch(&self) {
        for part in [&WATCHED.below, &WATCHED.len, &WATCHED.statics_len, &WATCHED.all] {
            part.store(0, Relaxed);
        }
    }
}

impl World {
    /// The program accesses memory.
    #[inline]
    pub fn check_access(&self, address: usize, len: usize, flags: u32, pc: usize) {
        if let Some(live) = self.live()
            && let Some(check) = &live.check
        {
            check.access(self, live, (address, len), flags, pc);
        }
    }

    /// What the thread has done is known to whoever takes what lies at `key`.
    pub fn check_leave(&self, key: usize) {
        if let Some(check) = self.live().and_then(|live| live.check.as_ref()) {
            check.with_thread(|thread| check.races.leave(thread, check.own_key(key)));
        }
    }

    /// The thread takes what lies at `key`: a new one does so first.
    pub fn check_take(&self, key: usize) {
        if let Some(check) = self.live().and_then(|live| live.check.as_ref()) {
            check.with_thread_of(|| {}, |thread| check.races.take(thread, check.own_key(key)));
        }
    }

    /// The thread begins a part of the program that another thread might have run as well, or has run the last.
    pub fn check_part(&self, begins: bool) {
        if let Some(check) = self.live().and_then(|live| live.check.as_ref()) {
            check.with_thread(|thread| match begins {
                true => check.races.part(thread),
                false => check.races.parts_end(thread),
            });
        }
    }

    /// Memory is another object from now on.
    pub fn check_forget(&self, address: usize, len: usize) {
        if let Some(check) = self.live().and_then(|live| live.check.as_ref()) {
            check.races.forget_private(address, len);
        }
    }
}

impl Check {
    fn own_key(&self, key: usize) -> u64 {
        hash([5, u64::from(self.me), key as u64])
    }

    fn access(&self, world: &World, live: &Live, (address, len): (usize, usize), flags: u32, pc: usize) {
        let place = self.here(live, address);
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
            self.tell_race(world, live, conflict, len);
        }
    }
}
