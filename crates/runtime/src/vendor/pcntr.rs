//! Sandia OpenSHMEM's performance counters: the number of operations that a context has issued, the number of those that are complete, and
//! the number of writes that have arrived at this PE.
//!
//! # Cost
//!
//! A program that does not use the counters pays nothing: they are an observer (`observe`), which is attached by the first call of a
//! routine of this file, or by init if `FERRITE_COUNTERS` is set. A call that another thread has begun before that may not be counted.
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

use crate::{
    Ctx, Site, World,
    area::ARRIVED_AT,
    far::{
        SignalUpdate, raise,
        tallies::{Direction, Tallies},
    },
    live::Live,
    observe::{Answer, Call, Kind, Observer, View},
};
use core::sync::atomic::{
    AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};
use ferrite_fabric::{Pe, Remote, SegmentId, SignalOp};
use std::sync::Arc;

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

/// Observer that counts the operations of all contexts.
struct Counting;

impl Observer for Counting {
    fn before(&self, view: View<'_>, call: &Call) {
        if let Some(direction) = direction_of(call) {
            view.tallies(call.site, view.live, call.ctx).of(direction).issued.fetch_add(1, Relaxed);
        }
    }

    fn after(&self, view: View<'_>, call: &Call) {
        let Some(direction) = direction_of(call) else { return };
        let tally = view.tallies(call.site, view.live, call.ctx).of(direction);
        let stream = if ends_later(view.live, call) { view.used_stream(call.site, call.ctx) } else { None };
        match stream.and_then(|(_, stream)| Some((stream, stream.owed()?))) {
            Some((stream, ticket)) => tally.follow(ticket, stream, direction.stage()),
            None => drop(tally.completed.fetch_add(1, Release)),
        }
        if direction == Direction::Write {
            view.tell_target(call.site, view.live, call.ctx, call.pe as u32);
        }
    }
}

/// Whether an operation may still be under way when its call returns.
fn ends_later(live: &Live, call: &Call) -> bool {
    let is_word = matches!(call.kind, Kind::Atomic | Kind::Signal);
    let is_carried = !live.memory.is_mapped(call.pe) || is_word && live.nic_atomics();
    let gives_now = matches!(call.kind, Kind::Get | Kind::Atomic) && call.answer == Answer::Now;
    is_carried && !gives_now
}

impl World {
    /// Count all operations from here on.
    pub(crate) fn count_from_now_on(&self, live: &Live) {
        if !live.counters.counting.swap(true, Relaxed) {
            self.attach(live, Arc::new(Counting));
        }
    }

    /// Count one more write at `pe`. The write has arrived there, or will arrive before the message that counts it.
    fn tell_target(&self, site: &'static Site, live: &Live, ctx: Ctx, pe: u32) {
        // If a NIC executes atomics, the processor must not access the counter.
        if !live.nic_atomics()
            && let Ok(index) = live.memory.local.binary_search(&pe)
        {
            // Release: a PE that sees the count sees the write.
            live.arrived(index).fetch_add(1, Release);
            return;
        }
        let (live, _, stream) = self.far_stream(site, ctx);
        let at = Remote { pe: Pe(pe), segment: SegmentId::CONTROL, offset: ARRIVED_AT as u64 };
        stream.fence();
        // SAFETY: the operation refers to no local memory.
        unsafe { live.issue(stream, &raise(SignalUpdate { at, op: SignalOp::Add, value: 1 })) };
    }

    fn tallies<'l>(&'l self, site: &Site, live: &'l Live, ctx: Ctx) -> &'l Tallies {
        match ctx {
            Ctx::INVALID => self.misuse(site, format_args!("ctx is SHMEM_CTX_INVALID; use a context that was created")),
            Ctx::DEFAULT => live.contexts.default.tallies(),
            created => self.require_context(site, created).tallies(),
        }
    }

    /// First step of every routine of this file: attach the observer if it is not attached yet, and make progress, because the program may
    /// call in a loop until the answer changes.
    fn asked(&self, site: &'static Site) -> &Live {
        let live = self.require_live(site);
        if !live.counters.counting.load(Relaxed) {
            tracing::debug!(routine = site.name, "operations are counted from here on");
            self.count_from_now_on(live);
        }
        live.failed_look();
        live
    }

    fn issued(&self, site: &'static Site, ctx: Ctx, direction: Direction) -> u64 {
        let live = self.asked(site);
        self.tallies(site, live, ctx).of(direction).issued.load(Relaxed)
    }

    fn completed(&self, site: &'static Site, ctx: Ctx, direction: Direction) -> u64 {
        let live = self.asked(site);
        let tally = self.tallies(site, live, ctx).of(direction);
        if !tally.is_idle()
            && let Some((_, stream)) = self.used_stream(site, ctx)
        {
            tally.settle(stream.reached(direction.stage()));
        }
        // Acquire: a caller that sees another thread's writes complete may order them before its own.
        tally.completed.load(Acquire)
    }

    fn arrived(&self, site: &'static Site) -> u64 {
        let live = self.asked(site);
        live.arrived(live.memory.node.index()).load(Acquire)
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

impl Live {
    /// Number of writes that have arrived at the node's PE `index`.
    fn arrived(&self, index: usize) -> &AtomicU64 {
        // SAFETY: a cache line of its own in that PE's control area: mapped, aligned, and only accessed as an atomic.
        unsafe { AtomicU64::from_ptr(self.memory.node.control(index).wrapping_add(ARRIVED_AT).cast()) }
    }
}
