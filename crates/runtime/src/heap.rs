//! The routines of the symmetric heap. Allocation is collective.
//!
//! Every PE computes the block of a call by the same arithmetic (`heap/alloc.rs` of `ferrite-memory`). Whether a host has the memory cannot be
//! computed: before the heap's extent grows, the PEs agree, and if one host refuses, all PEs refuse. The heap changes after the
//! agreement, so a refusal leaves every PE's heap as it was.

use crate::{
    Ctx, Site, World,
    coll::agree_among,
    far::Far,
    live::Live,
    misuse::{address_kind, allocator, no_memory, place},
    observe::{Call, Event, Kind, Layout, Observed},
};
use core::{
    ffi::{c_long, c_void},
    ptr,
};
use ferrite_diagnose::entry::{Entry, EntryKind};
use ferrite_fabric::Result;
use ferrite_memory::{
    heap::{
        alloc::{HeapChange, NotABlock, Tag},
        budget::{self, Promise},
        pages,
        pools::LargePages,
    },
    node::{HEAP_ALIGN, HUGE_PAGE},
};
use ferrite_program::streams::flush_streams;
use std::{
    io::{self, Write},
    sync::MutexGuard,
};

/// The heap grows in multiples of this step, so that small allocations rarely need an agreement.
const STEP: u64 = HUGE_PAGE as u64;
/// If peers need a key for every step, the heap grows by at least 1/`STRIDE` of its extent.
const STRIDE: u64 = 4;
/// A zeroed allocation of at most this size gets its pages at once. A larger one may be meant to stay sparse.
const POPULATED_MAX: usize = 64 << 20;

impl World {
    /// Allocate `size` bytes on all PEs. Returns null on all PEs if the memory is missing on any of them.
    pub fn malloc(&self, site: &'static Site, size: usize) -> *mut c_void {
        self.allocate(site, size, 1, 0, Fill::None)
    }

    /// Allocate with hints about the future use of the block.
    pub fn malloc_with_hints(&self, site: &'static Site, size: usize, hints: c_long) -> *mut c_void {
        self.allocate(site, size, 1, hints, Fill::None)
    }

    /// Allocate at a multiple of `alignment`. Returns null if `alignment` is not a power of two.
    pub fn align(&self, site: &'static Site, alignment: usize, size: usize) -> *mut c_void {
        self.require_live(site);
        if !alignment.is_power_of_two() {
            return ptr::null_mut();
        }
        self.allocate(site, size, alignment, 0, Fill::None)
    }

    /// Allocate `count` objects of `size` zero bytes.
    pub fn calloc(&self, site: &'static Site, count: usize, size: usize) -> *mut c_void {
        // If the product overflows, it saturates at a size that no object can have, which is refused.
        self.allocate(site, count.saturating_mul(size), 1, 0, Fill::Zero)
    }

    /// Allocate `size` zero bytes at a multiple of `alignment`, a power of two.
    pub fn align_zeroed(&self, site: &'static Site, alignment: usize, size: usize) -> *mut c_void {
        self.allocate(site, size, alignment, 0, Fill::Zero)
    }

    /// Free a block, once all PEs are done with it.
    ///
    /// # Safety
    /// The block is not used after this call.
    pub unsafe fn free(&self, site: &'static Site, block: *mut c_void) {
        let live = self.require_live(site);
        let _observed = self.observe_heap(site, Kind::Free, (block, 0), !block.is_null());
        if block.is_null() {
            return;
        }
        let offset = self.block_offset(site, live, block);
        let _turn = self.begin(site, live, Entry::bare(EntryKind::Free));
        self.meet_alike(site, live, Entry::bare(EntryKind::Free));
        if let Err(wrong) = live.memory.heap().free(offset) {
            self.not_a_block(site, block, &wrong);
        }
    }

