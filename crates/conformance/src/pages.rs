//! A member's memory: whole pages of zeros, which a provider may replace with pages of its own.

use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};
use std::{ops::Deref, ptr, slice, sync::atomic::AtomicU64};

/// Memory that peers access, as words.
pub struct Pages {
    base: *mut u8,
    bytes: usize,
}

// SAFETY: the words are accessed as atomics. Rules also access them as raw memory, and keep such reads and writes apart.
unsafe impl Send for Pages {}
// SAFETY: as above.
unsafe impl Sync for Pages {}

impl Pages {
    /// Map `bytes` bytes of zeros.
    pub fn new(bytes: usize) -> Self {
        let rights = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: new memory.
        let base = unsafe { mmap_anonymous(ptr::null_mut(), bytes, rights, MapFlags::PRIVATE) };
        Pages { base: base.expect("memory for a member").cast(), bytes }
    }

    /// Address of the first byte.
    pub fn base(&self) -> *mut u8 {
        self.base
    }
}

impl Deref for Pages {
    type Target = [AtomicU64];

    fn deref(&self) -> &[AtomicU64] {
        // SAFETY: mapped, aligned to pages, and shared by all that access it.
        unsafe { slice::from_raw_parts(self.base.cast(), self.bytes / 8) }
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: there are no accesses any more, because the member has dropped its fabric. By then all pages may be a provider's,
        // and these are ours to unmap.
        let _ = unsafe { munmap(self.base.cast(), self.bytes) };
    }
}
