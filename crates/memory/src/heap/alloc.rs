//! The allocator of the symmetric heap: offsets from call sequences.
//!
//! Every PE runs its own copy without asking another PE, and yet all PEs get the same offsets: the state is a function of the calls alone.
//! It does not depend on addresses, time, threads or hash seeds. The metadata are outside of the heap, so a stray put of a peer cannot
//! damage them, and allocating touches no page of the heap.
//!
//! # Plan, agree, commit
//!
//! A collective allocation may fail on one PE only (its node is out of memory), and then it must fail on all. So it has two halves:
//! [`Allocator::plan`] computes the change without making it; [`Allocator::commit`] makes it. A plan that the PEs do not agree on is
//! dropped, and the state is unchanged, bit for bit.
//!
//! # Policy: best fit, lowest address first, and the end of the heap last
//!
//! The allocator takes the smallest hole that fits, and the lowest of equal ones; the unbounded room above the last block counts as the
//! largest hole of all. Symmetric heaps see few, long-lived and often equal sizes (arrays allocated in phases, work areas of libraries),
//! for which best fit reuses exactly the hole that an equal block has left. On the random traces of `tests/allocator.rs` (16 B to 2 MiB,
//! half of the blocks replaced at random) the extent is 1.07 to 1.22 of the peak of live bytes. Address-ordered first fit, run beside it,
//! has 1.10 to 1.20 and would need an augmented tree to be fast. Here every operation is O(log n) over two B-trees.
//!
//! Blocks of at least a cache line start on a line: two arrays never share one, so a peer that polls the end of the first does not slow the
//! owner of the second. Smaller blocks are packed at 16 bytes, the alignment of the 128-bit types.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Sizes and offsets are multiples of this: the alignment of the largest basic type.
pub const GRAIN: u64 = 16;

/// Blocks of at least this size start on a cache line.
pub const LINE: u64 = 64;

/// For a large alignment, try at most this many holes of about the right size before taking a hole that is certain to fit.
const CANDIDATES_MAX: usize = 8;

/// Data of the caller about a block. Kept through `resize`, shown in reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Tag {
    /// The hints of `shmem_malloc_with_hints`; zero without hints.
    pub hints: i64,
    /// Name of the allocating routine, as the user wrote it.
    pub routine: &'static str,
}

/// A live block of the heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Offset of its start from the start of the heap.
    pub offset: u64,
    /// Number of bytes that were requested.
    pub bytes: u64,
    /// Data of the caller.
    pub tag: Tag,
}

impl Block {
    /// Bytes that it occupies: the requested bytes in whole grains.
    pub fn occupied(&self) -> u64 {
        // A live block has passed this rounding once, so it cannot fail now.
        grains(self.bytes).unwrap_or(self.bytes)
    }
}

/// A planned change that [`Allocator::commit`] makes. Dropping it changes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "a plan changes nothing until it is committed"]
pub struct HeapChange {
    block: Block,
    /// Offset of the old block, if this change resizes one.
    replaces: Option<u64>,
    extent: u64,
    serial: u64,
}

impl HeapChange {
    /// Offset at which the block will start.
    pub fn offset(&self) -> u64 {
        self.block.offset
    }

    /// Number of bytes requested.
    pub fn bytes(&self) -> u64 {
        self.block.bytes
    }

    /// The break after the commit. The memory up to here must be available before any PE commits.
    pub fn extent(&self) -> u64 {
        self.extent
    }

    /// If a resize moves the block, its old offset. The contents must be copied from there after the commit and before the next allocation.
    pub fn moves_from(&self) -> Option<u64> {
        self.replaces.filter(|&old| old != self.block.offset)
    }
}

/// Error: the offset passed to `free` or `resize` is not the start of a live block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotABlock {
    /// The offset that was given.
    pub offset: u64,
    /// The live block that contains it, if one does.
    pub inside: Option<Block>,
}

impl fmt::Display for NotABlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.inside {
            Some(block) => write!(
                f,
                "heap offset {:#x} is {} bytes into a block of {} bytes made by {}, not its start",
                self.offset,
                self.offset - block.offset,
                block.bytes,
                block.tag.routine
            ),
            None => {
                write!(f, "heap offset {:#x} is in no allocated block: freed before, or never allocated", self.offset)
            }
        }
    }
}

impl std::error::Error for NotABlock {}

/// The state of the heap in numbers, for `oshmem_info`, reports and out-of-memory messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Number of live blocks.
    pub blocks: usize,
    /// Bytes that live blocks occupy.
    pub live: u64,
    /// Maximum of `live` so far.
    pub live_peak: u64,
    /// Free bytes below the last block, in holes.
    pub in_holes: u64,
    /// The largest of these holes.
    pub largest_hole: u64,
    /// The break: the largest extent of the heap so far.
    pub extent: u64,
    /// Maximum extent of the heap.
    pub ceiling: u64,
}

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} blocks of {} bytes in all (at most {}), {} free bytes between them (the largest piece {}), {} bytes ever reached, room \
             for {}",
            self.blocks, self.live, self.live_peak, self.in_holes, self.largest_hole, self.extent, self.ceiling
        )
    }
}

