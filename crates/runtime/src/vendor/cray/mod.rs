//! Other vendors' routines that are more than a second name of the standard's: Cray's explicit non-blocking atomics, its
//! puts that set a signal, its threads and sessions; Sandia OpenSHMEM's clock, node name and threads. `pcntr` and `ct` have
//! its counters.
//!
//! Cray's transfer handles: there is no routine here that waits for one, and `quiet` completes what was issued. A program
//! that passes the address of a handle finds it null; most pass no address at all.

mod collectives;
mod teams;

use crate::{Ctx, Elem, Site, Word, World};
use core::{
    ffi::{c_char, c_int, c_long, c_void},
    ptr,
};
use ferrite_abi::{
    constants::{SHMEM_CTX_SESSION_BATCH, SHMEM_SIGNAL_SET},
    extensions::SHMEM_SESSION_BUNDLE,
};
use rustix::time::{ClockId, clock_gettime};
use std::ffi::CString;
pub use teams::COLOR_UNDEFINED;

/// A function that gives the number of the calling thread.
pub type Gettid = Option<extern "C" fn() -> u64>;

/// Say by the handle, if there is one, that there is none to be waited for.
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
    ($($(#[$doc:meta])* $name:ident = $nbi:ident($($arg:ident: $type:ty),*);)*) => {
        impl World { $(
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
    /// Add.
    x_add_nb = atomic_add(target: *mut T, value: T);
    /// Add one.
    x_inc_nb = atomic_inc(target: *mut T);
    /// Exchange if equal to `cond`; the old value goes to `fetch`.
    x_cswap_nb = atomic_compare_swap_nbi(fetch: *mut T, target: *mut T, cond: T, value: T);
    /// Add; the old value goes to `fetch`.
    x_fadd_nb = atomic_fetch_add_nbi(fetch: *mut T, target: *mut T, value: T);
    /// Add one; the old value goes to `fetch`.
    x_finc_nb = atomic_fetch_inc_nbi(fetch: *mut T, target: *mut T);
    /// Exchange; the old value goes to `fetch`.
    x_swap_nb = atomic_swap_nbi(fetch: *mut T, target: *mut T, value: T);
}

impl World {
    /// Put, then overwrite the signal at `pe`: Cray's form, which knows no other operation.
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

    /// Overwrite the signal at `pe`. Cray declares its address as one of a constant.
    ///
    /// # Safety
    /// As for `signal_set`.
    #[inline(always)]
    pub unsafe fn x_signal_set(&self, site: &'static Site, ctx: Ctx, sig_addr: *const u64, signal: u64, pe: c_int) {
        // SAFETY: passed on.
        unsafe { self.signal_set(site, ctx, sig_addr.cast_mut(), signal, pe) }
    }

    /// Complete what was issued to one PE.
    pub fn x_pe_quiet(&self, site: &'static Site, pe: c_int) {
        // SAFETY: one number, here.
        unsafe { self.pe_quiet(site, Ctx::DEFAULT, &pe, 1) }
    }

    /// Wait until the sources of what was issued may be reused. A transport between hosts knows no completion that is
    /// less than `quiet`; on mapped memory that is next to nothing.
    pub fn x_local_complete(&self, site: &'static Site) {
        self.require_live(site).progress();
        self.quiet(site, Ctx::DEFAULT);
    }

    /// A thread says that it will communicate. Threads need nothing of their own here.
    pub fn x_thread_register(&self, site: &'static Site) {
        self.require_live(site);
    }

    /// A thread says that it will not communicate any more: what it has issued is complete.
    pub fn x_thread_unregister(&self, site: &'static Site) {
        self.quiet(site, Ctx::DEFAULT);
        self.require_live(site);
    }

    /// The program says how it numbers its threads. Sandia's library binds private contexts to threads by that; contexts are
    /// bound to no thread here, so nobody asks, before init or after.
    pub fn x_register_gettid(&self, _site: &'static Site, _gettid_fn: Gettid) {}

    /// Cray's start of a session: options of its own, and no configuration.
    pub fn x_session_start(&self, site: &'static Site, ctx: Ctx, options: c_long) {
        let batch = if options & SHMEM_SESSION_BUNDLE as c_long != 0 { SHMEM_CTX_SESSION_BATCH } else { 0 };
        // SAFETY: no configuration is asked for.
        unsafe { self.session_start(site, ctx, batch, ptr::null(), 0) }
    }

    /// Seconds since some moment in the past, the same for all PEs of a node.
    pub fn x_wtime(&self, _site: &'static Site) -> f64 {
        let now = clock_gettime(ClockId::Monotonic);
        now.tv_sec as f64 + now.tv_nsec as f64 * 1e-9
    }

    /// The name of this PE's node. The text is the library's, and stays.
    pub fn x_nodename(&self, _site: &'static Site) -> *mut c_char {
        let name = self.node_name.get_or_init(|| CString::from(rustix::system::uname().nodename()));
        name.as_ptr().cast_mut()
    }
}
