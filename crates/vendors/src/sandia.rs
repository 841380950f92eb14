//! The routines of Sandia OpenSHMEM for the clock, the node name and thread numbers; and the question of OSSS-UCX and OSHMPI about MPI.

use crate::Vendors;
use core::ffi::{c_char, c_int};
use ferrite_abi::extensions::MPI_PROCESSES_ARE_PES;
use ferrite_runtime::Site;
use rustix::time::{ClockId, clock_gettime};
use std::{ffi::CString, sync::OnceLock};

/// A function that returns the number of the calling thread.
pub type Gettid = Option<extern "C" fn() -> u64>;

impl Vendors {
    /// Register the program's numbering of threads. Sandia's library uses it to bind private contexts to threads. Here contexts are not
    /// bound to threads, so the function is never called, before init or after.
    pub fn x_register_gettid(&self, _site: &'static Site, _gettid_fn: Gettid) {}

    /// Seconds since an arbitrary moment in the past, the same for all PEs of a node.
    pub fn x_wtime(&self, _site: &'static Site) -> f64 {
        let now = clock_gettime(ClockId::Monotonic);
        now.tv_sec as f64 + now.tv_nsec as f64 * 1e-9
    }

    /// Whether the library has a property beside MPI or UPC. The processes of MPI are the PEs; neither library initialises the other, and a
    /// wait here makes no progress for MPI. Legal at any time.
    pub fn x_query_interoperability(&self, _site: &'static Site, property: c_int) -> c_int {
        c_int::from(property == MPI_PROCESSES_ARE_PES)
    }

    /// The name of this PE's node. The text is owned by the library and stays valid.
    pub fn x_nodename(&self, _site: &'static Site) -> *mut c_char {
        static NAME: OnceLock<CString> = OnceLock::new();
        let name = NAME.get_or_init(|| CString::from(rustix::system::uname().nodename()));
        name.as_ptr().cast_mut()
    }
}
