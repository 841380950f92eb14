//! The symmetric heap's routines: collective allocation.
//!
//! Which bytes a call gets is a matter of arithmetic that every PE does alike (`heap/alloc.rs`). Whether the node has
//! the memory is not: when the heap's extent must grow, the PEs agree first, and what one node refuses all refuse.
//! Only then is anything committed, so that a refusal leaves every PE's heap as it was.

use crate::{
    Ctx, Site, World,
    life::streams::flush_streams,
    live::Live,
    memory::{
        heap::alloc::{NotABlock, Plan, Tag},
        node::{HEAP_ALIGN, HUGE_PAGE},
    },
};
use core::{
    ffi::{c_long, c_void},
    ptr,
};
use ferrite_fabric::mutex;

/// The heap grows by steps of this, so that small allocations seldom need an agreement.
const STEP: u64 = HUGE_PAGE as u64;
/// Where peers need a key for every step, it is at least this part of what there was.
const STRIDE: u64 = 4;

impl World {
    /// Allocate `size` bytes on all PEs. Null on all if any cannot have them.
    pub fn malloc(&self, site: &'static Site, size: usize) -> *mut c_void {
        self.allocate(site, size, 1, 0, Fill::None)
    }

    /// Allocate with hints about the use to come.
    pub fn malloc_with_hints(&self, site: &'static Site, size: usize, hints: c_long) -> *mut c_void {
        self.allocate(site, size, 1, hints, Fill::None)
    }

    /// Allocate at a multiple of `alignment`, a power of two; else null.
    pub fn align(&self, site: &'static Site, alignment: usize, size: usize) -> *mut c_void {
        self.require_live(site);
        if !alignment.is_power_of_two() {
            return ptr::null_mut();
        }
        self.allocate(site, size, alignment, 0, Fill::None)
    }

    /// Allocate `count` objects of `size` zero bytes.
    pub fn calloc(&self, site: &'static Site, count: usize, size: usize) -> *mut c_void {
        // A product that overflows is refused as what no object has.
        self.allocate(site, count.saturating_mul(size), 1, 0, Fill::Zero)
    }

    /// Free what was allocated, once all PEs are done with it.
    ///
    /// # Safety
    /// Nobody uses the block after this.
    pub unsafe fn free(&self, site: &'static Site, block: *mut c_void) {
        let live = self.require_live(site);
        if block.is_null() {
            return;
        }
        let offset = self.block_offset(site, live, block);
        let _turn = mutex::lock(&live.allocating);
        self.meet_alike(site, live);
        if let Err(wrong) = live.heap().free(offset) {
            self.not_a_block(site, block, &wrong);
        }
    }

    /// Change a block's size, moving it if need be. Null, with the block as it was, if that cannot be.
    ///
    /// # Safety
    /// The old block is not used after this unless null comes back.
    pub unsafe fn realloc(&self, site: &'static Site, block: *mut c_void, size: usize) -> *mut c_void {
        let live = self.require_live(site);
        if block.is_null() {
            return self.allocate(site, size, 1, 0, Fill::None);
        }
        if size == 0 {
            // SAFETY: passed on.
            unsafe { self.free(site, block) };
            return ptr::null_mut();
        }
        let offset = self.block_offset(site, live, block);
        let _turn = mutex::lock(&live.allocating);
        self.meet_alike(site, live);
        let (plan, kept) = {
            let heap = live.heap();
            let kept = heap.block_at(offset).map_or(0, |block| block.bytes).min(size as u64);
            match heap.plan_resize(offset, size as u64) {
                Ok(plan) => (plan, kept),
                Err(wrong) => self.not_a_block(site, block, &wrong),
            }
        };
        let Some(plan) = self.affordable(site, live, plan, size) else { return self.refuse_alike(site, live) };
        let moved_from = plan.moves_from();
        let new = live.heap().commit(plan);
        if let Some(old) = moved_from {
            // SAFETY: both blocks are ours; the old one's bytes stay until the next allocation.
            unsafe { ptr::copy(live.heap_at(old), live.heap_at(new), kept as usize) };
        }
        self.meet_alike(site, live);
        live.heap_at(new).cast()
    }

    /// What the symmetric heap has at `address`: for interfaces that report a wrong address instead of ending the job.
    pub fn block_state(&self, site: &'static Site, address: *const c_void) -> BlockState {
        let live = self.require_live(site);
        let offset = (address as usize).wrapping_sub(live.heap_base()) as u64;
        let heap = live.heap();
        match (heap.block_at(offset), heap.block_around(offset)) {
            _ if offset >= heap.extent() => BlockState::Outside,
            (Some(_), _) => BlockState::Whole,
            (None, Some(_)) => BlockState::Inside,
            (None, None) => BlockState::Free,
        }
    }

