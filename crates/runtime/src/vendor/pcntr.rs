//! Sandia OpenSHMEM's performance counters: how many operations a context has issued, how many of them are complete, and how
//! many writes have come to this PE.
//!
//! # What it costs, and whom
//!
//! A program that does not ask pays nothing: the counters are an observer (`observe`), which is attached by the first call of a routine
//! of this file, or by init where `FERRITE_COUNTERS` says so; a call that another thread has begun before may pass by.
//!
//! # What is counted
//!
//! Calls that move something, once each, whatever becomes of them on the way: an `iput` is one write though it is many blocks,
//! and a put with a signal one though it may be two messages; what a lock does of itself is not counted. What gives an old value is a read, all else a write.
//!
//! - *issued* is raised before the operation begins, so it is never less than *completed*;
//! - *completed* is raised on return where the operation ends with the call. Else the operation is followed by the last ticket
//!   of its context (`Tally::follow`), which is its own, or that of a later one of another thread: then it counts late, never early;
//! - a write is told to its target as soon as it is there: by an atomic on mapped memory, else by a message behind it.

use crate::{
    Ctx, Site, World,
    coll::area::ARRIVED_AT,
    far::{ContextStream, SignalUpdate, raise},
    live::Live,
    observe::{Answer, Call, Kind, Observer},
};
use core::sync::atomic::{
    AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};
use ferrite_fabric::{Pe, Remote, SegmentId, SignalOp, Stage, Ticket};
use ferrite_os::mutex;
use std::{collections::VecDeque, sync::Mutex};

/// Operations that are followed before the transport is asked which of them are complete.
const FOLLOWED_MAX: usize = 4096;

/// `shmemx_pcntr_t`.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pcntr {
    /// Writes that were issued.
    pub pending_put: u64,
    /// Reads that were issued.
    pub pending_get: u64,
    /// Writes that are complete.
    pub completed_put: u64,
    /// Reads that are complete.
    pub completed_get: u64,
    /// Writes that have come to this PE.
    pub target: u64,
}

/// What an operation does to the memory of its target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Direction {
    /// It changes it, and gives nothing back.
    Write,
    /// It gives something back.
    Read,
}

impl Direction {
    /// That of a call; `None` for one that moves nothing.
    fn of(call: &Call) -> Option<Direction> {
        match call.kind {
            _ if call.pe < 0 => None,
            Kind::Put | Kind::Get if call.layout.bytes() == 0 => None,
            Kind::Put | Kind::PutSignal | Kind::Signal => Some(Direction::Write),
            Kind::Atomic if call.answer == Answer::None => Some(Direction::Write),
            Kind::Get | Kind::Atomic => Some(Direction::Read),
            _ => None,
        }
    }

    /// How far an operation must come to be complete.
    fn stage(self) -> Stage {
        match self {
            Direction::Write => Stage::Remote,
            Direction::Read => Stage::Local,
        }
    }
}

/// The operations of one context.
#[derive(Default)]
pub(crate) struct Tallies {
    writes: Tally,
    reads: Tally,
}

/// Those of one direction.
#[derive(Default)]
struct Tally {
    issued: AtomicU64,
    completed: AtomicU64,
    /// A ticket for each that is under way, in ascending order.
    under_way: Mutex<VecDeque<Ticket>>,
}

impl Tallies {
    fn of(&self, direction: Direction) -> &Tally {
        match direction {
            Direction::Write => &self.writes,
            Direction::Read => &self.reads,
        }
    }
}

impl Tally {
    /// One more is under way: it is complete when `ticket` is.
    fn follow(&self, ticket: Ticket, stream: &ContextStream, stage: Stage) {
        let mut under_way = mutex::lock(&self.under_way);
        let ticket = under_way.back().map_or(ticket, |&last| last.max(ticket));
        under_way.push_back(ticket);
        let full = under_way.len() >= FOLLOWED_MAX;
        drop(under_way);
        if full {
            self.settle(stream.reached(stage));
        }
    }

    /// All tickets up to `reached` are complete.
    fn settle(&self, reached: Ticket) {
        let mut under_way = mutex::lock(&self.under_way);
        let done = under_way.partition_point(|&ticket| ticket <= reached);
        under_way.drain(..done);
        self.completed.fetch_add(done as u64, Release);
    }

    fn is_idle(&self) -> bool {
        mutex::lock(&self.under_way).is_empty()
    }
}

/// What counts the operations of all contexts.
struct Counting;

impl Observer for Counting {
    fn before(&self, world: &World, live: &Live, call: &Call) {
        if let Some(direction) = Direction::of(call) {
            world.tallies(call.site, live, call.ctx).of(direction).issued.fetch_add(1, Relaxed);
        }
    }

    fn after(&self, world: &World, live: &Live, call: &Call) {
        let Some(direction) = Direction::of(call) else { return };
        let tally = world.tallies(call.site, live, call.ctx).of(direction);
        let stream = if ends_later(live, call) { world.used_stream(call.site, call.ctx) } else { None };
        match stream.and_then(|(_, stream)| Some((stream, stream.owed()?))) {
            Some((stream, ticket)) => tally.follow(ticket, stream, direction.stage()),
            None => drop(tally.completed.fetch_add(1, Release)),
        }
        if direction == Direction::Write {
            world.tell_target(call.site, live, call.ctx, call.pe as u32);
        }
    }
}

