//! Atomic operations on remote memory.
//!
//! A provider with `FI_ATOMIC` may lack operations and types: check each one with `fi_*atomicvalid`.

use crate::{bindings::*, object::calls};
use libc::{c_int, c_void};

calls! {
    /// Combines values described by a structure, with flags.
    fn fi_atomicmsg(ep: *mut fid_ep, message: *const fi_msg_atomic, flags: u64) -> isize = atomic.writemsg;
    /// Combines values described by a structure, with flags, and fetches the previous ones.
    fn fi_fetch_atomicmsg(
        ep: *mut fid_ep, message: *const fi_msg_atomic, results: *mut fi_ioc, result_descs: *mut *mut c_void,
        result_count: usize, flags: u64,
    ) -> isize = atomic.readwritemsg;
    /// Combines values described by a structure, with flags, after a comparison.
    fn fi_compare_atomicmsg(
        ep: *mut fid_ep, message: *const fi_msg_atomic, compares: *const fi_ioc, compare_descs: *mut *mut c_void,
        compare_count: usize, results: *mut fi_ioc, result_descs: *mut *mut c_void, result_count: usize, flags: u64,
    ) -> isize = atomic.compwritemsg;
    /// 0 if [`fi_atomicmsg`] can do this, with the greatest count in `count`.
    fn fi_atomicvalid(ep: *mut fid_ep, datatype: fi_datatype, op: fi_op, count: *mut usize) -> c_int
        = atomic.writevalid;
    /// 0 if [`fi_fetch_atomicmsg`] can do this, with the greatest count in `count`.
    fn fi_fetch_atomicvalid(ep: *mut fid_ep, datatype: fi_datatype, op: fi_op, count: *mut usize) -> c_int
        = atomic.readwritevalid;
    /// 0 if [`fi_compare_atomicmsg`] can do this, with the greatest count in `count`.
    fn fi_compare_atomicvalid(ep: *mut fid_ep, datatype: fi_datatype, op: fi_op, count: *mut usize) -> c_int
        = atomic.compwritevalid;
}
