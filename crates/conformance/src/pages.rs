//! A member's memory: whole pages of zeros, which a provider may change for its own.

use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};
use std::{ops::Deref, ptr, slice, sync::atomic::AtomicU64};

/// Words that peers reach.
pub struct Pages {
    base: *mut u8,
    bytes: usize,
}

// SAFETY: words that are reached by atomics, and as raw memory by rules, which keep apart what they read and write so.
unsafe impl Send for Pages {}
// SAFETY: as above.
unsafe impl Sync for Pages {}

impl Pages {
    /// So many bytes of zeros.
    pub fn new(bytes: usize) -> Self {
        let rights = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: new memory.
        let base = unsafe { mmap_anonymous(ptr::null_mut(), bytes, rights, MapFlags::PRIVATE) };
        Pages { base: base.expect("memory for a member").cast(), bytes }
    }

    /// The first byte.
    pub fn base(&self) -> *mut u8 {
        self.base
    }
}

impl Deref for Pages {
    type Target = [AtomicU64];

    fn deref(&self) -> &[AtomicU64] {
        // SAFETY: mapped, aligned to pages, and shared by whoever reaches it.
        unsafe { slice::from_raw_parts(self.base.cast(), self.bytes / 8) }
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: nobody reaches it any more: the member has dropped its fabric. By then all of it may be a provider's memory,
        // which is ours to unmap.
        let _ = unsafe { munmap(self.base.cast(), self.bytes) };
    }
}
