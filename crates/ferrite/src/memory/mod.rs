//! Handles of symmetric memory, and places in it.

mod boxes;
mod place;
mod slice;

pub use boxes::{SymAtomic, SymBox, SymLock, SymSignal};
pub use place::{At, Place, Places, Span};
pub use slice::SymSlice;

use core::ffi::c_void;

/// The blocks of a world, in the order in which they were allocated: the same on all PEs.
#[derive(Default)]
pub(crate) struct Book {
    entries: Vec<Entry>,
    next: u64,
}

struct Entry {
    key: u64,
    block: *mut c_void,
    /// This PE has dropped its handle.
    dropped: bool,
}

// SAFETY: the pointers name blocks of the symmetric heap; the book itself never follows them.
unsafe impl Send for Book {}

impl Book {
    /// Add a block, and return its key.
    pub fn enter(&mut self, block: *mut c_void) -> u64 {
        self.next += 1;
        self.entries.push(Entry { key: self.next, block, dropped: false });
        self.next
    }

    /// Note that this PE has dropped the handle of this block.
    pub fn drop_handle(&mut self, key: u64) {
        if let Ok(at) = self.entries.binary_search_by_key(&key, |entry| entry.key) {
            self.entries[at].dropped = true;
        }
    }

    /// All blocks, in the order of allocation.
    pub fn blocks(&self) -> Vec<*mut c_void> {
        self.entries.iter().map(|entry| entry.block).collect()
    }

    /// For each block, whether this PE has dropped its handle.
    pub fn dropped(&self) -> Vec<bool> {
        self.entries.iter().map(|entry| entry.dropped).collect()
    }

    /// Remove the blocks that were freed, and return their number.
    pub fn forget(&mut self, freed: &[bool]) -> usize {
        let mut at = freed.iter();
        self.entries.retain(|_| !at.next().copied().unwrap_or(false));
        freed.iter().filter(|&&freed| freed).count()
    }
}

/// Refuse a transfer between sides of different lengths.
#[inline(always)]
#[track_caller]
pub(crate) fn same_length(there: usize, here: usize) {
    if there != here {
        lengths_differ(there, here);
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn lengths_differ(there: usize, here: usize) -> ! {
    panic!("the symmetric side has {there} elements, and the other {here}; both must have as many");
}

#[cold]
#[inline(never)]
#[track_caller]
fn out_of(index: usize, len: usize) -> ! {
    panic!("index {index} is beyond the end of a symmetric slice of {len} elements");
}