    /// Free the blocks of `blocks` that every PE has given up, and return which ones were freed. Collective: all PEs pass the same
    /// symmetric blocks in the same order; `given_up` says for each block whether the calling PE has given it up.
    ///
    /// # Safety
    /// A PE does not use a block after it has given it up.
    pub unsafe fn free_given_up(&self, site: &'static Site, blocks: &[*mut c_void], given_up: &[bool]) -> Vec<bool> {
        const WORDS: usize = 7;
        let live = self.require_live(site);
        let _observed = self.observe_heap(site, Kind::Free, (ptr::null(), 0), true);
        let free = Entry::bare(EntryKind::Free);
        let _turn = self.begin(site, live, free);
        let mut by_all = Vec::with_capacity(blocks.len());
        for part in given_up.chunks(WORDS * 64) {
            let mut mine = [0_u64; WORDS];
            part.iter().enumerate().for_each(|(at, &given_up)| mine[at / 64] |= u64::from(given_up) << (at % 64));
            let all = live.agree_step(free, mine);
            by_all.extend((0..part.len()).map(|at| all[at / 64] >> (at % 64) & 1 == 1));
        }
        if by_all.contains(&true) {
            self.meet_alike(site, live, free);
            for (&block, _) in blocks.iter().zip(&by_all).filter(|(_, freed)| **freed) {
                let offset = self.block_offset(site, live, block);
                if let Err(wrong) = live.memory.heap().free(offset) {
                    self.not_a_block(site, block, &wrong);
                }
            }
        }
        by_all
    }

    /// Change a block's size and move the block if necessary. If that is impossible, return null and leave the block as it was.
    ///
    /// # Safety
    /// The old block is not used after this call, unless the call returns null.
    pub unsafe fn realloc(&self, site: &'static Site, block: *mut c_void, size: usize) -> *mut c_void {
        let live = self.require_live(site);
        let observed = self.observe_heap(site, Kind::Reallocate, (block, size), !block.is_null() || size > 0);
        if block.is_null() {
            return self.allocate(site, size, 1, 0, Fill::None);
        }
        if size == 0 {
            // SAFETY: the caller's contract.
            unsafe { self.free(site, block) };
            return ptr::null_mut();
        }
        let offset = self.block_offset(site, live, block);
        let what = Entry::sized(EntryKind::Reallocate, size);
        let _turn = self.begin(site, live, what);
        self.meet_alike(site, live, what);
        let (plan, kept) = {
            let heap = live.memory.heap();
            let kept = heap.block_at(offset).map_or(0, |block| block.bytes).min(size as u64);
            let resized = |guard| heap.plan_resize(offset, size.saturating_add(guard) as u64);
            match resized(0) {
                Ok(_) => (live.guarded(|guard| resized(guard).ok().flatten()), kept),
                Err(wrong) => self.not_a_block(site, block, &wrong),
            }
        };
        let (plan, guard) = plan.unzip();
        let Some(plan) = self.affordable(site, live, plan, what, size) else {
            return self.refuse_alike(site, live, what);
        };
        let moved_from = plan.moves_from();
        let new = live.memory.heap().commit(plan);
        if let Some(old) = moved_from {
            // SAFETY: both blocks belong to this call; the old block's bytes stay until the next allocation.
            unsafe { ptr::copy(live.memory.heap_at(old), live.memory.heap_at(new), kept as usize) };
        }
        self.tell(&Event::Block { offset: new, bytes: size, guard: guard.unwrap_or(0) });
        self.meet_alike(site, live, what);
        let place = live.memory.heap_at(new);
        observed.gives(place as usize);
        place.cast()
    }

