//! Ordering and completion.
//!
//! Operations on PEs that are not mapped are ordered by the context's stream (`far`): both routines ask it, if there is one.
//!
//! # Orders on mapped memory
//!
//! A put is a store (or many), a get is loads, an atomic is an atomic; for this processor each is done when the routine returns. The
//! remaining question is when *others* see it:
//!
//! - `fence`: each PE sees the puts, stores and atomics before it before those after it. A release fence orders all earlier loads and
//!   stores before all later stores; acquire is added for the atomics after it, whose reads must not pass earlier ones either. On x86-64
//!   both are promises to the compiler; on weakly ordered processors one barrier. One order is left: a store before a later load, which is
//!   a plain fetch (other atomics are barriers on x86-64). The blocking fetch has a full fence before its load; this routine has none,
//!   since most programs call it between stores. A non-blocking fetch needs none: fence does not order fetched values. If a NIC executes
//!   atomics, even on mapped words, a store after the fence would pass them on their way through the NIC: the fence waits for them
//!   (`far/stream.rs`).
//! - `quiet` promises more: the operations are complete everywhere, so that a later get, of anything, comes after them too. That needs the
//!   one order that x86-64 does not give for nothing, a store before a later load: a full fence. If two PEs put, call quiet and get each
//!   other's word, they cannot both read the old one.
//! - A get, and a fetch, has read before everything that comes after it (`seen`), as the answer of a PE that is not mapped has arrived
//!   before. So a program may read a flag by one and the data behind the flag by the next.
//! - The target side takes part by reading with acquire: in the waiting routines (`p2p.rs`), in barriers, and in fetching atomics. The
//!   origin puts data, calls fence and puts a flag; the target waits for the flag and reads the data.

use crate::{
    Ctx, Site, World, at_border,
    observe::{Call, Kind, Layout},
};
use core::{
    ffi::c_int,
    sync::atomic::{Ordering, fence},
};
use ferrite_fabric::Pe;
use std::slice;

/// Complete every earlier load and store of this thread before any later one. On x86-64 a locked no-op on the stack is half the price of
/// the `mfence` that the compiler would choose.
#[inline(always)]
pub(crate) fn full_fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: changes nothing: it ors zero into the word at the stack pointer, which is ours. Not `nomem`, so that the
    // compiler moves no access across it either.
    unsafe {
        core::arch::asm!("lock or dword ptr [rsp], 0", options(nostack));
    }
    #[cfg(not(target_arch = "x86_64"))]
    fence(Ordering::SeqCst);
}

/// Order the reads of a blocking routine from mapped memory before everything that comes after. Reads from far memory are ordered in the
/// same way, since their answers have arrived. No instruction on x86-64.
#[inline(always)]
pub(crate) fn seen() {
    fence(Ordering::Acquire);
}

/// The step of quiet and collectives that completes the items of aggregators. `agg` implements it.
pub(crate) trait FlushAggregators {
    /// Complete the items of all aggregators.
    fn flush_aggregators(&self, site: &'static Site);
}

impl World {
    /// Order the operations issued on `ctx` before against those issued after, at each PE.
    #[inline(always)]
    pub fn fence(&self, site: &'static Site, ctx: Ctx) {
        fence(Ordering::AcqRel);
        self.check_context(site, ctx);
        if self.near.slow_ordering.load(Ordering::Relaxed) != 0 {
            self.fence_slow(site, ctx);
        }
    }

    /// Fence the operations that are under way on a fabric.
    #[cold]
    #[inline(never)]
    fn fence_slow(&self, site: &'static Site, ctx: Ctx) {
        self.note_call(site);
        let _observed = self.observe(|_| Call { ctx, ..Call::of(site, Kind::Fence) });
        if let Some((live, stream)) = self.used_stream(site, ctx) {
            live.fence(stream);
        }
    }

    /// As [`World::fence`] on the default context, for C: the border is in the cold path, so that the near path needs no frame.
    #[inline(always)]
    pub fn fence_at_border(&self, site: &'static Site) {
        #[cold]
        #[inline(never)]
        extern "C" fn slow(world: &World, site: &'static Site) {
            at_border(|| world.fence_slow(site, Ctx::DEFAULT), ());
        }
        fence(Ordering::AcqRel);
        if self.near.slow_ordering.load(Ordering::Relaxed) != 0 {
            slow(self, site);
        }
    }

    /// As [`World::quiet`] on the default context, likewise.
    #[inline(always)]
    pub fn quiet_at_border(&self, site: &'static Site) {
        #[cold]
        #[inline(never)]
        extern "C" fn slow(world: &World, site: &'static Site) {
            at_border(|| world.quiet_slow(site, Ctx::DEFAULT), ());
        }
        full_fence();
        if self.near.slow_ordering.load(Ordering::Relaxed) != 0 {
            slow(self, site);
        }
    }

