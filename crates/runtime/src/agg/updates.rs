//! Updates of 64-bit words: their format in transit, and how they are applied.
//!
//! An update is two words: its place and operation, and the operand. The place is the distance from the beginning of a symmetric segment, a
//! multiple of 8, so that its lowest bits encode the segment and the operation.

use super::Aggregator;
use crate::{
    Agg, Ctx, Site, World,
    live::Live,
    near::Near,
    observe::{Answer, Call, Kind, Layout},
};
use core::{
    ffi::c_int,
    sync::atomic::{AtomicU64, Ordering::Relaxed},
};
use ferrite_fabric::SegmentId;

/// Bytes of an update in transit.
pub(super) const BYTES: usize = size_of::<[u64; 2]>();

/// Store the operand.
const PUT: u64 = 0;
/// Add the operand.
const ADD: u64 = 1;
/// Or the operand.
const OR: u64 = 2;
/// Exclusive or with the operand.
const XOR: u64 = 3;
const OPERATION: u64 = 3;
/// The place is in static data, not in the heap.
const STATIC: u64 = 4;

/// Update a word, as plain atomics do (`ops/amo.rs` says why relaxed).
#[inline(always)]
fn update<const WHAT: u64>(word: &AtomicU64, operand: u64) {
    match WHAT {
        PUT => word.store(operand, Relaxed),
        ADD => _ = word.fetch_add(operand, Relaxed),
        OR => _ = word.fetch_or(operand, Relaxed),
        XOR => _ = word.fetch_xor(operand, Relaxed),
        _ => unreachable!("{WHAT} is no update"),
    }
}

/// Apply the updates that have come from `source`.
pub(super) fn apply(near: &Near, live: &Live, source: usize, updates: &[[u64; 2]]) {
    let bases = [near.heap.load(Relaxed) as u64, near.statics.load(Relaxed) as u64];
    for &[place, operand] in updates {
        let base = bases[usize::from(place & STATIC != 0)];
        let address = base.wrapping_add(place & !(STATIC | OPERATION));
        let Some(word) = near.object(address as usize, live.me as c_int) else {
            live.die(&format!("PE {}: an update from PE {source} is not for a symmetric word: {place:#x}", live.me));
        };
        // SAFETY: the guard found the word, and places are multiples of 8 from an aligned beginning.
        let word = unsafe { AtomicU64::from_ptr(word.cast()) };
        match place & OPERATION {
            PUT => update::<PUT>(word, operand),
            ADD => update::<ADD>(word, operand),
            OR => update::<OR>(word, operand),
            _ => update::<XOR>(word, operand),
        }
    }
}

impl World {
    /// Update the word `dest` at `pe`: at once if it is mapped, else together with other updates.
    ///
    /// # Safety
    /// `dest` is a word at `pe`.
    #[inline(always)]
    unsafe fn agg_update<const WHAT: u64>(&self, site: &'static Site, agg: Agg, dest: *mut u64, value: u64, pe: c_int) {
        match self.words.object(dest as usize, pe) {
            Some(word) if dest.is_aligned() => {
                // SAFETY: the guard found the word, and the peer's segments are as aligned as ours.
                update::<WHAT>(unsafe { AtomicU64::from_ptr(word.cast()) }, value);
            }
            // SAFETY: passed on.
            _ => unsafe { self.agg_update_slow::<WHAT>(site, agg, dest, value, pe) },
        }
    }

    /// # Safety
    /// As for `agg_update`.
    #[inline(never)]
    unsafe fn agg_update_slow<const WHAT: u64>(
        &self,
        site: &'static Site,
        agg: Agg,
        dest: *mut u64,
        value: u64,
        pe: c_int,
    ) {
        let live = self.require_live(site);
        let to: &Aggregator = self.aggregator(site, live, agg);
        let _observed = self.observe(|_| Call {
            remote: dest as usize,
            layout: Layout::contiguous(size_of::<u64>()),
            answer: Answer::Later,
            ..Call::to(self, site, Kind::Send, Ctx::DEFAULT, pe)
        });
        self.require_kind(site, to, false);
        let (pe, address) = (self.require_pe(site, Ctx::DEFAULT, pe), dest as usize);
        if !dest.is_aligned() {
            self.unaligned(site, "dest", address, size_of::<u64>());
        }
        if live.nic_atomics() {
            // SAFETY: passed on.
            return unsafe { self.agg_update_plainly::<WHAT>(site, dest, value, pe) };
        }
        if let Some(word) = to.near.object(address, pe) {
            // SAFETY: as above: all atomics are the processors'.
            return update::<WHAT>(unsafe { AtomicU64::from_ptr(word.cast()) }, value);
        }
        let Some(place) = live.remote_address(address, size_of::<u64>(), pe as u32) else {
            self.explain(site, "dest", address, size_of::<u64>(), pe);
        };
        let segment = if place.segment == SegmentId::STATICS { STATIC } else { 0 };
        let item = [place.offset | segment | WHAT, value];
        // SAFETY: an item of the aggregator's size.
        unsafe { to.push(self, live, site, item.as_ptr().cast(), pe as usize) }
    }

    /// The same by a plain routine.
    ///
    /// # Safety
    /// As for `agg_update`.
    unsafe fn agg_update_plainly<const WHAT: u64>(&self, site: &'static Site, dest: *mut u64, value: u64, pe: c_int) {
        // SAFETY: passed on.
        unsafe {
            match WHAT {
                PUT => self.atomic_set(site, Ctx::DEFAULT, dest, value, pe),
                ADD => self.atomic_add(site, Ctx::DEFAULT, dest, value, pe),
                OR => self.atomic_or(site, Ctx::DEFAULT, dest, value, pe),
                XOR => self.atomic_xor(site, Ctx::DEFAULT, dest, value, pe),
                _ => unreachable!("{WHAT} is no update"),
            }
        }
    }
}

macro_rules! updates {
    ($($(#[$doc:meta])* fn $name:ident = $what:ident;)*) => { impl World { $(
        $(#[$doc])*
        ///
        /// # Safety
        /// `dest` is a word at `pe`.
        #[inline(always)]
        pub unsafe fn $name(&self, site: &'static Site, agg: Agg, dest: *mut u64, value: u64, pe: c_int) {
            // SAFETY: passed on.
            unsafe { self.agg_update::<{ $what }>(site, agg, dest, value, pe) }
        }
    )* } };
}

updates! {
    /// Store a word at `pe`.
    fn agg_put = PUT;
    /// Add to a word at `pe`.
    fn agg_add = ADD;
    /// Or a word at `pe`.
    fn agg_or = OR;
    /// Exclusive or of a word at `pe`.
    fn agg_xor = XOR;
}