/// The allocator of one symmetric heap. See the module's text for its policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allocator {
    ceiling: u64,
    /// The end of the last live block. All bytes above it are free.
    top: u64,
    /// Maximum of `top` so far.
    extent: u64,
    live: BTreeMap<u64, Block>,
    live_bytes: u64,
    live_peak: u64,
    /// The holes below `top`: offset to size. No two touch, and none touches `top`.
    holes: BTreeMap<u64, u64>,
    /// The same holes as (size, offset).
    by_size: BTreeSet<(u64, u64)>,
    /// Counts changes, so that a plan made before another change is recognised.
    serial: u64,
    history: u64,
}

impl Allocator {
    /// An empty heap with a maximum extent of `ceiling` bytes, in which a single block of that size fits.
    pub fn new(ceiling: u64) -> Self {
        Allocator {
            // Bounded so that an offset plus a size plus an alignment never overflows a u64.
            ceiling: ceiling.min(1 << 62).next_multiple_of(GRAIN),
            top: 0,
            extent: 0,
            live: BTreeMap::new(),
            live_bytes: 0,
            live_peak: 0,
            holes: BTreeMap::new(),
            by_size: BTreeSet::new(),
            serial: 0,
            history: 0xcbf2_9ce4_8422_2325,
        }
    }

    /// Plan to allocate `bytes` at a multiple of `align` (a power of two; at least 16 is used).
    ///
    /// Returns `None` if the heap has no room below its ceiling, or if `align` is not a power of two. An empty request gets a block of its
    /// own too; routines that return NULL for it do not call this. The offset is a multiple of `align`; the address is only as aligned as
    /// the start of the heap.
    pub fn plan(&self, bytes: u64, align: u64, tag: Tag) -> Option<HeapChange> {
        let size = grains(bytes)?;
        if !align.is_power_of_two() || size > self.ceiling {
            return None;
        }
        let align = align.max(natural_align(size));
        let offset = self.place(size, align)?;
        Some(self.planned(Block { offset, bytes, tag }, size, None))
    }

    /// Plan to resize the block at `offset` to `bytes`: in place if its neighbourhood allows it, else by a move
    /// ([`HeapChange::moves_from`]). The hints and the routine stay; an alignment beyond the natural one does not survive a move. Returns
    /// `Ok(None)` if there is no room; the block stays as it is.
    pub fn plan_resize(&self, offset: u64, bytes: u64) -> Result<Option<HeapChange>, NotABlock> {
        let old = *self.live.get(&offset).ok_or_else(|| self.not_a_block(offset))?;
        let Some(size) = grains(bytes).filter(|&size| size <= self.ceiling) else { return Ok(None) };
        let place = if size <= self.room_at(&old) { Some(offset) } else { self.place(size, natural_align(size)) };
        Ok(place.map(|place| self.planned(Block { offset: place, bytes, tag: old.tag }, size, Some(offset))))
    }

    /// Make a planned change and return the block's offset.
    ///
    /// # Panics
    /// If the heap has changed since the plan was made. The PEs may have diverged then, and continuing would return overlapping memory.
    pub fn commit(&mut self, plan: HeapChange) -> u64 {
        assert_eq!(plan.serial, self.serial, "the symmetric heap changed between plan and commit");
        // A resize in place frees the old bytes first. A move takes the new bytes first, because it was planned while the old ones were
        // live.
        match plan.replaces {
            Some(old) if old == plan.block.offset => {
                self.give_up(old);
                self.take(plan.block);
            }
            Some(old) => {
                self.take(plan.block);
                self.give_up(old);
            }
            None => self.take(plan.block),
        }
        self.note([1 + u64::from(plan.replaces.is_some()), plan.block.offset, plan.block.bytes]);
        plan.block.offset
    }

    /// Plan and commit at once, if no agreement is needed.
    pub fn alloc(&mut self, bytes: u64, align: u64, tag: Tag) -> Option<u64> {
        let plan = self.plan(bytes, align, tag)?;
        Some(self.commit(plan))
    }

    /// Free the block that starts at `offset`.
    pub fn free(&mut self, offset: u64) -> Result<Block, NotABlock> {
        if !self.live.contains_key(&offset) {
            return Err(self.not_a_block(offset));
        }
        let block = self.give_up(offset);
        self.note([3, offset, block.bytes]);
        Ok(block)
    }

    /// The break: the largest extent of the heap so far. Memory below it has been promised.
    pub fn extent(&self) -> u64 {
        self.extent
    }

    /// Maximum extent of the heap.
    pub fn ceiling(&self) -> u64 {
        self.ceiling
    }

    /// The live block that starts at `offset`.
    pub fn block_at(&self, offset: u64) -> Option<&Block> {
        self.live.get(&offset)
    }

    /// The live block that contains `offset`.
    pub fn block_around(&self, offset: u64) -> Option<&Block> {
        self.live
            .range(..=offset)
            .next_back()
            .map(|(_, block)| block)
            .filter(|block| offset - block.offset < block.occupied())
    }

