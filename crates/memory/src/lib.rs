//! Symmetric memory.
//!
//! | file | job |
//! |---|---|
//! | [`node`] | the memory file of a node, mapped by each of its PEs |
//! | [`heap`] | the symmetric heap by itself: blocks, sizes, pages |
//! | [`statics`] | the executable's data, as symmetric memory |
//! | `peer_window` | the place of a peer's segments in this process |
//!
//! Nothing here knows a world or a routine: [`Memory`] holds what the routines of the heap change.
#![warn(missing_docs)]

pub mod heap;
pub mod node;
mod peer_window;
pub mod statics;

pub use peer_window::PeerWindow;

use core::{
    ffi::c_int,
    sync::atomic::{AtomicBool, Ordering::Relaxed},
};
use ferrite_os::mutex;
use heap::alloc::Allocator;
use node::NodeMemory;
use statics::Statics;
use std::{
    io,
    sync::{Mutex, MutexGuard},
};

/// The memory of a started world: the mappings, the PEs that they belong to, and the allocator of the heap.
pub struct Memory {
    /// The mappings of the node's memory.
    pub node: NodeMemory,
    /// One window per PE from the first to the last of this node.
    pub windows: Box<[PeerWindow]>,
    /// Index in `windows` of this PE's own window.
    own_window: usize,
    /// The PEs whose memory is mapped here, in ascending order.
    pub local: Box<[u32]>,
    /// The executable's data, if they are symmetric.
    pub statics: Option<Statics>,
    allocator: Mutex<Allocator>,
    /// Held through a collective allocation.
    allocating: Mutex<()>,
    /// True once this PE has told the user that an allocation returned NULL.
    has_told_refusal: AtomicBool,
    /// True once this PE has found the pool of large pages used up.
    has_seen_end_of_pool: AtomicBool,
}

impl Memory {
    /// The memory of a world before its first allocation.
    pub fn new(node: NodeMemory, windows: Box<[PeerWindow]>, local: Box<[u32]>, statics: Option<Statics>) -> Memory {
        Memory {
            own_window: (local[node.index()] - local[0]) as usize,
            windows,
            local,
            statics,
            allocator: Mutex::new(Allocator::new(node.layout().ceiling as u64)),
            node,
            allocating: Mutex::new(()),
            has_told_refusal: AtomicBool::new(false),
            has_seen_end_of_pool: AtomicBool::new(false),
        }
    }

    /// The heap's first byte.
    #[inline]
    pub fn heap_base(&self) -> usize {
        self.node.own_heap()
    }

    /// Number of bytes of the heap that may be used now.
    pub fn heap_extent(&self) -> usize {
        self.my_window().heap_len.load(Relaxed)
    }

    /// Number of addresses that are reserved for the heap, used or not.
    pub fn heap_ceiling(&self) -> usize {
        self.node.layout().reserve()
    }

    /// The byte at an offset of the heap.
    pub fn heap_at(&self, offset: u64) -> *mut u8 {
        (self.heap_base() + offset as usize) as *mut u8
    }

    /// Lock the allocator, which records the blocks of the heap.
    pub fn heap(&self) -> MutexGuard<'_, Allocator> {
        mutex::lock(&self.allocator)
    }

    /// Lock the allocator, unless it is locked already.
    pub fn try_heap(&self) -> Option<MutexGuard<'_, Allocator>> {
        mutex::try_lock(&self.allocator)
    }

    /// First byte and size of the executable's symmetric data.
    pub fn statics_range(&self) -> Option<(usize, usize)> {
        self.statics.as_ref().map(|statics| (statics.range().base(), statics.range().len()))
    }

    /// Lock out other allocations of this PE, for the time of a collective one.
    pub fn lock_allocation(&self) -> MutexGuard<'_, ()> {
        mutex::lock(&self.allocating)
    }

    /// Whether this is the first call: standard error gets the reason of the first NULL only.
    pub fn is_first_refusal(&self) -> bool {
        !self.has_told_refusal.swap(true, Relaxed)
    }

    /// Whether this is the first call: the end of the pool of large pages is reported once.
    pub fn is_first_end_of_pool(&self) -> bool {
        !self.has_seen_end_of_pool.swap(true, Relaxed)
    }

    fn my_window(&self) -> &PeerWindow {
        &self.windows[self.own_window]
    }

    /// Allow the use of the first `len` bytes of every heap of this node.
    pub fn raise_heap(&self, len: usize) -> io::Result<()> {
        self.node.open_heap(len)?;
        // A PE of another node may have a number within this node's range of PEs. Its window stays closed.
        for pe in &self.local {
            self.windows[(pe - self.local[0]) as usize].heap_len.store(len, Relaxed);
        }
        Ok(())
    }

    /// Whether the memory of the world's PE `pe` is mapped here.
    #[inline]
    pub fn is_mapped(&self, pe: c_int) -> bool {
        // The first comparison excludes most PEs of other nodes: their numbers are outside the range of this node's PEs.
        (self.local[0]..self.local[0] + self.windows.len() as u32).contains(&(pe as u32))
            && self.local.binary_search(&(pe as u32)).is_ok()
    }

    /// Whether a symmetric address is in the heap, and its offset there or among the statics.
    fn symmetric_place(&self, address: usize) -> (bool, usize) {
        let in_heap = address.wrapping_sub(self.heap_base());
        if in_heap < self.heap_ceiling() {
            return (true, in_heap);
        }
        (false, self.statics_range().map_or(0, |(base, _)| address.wrapping_sub(base)))
    }

    /// An offset for a symmetric address. All PEs compute the same one.
    pub fn symmetric_offset(&self, address: usize) -> usize {
        self.symmetric_place(address).1
    }

    /// A key for a symmetric address. All PEs compute the same one, and no two addresses have the same, whether in the heap or static.
    pub fn symmetric_key(&self, address: usize) -> u64 {
        let (in_heap, offset) = self.symmetric_place(address);
        (offset as u64) << 1 | u64::from(in_heap)
    }
}
