//! What instrumented programs call: loads and stores, and what their threads tell each other.

use super::{Check, accesses::word_key};
use crate::{World, live::Live, observe::caller::CallSite};
use core::cell::Cell;
use ferrite_check::{Class, Conflict, Place, area::hash, races::Manner};

/// The access changes memory.
pub const WRITES: u32 = 1;
/// It is atomic.
pub const ATOMIC: u32 = 2;

/// Places that a thread remembers.
const NEAR_SITES: usize = 256;

thread_local! {
    /// The numbers of the last places in the program that this thread came from.
    static SITES: [Cell<(usize, u64, u16)>; NEAR_SITES] = const { [const { Cell::new((0, 0, 0)) }; NEAR_SITES] };
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
            check.with_thread(|thread| check.races.leave(thread, check.own_key(key), None));
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
        let site = self.site_near(if write { "store" } else { "load" }, pc.wrapping_sub(1));
        let class = if atomic { Class::Signal } else { Class::Plain };
        let manner = Manner { write, class, mark: false };
        let found: Option<Conflict> = self
            .with_thread(|thread| {
                let found = self.races.by_thread(thread, (place, len), manner, site);
                if atomic {
                    let key = word_key(place);
                    if write {
                        self.races.leave(thread, key, None);
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

    /// The number of a place, from what this thread remembers.
    #[inline]
    fn site_near(&self, what: &'static str, pc: usize) -> u16 {
        SITES.with(|sites| {
            let near = &sites[(pc ^ pc >> 8) % NEAR_SITES];
            let (known, of, site) = near.get();
            if (known, of) == (pc, self.number + 1) {
                return site;
            }
            let site = self.site(what, CallSite(pc));
            near.set((pc, self.number + 1, site));
            site
        })
    }
}