    /// Report a heap call to observers. `meets` is false for calls that do not synchronise (zero bytes, `free(NULL)`); these do not advance
    /// the team's collective counter.
    fn observe_heap(
        &self,
        site: &'static Site,
        kind: Kind,
        (block, size): (*const c_void, usize),
        meets: bool,
    ) -> Observed<'_> {
        self.observe(|live| Call {
            remote: block as usize,
            layout: Layout::contiguous(size),
            ..if meets { Call::among_all(live, site, kind) } else { Call::of(site, kind) }
        })
    }

    /// Return which part of the symmetric heap `address` is in, for interfaces that report a wrong address instead of ending the job.
    pub fn block_state(&self, site: &'static Site, address: *const c_void) -> BlockState {
        let live = self.require_live(site);
        let offset = (address as usize).wrapping_sub(live.memory.heap_base()) as u64;
        let heap = live.memory.heap();
        match (heap.block_at(offset), heap.block_around(offset)) {
            _ if offset >= heap.extent() => BlockState::Outside,
            (Some(_), _) => BlockState::Whole,
            (None, Some(_)) => BlockState::Inside,
            (None, None) => BlockState::Free,
        }
    }

    fn allocate(&self, site: &'static Site, size: usize, align: usize, hints: c_long, fill: Fill) -> *mut c_void {
        let live = self.require_live(site);
        let observed = self.observe_heap(site, Kind::Allocate, (ptr::null(), size), size > 0);
        if size == 0 {
            return ptr::null_mut();
        }
        let what = Entry::sized(EntryKind::Allocate, size);
        let _turn = self.begin(site, live, what);
        // Heaps start at multiples of `HEAP_ALIGN` only, so a wider alignment would not hold on every PE.
        if align > HEAP_ALIGN {
            let why = format!("blocks can be aligned to at most {}", budget::Bytes(HEAP_ALIGN as u64));
            live.report_refusal(site, size, &why, live.me == 0);
            return self.refuse_alike(site, live, what);
        }
        let (plan, fresh_from) = {
            let heap = live.memory.heap();
            let tag = Tag { hints, routine: site.name };
            let plan = live.guarded(|guard| heap.plan(size.saturating_add(guard) as u64, align as u64, tag));
            (plan, heap.extent())
        };
        let (plan, guard) = plan.unzip();
        let Some(plan) = self.affordable(site, live, plan, what, size) else {
            return self.refuse_alike(site, live, what);
        };
        let offset = live.memory.heap().commit(plan);
        self.tell(&Event::Block { offset, bytes: size, guard: guard.unwrap_or(0) });
        if let Fill::Zero = fill {
            // Above the former extent, the kernel provides zero pages.
            let stale = fresh_from.saturating_sub(offset).min(size as u64) as usize;
            let place = live.memory.heap_at(offset);
            // SAFETY: the block belongs to this call, and no peer has its address before the barrier.
            unsafe { ptr::write_bytes(place, 0, stale) };
            if stale < size && size <= POPULATED_MAX {
                // SAFETY: as above; the heap is mapped up to its extent.
                unsafe { pages::populate(place.wrapping_add(stale), size - stale) };
            }
        }
        self.meet_alike(site, live, what);
        let place = live.memory.heap_at(offset);
        observed.gives(place as usize);
        place.cast()
    }

    /// Return null on all PEs. A failed allocation is a barrier too, and so completes earlier puts.
    fn refuse_alike(&self, site: &'static Site, live: &Live, what: Entry) -> *mut c_void {
        self.meet_alike(site, live, what);
        ptr::null_mut()
    }

    /// Begin a routine of the heap: complete this PE's communication, since the routine is a barrier, and record the call once, however
    /// many steps follow. Only one thread at a time is in such a routine.
    fn begin<'l>(&self, site: &'static Site, live: &'l Live, what: Entry) -> MutexGuard<'l, ()> {
        let turn = live.memory.lock_allocation();
        self.quiet(site, Ctx::DEFAULT);
        live.begin_steps(site, what);
        turn
    }

    /// A barrier in which the PEs compare their allocations and frees so far. If one PE made another call than the others, it would from
    /// now on have other objects at the same addresses.
    fn meet_alike(&self, site: &'static Site, live: &Live, what: Entry) {
        let history = live.memory.heap().history();
        // All PEs have the same bits set and the same bits clear.
        let mine = [history, !history];
        if live.agree_step(what, mine) != mine {
            self.misuse(
                site,
                format_args!(
                    "the symmetric heaps of the PEs differ now: every PE must call {} and similar routines with the same arguments \
                     and in the same order",
                    allocator(site)
                ),
            );
        }
        // All PEs of the host have laid out their heaps.
        if let Err(error) = live.memory.node.follow_large() {
            live.die(&format!("PE {}: {}: mapping large pages of the host's heaps: {error}", live.me, site.name));
        }
        live.report_end_of_pool();
        if live.settings.barriers_flush {
            flush_streams();
        }
    }

    /// Return the plan for `size` bytes once every PE is known to afford it. All PEs come to the same answer.
    fn affordable(
        &self,
        site: &'static Site,
        live: &Live,
        plan: Option<HeapChange>,
        what: Entry,
        size: usize,
    ) -> Option<HeapChange> {
        let Some(plan) = plan else {
            let why = if size > isize::MAX as usize {
                "no object can be this large (count times size may have overflowed)"
            } else {
                "no free block of this size below the limit of the symmetric heap; raise SHMEM_SYMMETRIC_SIZE"
            };
            live.report_refusal(site, size, why, live.me == 0);
            return None;
        };
        let good = live.memory.heap_extent() as u64;
        if plan.extent() <= good {
            return Some(plan);
        }
        let least = plan.extent().next_multiple_of(STEP);
        let wanted = live.agreed_extent(site, (what, size), good, least)?;
        if let Err(error) = live.memory.raise_heap(wanted as usize) {
            live.die(&format!("PE {}: {}: growing the heap to {wanted} bytes: {error}", live.me, site.name));
        }
        if let Some(far) = &live.far
            && let Err(error) = live.show_heap(far, wanted)
        {
            live.die(&format!(
                "PE {}: {}: making {wanted} bytes of the heap reachable for peers: {error}",
                live.me, site.name
            ));
        }
        if let Some((bytes, page)) = live.memory.node.large() {
            live.diagnosis.set_large_pages(bytes, page);
        }
        tracing::debug!(from = good, to = wanted, "symmetric heap grown");
        Some(plan)
    }

    fn block_offset(&self, site: &'static Site, live: &Live, block: *mut c_void) -> u64 {
        let offset = (block as usize).wrapping_sub(live.memory.heap_base());
        if offset >= live.memory.heap_ceiling() {
            self.misuse(
                site,
                format_args!(
                    "ptr {block:p} is not from the symmetric heap ({}); pass what shmem_malloc returned",
                    address_kind(block as usize)
                ),
            );
        }
        if live.memory.heap().block_at(offset as u64).is_none() {
            let wrong =
                NotABlock { offset: offset as u64, inside: live.memory.heap().block_around(offset as u64).copied() };
            self.not_a_block(site, block, &wrong);
        }
        offset as u64
    }

    #[cold]
    fn not_a_block(&self, site: &'static Site, block: *mut c_void, wrong: &NotABlock) -> ! {
        self.misuse(site, format_args!("ptr {block:p} {wrong}; pass what shmem_malloc returned, once"))
    }
}

