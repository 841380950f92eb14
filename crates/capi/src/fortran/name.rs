//! The name of the library, as a Fortran CHARACTER.

use core::{ffi::c_char, ptr};
use ferrite_abi::constants::SHMEM_VENDOR_STRING;
use ferrite_runtime::Site;

/// Write the name of the library, padded with blanks or cut.
///
/// # Safety
/// `name` is valid for writes of `len` bytes.
pub(super) unsafe fn info_get_name(_site: &'static Site, name: *mut c_char, len: usize) {
    let text = SHMEM_VENDOR_STRING.as_bytes();
    let known = text.len().min(len);
    // SAFETY: the caller's promise.
    unsafe {
        ptr::copy_nonoverlapping(text.as_ptr(), name.cast(), known);
        ptr::write_bytes(name.add(known), b' ', len - known);
    }
}
