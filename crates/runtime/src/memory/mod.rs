//! Symmetric memory.
//!
//! | file | job |
//! |---|---|
//! | [`node`] | the memory file of a node, mapped by each of its PEs |
//! | [`heap`] | the symmetric heap by itself: blocks, sizes, pages |
//! | `allocate` | the routines of the heap |
//! | [`statics`] | the executable's data, as symmetric memory |
//! | [`copy`] | copies between mapped memories |

mod allocate;
pub mod heap;
pub(crate) mod node;
pub mod statics;

pub use allocate::BlockState;

use crate::ops::near::PeerWindow;
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

/// The memory of a started world: what is mapped here, of which PEs, and who has which bytes of the heap.
pub(crate) struct Memory {
    pub node: NodeMemory,
    /// One window per PE from the first to the last of this node.
    pub windows: Box<[PeerWindow]>,
    /// Which of them is this PE's.
    own_window: usize,
    /// The PEs whose memory is mapped here, in ascending order.
    pub local: Box<[u32]>,
    pub statics: Option<Statics>,
    allocator: Mutex<Allocator>,
    /// Held through a collective allocation.
    allocating: Mutex<()>,
    /// The user knows that an allocation gave null.
    has_told_refusal: AtomicBool,
}

impl Memory {
    /// The memory of a world in which nothing was allocated.
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
        }
    }

    /// The heap's first byte.
    #[inline]
    pub fn heap_base(&self) -> usize {
        self.node.own_heap()
    }

    /// How far the heap may be used now.
    pub fn heap_extent(&self) -> usize {
        self.my_window().heap_len.load(Relaxed)
    }

    /// The addresses that are the heap's, used or not.
    pub fn heap_ceiling(&self) -> usize {
        self.node.layout().reserve()
    }

    /// The byte at an offset of the heap.
    pub fn heap_at(&self, offset: u64) -> *mut u8 {
        (self.heap_base() + offset as usize) as *mut u8
    }

    /// Who has which bytes of it.
    pub fn heap(&self) -> MutexGuard<'_, Allocator> {
        mutex::lock(&self.allocator)
    }

    /// The same, unless somebody has it.
    pub fn try_heap(&self) -> Option<MutexGuard<'_, Allocator>> {
        mutex::try_lock(&self.allocator)
    }

    /// First byte and size of the executable's symmetric data.
    pub fn statics_range(&self) -> Option<(usize, usize)> {
        self.statics.as_ref().map(|statics| (statics.range().base(), statics.range().len()))
    }

    fn my_window(&self) -> &PeerWindow {
        &self.windows[self.own_window]
    }

    /// Use `len` bytes of every heap of the node from now on.
    pub fn raise_heap(&self, len: usize) -> io::Result<()> {
        self.node.open_heap(len)?;
        // The windows of PEs in between that are on other nodes stay shut.
        for pe in &self.local {
            self.windows[(pe - self.local[0]) as usize].heap_len.store(len, Relaxed);
        }
        Ok(())
    }

    /// Whether the memory of the world's PE `pe` is mapped here.
    #[inline]
    pub fn is_mapped(&self, pe: c_int) -> bool {
        // Of PEs of other nodes most are not even between those of this one.
        (self.local[0]..self.local[0] + self.windows.len() as u32).contains(&(pe as u32))
            && self.local.binary_search(&(pe as u32)).is_ok()
    }

    /// A number that all PEs compute alike for the same symmetric address.
    pub fn symmetric_offset(&self, address: usize) -> usize {
        let in_heap = address.wrapping_sub(self.heap_base());
        if in_heap < self.heap_ceiling() {
            return in_heap;
        }
        self.statics_range().map_or(0, |(base, _)| address.wrapping_sub(base))
    }
}
