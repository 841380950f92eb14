//! Cray's routines: explicit non-blocking atomics, puts that set a signal, threads and sessions. Collectives and teams are in files of
//! their own.
//!
//! No handles are returned: `quiet` completes the issued operations, and so does a wait for a handle. Atomics store null in the handle
//! argument. Transfers do not access that argument: some programs pass an address there, others have no argument for it.

mod collectives;
mod teams;

use crate::Vendors;
use core::{
    ffi::{c_int, c_long, c_void},
    ptr,
};
use ferrite_abi::{
    constants::{SHMEM_CTX_SESSION_BATCH, SHMEM_SIGNAL_SET},
    extensions::SHMEM_SESSION_BUNDLE,
};
use ferrite_runtime::{Ctx, Elem, Site, Word};
pub use teams::COLOR_UNDEFINED;

/// Store the null handle, if the program passed an address for a handle.
///
/// # Safety
/// `handle` is null or may be written.
#[inline(always)]
unsafe fn no_handle(handle: *mut *mut c_void) {
    if !handle.is_null() {
        // SAFETY: the caller's promise.
        unsafe { handle.write(ptr::null_mut()) };
    }
}

macro_rules! explicit_atomics {
    ($($(#[$doc:meta])* fn $name:ident = $nbi:ident($($arg:ident: $type:ty),*);)*) => {
        impl Vendors { $(
            $(#[$doc])*
            ///
            /// # Safety
            /// As for the standard's atomic of this name; `handle` is null or may be written.
            #[inline(always)]
            pub unsafe fn $name<T: Word>(&self, site: &'static Site, ctx: Ctx, $($arg: $type,)* pe: c_int, handle: *mut *mut c_void) {
                // SAFETY: passed on.
                unsafe {
                    self.$nbi(site, ctx, $($arg,)* pe);
                    no_handle(handle);
                }
            }
        )* }
    };
}

explicit_atomics! {
    /// Add `value`.
    fn x_add_nb = atomic_add(target: *mut T, value: T);
    /// Add 1.
    fn x_inc_nb = atomic_inc(target: *mut T);
    /// Store `value` if the word equals `cond`; the old value goes to `fetch`.
    fn x_cswap_nb = atomic_compare_swap_nbi(fetch: *mut T, target: *mut T, cond: T, value: T);
    /// Add `value`; the old value goes to `fetch`.
    fn x_fadd_nb = atomic_fetch_add_nbi(fetch: *mut T, target: *mut T, value: T);
    /// Add 1; the old value goes to `fetch`.
    fn x_finc_nb = atomic_fetch_inc_nbi(fetch: *mut T, target: *mut T);
    /// Store `value`; the old value goes to `fetch`.
    fn x_swap_nb = atomic_swap_nbi(fetch: *mut T, target: *mut T, value: T);
}

impl Vendors {
    /// Put without blocking, and return the null handle.
    ///
    /// # Safety
    /// As for `put_nbi`.
    #[inline(always)]
    pub unsafe fn x_put_nb<T: Elem>(
        &self,
        site: &'static Site,
        ctx: Ctx,
        dest: *mut T,
        source: *const T,
        nelems: usize,
        pe: c_int,
    ) -> *mut c_void {
        // SAFETY: passed on.
        unsafe { self.put_nbi(site, ctx, dest, source, nelems, pe) };
        ptr::null_mut()
    }

    /// Get without blocking, and return the null handle.
    ///
    /// # Safety
    /// As for `get_nbi`.
    #[inline(always)]
    pub unsafe fn x_get_nb<T: Elem>(
        &self,
        site: &'static Site,
        ctx: Ctx,
        dest: *mut T,
        source: *const T,
        nelems: usize,
        pe: c_int,
    ) -> *mut c_void {
        // SAFETY: passed on.
        unsafe { self.get_nbi(site, ctx, dest, source, nelems, pe) };
        ptr::null_mut()
    }

    /// Wait for a transfer, by completing all operations of the default context.
    pub fn x_wait_nb(&self, site: &'static Site, _handle: *mut c_void) {
        self.quiet(site, Ctx::DEFAULT);
    }

    /// Complete a transfer, and return 1: it is complete.
    pub fn x_test_nb(&self, site: &'static Site, _handle: *mut c_void) -> c_int {
        self.quiet(site, Ctx::DEFAULT);
        1
    }

    /// As [`x_test_nb`](Self::x_test_nb), with the result in `flag`.
    ///
    /// # Safety
    /// `flag` is null or may be written.
    pub unsafe fn x_test_req(&self, site: &'static Site, handle: *mut c_void, flag: *mut c_int) {
        let complete = self.x_test_nb(site, handle);
        if !flag.is_null() {
            // SAFETY: the caller's promise.
            unsafe { flag.write(complete) };
        }
    }

    /// Order the operations issued on a context, and return 1: they are ordered.
    pub fn x_fence_test(&self, site: &'static Site, ctx: Ctx) -> c_int {
        self.fence(site, ctx);
        1
    }

    /// Complete the operations issued on a context, and return 1: they are complete.
    pub fn x_quiet_test(&self, site: &'static Site, ctx: Ctx) -> c_int {
        self.quiet(site, ctx);
        1
    }

    /// Put, then overwrite the signal at `pe`. Cray's form has no other signal operation.
    ///
    /// # Safety
    /// As for `put_signal`.
    #[inline(always)]
    pub unsafe fn x_put_signal<T: Elem>(
        &self,
        site: &'static Site,
        ctx: Ctx,
        target: *mut T,
        source: *const T,
        len: usize,
        sig_addr: *mut u64,
        signal: u64,
        pe: c_int,
    ) {
        // SAFETY: passed on.
        unsafe { self.put_signal(site, ctx, target, source, len, sig_addr, signal, SHMEM_SIGNAL_SET, pe) }
    }

    /// Overwrite the signal at `pe`. Cray declares `sig_addr` as a pointer to const.
    ///
    /// # Safety
    /// As for `signal_set`.
    #[inline(always)]
    pub unsafe fn x_signal_set(&self, site: &'static Site, ctx: Ctx, sig_addr: *const u64, signal: u64, pe: c_int) {
        // SAFETY: passed on.
        unsafe { self.signal_set(site, ctx, sig_addr.cast_mut(), signal, pe) }
    }

    /// Complete the operations issued to one PE.
    pub fn x_pe_quiet(&self, site: &'static Site, pe: c_int) {
        // SAFETY: one number, on this stack.
        unsafe { self.pe_quiet(site, Ctx::DEFAULT, &pe, 1) }
    }

    /// Complete the operations issued on the default context at this PE alone: see `World::local_complete`.
    pub fn x_local_complete(&self, site: &'static Site) {
        self.local_complete(site, Ctx::DEFAULT);
    }

    /// Initialise the library for this thread level. Cray's older form returns the level that is granted. For a level that does not exist
    /// it returns -1 and initialises nothing.
    pub fn x_init_thread(&'static self, site: &'static Site, required: c_int) -> c_int {
        let mut provided = -1;
        // SAFETY: a local variable.
        unsafe { self.init_thread(site, required, &mut provided) };
        provided
    }

    /// Return the thread level in force.
    pub fn x_query_thread(&self, site: &'static Site) -> c_int {
        let mut provided = -1;
        // SAFETY: a local variable.
        unsafe { self.query_thread(site, &mut provided) };
        provided
    }

    /// Announce that the calling thread will communicate. Threads have no state of their own here.
    pub fn x_thread_register(&self, site: &'static Site) {
        self.my_pe(site);
    }

    /// Announce that the calling thread will not communicate any more: complete the operations that it has issued.
    pub fn x_thread_unregister(&self, site: &'static Site) {
        self.quiet(site, Ctx::DEFAULT);
        self.my_pe(site);
    }

    /// Start a session without options or configuration: OSSS-UCX's form.
    pub fn x_ctx_session_start(&self, site: &'static Site, ctx: Ctx) {
        self.x_session_start(site, ctx, 0);
    }

    /// Start a session with Cray's options, and without configuration.
    pub fn x_session_start(&self, site: &'static Site, ctx: Ctx, options: c_long) {
        let batch = if options & SHMEM_SESSION_BUNDLE as c_long != 0 { SHMEM_CTX_SESSION_BATCH } else { 0 };
        // SAFETY: the mask names no field of the configuration.
        unsafe { self.session_start(site, ctx, batch, ptr::null(), 0) }
    }
}
