//! Registered memory of this process.
//!
//! Peers, and the network, access the memory at any time. So no reference into it is ever handed out: bytes are copied in and out by
//! `ferrite_copy`, which stores each byte once and tears no aligned element, and words are accessed by the processor's atomics, the same
//! that serve peers.

use crate::{Error, Remote, Result};
use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};
use std::{
    fmt, ptr,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

/// Whole pages of memory, which stay mapped until the last owner drops them.
pub(crate) struct Pages {
    base: *mut u8,
    len: usize,
}

// SAFETY: the memory is accessed by atomics and by copies that allow other accesses at the same time; the mapping does not move.
unsafe impl Send for Pages {}
// SAFETY: as above.
unsafe impl Sync for Pages {}

impl Pages {
    /// Map at least `len` bytes of zeros.
    pub fn map(len: usize) -> Result<Pages> {
        let page = rustix::param::page_size();
        let refused = |why: &dyn fmt::Display| Error::Argument(format!("cannot map {len} bytes: {why}"));
        let len = len.max(1).checked_next_multiple_of(page).ok_or_else(|| refused(&"too many"))?;
        // SAFETY: new memory at an address of the kernel's choice.
        let base =
            unsafe { mmap_anonymous(ptr::null_mut(), len, ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE) };
        Ok(Pages {
            base: base.map_err(|errno| refused(&ferrite_os::error_text::plain(&errno.to_string())))?.cast(),
            len,
        })
    }

    pub fn base(&self) -> *mut u8 {
        self.base
    }

    /// Size in bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Address of `len` bytes at `offset`.
    #[track_caller]
    pub fn place(&self, offset: usize, len: usize) -> *mut u8 {
        let fits = offset.checked_add(len).is_some_and(|end| end <= self.len);
        assert!(fits, "{len} bytes at offset {offset} are not within a region of {} bytes", self.len);
        self.base.wrapping_add(offset)
    }

    /// Copy bytes out.
    #[track_caller]
    pub fn read(&self, offset: usize, into: &mut [u8]) {
        let from = self.place(offset, into.len());
        // SAFETY: `from` has this many mapped bytes, which others may access meanwhile; `into` is memory of the caller's own.
        unsafe { ferrite_copy::copy(into.as_mut_ptr(), from, into.len()) }
    }

    /// Copy bytes in.
    #[track_caller]
    pub fn write(&self, offset: usize, from: &[u8]) {
        let to = self.place(offset, from.len());
        // SAFETY: as for `read`.
        unsafe { ferrite_copy::copy(to, from.as_ptr(), from.len()) }
    }

    /// The word at `offset`.
    #[track_caller]
    pub fn word(&self, offset: usize) -> &AtomicU64 {
        assert!(offset.is_multiple_of(size_of::<u64>()), "offset {offset} is not a multiple of 8, as atomics need it");
        let place = self.place(offset, size_of::<u64>());
        // SAFETY: mapped for as long as the pages live, aligned, and accessed here and by peers through atomics.
        unsafe { AtomicU64::from_ptr(place.cast()) }
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: the last owner. A group owns its pages until its fabric is dropped, so no peer accesses them any more.
        let _ = unsafe { munmap(self.base.cast(), self.len) };
    }
}

/// Memory of this process that the members of a group read and write: returned by [`Group::register`](crate::Group::register).
///
/// It stays registered until the group ends, even if the `Region` is dropped, and readable here for as long as the `Region` lives.
#[derive(Clone)]
pub struct Region {
    pub(crate) pages: Arc<Pages>,
    pub(crate) remote: Remote,
}

impl Region {
    /// The memory as other members address it.
    pub fn remote(&self) -> &Remote {
        &self.remote
    }

    /// Size in bytes: the registered size, rounded up to whole pages.
    pub fn len(&self) -> usize {
        self.pages.len()
    }

    /// Never true: a region has at least one page.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Copy bytes out.
    ///
    /// # Panics
    /// If they are not within the region.
    #[track_caller]
    pub fn read(&self, offset: usize, into: &mut [u8]) {
        self.pages.read(offset, into);
    }

    /// Copy bytes in.
    ///
    /// # Panics
    /// If they are not within the region.
    #[track_caller]
    pub fn write(&self, offset: usize, from: &[u8]) {
        self.pages.write(offset, from);
    }

    /// The value of a word. Writes made before the word was set are visible afterwards (Acquire).
    ///
    /// # Panics
    /// If the word is not within the region, or not aligned.
    #[track_caller]
    pub fn load(&self, offset: usize) -> u64 {
        self.pages.word(offset).load(Ordering::Acquire)
    }

    /// Set a word. A member that sees the value sees what this process wrote before (Release).
    ///
    /// # Panics
    /// As for [`load`](Region::load).
    #[track_caller]
    pub fn store(&self, offset: usize, value: u64) {
        self.pages.word(offset).store(value, Ordering::Release);
    }

    /// Add to a word, wrapping. Returns the old value. Atomic with respect to all members (AcqRel).
    ///
    /// # Panics
    /// As for [`load`](Region::load).
    #[track_caller]
    pub fn fetch_add(&self, offset: usize, value: u64) -> u64 {
        self.pages.word(offset).fetch_add(value, Ordering::AcqRel)
    }

    /// Set a word to `value` if it is `expected`. Returns the old value. Atomic with respect to all members (AcqRel).
    ///
    /// # Panics
    /// As for [`load`](Region::load).
    #[track_caller]
    pub fn compare_swap(&self, offset: usize, expected: u64, value: u64) -> u64 {
        let swapped = self.pages.word(offset).compare_exchange(expected, value, Ordering::AcqRel, Ordering::Acquire);
        swapped.unwrap_or_else(|old| old)
    }
}

impl fmt::Debug for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Region {{ rank: {}, len: {} }}", self.remote.rank(), self.len())
    }
}
