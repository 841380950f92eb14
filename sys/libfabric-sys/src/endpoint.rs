//! Endpoints: the objects that send and receive.

use crate::{
    bindings::*,
    object::{call, calls},
};
use libc::{c_int, c_void};

calls! {
    /// Opens an endpoint.
    fn fi_endpoint(
        domain: *mut fid_domain, info: *mut fi_info, ep: *mut *mut fid_ep, context: *mut c_void,
    ) -> c_int = ops.endpoint;
    /// Opens an endpoint with several transmit and receive contexts under one address.
    fn fi_scalable_ep(
        domain: *mut fid_domain, info: *mut fi_info, ep: *mut *mut fid_ep, context: *mut c_void,
    ) -> c_int = ops.scalable_ep;
    /// Opens a transmit context that several endpoints can share.
    fn fi_stx_context(
        domain: *mut fid_domain, attr: *mut fi_tx_attr, stx: *mut *mut fid_stx, context: *mut c_void,
    ) -> c_int = ops.stx_ctx;
    /// Opens a transmit context of a scalable endpoint.
    fn fi_tx_context(
        ep: *mut fid_ep, index: c_int, attr: *mut fi_tx_attr, tx: *mut *mut fid_ep, context: *mut c_void,
    ) -> c_int = ops.tx_ctx;
    /// Opens a receive context of a scalable endpoint.
    fn fi_rx_context(
        ep: *mut fid_ep, index: c_int, attr: *mut fi_rx_attr, rx: *mut *mut fid_ep, context: *mut c_void,
    ) -> c_int = ops.rx_ctx;
    /// Ties a queue, a counter or an address vector to an endpoint.
    fn fi_ep_bind(ep: *mut fid_ep, bound: *mut fid, flags: u64) -> c_int = fid.bind;
    /// Ties an address vector to a scalable endpoint.
    fn fi_scalable_ep_bind(ep: *mut fid_ep, bound: *mut fid, flags: u64) -> c_int = fid.bind;
}

/// Makes an endpoint usable.
///
/// # Safety
///
/// The endpoint is open, and bound to the objects that it needs.
#[inline]
pub unsafe fn fi_enable(ep: *mut fid_ep) -> c_int {
    // SAFETY: the endpoint is open, by the caller's promise; the command takes no argument.
    unsafe { call!(ep, fid.control(FI_ENABLE as c_int, std::ptr::null_mut())) }.unwrap_or(-FI_ENOSYS)
}

/// Writes the endpoint's own address, which peers insert into their vectors, to `address`. `len` is the size of the buffer before the call,
/// and the length of the address after it. Returns `-FI_ETOOSMALL` if the address is longer than the buffer.
///
/// # Safety
///
/// `object` is the start of an open endpoint; `address` has room for `len` bytes.
#[inline]
pub unsafe fn fi_getname(object: *mut fid, address: *mut c_void, len: *mut usize) -> c_int {
    let ep: *mut fid_ep = object.cast();
    // SAFETY: `object` is the first field of an endpoint, by the caller's promise.
    unsafe {
        let table = (*ep).cm;
        let entry = if table.is_null() { None } else { (*table).getname };
        entry.map(|getname| getname(object, address, len))
    }
    .unwrap_or(-FI_ENOSYS)
}

/// Changes an option of an endpoint.
///
/// # Safety
///
/// `object` is the start of an open endpoint; `value` names `len` bytes.
#[inline]
pub unsafe fn fi_setopt(object: *mut fid, level: c_int, option: c_int, value: *const c_void, len: usize) -> c_int {
    let ep: *mut fid_ep = object.cast();
    // SAFETY: `object` is the first field of an endpoint, by the caller's promise.
    unsafe {
        let table = (*ep).ops;
        let entry = if table.is_null() { None } else { (*table).setopt };
        entry.map(|setopt| setopt(object, level, option, value, len))
    }
    .unwrap_or(-FI_ENOSYS)
}

/// Reads an option of an endpoint. `len` is the size of the buffer before the call, and the length of the value after it.
///
/// # Safety
///
/// `object` is the start of an open endpoint; `value` has room for `len` bytes.
#[inline]
pub unsafe fn fi_getopt(object: *mut fid, level: c_int, option: c_int, value: *mut c_void, len: *mut usize) -> c_int {
    let ep: *mut fid_ep = object.cast();
    // SAFETY: `object` is the first field of an endpoint, by the caller's promise.
    unsafe {
        let table = (*ep).ops;
        let entry = if table.is_null() { None } else { (*table).getopt };
        entry.map(|getopt| getopt(object, level, option, value, len))
    }
    .unwrap_or(-FI_ENOSYS)
}

/// Cancels an operation that was posted with `context`.
///
/// # Safety
///
/// `object` is the start of an open endpoint.
#[inline]
pub unsafe fn fi_cancel(object: *mut fid, context: *mut c_void) -> isize {
    let ep: *mut fid_ep = object.cast();
    // SAFETY: `object` is the first field of an endpoint, by the caller's promise.
    unsafe {
        let table = (*ep).ops;
        let entry = if table.is_null() { None } else { (*table).cancel };
        entry.map(|cancel| cancel(object, context))
    }
    .unwrap_or(-(FI_ENOSYS as isize))
}
