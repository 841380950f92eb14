//! Sandia OpenSHMEM's performance counters: the number of operations that a context has issued, the number of those that are complete, and
//! the number of writes that have arrived at this PE.
//!
//! # Cost
//!
//! A program that does not use the counters pays nothing: they are an observer (`ferrite_runtime::observe`), which is attached by the first
//! call of a routine of this file, or by init if `FERRITE_COUNTERS` is set. A call that another thread has begun before that may not be
//! counted.
//!
//! # What is counted
//!
//! Calls that transfer data, once each, however they are carried out: an `iput` is one write though it is many blocks, and a put with a
//! signal is one though it may be two messages. The library's own operations in a lock are not counted. A call that returns an old value is
//! a read; all others are writes.
//!
//! - *issued* is incremented before the operation begins, so it is never less than *completed*.
//! - *completed* is incremented on return if the operation ends with the call. Otherwise the operation is tracked by the last ticket of its
//!   context (`Tally::follow`). That ticket is its own or a later one of another thread: in the latter case the operation counts late,
//!   never early.
//! - A write is counted at its target as soon as it has arrived: by an atomic on mapped memory, otherwise by a message behind the write.

mod tallies;

use crate::Vendors;
use core::sync::atomic::{
    AtomicBool,
    Ordering::{Acquire, Relaxed, Release},
};
use ferrite_fabric::Result;
use ferrite_runtime::{
    Ctx, Site,
    observe::{Answer, Attachment, Call, Event, Kind, Observer, Start, Tool, View},
};
use std::sync::Arc;
use tallies::{Direction, Tallies};

/// `shmemx_pcntr_t`.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pcntr {
    /// Number of writes issued.
    pub pending_put: u64,
    /// Number of reads issued.
    pub pending_get: u64,
    /// Number of writes completed.
    pub completed_put: u64,
    /// Number of reads completed.
    pub completed_get: u64,
    /// Number of writes that have arrived at this PE.
    pub target: u64,
}

/// Direction of a call; `None` for a call that transfers nothing.
fn direction_of(call: &Call) -> Option<Direction> {
    match call.kind {
        _ if call.pe < 0 => None,
        Kind::Put | Kind::Get if call.layout.bytes() == 0 => None,
        Kind::Put | Kind::PutSignal | Kind::Signal => Some(Direction::Write),
        Kind::Atomic if call.answer == Answer::None => Some(Direction::Write),
        Kind::Get | Kind::Atomic => Some(Direction::Read),
        _ => None,
    }
}

/// The tool that counts operations from init on, if the user wants that.
pub struct OperationCounter;

impl Tool for OperationCounter {
    fn attach(&self, start: &Start<'_>) -> Result<Option<Attachment>> {
        Ok(start.settings.counters.then(|| Attachment::of(CountOperations)))
    }
}

static INIT: Site = Site::of_c("shmem_init");

/// Whether [`CountOperations`] is attached to a world: by init, or by the first call of a routine of this file.
#[derive(Default)]
struct ObserverAttached(AtomicBool);

/// The observer that counts the operations of all contexts.
struct CountOperations;

impl Observer for CountOperations {
    fn before(&self, view: View<'_>, call: &Call) {
        if let Some(direction) = direction_of(call) {
            tallies(view, call).of(direction).issued.fetch_add(1, Relaxed);
        }
    }

    fn event(&self, view: View<'_>, event: &Event<'_>) {
        if let Event::Started = event {
            view.extension::<ObserverAttached>(&INIT).0.store(true, Relaxed);
        }
    }

    fn after(&self, view: View<'_>, call: &Call) {
        let Some(direction) = direction_of(call) else { return };
        let tallies = tallies(view, call);
        let tally = tallies.of(direction);
        let owed = if ends_later(view, call) { view.owed(call.site, call.ctx) } else { None };
        match owed {
            Some(ticket) => tally.follow(ticket, || view.reached(call.site, call.ctx, direction.stage())),
            None => drop(tally.completed.fetch_add(1, Release)),
        }
        if direction == Direction::Write {
            view.count_arrival(call.site, call.ctx, call.pe as u32);
        }
    }
}

/// The counts of the context of a call.
fn tallies(view: View<'_>, call: &Call) -> Arc<Tallies> {
    view.context_extension(call.site, call.ctx)
}

/// Whether an operation may still be under way when its call returns.
fn ends_later(view: View<'_>, call: &Call) -> bool {
    let is_word = matches!(call.kind, Kind::Atomic | Kind::Signal);
    let is_carried = !view.memory().is_mapped(call.pe) || is_word && view.nic_atomics();
    let gives_now = matches!(call.kind, Kind::Get | Kind::Atomic) && call.answer == Answer::Now;
    is_carried && !gives_now
}