/// Whether an operation may be under way when its call has returned.
fn ends_later(live: &Live, call: &Call) -> bool {
    let is_word = matches!(call.kind, Kind::Atomic | Kind::Signal);
    let is_carried = !live.memory.is_mapped(call.pe) || is_word && live.nic_atomics();
    let gives_now = matches!(call.kind, Kind::Get | Kind::Atomic) && call.answer == Answer::Now;
    is_carried && !gives_now
}

impl World {
    /// Have all operations counted from here on.
    pub(crate) fn count_from_now_on(&self, live: &Live) {
        if !live.counters.counting.swap(true, Relaxed) {
            self.attach(live, Box::new(Counting));
        }
    }

    /// One more write has come to `pe`, or will have come when this has.
    fn tell_target(&self, site: &'static Site, live: &Live, ctx: Ctx, pe: u32) {
        // Where a NIC executes atomics, the processor keeps off.
        if !live.nic_atomics()
            && let Ok(index) = live.memory.local.binary_search(&pe)
        {
            // Release: whoever sees the count sees the write.
            live.arrived(index).fetch_add(1, Release);
            return;
        }
        let (live, _, stream) = self.far_stream(site, ctx);
        let at = Remote { pe: Pe(pe), segment: SegmentId::CONTROL, offset: ARRIVED_AT as u64 };
        stream.fence();
        // SAFETY: the operation points to nothing here.
        unsafe { live.issue(stream, &raise(SignalUpdate { at, op: SignalOp::Add, value: 1 })) };
    }

    fn tallies<'l>(&'l self, site: &Site, live: &'l Live, ctx: Ctx) -> &'l Tallies {
        match ctx {
            Ctx::INVALID => self.misuse(site, format_args!("ctx is SHMEM_CTX_INVALID; use a context that was created")),
            Ctx::DEFAULT => live.contexts.default.tallies(),
            created => self.require_context(site, created).tallies(),
        }
    }

    /// What every routine of this file begins with: a program that asks wants to be counted, and may be in a loop that waits
    /// for an answer to change.
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
        // Who learns here that another thread's writes are complete may order them before its own.
        tally.completed.load(Acquire)
    }

    fn arrived(&self, site: &'static Site) -> u64 {
        let live = self.asked(site);
        live.arrived(live.memory.node.index()).load(Acquire)
    }

    /// How many writes `ctx` has issued.
    ///
    /// # Safety
    /// `cntr_value` is valid for a write.
    pub unsafe fn pcntr_get_issued_write(&self, site: &'static Site, ctx: Ctx, cntr_value: *mut u64) {
        self.must_be_somewhere(site, "cntr_value", cntr_value);
        // SAFETY: the caller's promise.
        unsafe { cntr_value.write(self.issued(site, ctx, Direction::Write)) }
    }

    /// How many reads.
    ///
    /// # Safety
    /// As above.
    pub unsafe fn pcntr_get_issued_read(&self, site: &'static Site, ctx: Ctx, cntr_value: *mut u64) {
        self.must_be_somewhere(site, "cntr_value", cntr_value);
        // SAFETY: the caller's promise.
        unsafe { cntr_value.write(self.issued(site, ctx, Direction::Read)) }
    }

    /// How many of its writes are complete.
    ///
    /// # Safety
    /// As above.
    pub unsafe fn pcntr_get_completed_write(&self, site: &'static Site, ctx: Ctx, cntr_value: *mut u64) {
        self.must_be_somewhere(site, "cntr_value", cntr_value);
        // SAFETY: the caller's promise.
        unsafe { cntr_value.write(self.completed(site, ctx, Direction::Write)) }
    }

    /// How many of its reads.
    ///
    /// # Safety
    /// As above.
    pub unsafe fn pcntr_get_completed_read(&self, site: &'static Site, ctx: Ctx, cntr_value: *mut u64) {
        self.must_be_somewhere(site, "cntr_value", cntr_value);
        // SAFETY: the caller's promise.
        unsafe { cntr_value.write(self.completed(site, ctx, Direction::Read)) }
    }

    /// How many writes of any PE that counts have come to this one.
    ///
    /// # Safety
    /// As above.
    pub unsafe fn pcntr_get_completed_target(&self, site: &'static Site, cntr_value: *mut u64) {
        self.must_be_somewhere(site, "cntr_value", cntr_value);
        // SAFETY: the caller's promise.
        unsafe { cntr_value.write(self.arrived(site)) }
    }

    /// All five.
    ///
    /// # Safety
    /// `pcntr` is valid for a write.
    pub unsafe fn pcntr_get_all(&self, site: &'static Site, ctx: Ctx, pcntr: *mut Pcntr) {
        self.must_be_somewhere(site, "pcntr", pcntr);
        // What is complete first: no operation is seen complete that is not seen issued.
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
    /// The writes that have come to the node's PE `index`.
    fn arrived(&self, index: usize) -> &AtomicU64 {
        // SAFETY: a line of that PE's control area of its own: mapped, aligned, and only ever touched as an atomic.
        unsafe { AtomicU64::from_ptr(self.memory.node.control(index).wrapping_add(ARRIVED_AT).cast()) }
    }
}
