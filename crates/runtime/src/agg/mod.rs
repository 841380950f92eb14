//! Aggregation of fine-grained traffic: small items for the same PE travel together.
//!
//! # The contract
//!
//! All PEs make an aggregator together, and end it together. It carries one of two things:
//!
//! - *items* of a fixed size, which a function of the program handles at the target, many at a time;
//! - *updates* of 64-bit words: put, add, or, exclusive or.
//!
//! The rules:
//!
//! 1. Each item is handled exactly once. Items from one PE to another are handled in the order in which they were sent; nothing else is
//!    ordered, by a fence either.
//! 2. A call that sends may keep the item. An item is complete (handled, or applied) when a flush returns that the sender called later:
//!    [`World::agg_flush`], quiet on the default context, a barrier, any other collective.
//! 3. Memory is bounded: eight buffers for each sender at the target, one for each destination at the sender. If the target is behind, the
//!    sender waits, and meanwhile handles the items that arrive for itself.
//! 4. A target handles the items that have arrived whenever it waits in the library or sends. Any wait will do; but a program that only
//!    computes handles nothing, and senders wait for it.
//! 5. The function that handles items may not call the library. It runs on any thread that is in the library, one call at a time.
//! 6. The sender applies an update of a mapped word at once, with the instruction of the plain atomic: no buffer is faster. A target's
//!    processor applies updates with the same instruction, so both are atomic with each other and with plain atomics. If a NIC executes
//!    atomics, updates are plain atomics: the two kinds would not exclude each other.
//!
//! # What it gains
//!
//! Over TCP plain updates that fetch nothing share writes, too: a connection sends all operations that have gathered. Random updates
//! between two PEs of one machine, half of them of own words, ran at 16 million a second as plain atomics, with 1320 writes for half a
//! million remote updates, and at 64 million with an aggregator, with 244 writes. The remaining cost is the update itself, at both ends.
//! Where each update waits for an answer, or each message is an operation of a NIC, there is far more to gain.
//!
//! # What it costs others
//!
//! While there are aggregators `near.slow_ordering` is not 0, which sends fences, quiets and collectives to their cold halves; these find the
//! open aggregators. A waiter reads one number. Nothing else knows that aggregators exist.
//!
//! Items go straight to their target's node, not through a leader. A leader that collects for a whole node has to handle every item once
//! more. That pays if a PE has more destinations than buffers, a case that could not be measured.
//!
//! | file | job |
//! |---|---|
//! | `channel` | batches between two PEs: buffers, numbers, acknowledgements |
//! | `updates` | the format of updates in transit, and how they are applied |

mod channel;
mod updates;

use crate::{
    Agg, AggHandler, Ctx, Site, World,
    live::Live,
    near::Near,
    observe::{Call, Kind, Layout},
    ops::order::FlushAggregators,
};
use channel::{Aggregator, Handler};
use core::{
    ffi::{c_int, c_void},
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};
use ferrite_os::mutex;
use ferrite_registry::Registry;
use std::sync::{Arc, Mutex, TryLockError};

/// Bytes of the largest item.
const ITEM_MAX: usize = 1 << 20;

/// The aggregators of a started world.
pub(crate) struct Aggregators {
    made: Registry<Arc<Aggregator>, 6>,
    /// The same, for code that visits all of them. They are visited under the lock, so that none ends meanwhile.
    open: Mutex<Vec<Arc<Aggregator>>>,
    count: AtomicUsize,
}

impl Aggregators {
    pub fn new() -> Aggregators {
        Aggregators { made: Registry::new(), open: Mutex::default(), count: AtomicUsize::new(0) }
    }

    /// Whether there are none.
    #[inline]
    pub fn are_none(&self) -> bool {
        self.count.load(Relaxed) == 0
    }

