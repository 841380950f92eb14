//! Reads and writes of remote memory.
//!
//! Each call returns 0, `-FI_EAGAIN` if the provider has no room and must be progressed first, or another error.
//! `remote` is an address of the target with `FI_MR_VIRT_ADDR`, else an offset into the region of `key`.

use crate::{bindings::*, object::calls};
use libc::{c_void, iovec};

calls! {
    /// Reads from `from` into `buffer`.
    fn fi_read(
        ep: *mut fid_ep, buffer: *mut c_void, len: usize, desc: *mut c_void, from: fi_addr_t, remote: u64, key: u64,
        context: *mut c_void,
    ) -> isize = rma.read;
    /// Reads one range into several buffers.
    fn fi_readv(
        ep: *mut fid_ep, buffers: *const iovec, descs: *mut *mut c_void, count: usize, from: fi_addr_t, remote: u64,
        key: u64, context: *mut c_void,
    ) -> isize = rma.readv;
    /// Reads ranges described by a structure, with flags.
    fn fi_readmsg(ep: *mut fid_ep, message: *const fi_msg_rma, flags: u64) -> isize = rma.readmsg;
    /// Writes `buffer` to `to`. The buffer is the provider's until its completion.
    fn fi_write(
        ep: *mut fid_ep, buffer: *const c_void, len: usize, desc: *mut c_void, to: fi_addr_t, remote: u64, key: u64,
        context: *mut c_void,
    ) -> isize = rma.write;
    /// Writes several buffers to one range.
    fn fi_writev(
        ep: *mut fid_ep, buffers: *const iovec, descs: *mut *mut c_void, count: usize, to: fi_addr_t, remote: u64,
        key: u64, context: *mut c_void,
    ) -> isize = rma.writev;
    /// Writes ranges described by a structure, with flags: `FI_DELIVERY_COMPLETE`, `FI_FENCE`, `FI_INJECT`.
    fn fi_writemsg(ep: *mut fid_ep, message: *const fi_msg_rma, flags: u64) -> isize = rma.writemsg;
    /// Writes at most `inject_size` bytes. The buffer is the caller's again at once. Counters count the operation; completion queues do not
    /// report it.
    fn fi_inject_write(
        ep: *mut fid_ep, buffer: *const c_void, len: usize, to: fi_addr_t, remote: u64, key: u64,
    ) -> isize = rma.inject;
    /// Writes, and leaves `data` in the target's completion queue.
    fn fi_writedata(
        ep: *mut fid_ep, buffer: *const c_void, len: usize, desc: *mut c_void, data: u64, to: fi_addr_t, remote: u64,
        key: u64, context: *mut c_void,
    ) -> isize = rma.writedata;
    /// Writes as [`fi_inject_write`], and leaves `data` in the target's completion queue.
    fn fi_inject_writedata(
        ep: *mut fid_ep, buffer: *const c_void, len: usize, data: u64, to: fi_addr_t, remote: u64, key: u64,
    ) -> isize = rma.injectdata;
}
