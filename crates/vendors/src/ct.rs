//! Sandia OpenSHMEM's counting puts and gets. Each PE has a counter, which is incremented at the target when a put has arrived there or a
//! get has been served, so that the target can wait for a number of them.
//!
//! A counter is a word of the symmetric heap, in a cache line of its own. The program holds a key of a registry, so a word that is not a
//! counter is refused. The put is a put with a signal that adds; the signal never arrives before the data. The get adds to the counter
//! after it has received its data.

use crate::Vendors;
use core::ffi::{c_int, c_long, c_void};
use ferrite_abi::constants::{SHMEM_CMP_GE, SHMEM_SIGNAL_ADD};
use ferrite_registry::Registry;
use ferrite_runtime::{Ctx, Site};

/// Bytes of a counter: a cache line, to avoid false sharing between counters.
const LINE: usize = 64;

/// A counter: null, or a key of the registry of counters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub struct Ct(pub usize);

impl Ct {
    /// No counter.
    pub const NULL: Ct = Ct(0);
}

/// The addresses of the counters of a started world.
#[derive(Default)]
struct Counters(Registry<usize, 10>);

impl Vendors {
    /// Create a counter that is 0 on all PEs. Collective over the job; null on all PEs if there is no memory.
    ///
    /// # Safety
    /// `ct` is valid for a write.
    pub unsafe fn ct_create(&self, site: &'static Site, ct: *mut Ct) {
        let counters = self.extension::<Counters>(site);
        self.must_be_somewhere(site, "ct", ct);
        let block = self.calloc(site, 1, LINE);
        let made = if block.is_null() { None } else { counters.0.add(block as usize) };
        if made.is_none() {
            // SAFETY: no thread has the address. All PEs have made equally many counters, so either all of them come here or none.
            unsafe { self.free(site, block) };
        }
        // SAFETY: the caller's promise.
        unsafe { ct.write(made.map_or(Ct::NULL, Ct)) }
    }

    /// Free a counter, and store null in `*ct`. Collective over the job; do nothing for null.
    ///
    /// # Safety
    /// `ct` is valid for reads and writes, and no thread uses the counter after this.
    pub unsafe fn ct_free(&self, site: &'static Site, ct: *mut Ct) {
        let counters = self.extension::<Counters>(site);
        self.must_be_somewhere(site, "ct", ct);
        // SAFETY: the caller's promise.
        let old = unsafe { ct.replace(Ct::NULL) };
        if old == Ct::NULL {
            return;
        }
        let word = self.counter(site, old);
        counters.0.remove(old.0);
        // SAFETY: the caller's promise.
        unsafe { self.free(site, word.cast()) }
    }

    /// Return this PE's count.
    pub fn ct_get(&self, site: &'static Site, ct: Ct) -> c_long {
        let word = self.counter(site, ct);
        // SAFETY: a word of the heap, which is only accessed as an atomic.
        unsafe { self.signal_fetch(site, word) as c_long }
    }

    /// Set this PE's count.
    pub fn ct_set(&self, site: &'static Site, ct: Ct, value: c_long) {
        let word = self.counter(site, ct);
        // SAFETY: as above. The quiet is needed where a NIC executes atomics, because the NIC then executes this one too.
        unsafe { self.signal_set(site, Ctx::DEFAULT, word, value as u64, self.my_pe(site)) };
        self.quiet(site, Ctx::DEFAULT);
    }

    /// Wait until this PE's count is `wait_for` or more.
    pub fn ct_wait(&self, site: &'static Site, ct: Ct, wait_for: c_long) {
        let word = self.counter(site, ct);
        // SAFETY: as above.
        unsafe { self.wait_until(site, word.cast::<c_long>(), SHMEM_CMP_GE, wait_for) }
    }

    /// Put `len` bytes, then add 1 to the counter at `pe`.
    ///
    /// # Safety
    /// As for `put`.
    pub unsafe fn putmem_ct(
        &self,
        site: &'static Site,
        ct: Ct,
        target: *mut c_void,
        source: *const c_void,
        len: usize,
        pe: c_int,
    ) {
        let word = self.counter(site, ct);
        let (target, source) = (target.cast::<u8>(), source.cast());
        // SAFETY: passed on; the counter is a word of every heap.
        unsafe { self.put_signal(site, Ctx::DEFAULT, target, source, len, word, 1, SHMEM_SIGNAL_ADD, pe) }
    }

    /// Get `len` bytes, then add 1 to the counter at `pe`.
    ///
    /// # Safety
    /// As for `get`.
    pub unsafe fn getmem_ct(
        &self,
        site: &'static Site,
        ct: Ct,
        target: *mut c_void,
        source: *const c_void,
        len: usize,
        pe: c_int,
    ) {
        let word = self.counter(site, ct);
        // SAFETY: passed on; the counter is a word of every heap.
        unsafe {
            self.get(site, Ctx::DEFAULT, target.cast::<u8>(), source.cast(), len, pe);
            self.fence(site, Ctx::DEFAULT);
            self.signal_add(site, Ctx::DEFAULT, word, 1, pe);
        }
    }

    /// The word of a counter. An invalid handle ends the job.
    fn counter(&self, site: &'static Site, ct: Ct) -> *mut u64 {
        match self.extension::<Counters>(site).0.get(ct.0) {
            Some(&word) => word as *mut u64,
            None if ct == Ct::NULL => {
                self.misuse(site, format_args!("ct is NULL; use a counter made by shmemx_ct_create"))
            }
            None => self.misuse(site, format_args!("ct {:#x} is not a counter, or was freed before", ct.0)),
        }
    }
}