    /// The live blocks in the order of their offsets.
    pub fn live(&self) -> impl Iterator<Item = &Block> {
        self.live.values()
    }

    /// The `count` largest live blocks, the largest first.
    pub fn largest(&self, count: usize) -> Vec<Block> {
        let mut blocks: Vec<Block> = self.live.values().copied().collect();
        blocks.sort_by_key(|block| (std::cmp::Reverse(block.bytes), block.offset));
        blocks.truncate(count);
        blocks
    }

    /// The state of the heap in numbers.
    pub fn usage(&self) -> Usage {
        Usage {
            blocks: self.live.len(),
            live: self.live_bytes,
            live_peak: self.live_peak,
            in_holes: self.top - self.live_bytes,
            largest_hole: self.by_size.last().map_or(0, |&(size, _)| size),
            extent: self.extent,
            ceiling: self.ceiling,
        }
    }

    /// A digest of all changes so far. Different digests mean that the PEs made different calls and their heaps have diverged; a collective
    /// that compares digests can report it.
    pub fn history(&self) -> u64 {
        self.history
    }

    /// The lowest offset in the best hole, or an offset above the last block.
    fn place(&self, size: u64, align: u64) -> Option<u64> {
        let fit = |&(hole, at): &(u64, u64)| {
            let start = align_up(at, align);
            (start + size <= at + hole).then_some(start)
        };
        let sure = size + (align - GRAIN);
        self.by_size
            .range((size, 0)..)
            .take(CANDIDATES_MAX)
            .find_map(fit)
            .or_else(|| self.by_size.range((sure, 0)..).next().and_then(fit))
            .or_else(|| Some(align_up(self.top, align)).filter(|start| start + size <= self.ceiling))
            // Look at every hole only if the allocation would otherwise fail.
            .or_else(|| self.by_size.range((size, 0)..).find_map(fit))
    }

    /// Size to which the block could grow in place.
    fn room_at(&self, block: &Block) -> u64 {
        let end = block.offset + block.occupied();
        if end == self.top {
            return self.ceiling - block.offset;
        }
        block.occupied() + self.holes.get(&end).copied().unwrap_or(0)
    }

    fn planned(&self, block: Block, size: u64, replaces: Option<u64>) -> HeapChange {
        HeapChange { block, replaces, extent: self.extent.max(block.offset + size), serial: self.serial }
    }

    /// Make `block` live. Its bytes are free before.
    fn take(&mut self, block: Block) {
        let (start, end) = (block.offset, block.offset + block.occupied());
        if start >= self.top {
            if start > self.top {
                self.add_hole(self.top, start - self.top);
            }
            self.top = end;
            self.extent = self.extent.max(end);
        } else {
            let (&at, &size) = self.holes.range(..=start).next_back().expect("a planned block lies in a hole");
            assert!(end <= at + size, "a planned block lies in one hole");
            self.remove_hole(at, size);
            if start > at {
                self.add_hole(at, start - at);
            }
            if end < at + size {
                self.add_hole(end, at + size - end);
            }
        }
        self.live.insert(start, block);
        self.live_bytes += end - start;
        self.live_peak = self.live_peak.max(self.live_bytes);
    }

    /// Free the bytes of the live block at `offset` and merge them with adjacent holes.
    fn give_up(&mut self, offset: u64) -> Block {
        let block = self.live.remove(&offset).expect("the caller has seen the block");
        let (mut start, mut end) = (offset, offset + block.occupied());
        self.live_bytes -= end - start;
        if let Some((&at, &size)) = self.holes.range(..start).next_back()
            && at + size == start
        {
            self.remove_hole(at, size);
            start = at;
        }
        if let Some(&size) = self.holes.get(&end) {
            self.remove_hole(end, size);
            end += size;
        }
        if end == self.top {
            self.top = start;
        } else {
            self.add_hole(start, end - start);
        }
        block
    }

    fn add_hole(&mut self, at: u64, size: u64) {
        self.holes.insert(at, size);
        self.by_size.insert((size, at));
    }

    fn remove_hole(&mut self, at: u64, size: u64) {
        self.holes.remove(&at);
        self.by_size.remove(&(size, at));
    }

    fn not_a_block(&self, offset: u64) -> NotABlock {
        NotABlock { offset, inside: self.block_around(offset).copied() }
    }

    /// FNV-1a over words: good enough to distinguish call sequences, and the same on every machine.
    fn note(&mut self, words: [u64; 3]) {
        self.serial += 1;
        for word in words {
            self.history = (self.history ^ word).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}

/// `bytes` rounded up to whole grains, at least one.
fn grains(bytes: u64) -> Option<u64> {
    bytes.max(1).checked_next_multiple_of(GRAIN)
}

/// Default alignment of a block of this size.
fn natural_align(size: u64) -> u64 {
    if size >= LINE { LINE } else { GRAIN }
}

fn align_up(offset: u64, align: u64) -> u64 {
    (offset + (align - 1)) & !(align - 1)
}