    /// Handle the batches that have arrived, unless another thread does.
    #[cold]
    fn advance(&self, live: &Live) -> usize {
        match self.open.try_lock() {
            Ok(open) => open.iter().map(|one| one.receive(live)).sum(),
            Err(TryLockError::WouldBlock) => 0,
            Err(TryLockError::Poisoned(_)) => unreachable!("a panic under the lock ends the job"),
        }
    }
}

impl Live {
    /// Handle the batches that have arrived for aggregators. Returns their number.
    #[inline]
    pub(crate) fn progress_aggregators(&self) -> usize {
        if self.agg.are_none() { 0 } else { self.agg.advance(self) }
    }

    /// Whether fence, quiet and collectives must take their slow path ([`Near::slow_ordering`]).
    pub(crate) fn needs_slow_ordering(&self) -> bool {
        self.far.is_some() || !self.agg.are_none() || !self.observers.are_none()
    }
}

impl World {
    /// Make an aggregator that passes items of `item_size` bytes to `handler`; if `handler` is null and `item_size` is 0, an aggregator of
    /// updates. It collects `buffer_size` bytes for each PE; 0 lets the library choose. Collective over the job. Returns 0. If there is no
    /// room, returns another number and writes null, on all PEs.
    ///
    /// # Safety
    /// `agg` is valid for a write, and `handler` may be called with `context` until the aggregator has ended.
    pub unsafe fn agg_create(
        &self,
        site: &'static Site,
        item_size: usize,
        handler: AggHandler,
        context: *mut c_void,
        buffer_size: usize,
        agg: *mut Agg,
    ) -> c_int {
        let live = self.require_live(site);
        self.must_be_somewhere(site, "agg", agg);
        let handler = match (handler, item_size) {
            (None, 0) => None,
            (None, _) => self.misuse(
                site,
                format_args!(
                    "handler is NULL, but item_size is {item_size}; give a handler, or 0 for updates of words"
                ),
            ),
            (Some(_), 0) => self.misuse(site, format_args!("item_size is 0; items for a handler need a size")),
            (Some(_), ITEM_MAX_AND_MORE..) => {
                self.misuse(site, format_args!("item_size is {item_size}; items have {ITEM_MAX} bytes at most"))
            }
            (Some(call), _) => Some(Handler { call, context }),
        };
        let item = if handler.is_some() { item_size } else { updates::BYTES };
        let layout = channel::Layout::new(live.size as usize, item, buffer_size);
        let words = self.calloc(site, layout.words(), size_of::<u64>());
        let slots = if words.is_null() { core::ptr::null_mut() } else { self.malloc(site, layout.slot_bytes()) };
        let made = (!slots.is_null()).then(|| {
            let near = Near::closed();
            near.open(&live.memory, live.needs_slow_ordering());
            Arc::new(Aggregator::new(layout, words as usize, slots as usize, handler, near))
        });
        let handle = made.as_ref().and_then(|made| live.agg.made.add(made.clone()));
        // SAFETY: the caller's promise.
        unsafe { agg.write(handle.map_or(Agg::NULL, Agg)) };
        let (Some(made), Some(_)) = (made, handle) else {
            // SAFETY: no other code has the addresses. All PEs have made equally many, so all come here or none does.
            unsafe {
                self.free(site, slots);
                self.free(site, words);
            }
            return -1;
        };
        mutex::lock(&live.agg.open).push(made);
        live.agg.count.fetch_add(1, Relaxed);
        self.near.set_slow_ordering(live.needs_slow_ordering());
        0
    }