impl Live {
    /// Combine all PEs' words bit by bit, as a step of the routine `what`.
    fn agree_step<const N: usize>(&self, what: Entry, mine: [u64; N]) -> [u64; N] {
        self.enter_step(&self.teams.world, what);
        agree_among(self, &self.teams.world, mine, |_, a, b| a & b)
    }

    /// The extent above `good` to which the heaps grow, such that it includes `least` and every PE can afford it. The same on all PEs.
    fn agreed_extent(&self, site: &'static Site, (what, size): (Entry, usize), good: u64, least: u64) -> Option<u64> {
        // If each step involves the whole job, steps are made larger so that there are few.
        let dear = self.far.as_ref().is_some_and(|far| far.grows_dearly());
        let ceiling = self.memory.heap().ceiling().next_multiple_of(STEP);
        let generous = if dear { (good + good / STRIDE).next_multiple_of(STEP).min(ceiling).max(least) } else { least };
        let mut refusal = None;
        for wanted in if generous > least { vec![generous, least] } else { vec![least] } {
            // The first PE of the node counts the node's memory; the others agree.
            let verdict = if self.memory.node.index() == 0 { self.afford(wanted - good) } else { Ok(()) };
            if self.agree_step(what, [u64::from(verdict.is_ok())]) == [1] {
                return Some(wanted);
            }
            refusal = verdict.err();
        }
        // A PE that has a reason of its own reports it.
        let why = refusal.as_deref().unwrap_or("another host has too little memory");
        self.report_refusal(site, size, why, refusal.is_some());
        None
    }

