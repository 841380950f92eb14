//! The calls that all objects have, and the macro for rows of calls.

use crate::bindings::*;
use libc::{c_int, c_void};

/// Writes inline functions, one for each row.
///
/// `= table.entry` calls `entry` of the object's table of operations in the field `table`, with the arguments as they
/// are. `= fid.entry` calls `entry` of the table that every object starts with, with a pointer to that start in place
/// of the object.
macro_rules! calls {
    ($( $(#[$doc:meta])* fn $name:ident($object:ident: $Object:ty $(, $arg:ident: $type:ty)* $(,)?) -> $back:ty
        = $table:ident.$entry:ident; )*) => { $(
        $(#[$doc])*
        ///
        /// # Safety
        ///
        /// The object is open and belongs to the loaded library; pointers are valid for as long as libfabric's manual requires for the
        /// function of this name.
        #[inline]
        #[allow(clippy::too_many_arguments, reason = "as many as the header's function of this name has")]
        pub unsafe fn $name($object: $Object $(, $arg: $type)*) -> $back {
            // SAFETY: the object is open, so its table is null or whole; the rest is the caller's promise.
            unsafe { $crate::object::call!($object, $table.$entry($($arg),*)) }
                .unwrap_or(-(FI_ENOSYS as $back))
        }
    )* };
}

/// The result of an entry of an object's table of operations, or `None` where there is no such entry.
macro_rules! call {
    ($object:ident, fid.$entry:ident($($arg:expr),*)) => {{
        let table = (*$object).fid.ops;
        let entry = if table.is_null() { None } else { (*table).$entry };
        entry.map(|entry| entry(&raw mut (*$object).fid $(, $arg)*))
    }};
    ($object:ident, $table:ident.$entry:ident($($arg:expr),*)) => {{
        let table = (*$object).$table;
        let entry = if table.is_null() { None } else { (*table).$entry };
        entry.map(|entry| entry($object $(, $arg)*))
    }};
}

pub(crate) use {call, calls};

calls! {
    /// Closes an object and frees it. If others are bound to the object, returns `-FI_EBUSY`, and the object stays open.
    fn fi_close(object: *mut fid) -> c_int = ops.close;
    /// Reads or changes the property that a command names.
    fn fi_control(object: *mut fid, command: c_int, argument: *mut c_void) -> c_int = ops.control;
    /// Opens a domain of a fabric: the access to one NIC, which memory is registered with.
    fn fi_domain(
        fabric: *mut fid_fabric, info: *mut fi_info, domain: *mut *mut fid_domain, context: *mut c_void,
    ) -> c_int = ops.domain;
    /// Checks whether the caller may sleep on the wait objects of these queues: `-FI_EAGAIN` if there is work already.
    fn fi_trywait(fabric: *mut fid_fabric, objects: *mut *mut fid, count: c_int) -> c_int = ops.trywait;
    /// Opens an address vector: the peers' addresses, by number or handle.
    fn fi_av_open(
        domain: *mut fid_domain, attr: *mut fi_av_attr, av: *mut *mut fid_av, context: *mut c_void,
    ) -> c_int = ops.av_open;
    /// Adds `count` contiguous addresses. Returns how many were added.
    fn fi_av_insert(
        av: *mut fid_av, address: *const c_void, count: usize, handles: *mut fi_addr_t, flags: u64,
        context: *mut c_void,
    ) -> c_int = ops.insert;
    /// Ties an endpoint or a counter to a memory region.
    fn fi_mr_bind(mr: *mut fid_mr, bound: *mut fid, flags: u64) -> c_int = fid.bind;
}

/// Registers memory with a domain.
///
/// # Safety
///
/// The domain is open; `buffer` names `len` bytes that stay mapped until the region is closed.
#[inline]
pub unsafe fn fi_mr_reg(
    domain: *mut fid_domain,
    buffer: *const c_void,
    len: usize,
    access: u64,
    offset: u64,
    requested_key: u64,
    flags: u64,
    mr: *mut *mut fid_mr,
    context: *mut c_void,
) -> c_int {
    // SAFETY: the domain is open, so its table is null or whole; the rest is the caller's promise.
    unsafe {
        let table = (*domain).mr;
        let entry = if table.is_null() { None } else { (*table).reg };
        let object = &raw mut (*domain).fid;
        entry.map(|reg| reg(object, buffer, len, access, offset, requested_key, flags, mr, context))
    }
    .unwrap_or(-FI_ENOSYS)
}

/// The descriptor of a region, which calls require for local memory under `FI_MR_LOCAL`.
///
/// # Safety
///
/// The region is open.
#[inline]
pub unsafe fn fi_mr_desc(mr: *mut fid_mr) -> *mut c_void {
    // SAFETY: the region is open, by the caller's promise.
    unsafe { (*mr).mem_desc }
}

/// The key of a region, by which peers name it; `u64::MAX` if the key does not fit 64 bits.
///
/// # Safety
///
/// The region is open.
#[inline]
pub unsafe fn fi_mr_key(mr: *mut fid_mr) -> u64 {
    // SAFETY: the region is open, by the caller's promise.
    unsafe { (*mr).key }
}

/// Makes a region usable, if it had to be bound first (`FI_MR_ENDPOINT`).
///
/// # Safety
///
/// The region is open.
#[inline]
pub unsafe fn fi_mr_enable(mr: *mut fid_mr) -> c_int {
    // SAFETY: the region is open, by the caller's promise; the command takes no argument.
    unsafe { call!(mr, fid.control(FI_ENABLE as c_int, std::ptr::null_mut())) }.unwrap_or(-FI_ENOSYS)
}
