//! Batches of items from one PE to another.
//!
//! # Memory
//!
//! In its heap each PE has, for every PE that may send to it, [`SLOTS`] *slots* of a batch each, and a word for each slot; and for every PE
//! that it may send to, a word of acknowledgement. A sender collects items in memory of its own.
//!
//! # States and owners
//!
//! The batches from one PE to another are numbered from 1. Batch k goes to slot k mod `SLOTS`. A slot belongs to the sender until the
//! sender has stored the batch in it and then the slot's word, `k << 20 | items`. Then it belongs to the target, until the target has
//! handled the items and stored k in the sender's acknowledgement. The sender stores batch k when batch k - `SLOTS` is acknowledged, so a
//! slot has one owner at any time. A word has one writer: the sender writes the words of slots, the target the acknowledgements. Numbers
//! only grow, and nothing is reset.
//!
//! The target handles batch k when the word of its slot contains k, and when it has handled k - 1 before: so each batch is handled once,
//! and in order. A word that contains another number is the one of batch k - `SLOTS`, which was handled.
//!
//! # Memory orders
//!
//! - The batch is stored before its word: on mapped memory by a release store of the word, over a fabric by a put with signal. The target
//!   loads the word with acquire, so it sees the items. If the sender fenced its earlier writes, the target sees them too.
//! - Items are handled before the acknowledgement: a release store, or an operation that the fabric posts after the handler's stores, with
//!   a fence before it. The sender loads the acknowledgement with acquire. So it overwrites the slot after the target has read it, and a
//!   thread that returns from a flush sees the effects of the handlers: their stores come before the acknowledgement, and the sender's
//!   later reads come after it.
//! - A lock protects this PE's collected items and its counts. It does not protect the words, since other PEs write them.

use crate::{
    Site, World,
    far::{Back, SignalUpdate, raise},
    live::Live,
    near::Near,
    ops::order::full_fence,
    wait::state::Awaited,
};
use core::{
    ffi::{c_int, c_void},
    ptr,
    sync::atomic::{
        AtomicU64, AtomicUsize,
        Ordering::{Acquire, Relaxed, Release},
    },
};
use ferrite_copy::copy;
use ferrite_fabric::SignalOp;
use std::sync::{Mutex, MutexGuard, TryLockError};

use super::updates;

/// Bits of a slot's word that count items. The other bits are the batch's number. It wraps around after half a year at a batch per
/// microsecond, and that does harm only if a batch of that time is still in its slot.
const COUNT_BITS: u32 = 20;
const ITEMS_MAX: usize = (1 << COUNT_BITS) - 1;
/// Bytes of a batch: a transport's cost of a message is small beside the copy of this many.
const BATCH: usize = 32 << 10;
/// Bytes of all slots of a PE: with more than 256 PEs batches are smaller. Pages that are never stored to cost nothing.
const ALL_SLOTS: usize = 64 << 20;
/// Batches under way to a PE: enough that a sender need not wait for a target that loses its core for a moment.
const SLOTS: usize = 8;
const LINE: usize = 64;

/// The function that handles the items of a batch.
pub(super) struct Handler {
    pub call: unsafe extern "C" fn(*mut c_void, *const c_void, usize, c_int),
    pub context: *mut c_void,
}

/// Sizes and numbers of items, slots and words.
pub(super) struct Layout {
    pes: usize,
    /// Bytes of an item.
    item: usize,
    /// Items of a batch.
    items: usize,
    /// Bytes from one slot to the next.
    stride: usize,
}

impl Layout {
    /// Layout for batches of `wanted` bytes; 0 stands for the default size.
    pub fn new(pes: usize, item: usize, wanted: usize) -> Layout {
        let bytes = if wanted > 0 { wanted } else { BATCH.min(ALL_SLOTS / (SLOTS * pes)) };
        let items = (bytes / item).clamp(1, ITEMS_MAX);
        Layout { pes, item, items, stride: (items * item).next_multiple_of(LINE) }
    }

    pub fn words(&self) -> usize {
        self.pes * (SLOTS + 1)
    }

    /// Bytes of all slots. A size that does not fit saturates, and no heap has that much.
    pub fn slot_bytes(&self) -> usize {
        self.stride.saturating_mul(self.pes * SLOTS)
    }

    /// The slot that batch `number` from `source` goes to.
    fn slot(&self, source: usize, number: u64) -> usize {
        source * SLOTS + (number % SLOTS as u64) as usize
    }
}

/// Items and batches for one PE.
#[derive(Default)]
struct Out {
    /// Items that were not sent yet. Empty until there is one.
    buffer: Box<[u8]>,
    /// Number of items in the buffer.
    held: usize,
    /// Number of batches sent.
    sent: u64,
}

