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
    /// Ties a queue, a counter or an address vector to an endpoint.
    fn fi_ep_bind(ep: *mut fid_ep, bound: *mut fid, flags: u64) -> c_int = fid.bind;
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
