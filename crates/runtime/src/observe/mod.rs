//! Observers: what sees the entry and the return of every routine that the program calls.
//!
//! # The contract
//!
//! An [`Observer`] is attached to a world, and stays until the world's last finalize. From then on each call of a routine is
//! a [`Call`], which the observer gets twice, in the thread that makes it: by `before`, when the routine is entered and nothing has been
//! done or refused, and by `after`, when it is about to return. Between the two, what the routine does of itself is hidden: a
//! `shmem_barrier_all` is one call, though it is a quiet and a synchronisation, and `shmem_set_lock` one though it is some atomics.
//!
//! - Shown is what moves data, orders, waits, tests, allocates, or makes and ends teams and contexts. Hidden are questions that are
//!   answered at once (`shmem_my_pe`, `shmem_ptr`, `shmem_team_translate_pe`, ...), and what handlers of aggregators call.
//! - A routine that does nothing because of its arguments (a put of no bytes, a fence of the invalid context) may be shown or not.
//! - Arguments are shown as the program gave them, before they are judged: an observer may see what ends the job a moment later.
//!   It reads no memory that they point to, unless it has looked whether it may.
//! - An observer may call routines of the world: they are hidden as well. It neither panics nor unwinds.
//! - `finish` is called by the last finalize, or by what makes up for a missing one, on all PEs, when all have come there and nothing
//!   is shown any more. It may communicate with its like on other PEs, if all PEs have attached the same. A job that ends otherwise
//!   does not finish.
//!
//! # What it costs when nobody observes
//!
//! The near path nothing. When the first observer is attached, the guards of the near path are shut (`ops/near.rs`), so that every put, get
//! and atomic comes to its cold twin, and `Near::attention` is raised, so that fences and quiets do; the cold twins show the call.
//! Routines without a near path (waits, collectives, the heap, locks, teams) look at one flag of the world when they are entered.
//!
//! # Threads
//!
//! The flag and the guards are plain loads: a call that another thread has begun while the first observer is attached may pass by
//! unseen, or be shown without its beginning, which `after` alone never is. The call that a thread is in lies in a variable of the
//! thread (`OPEN`), since there is one at most. The list of observers only grows ([`OnceLock`] publishes each place).

mod call;
pub(crate) mod caller;
pub(crate) mod log;
pub(crate) mod profile;

use crate::{World, live::Live};
pub(crate) use call::{Answer, Call, Group, Kind, Layout, SignalWord, WordUpdate};
use core::{cell::Cell, sync::atomic::Ordering::Relaxed};
use std::sync::OnceLock;

/// How many observers a world may have: one of each kind that there is.
const OBSERVERS_MAX: usize = 5;

/// What sees all calls. The contract is at the head of this file.
pub(crate) trait Observer: Send + Sync {
    /// A routine was entered.
    fn before(&self, _world: &World, _live: &Live, _call: &Call) {}

    /// It returns.
    fn after(&self, _world: &World, _live: &Live, _call: &Call) {}

    /// All PEs have come to the end.
    fn finish(&self, _world: &World, _live: &Live) {}
}

/// The observers of a started world.
#[derive(Default)]
pub(crate) struct Observers {
    attached: [OnceLock<Box<dyn Observer>>; OBSERVERS_MAX],
}

impl Observers {
    fn each(&self) -> impl Iterator<Item = &dyn Observer> {
        self.attached.iter().map_while(|place| place.get()).map(|observer| &**observer)
    }

    /// Whether there are none.
    pub fn are_none(&self) -> bool {
        self.attached[0].get().is_none()
    }

    /// One more.
    pub fn add(&self, observer: Box<dyn Observer>) {
        let left = self.attached.iter().try_fold(observer, |observer, place| match place.set(observer) {
            Ok(()) => Err(()),
            Err(observer) => Ok(observer),
        });
        assert!(left.is_err(), "there are places for all kinds of observers");
    }
}

thread_local! {
    /// The call that this thread is in, if it is shown.
    static OPEN: Cell<Option<Call>> = const { Cell::new(None) };
    /// Whether an observer is at work in this thread, which sees nothing of what it calls itself.
    static HIDDEN: Cell<bool> = const { Cell::new(false) };
}

/// A call that is shown when it begins, and again when this is dropped; or one that is not.
#[must_use]
pub(crate) struct Observed<'w>(Option<&'w World>);

impl Observed<'_> {
    /// Whether it is shown: the program's own call, while somebody observes.
    #[inline(always)]
    pub fn is_shown(&self) -> bool {
        self.0.is_some()
    }

    /// What the routine is about to return: an address, or whether it found what it looked for.
    #[inline(always)]
    pub fn gives(&self, result: usize) {
        if self.0.is_some() {
            OPEN.set(OPEN.take().map(|call| Call { result, ..call }));
        }
    }
}

impl Drop for Observed<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        if let Some(world) = self.0 {
            world.show_end();
        }
    }
}

impl World {
    /// Whether calls are shown.
    #[inline(always)]
    pub(crate) fn is_observed(&self) -> bool {
        self.observed.load(Relaxed)
    }

    /// Show the call that the program has just made, if anybody observes. What comes back is dropped when the routine returns.
    #[inline(always)]
    pub(crate) fn observe(&self, call: impl FnOnce(&Live) -> Call) -> Observed<'_> {
        if self.is_observed() { self.show_begin(call) } else { Observed(None) }
    }

    #[cold]
    #[inline(never)]
    fn show_begin(&self, call: impl FnOnce(&Live) -> Call) -> Observed<'_> {
        let Some(live) = self.live() else { return Observed(None) };
        let open = OPEN.take();
        if open.is_some() || HIDDEN.get() {
            OPEN.set(open);
            return Observed(None);
        }
        let call = call(live);
        hidden(|| live.observers.each().for_each(|one| one.before(self, live, &call)));
        OPEN.set(Some(call));
        Observed(Some(self))
    }

    #[cold]
    #[inline(never)]
    fn show_end(&self) {
        if let (Some(live), Some(call)) = (self.live(), OPEN.take()) {
            hidden(|| live.observers.each().for_each(|one| one.after(self, live, &call)));
        }
    }

    /// Show all calls to `observer` from here on.
    pub(crate) fn attach(&self, live: &Live, observer: Box<dyn Observer>) {
        live.observers.add(observer);
        self.show_calls(live);
    }

    /// Have calls come to where they are shown, if anybody observes.
    pub(crate) fn show_calls(&self, live: &Live) {
        if !live.observers.are_none() {
            self.near.attention.store(live.attention(), Relaxed);
            self.near.shut();
            self.words.shut();
            self.observed.store(true, Relaxed);
        }
    }

    /// All PEs have come to the end of the job, and the program is in no routine but this: nothing is shown any more.
    pub(crate) fn finish_observers(&self) {
        if self.observed.swap(false, Relaxed)
            && let Some(live) = self.live()
        {
            OPEN.set(None);
            live.observers.each().for_each(|one| one.finish(self, live));
        }
    }
}

/// Do what no observer is to see.
fn hidden(act: impl FnOnce()) {
    struct Shown;
    impl Drop for Shown {
        fn drop(&mut self) {
            HIDDEN.set(false);
        }
    }
    HIDDEN.set(true);
    let _shown = Shown;
    act();
}

#[cfg(test)]
mod tests;