    /// Complete the operations issued on `ctx`, everywhere.
    #[inline(always)]
    pub fn quiet(&self, site: &'static Site, ctx: Ctx) {
        full_fence();
        self.check_context(site, ctx);
        if self.near.slow_ordering.load(Ordering::Relaxed) != 0 {
            self.quiet_slow(site, ctx);
        }
    }

    /// Complete the items of aggregators, and the operations on a fabric.
    #[cold]
    #[inline(never)]
    fn quiet_slow(&self, site: &'static Site, ctx: Ctx) {
        self.note_call(site);
        let _observed = self.observe(|_| Call { ctx, ..Call::of(site, Kind::Quiet) });
        if ctx == Ctx::DEFAULT {
            self.flush_aggregators(site);
        }
        if let Some((live, stream)) = self.used_stream(site, ctx) {
            live.complete(stream);
        }
    }

    /// Wait until this PE's memory that the operations issued on `ctx` use belongs to the program again: the sources of non-blocking puts
    /// may be changed, and the results of non-blocking gets and atomics are here. Puts and atomics may still be on their way to their
    /// targets, and are not ordered. Operations on mapped memory have read their sources when they return.
    #[inline(always)]
    pub fn local_complete(&self, site: &'static Site, ctx: Ctx) {
        self.check_context(site, ctx);
        if self.near.slow_ordering.load(Ordering::Relaxed) != 0 {
            self.local_complete_slow(site, ctx);
        }
        seen();
    }

    /// Wait for the local completion of operations on a fabric. The items of aggregators are copies already.
    #[cold]
    #[inline(never)]
    fn local_complete_slow(&self, site: &'static Site, ctx: Ctx) {
        self.note_call(site);
        let _observed = self.observe(|_| Call { ctx, ..Call::of(site, Kind::LocalComplete) });
        if let Some((live, stream)) = self.used_stream(site, ctx) {
            live.complete_locally(stream);
        }
    }

    /// Whether the operations issued on `ctx` are complete everywhere, after one step of progress if they are not.
    pub fn quiet_test(&self, site: &'static Site, ctx: Ctx) -> bool {
        full_fence();
        self.check_context(site, ctx);
        if let Some(delays) = self.live().and_then(|live| live.observers.delays()) {
            delays.demand(ctx);
        }
        self.used_stream(site, ctx).is_none_or(|(_, stream)| stream.is_complete())
    }

    /// Complete the operations issued on any context. No other thread may create or destroy one meanwhile. Called by the last finalize:
    /// after the barrier that follows, peers may exit, and could not take operations that are still on their way to them.
    pub fn quiet_all(&self, site: &'static Site) {
        let live = self.require_live(site);
        live.contexts
            .created
            .handles(|context| context.used_stream().is_some())
            .into_iter()
            .for_each(|ctx| self.quiet(site, Ctx(ctx)));
        if let Some(far) = &live.far {
            live.complete_unowed(&far.stream);
        }
    }

    /// The plain routines pass a constant context, for which this checks nothing.
    #[inline(always)]
    fn check_context(&self, site: &'static Site, ctx: Ctx) {
        if ctx != Ctx::DEFAULT && ctx != Ctx::INVALID {
            self.require_context(site, ctx);
        }
    }

    /// Complete the operations issued on `ctx` to these PEs.
    ///
    /// # Safety
    /// `target_pes` is valid for reads of `npes` numbers, unless there are none.
    pub unsafe fn pe_quiet(&self, site: &'static Site, ctx: Ctx, target_pes: *const c_int, npes: usize) {
        full_fence();
        self.check_context(site, ctx);
        self.note_call(site);
        let _observed = self.observe(|_| Call {
            local: target_pes as usize,
            layout: Layout::contiguous(npes.saturating_mul(size_of::<c_int>())),
            ..Call::to(self, site, Kind::QuietOfPes, ctx, -1)
        });
        if npes == 0 || ctx == Ctx::INVALID {
            return;
        }
        if target_pes.is_null() {
            self.misuse(site, format_args!("target_pes is NULL, but npes is {npes}"));
        }
        let stream = if self.near.slow_ordering.load(Ordering::Relaxed) == 0 {
            None
        } else {
            if ctx == Ctx::DEFAULT {
                self.flush_aggregators(site);
            }
            self.used_stream(site, ctx)
        };
        // SAFETY: the caller's promise.
        for &pe in unsafe { slice::from_raw_parts(target_pes, npes) } {
            if stream.is_none() && self.near.window(self.route(ctx, pe)).is_some() {
                continue;
            }
            let pe = Pe(self.require_pe(site, ctx, pe) as u32);
            if let Some((live, stream)) = stream {
                live.complete_at(stream, pe);
            }
        }
    }
}