impl Vendors {
    /// First step of every routine of this file: attach the observer if it is not attached yet, and make progress, because the program may
    /// call in a loop until the answer changes.
    fn asked(&self, site: &'static Site) {
        let is_attached = self.extension::<ObserverAttached>(site);
        if !is_attached.0.load(Relaxed)
            && !is_attached.0.swap(true, Relaxed)
            && let Some(view) = self.view()
        {
            tracing::debug!(routine = site.name, "operations are counted from here on");
            view.attach(Arc::new(CountOperations));
        }
        self.failed_look(site);
    }

    fn issued(&self, site: &'static Site, ctx: Ctx, direction: Direction) -> u64 {
        self.asked(site);
        self.context_extension::<Tallies>(site, ctx).of(direction).issued.load(Relaxed)
    }

    fn completed(&self, site: &'static Site, ctx: Ctx, direction: Direction) -> u64 {
        self.asked(site);
        let tallies = self.context_extension::<Tallies>(site, ctx);
        let tally = tallies.of(direction);
        if !tally.is_idle()
            && let Some(reached) = self.reached(site, ctx, direction.stage())
        {
            tally.settle(reached);
        }
        // Acquire: a caller that sees another thread's writes complete may order them before its own.
        tally.completed.load(Acquire)
    }

    fn arrived(&self, site: &'static Site) -> u64 {
        self.asked(site);
        self.arrivals(site)
    }

    /// Number of writes that `ctx` has issued.
    ///
    /// # Safety
    /// `cntr_value` is valid for a write.
    pub unsafe fn pcntr_get_issued_write(&self, site: &'static Site, ctx: Ctx, cntr_value: *mut u64) {
        self.must_be_somewhere(site, "cntr_value", cntr_value);
        // SAFETY: the caller's promise.
        unsafe { cntr_value.write(self.issued(site, ctx, Direction::Write)) }
    }

    /// Number of reads that `ctx` has issued.
    ///
    /// # Safety
    /// As above.
    pub unsafe fn pcntr_get_issued_read(&self, site: &'static Site, ctx: Ctx, cntr_value: *mut u64) {
        self.must_be_somewhere(site, "cntr_value", cntr_value);
        // SAFETY: the caller's promise.
        unsafe { cntr_value.write(self.issued(site, ctx, Direction::Read)) }
    }

    /// Number of writes of `ctx` that are complete.
    ///
    /// # Safety
    /// As above.
    pub unsafe fn pcntr_get_completed_write(&self, site: &'static Site, ctx: Ctx, cntr_value: *mut u64) {
        self.must_be_somewhere(site, "cntr_value", cntr_value);
        // SAFETY: the caller's promise.
        unsafe { cntr_value.write(self.completed(site, ctx, Direction::Write)) }
    }

    /// Number of reads of `ctx` that are complete.
    ///
    /// # Safety
    /// As above.
    pub unsafe fn pcntr_get_completed_read(&self, site: &'static Site, ctx: Ctx, cntr_value: *mut u64) {
        self.must_be_somewhere(site, "cntr_value", cntr_value);
        // SAFETY: the caller's promise.
        unsafe { cntr_value.write(self.completed(site, ctx, Direction::Read)) }
    }

    /// Number of writes that have arrived at this PE, from all PEs that count.
    ///
    /// # Safety
    /// As above.
    pub unsafe fn pcntr_get_completed_target(&self, site: &'static Site, cntr_value: *mut u64) {
        self.must_be_somewhere(site, "cntr_value", cntr_value);
        // SAFETY: the caller's promise.
        unsafe { cntr_value.write(self.arrived(site)) }
    }

    /// All five counters.
    ///
    /// # Safety
    /// `pcntr` is valid for a write.
    pub unsafe fn pcntr_get_all(&self, site: &'static Site, ctx: Ctx, pcntr: *mut Pcntr) {
        self.must_be_somewhere(site, "pcntr", pcntr);
        // Read the completed counts first, so that no operation is seen complete that is not seen issued.
        let (completed_put, completed_get) =
            (self.completed(site, ctx, Direction::Write), self.completed(site, ctx, Direction::Read));
        let (pending_put, pending_get) =
            (self.issued(site, ctx, Direction::Write), self.issued(site, ctx, Direction::Read));
        let target = self.arrived(site);
        // SAFETY: the caller's promise.
        unsafe { pcntr.write(Pcntr { pending_put, pending_get, completed_put, completed_get, target }) }
    }
}
