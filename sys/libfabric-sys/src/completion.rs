//! Completion queues and counters.

use crate::{
    bindings::*,
    object::{call, calls},
};
use libc::{c_char, c_int, c_void};

calls! {
    /// Opens a completion queue.
    fn fi_cq_open(
        domain: *mut fid_domain, attr: *mut fi_cq_attr, cq: *mut *mut fid_cq, context: *mut c_void,
    ) -> c_int = ops.cq_open;
    /// Progresses, and reads at most `count` entries of the queue's format. `-FI_EAGAIN` if there are none,
    /// `-FI_EAVAIL` if the next is an error, to be read by [`fi_cq_readerr`]. A count of 0 only progresses.
    fn fi_cq_read(cq: *mut fid_cq, buffer: *mut c_void, count: usize) -> isize = ops.read;
    /// Opens a counter of completions.
    fn fi_cntr_open(
        domain: *mut fid_domain, attr: *mut fi_cntr_attr, cntr: *mut *mut fid_cntr, context: *mut c_void,
    ) -> c_int = ops.cntr_open;
}

/// Reads the error at the head of a queue. Returns 1, or `-FI_EAGAIN` if there is none.
///
/// # Safety
///
/// The queue is open. `entry` is writable; its `err_data` and `err_data_size` name room for details, or are 0.
#[inline]
pub unsafe fn fi_cq_readerr(cq: *mut fid_cq, entry: *mut fi_cq_err_entry, flags: u64) -> isize {
    // SAFETY: the queue is open, so its table is null or whole; the rest is the caller's promise.
    unsafe { call!(cq, ops.readerr(entry, flags)) }.unwrap_or(-(FI_ENOSYS as isize))
}

/// The provider's own text of an error, written to `buffer` or constant; null if it has none.
///
/// # Safety
///
/// The queue is open; `details` come from the error's entry, `buffer` has room for `len` bytes or is null.
#[inline]
pub unsafe fn fi_cq_strerror(
    cq: *mut fid_cq,
    provider_error: c_int,
    details: *const c_void,
    buffer: *mut c_char,
    len: usize,
) -> *const c_char {
    // SAFETY: the queue is open, so its table is null or whole; the rest is the caller's promise.
    unsafe { call!(cq, ops.strerror(provider_error, details, buffer, len)) }.unwrap_or(std::ptr::null())
}

/// Progresses, and returns the number of completed operations; 0 if the provider lacks this entry.
///
/// # Safety
///
/// The counter is open.
#[inline]
pub unsafe fn fi_cntr_read(cntr: *mut fid_cntr) -> u64 {
    // SAFETY: the counter is open, so its table is null or whole.
    unsafe { call!(cntr, ops.read()) }.unwrap_or(0)
}