    fn allocate(&self, site: &'static Site, size: usize, align: usize, hints: c_long, fill: Fill) -> *mut c_void {
        let live = self.require_live(site);
        if size == 0 {
            return ptr::null_mut();
        }
        let _turn = mutex::lock(&live.allocating);
        let (plan, fresh_from) = {
            let heap = live.heap();
            // What is wider than the heaps' own alignment would differ between PEs.
            let plan = if align > HEAP_ALIGN {
                None
            } else {
                heap.plan(size as u64, align as u64, Tag { hints, routine: site.name })
            };
            (plan, heap.extent())
        };
        let Some(plan) = self.affordable(site, live, plan, size) else { return self.refuse_alike(site, live) };
        let offset = live.heap().commit(plan);
        if let Fill::Zero = fill {
            // Beyond what the heap has reached before, the kernel gives zeros, and no page is touched.
            let stale = fresh_from.saturating_sub(offset).min(size as u64);
            // SAFETY: the block is ours, and no peer has its address before the barrier.
            unsafe { ptr::write_bytes(live.heap_at(offset), 0, stale as usize) };
        }
        self.meet_alike(site, live);
        live.heap_at(offset).cast()
    }

    /// Null, on all PEs: what fails is a barrier, too, and so completes what was put.
    fn refuse_alike(&self, site: &'static Site, live: &Live) -> *mut c_void {
        self.meet_alike(site, live);
        ptr::null_mut()
    }

    /// A barrier in which the PEs compare what they have allocated and freed so far: whoever made another call than the others
    /// would from now on have other objects at the same addresses.
    fn meet_alike(&self, site: &'static Site, live: &Live) {
        self.quiet(site, Ctx::DEFAULT);
        let history = live.heap().history();
        // All have the same bits set, and the same not set.
        let mine = [history, !history];
        if self.agree_on(site, mine, |_, a, b| a & b) != mine {
            self.misuse(
                site,
                format_args!(
                    "the symmetric heaps of the PEs differ now: every PE must call shmem_malloc and its like with the same \
                     arguments and in the same order"
                ),
            );
        }
        if live.settings.barriers_flush {
            flush_streams();
        }
    }

    /// The plan for `size` bytes, once it is known that every PE can afford it. All PEs come to the same answer.
    fn affordable(&self, site: &'static Site, live: &Live, plan: Option<Plan>, size: usize) -> Option<Plan> {
        let Some(plan) = plan else {
            let why = if size > isize::MAX as usize {
                "no object has so many bytes: the size, or count times size, has overflowed"
            } else {
                "no room for so much, so aligned, below the ceiling of the symmetric heap (SHMEM_SYMMETRIC_SIZE)"
            };
            live.report_refusal(site, why, live.me == 0);
            return None;
        };
        let good = live.heap_extent() as u64;
        if plan.extent() <= good {
            return Some(plan);
        }
        let least = plan.extent().next_multiple_of(STEP);
        let wanted = self.agreed_extent(site, live, good, least)?;
        live.raise_heap(wanted as usize);
        if let Some(far) = &live.far
            && let Err(error) = live.show_heap(far, good, wanted)
        {
            live.die(&format!(
                "PE {}: {}: letting peers reach {wanted} bytes of the heap: {error}",
                live.me, site.name
            ));
        }
        tracing::debug!(from = good, to = wanted, "symmetric heap grown");
        Some(plan)
    }

    /// How far the heaps grow beyond `good` so that `least` is within: what every PE can afford, the same on all.
    fn agreed_extent(&self, site: &'static Site, live: &Live, good: u64, least: u64) -> Option<u64> {
        // Where each step is a matter of the whole job there are to be few.
        let dear = live.far.as_ref().is_some_and(|far| far.grows_dearly());
        let ceiling = live.heap().ceiling().next_multiple_of(STEP);
        let generous = if dear { (good + good / STRIDE).next_multiple_of(STEP).min(ceiling).max(least) } else { least };
        let mut refusal = None;
        for wanted in if generous > least { vec![generous, least] } else { vec![least] } {
            // The node's memory is counted by its first PE; the others agree.
            let verdict = if live.node.index() == 0 { live.afford(wanted - good) } else { Ok(()) };
            if self.agree(site, verdict.is_ok()) {
                return Some(wanted);
            }
            refusal = verdict.err();
        }
        // Who has a reason of its own tells it.
        live.report_refusal(site, refusal.as_deref().unwrap_or("another PE has not the memory"), refusal.is_some());
        None
    }

    fn block_offset(&self, site: &'static Site, live: &Live, block: *mut c_void) -> u64 {
        let offset = (block as usize).wrapping_sub(live.heap_base());
        if offset >= live.heap_ceiling() {
            self.misuse(
                site,
                format_args!(
                    "ptr {block:p} is not from the symmetric heap ({}); pass what shmem_malloc returned",
                    live.describe(block as usize)
                ),
            );
        }
        if live.heap().block_at(offset as u64).is_none() {
            let wrong = NotABlock { offset: offset as u64, inside: live.heap().block_around(offset as u64).copied() };
            self.not_a_block(site, block, &wrong);
        }
        offset as u64
    }

    #[cold]
    fn not_a_block(&self, site: &'static Site, block: *mut c_void, wrong: &NotABlock) -> ! {
        self.misuse(site, format_args!("ptr {block:p} {wrong}; pass what shmem_malloc returned, once"))
    }
}

/// What [`World::block_state`] found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BlockState {
    /// The address is beyond what the heap has ever held.
    Outside,
    /// It is in the heap, but in no block.
    Free,
    /// It is within a block, not at its start.
    Inside,
    /// It is the start of a block.
    Whole,
}

/// What a new block holds.
enum Fill {
    None,
    Zero,
}