    /// Check that the node has `more` bytes for each of its PEs, in addition to earlier promises. The error is the reason.
    fn afford(&self, more: u64) -> Result<(), String> {
        let extent = self.memory.heap_extent() as u64 + more;
        // If the PEs of one host do not share memory, each PE assumes for all of them what it counts for itself.
        let (pes, host) = (self.memory.node.layout().pes as u64, self.boot.local().len() as u64);
        let headroom = budget::headroom().beside(self.memory.node.pool_left());
        let untouched = Promise { local: host, extent, touched: 0 };
        // Counting touched bytes can only turn a refusal into a success. It looks at each page of the static data, so it comes second.
        if untouched.check(&headroom).is_ok() {
            return Ok(());
        }
        let promise = Promise { touched: self.memory.node.touched() * (host / pes), ..untouched };
        promise.check(&headroom).map_err(|shortage| shortage.to_string())
    }

    /// Report, once, that heaps of this host have got too few large pages, if the user has asked for such pages.
    fn report_end_of_pool(&self) {
        let node = &self.memory.node;
        if node.index() != 0 {
            return;
        }
        let short = node.heaps_short_of_large();
        if short > 0 && self.memory.is_first_end_of_pool() {
            let page = budget::Bytes(node.large().map_or(0, |(_, page)| page as u64));
            tracing::warn!(short, %page, "the pool of large pages is used up");
            if self.settings.large_pages != LargePages::Auto {
                let (me, pes) = (self.me, node.layout().pes);
                let _ = io::stderr().write_all(
                    format!(
                        "ferrite: PE {me}: this host has no more pages of {page}: the symmetric heaps of {short} of its {pes} PEs continue \
                         on smaller ones\n"
                    )
                    .as_bytes(),
                );
            }
        }
    }

    /// Plan a block with the guard bytes behind it that a tool asks for, or without them if they do not fit. Returns the plan and the number
    /// of guard bytes.
    fn guarded<P>(&self, plan: impl Fn(usize) -> Option<P>) -> Option<(P, usize)> {
        let guard = self.observers.wishes.guard_bytes;
        let guarded = if guard > 0 { plan(guard).map(|plan| (plan, guard)) } else { None };
        guarded.or_else(|| plan(0).map(|plan| (plan, 0)))
    }

    /// Make the heap, which has grown to `to` bytes, reachable for the peers that have not mapped it.
    fn show_heap(&self, far: &Far, to: u64) -> Result<()> {
        // SAFETY: `take_apart` drops the fabric before the heap is unmapped.
        unsafe { far.grow_heap(&*self.boot, self.memory.heap_at(0), to as usize) }
    }

    /// Report why an allocation returned null. Standard error gets the first report only, for programs that crash on the null pointer; the
    /// log gets every report. `tells` means that this PE is the one that reports for its node, or for all PEs.
    fn report_refusal(&self, site: &Site, size: usize, why: &str, tells: bool) {
        let usage = self.memory.heap().usage();
        tracing::warn!(routine = site.name, why, %usage, "symmetric heap: refused");
        if tells && self.memory.is_first_refusal() {
            let [size, live, ceiling] = [size as u64, usage.live, usage.ceiling].map(budget::Bytes);
            // A failed write is ignored: the program can still handle the failure.
            let _ = writeln!(
                io::stderr(),
                "ferrite: PE {}: {}({size}) returns {} on all PEs: {why}; in use are {live} of {ceiling} (further failures are not \
                 reported){}",
                self.me,
                site.name,
                no_memory(site),
                place()
            );
        }
    }
}

/// Result of [`World::block_state`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BlockState {
    /// The address is beyond the largest extent that the heap has ever had.
    Outside,
    /// The address is in the heap, but in no block.
    Free,
    /// The address is within a block, not at its start.
    Inside,
    /// The address is the start of a block.
    Whole,
}

/// Initial contents of a new block.
enum Fill {
    None,
    Zero,
}