    /// End an aggregator, once everything that any PE sent is complete, and write null. Collective over the job. Does nothing for null.
    ///
    /// # Safety
    /// `agg` is valid for reads and writes, and the aggregator is not used after this.
    pub unsafe fn agg_destroy(&self, site: &'static Site, agg: *mut Agg) {
        let live = self.require_live(site);
        self.must_be_somewhere(site, "agg", agg);
        // SAFETY: the caller's promise.
        let old = unsafe { agg.replace(Agg::NULL) };
        if old == Agg::NULL {
            return;
        }
        self.aggregator(site, live, old);
        // Flushes, then handles incoming batches until all PEs have flushed.
        self.barrier_all(site);
        let Some(ended) = live.agg.made.remove(old.0) else { unreachable!("it was just there") };
        let mut open = mutex::lock(&live.agg.open);
        open.retain(|one| !Arc::ptr_eq(one, &ended));
        live.agg.count.store(open.len(), Relaxed);
        drop(open);
        self.near.set_slow_ordering(live.needs_slow_ordering());
        let (words, slots) = ended.memory();
        // SAFETY: blocks of `agg_create`, which no PE writes to any more.
        unsafe {
            self.free(site, slots as *mut c_void);
            self.free(site, words as *mut c_void);
        }
    }

    /// Send the item at `item` to `pe`, where the handler gets it.
    ///
    /// # Safety
    /// `item` is readable for the aggregator's size.
    pub unsafe fn agg_send(&self, site: &'static Site, agg: Agg, item: *const c_void, pe: c_int) {
        let live = self.require_live(site);
        let to = self.aggregator(site, live, agg);
        let _observed = self.observe(|_| Call {
            local: item as usize,
            layout: Layout::contiguous(to.item_size()),
            ..Call::to(self, site, Kind::Send, Ctx::DEFAULT, pe)
        });
        self.require_kind(site, to, true);
        let pe = self.require_pe(site, Ctx::DEFAULT, pe);
        if item.is_null() {
            self.misuse(site, format_args!("item is NULL; pass the address of the item to send"));
        }
        // SAFETY: passed on.
        unsafe { to.push(self, live, site, item.cast(), pe as usize) }
    }

    /// Return when everything that this PE has sent is complete.
    pub fn agg_flush(&self, site: &'static Site, agg: Agg) {
        let live = self.require_live(site);
        let _observed = self.observe(|_| Call::of(site, Kind::Flush));
        self.aggregator(site, live, agg).flush(self, live, site);
    }

    /// The same while another thread receives, or while this one does and calls from a handler: `flush` distinguishes the two.
    fn flush_the_made(&self, site: &'static Site, live: &Live) {
        for handle in live.agg.made.handles(|_| true) {
            if let Some(one) = live.agg.made.get(handle).cloned() {
                one.flush(self, live, site);
            }
        }
    }

    /// The aggregator of a handle. An invalid handle ends the job.
    fn aggregator<'l>(&self, site: &Site, live: &'l Live, agg: Agg) -> &'l Aggregator {
        match live.agg.made.get(agg.0) {
            Some(one) => one,
            None if agg == Agg::NULL => {
                self.misuse(site, format_args!("agg is NULL; use an aggregator made by shmemx_agg_create"))
            }
            None => self.misuse(site, format_args!("agg {:#x} is not an aggregator, or was destroyed before", agg.0)),
        }
    }

    /// End the job if an item goes to an aggregator of updates, or an update to one of items.
    fn require_kind(&self, site: &Site, agg: &Aggregator, items: bool) {
        match (agg.has_handler(), items) {
            (true, false) => self.misuse(site, format_args!("agg carries items for a handler; make one for updates")),
            (false, true) => self.misuse(site, format_args!("agg carries updates of words; make one with a handler")),
            _ => {}
        }
    }
}

impl FlushAggregators for World {
    #[cold]
    #[inline(never)]
    fn flush_aggregators(&self, site: &'static Site) {
        let Some(live) = self.live().filter(|live| !live.agg.are_none()) else { return };
        // Clone the list rather than flush under its lock: a flush waits, and a waiter visits all aggregators.
        let Ok(open) = live.agg.open.try_lock().map(|open| open.clone()) else {
            return self.flush_the_made(site, live);
        };
        open.iter().for_each(|one| one.flush(self, live, site));
    }
}

/// Above [`ITEM_MAX`].
const ITEM_MAX_AND_MORE: usize = ITEM_MAX + 1;
