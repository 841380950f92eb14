//! Observers: they are shown the entry and the return of every routine that the program calls.
//!
//! # The contract
//!
//! An [`Observer`] is attached to a world, and is shown its calls until the world's last finalize. From then on each call of a routine is a [`Call`],
//! which the observer gets twice, in the calling thread: in `before`, when the routine is entered and nothing has been done or refused, and
//! in `after`, when it is about to return. In between, the calls that the routine itself makes are hidden: a `shmem_barrier_all` is one
//! call, although it consists of a quiet and a synchronisation, and so is a `shmem_set_lock`, although it consists of some atomics.
//!
//! - Calls are shown that move data, order, wait, test, allocate, or make and end teams and contexts. Queries that are answered at once
//!   (`shmem_my_pe`, `shmem_ptr`, `shmem_team_translate_pe`, ...) and the calls of aggregators' handlers are hidden.
//! - A routine that does nothing because of its arguments (a put of no bytes, a fence of the invalid context) may be shown or not. Splits of
//!   other libraries (`crates/vendors`) are shown once their arguments are checked.
//! - Arguments are shown as the program passed them, before they are checked: an observer may see a call that ends the job a moment later.
//!   It reads no memory that they point to, unless it has checked that it may.
//! - An observer may call routines of the world, except in `event`: they are hidden as well. It neither panics nor unwinds.
//! - `finish` is called by the last finalize, or by the code that makes up for a missing one, on all PEs, when all PEs have reached it and
//!   no call is shown any more. It may communicate with the same observer on other PEs, if all PEs have attached it. If a job ends in
//!   another way, `finish` is not called. `finalized_again` and `conclude` come after it, without a view: they call no routine.
//!
//! # Cost without observers
//!
//! None on the near path. When the first observer is attached, the guards of the near path are shut (`near.rs`), so that every put, get
//! and atomic takes its cold twin, and `Near::slow_ordering` is raised, so that fences and quiets do too; the cold twins show the call.
//! Routines without a near path (waits, collectives, the heap, locks, teams) test one flag of the world when they are entered.
//!
//! # Threads
//!
//! The flag and the guards are plain loads: a call that another thread has begun while the first observer is attached may pass by
//! unseen. `after` is never called without `before`. The call that a thread is in lies in a variable of the
//! thread (`OPEN`), since there is one at most. The list of observers only grows ([`OnceLock`] publishes each place).
//!
//! | part | files |
//! |---|---|
//! | contract | `call`: one call; `tool`: observers of other crates |
//! | observers | `crates/tools`: the tools; `crates/vendors`: counters; `diagnose/record`: `SHMEM_RECORD=all` |

mod call;
mod tool;

use crate::{Site, World, live::Live};
pub use call::{Answer, Call, Group, Kind, Layout, SignalWord, WordUpdate};
use core::{cell::Cell, mem, sync::atomic::Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
pub use tool::{Attachment, Delays, Event, Operation, Start, Tool, View, Wishes};

/// Maximum number of observers of a world: one of each tool, and the record of all calls.
pub(crate) const OBSERVERS_MAX: usize = 5;

/// Observer of all calls. The module's documentation gives the contract.
pub trait Observer: Send + Sync {
    /// The routine was entered.
    fn before(&self, _view: View<'_>, _call: &Call) {}

    /// The routine is about to return.
    fn after(&self, _view: View<'_>, _call: &Call) {}

    /// Something has happened that is not a call. The observer calls no routine.
    fn event(&self, _view: View<'_>, _event: &Event<'_>) {}

    /// All PEs have come to the end of the job.
    fn finish(&self, _view: View<'_>) {}

    /// Finalize was called once more than init.
    fn finalized_again(&self, _world: &World, _site: &'static Site) {}

    /// The process ends, and an observer has set the code that replaces a success ([`World::replace_success`]).
    fn conclude(&self) {}
}

/// The observers of a started world.
#[derive(Default)]
pub(crate) struct Observers {
    attached: [OnceLock<Arc<dyn Observer>>; OBSERVERS_MAX],
    /// What the tools among them ask of the runtime.
    pub wishes: Wishes,
}

impl Observers {
    fn each(&self) -> impl Iterator<Item = &Arc<dyn Observer>> {
        self.attached.iter().map_while(|place| place.get())
    }

    pub fn list(&self) -> Vec<Arc<dyn Observer>> {
        self.each().cloned().collect()
    }

    /// Holds operations back, if adversarial delivery is enabled.
    pub fn delays(&self) -> Option<&dyn Delays> {
        self.wishes.delays.as_deref()
    }

    pub fn are_none(&self) -> bool {
        self.attached[0].get().is_none()
    }

    /// Add the observer of a tool, and its wishes to those of the tools before it.
    pub fn add_tool(&mut self, tool: Attachment) {
        self.add(tool.observer);
        self.wishes = mem::take(&mut self.wishes).and(tool.wishes);
    }

    /// Add an observer. There is a place for each kind.
    pub fn add(&self, observer: Arc<dyn Observer>) {
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
    /// Whether an observer runs in this thread: it is not shown the calls that it makes itself.
    static HIDDEN: Cell<bool> = const { Cell::new(false) };
}

/// A call that is shown when it begins, and again when this is dropped; or a call that is not shown.
#[must_use]
pub(crate) struct Observed<'w>(Option<&'w World>);

impl Observed<'_> {
    /// Whether the call is shown: it is the program's own, and the world has an observer.
    #[inline(always)]
    pub fn is_shown(&self) -> bool {
        self.0.is_some()
    }

    /// Set the return value of the routine: an address, or the result of a test.
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

    /// Show the call that the program has just made, if there is an observer. The returned guard is dropped when the routine returns.
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
        hidden(|| live.observers.each().for_each(|one| one.before(View { world: self, live }, &call)));
        OPEN.set(Some(call));
        Observed(Some(self))
    }

    #[cold]
    #[inline(never)]
    fn show_end(&self) {
        if let (Some(live), Some(call)) = (self.live(), OPEN.take()) {
            hidden(|| live.observers.each().for_each(|one| one.after(View { world: self, live }, &call)));
        }
    }

    /// Make calls take the path on which they are shown, if there is an observer.
    pub(crate) fn show_calls(&self, live: &Live) {
        if !live.observers.are_none() {
            self.near.set_slow_ordering(true);
            self.near.shut();
            self.words.shut();
            self.observed.store(true, Relaxed);
        }
    }

    /// All PEs have come to the end of the job, and the program is in no other routine: nothing is shown any more.
    pub(crate) fn finish_observers(&self) {
        if self.observed.swap(false, Relaxed)
            && let Some(live) = self.live()
        {
            OPEN.set(None);
            live.observers.each().for_each(|one| one.finish(View { world: self, live }));
        }
    }
}

/// Run `act` without showing its calls to observers.
pub(crate) fn hidden<T>(act: impl FnOnce() -> T) -> T {
    struct Shown;
    impl Drop for Shown {
        fn drop(&mut self) {
            HIDDEN.set(false);
        }
    }
    HIDDEN.set(true);
    let _shown = Shown;
    act()
}

#[cfg(test)]
mod tests;