struct State {
    out: Box<[Out]>,
    /// Number of batches handled, by source.
    handled: Box<[u64]>,
}

pub(super) struct Aggregator {
    layout: Layout,
    words: usize,
    slots: usize,
    handler: Option<Handler>,
    /// Guard of the mapped PEs. It stays open when the world's guards are shut.
    pub(super) near: Near,
    state: Mutex<State>,
    /// The thread that runs the handler, as an address that no other thread has; 0 if there is none.
    in_handler: AtomicUsize,
}

// SAFETY: `context` is the program's, which has promised that any thread may call its handler with it; the rest is plain words.
unsafe impl Send for Aggregator {}
// SAFETY: as above; handlers are called under the lock.
unsafe impl Sync for Aggregator {}

impl Aggregator {
    pub fn new(layout: Layout, words: usize, slots: usize, handler: Option<Handler>, near: Near) -> Aggregator {
        let out = (0..layout.pes).map(|_| Out::default()).collect();
        let state = Mutex::new(State { out, handled: vec![0; layout.pes].into() });
        Aggregator { layout, words, slots, handler, near, state, in_handler: AtomicUsize::new(0) }
    }

    /// Addresses of its blocks in the heap: words, and slots.
    pub fn memory(&self) -> (usize, usize) {
        (self.words, self.slots)
    }

    /// Bytes of an item.
    pub fn item_size(&self) -> usize {
        self.layout.item
    }

    pub fn has_handler(&self) -> bool {
        self.handler.is_some()
    }

    /// Address of the word of a slot.
    fn word(&self, slot: usize) -> usize {
        self.words + slot * size_of::<u64>()
    }

    /// Address, in the heap of a sender, of the word in which its target `pe` acknowledges batches.
    fn acknowledgement(&self, pe: usize) -> usize {
        self.word(self.layout.pes * SLOTS + pe)
    }

    /// A word of this PE's own.
    fn own(&self, address: usize) -> &AtomicU64 {
        // SAFETY: within the block of words, which lives as long as this; peers write it whole.
        unsafe { AtomicU64::from_ptr(ptr::with_exposed_provenance_mut(address)) }
    }

