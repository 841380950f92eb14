//! Puts that are announced, and the signals themselves.
//!
//! A signal word follows its own data and nothing else: the data are stored, then the word is updated with release.
//! Whoever reads the word with acquire (`signal_fetch`, the waiting routines) sees the data.

use crate::{Bits, Ctx, Elem, Site, World};
use core::{
    ffi::c_int,
    sync::atomic::Ordering::{Acquire, Relaxed, Release},
};
use ferrite_abi::constants::{SHMEM_SIGNAL_ADD, SHMEM_SIGNAL_SET};

impl World {
    /// Put, then update the signal at `pe`.
    ///
    /// # Safety
    /// As for `put`, and `sig_addr` is a signal at `pe`.
    #[inline(always)]
    pub unsafe fn put_signal<T: Elem>(
        &self,
        site: &'static Site,
        ctx: Ctx,
        dest: *mut T,
        source: *const T,
        nelems: usize,
        sig_addr: *mut u64,
        signal: u64,
        sig_op: c_int,
        pe: c_int,
    ) {
        // SAFETY: passed on.
        unsafe {
            self.put(site, ctx, dest, source, nelems, pe);
            let cell = self.cell(site, "sig_addr", ctx, sig_addr, pe);
            match sig_op {
                SHMEM_SIGNAL_SET => u64::store(cell, signal, Release),
                SHMEM_SIGNAL_ADD => {
                    u64::fetch_add(cell, signal, Release);
                }
                other => self.bad_signal_op(site, other),
            }
        }
    }

    /// As [`World::put_signal`]; `source` may be reused after [`World::quiet`].
    ///
    /// # Safety
    /// As for `put_signal`, and the memory stays valid until `quiet`.
    #[inline(always)]
    pub unsafe fn put_signal_nbi<T: Elem>(
        &self,
        site: &'static Site,
        ctx: Ctx,
        dest: *mut T,
        source: *const T,
        nelems: usize,
        sig_addr: *mut u64,
        signal: u64,
        sig_op: c_int,
        pe: c_int,
    ) {
        // SAFETY: the same contract, kept for longer.
        unsafe { self.put_signal(site, ctx, dest, source, nelems, sig_addr, signal, sig_op, pe) }
    }

    /// Add to the signal at `pe`.
    ///
    /// # Safety
    /// `sig_addr` is a signal at `pe`.
    #[inline(always)]
    pub unsafe fn signal_add(&self, site: &'static Site, ctx: Ctx, sig_addr: *mut u64, signal: u64, pe: c_int) {
        // SAFETY: passed on.
        u64::fetch_add(unsafe { self.cell(site, "sig_addr", ctx, sig_addr, pe) }, signal, Relaxed);
    }

    /// Overwrite the signal at `pe`.
    ///
    /// # Safety
    /// `sig_addr` is a signal at `pe`.
    #[inline(always)]
    pub unsafe fn signal_set(&self, site: &'static Site, ctx: Ctx, sig_addr: *mut u64, signal: u64, pe: c_int) {
        // SAFETY: passed on.
        u64::store(unsafe { self.cell(site, "sig_addr", ctx, sig_addr, pe) }, signal, Relaxed)
    }

    /// Our own signal's value.
    ///
    /// # Safety
    /// `sig_addr` is a signal here.
    #[inline(always)]
    pub unsafe fn signal_fetch(&self, site: &'static Site, sig_addr: *const u64) -> u64 {
        if !self.may_wait_on(sig_addr as usize, align_of::<u64>()) {
            self.bad_wait(site, "sig_addr", sig_addr as usize, align_of::<u64>());
        }
        self.require_symmetric(site, "sig_addr", sig_addr as usize, size_of::<u64>());
        // SAFETY: the caller's promise, and aligned.
        u64::load(unsafe { u64::cell(sig_addr.cast_mut().cast()) }, Acquire)
    }

    #[cold]
    #[inline(never)]
    fn bad_signal_op(&self, site: &'static Site, sig_op: c_int) -> ! {
        self.misuse(
            site,
            format_args!(
                "sig_op is {sig_op}; use SHMEM_SIGNAL_SET ({SHMEM_SIGNAL_SET}) or SHMEM_SIGNAL_ADD ({SHMEM_SIGNAL_ADD})"
            ),
        )
    }
}