    fn try_lock(&self) -> Option<MutexGuard<'_, State>> {
        match self.state.try_lock() {
            Ok(state) => Some(state),
            Err(TryLockError::Poisoned(state)) => Some(state.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    fn lock(&self, world: &World, live: &Live, site: &'static Site) -> MutexGuard<'_, State> {
        match self.try_lock() {
            Some(state) => state,
            None => self.lock_later(world, live, site),
        }
    }

    #[cold]
    fn lock_later(&self, world: &World, live: &Live, site: &'static Site) -> MutexGuard<'_, State> {
        if self.in_handler.load(Relaxed) == this_thread() {
            world
                .misuse(site, format_args!("called by a handler of an aggregator; a handler may not call the library"));
        }
        live.until(Awaited::Unnamed, || self.try_lock())
    }

    /// Collect the item at `item` for `pe`. Send the batch if it is full.
    ///
    /// # Safety
    /// `item` is readable for the size of an item.
    #[inline]
    pub unsafe fn push(&self, world: &World, live: &Live, site: &'static Site, item: *const u8, pe: usize) {
        let mut state = self.lock(world, live, site);
        let Layout { item: len, items, .. } = self.layout;
        let out = &mut state.out[pe];
        if out.buffer.is_empty() {
            out.buffer = vec![0; items * len].into();
        }
        let to = &mut out.buffer[out.held * len..][..len];
        // SAFETY: the caller's promise; the buffer is ours, under the lock.
        unsafe { ptr::copy_nonoverlapping(item, to.as_mut_ptr(), len) };
        out.held += 1;
        if out.held == items {
            self.ship(live, &mut state, pe);
        }
    }

    /// Send the items collected for `pe`. Handle incoming batches before, and while it waits for a slot.
    #[inline(never)]
    fn ship(&self, live: &Live, state: &mut State, pe: usize) {
        self.receive_with(live, state);
        let acknowledged = self.own(self.acknowledgement(pe));
        let number = state.out[pe].sent + 1;
        live.until(Awaited::Unnamed, || {
            let has_room = acknowledged.load(Acquire) + SLOTS as u64 >= number;
            if !has_room {
                self.receive_with(live, state);
            }
            has_room.then_some(())
        });
        let me = live.me as usize;
        let out = &mut state.out[pe];
        let slot = self.layout.slot(me, number);
        let len = out.held * self.layout.item;
        let value = number << COUNT_BITS | out.held as u64;
        let (to, word) = (self.slots + slot * self.layout.stride, self.word(slot));
        match (self.near.range(to, len, pe as c_int), self.near.object(word, pe as c_int)) {
            // SAFETY: the guard found both at the peer, and the slot is ours.
            (Some(to), Some(word)) => unsafe {
                copy(to, out.buffer.as_ptr(), len);
                AtomicU64::from_ptr(word.cast()).store(value, Release);
            },
            _ => {
                let Some(far) = &live.far else { unreachable!("PE {pe} is neither mapped nor reachable") };
                let place =
                    |address, len| live.remote_address(address, len, pe as u32).expect("a block of the symmetric heap");
                let signal = SignalUpdate { at: place(word, size_of::<u64>()), op: SignalOp::Set, value };
                // SAFETY: the buffer is ours until the call has returned.
                unsafe {
                    live.put_signal_far(far, &far.stream, place(to, len), out.buffer.as_ptr(), len, signal, Back::Now)
                };
            }
        }
        (out.held, out.sent) = (0, number);
    }

    /// Send all collected items, and return when everything that was ever sent is handled.
    pub fn flush(&self, world: &World, live: &Live, site: &'static Site) {
        let mut state = self.lock(world, live, site);
        for pe in 0..self.layout.pes {
            if state.out[pe].held > 0 {
                self.ship(live, &mut state, pe);
            }
        }
        for pe in 0..self.layout.pes {
            let (acknowledged, sent) = (self.own(self.acknowledgement(pe)), state.out[pe].sent);
            live.until(Awaited::Unnamed, || {
                let is_handled = acknowledged.load(Acquire) == sent;
                if !is_handled {
                    self.receive_with(live, &mut state);
                }
                is_handled.then_some(())
            });
        }
    }

    /// Handle the batches that have arrived, unless another thread does. Returns their number.
    pub fn receive(&self, live: &Live) -> usize {
        self.try_lock().map_or(0, |mut state| self.receive_with(live, &mut state))
    }

    fn receive_with(&self, live: &Live, state: &mut State) -> usize {
        let mut batches = 0;
        for (source, handled) in state.handled.iter_mut().enumerate() {
            let number = *handled + 1;
            let slot = self.layout.slot(source, number);
            let word = self.own(self.word(slot)).load(Acquire);
            if word >> COUNT_BITS != number & (u64::MAX >> COUNT_BITS) {
                continue;
            }
            let count = word as usize & ITEMS_MAX;
            if count > self.layout.items {
                live.die(&format!("PE {}: a batch of {count} items from PE {source} is larger than its slot", live.me));
            }
            self.handle(live, source, self.slots + slot * self.layout.stride, count);
            *handled = number;
            batches += 1;
            self.acknowledge(live, source, number);
        }
        batches
    }

    /// Pass the `count` items at `items` to the handler, or apply them as updates.
    fn handle(&self, live: &Live, source: usize, items: usize, count: usize) {
        let items = ptr::with_exposed_provenance::<u8>(items);
        let Some(Handler { call, context }) = &self.handler else {
            // SAFETY: a slot that is ours now, with `count` updates in it; slots begin at cache lines.
            let updates = unsafe { core::slice::from_raw_parts(items.cast(), count) };
            return updates::apply(&self.near, live, source, updates);
        };
        self.in_handler.store(this_thread(), Relaxed);
        // SAFETY: the program's promise, and a slot that is ours now.
        unsafe { call(*context, items.cast(), count, source as c_int) };
        self.in_handler.store(0, Relaxed);
    }

    /// Acknowledge the batches of `source` up to `number`.
    fn acknowledge(&self, live: &Live, source: usize, number: u64) {
        let word = self.acknowledgement(live.me as usize);
        if let Some(word) = self.near.object(word, source as c_int) {
            // SAFETY: the guard found the word, which this PE alone writes.
            return unsafe { AtomicU64::from_ptr(word.cast()) }.store(number, Release);
        }
        let Some(far) = &live.far else { unreachable!("PE {source} is neither mapped nor reachable") };
        let at = live.remote_address(word, size_of::<u64>(), source as u32).expect("a block of the symmetric heap");
        full_fence();
        // SAFETY: the update points to nothing here.
        unsafe { live.issue_unowed(&far.stream, &raise(SignalUpdate { at, op: SignalOp::Set, value: number })) };
    }
}

/// A number that identifies this thread.
fn this_thread() -> usize {
    thread_local! { static MARK: u8 = const { 0 } }
    MARK.with(|mark| ptr::from_ref(mark).addr())
}
