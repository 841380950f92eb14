//! Starts by unique id. The id is an array of 32 INTEGER, and the attributes are one of 64: the bytes of C's types.
//!
//! Fortran has no initialiser for the attributes, so setting them initialises them too.

use crate::WORLD;
use core::ffi::{c_int, c_uint, c_void};
use ferrite_runtime::{InitAttr, Site, UniqueIdBytes};

/// Draw a unique id.
///
/// # Safety
/// `uid` is an array of at least 128 bytes.
pub(super) unsafe fn get_uniqueid(site: &'static Site, uid: *mut c_void) -> c_int {
    // SAFETY: the caller's promise; an INTEGER is aligned as the id is.
    unsafe { WORLD.get_uniqueid(site, uid.cast()) }
}

/// Initialise and set the attributes.
///
/// # Safety
/// `uid` is an array of at least 128 bytes, and `attr` one of at least 256.
pub(super) unsafe fn set_attr_uniqueid_args(
    site: &'static Site,
    rank: c_int,
    size: c_int,
    uid: *mut c_void,
    attr: *mut c_void,
) -> c_int {
    let attr = attr.cast::<InitAttr>();
    // SAFETY: the caller's promise; an INTEGER is aligned as both types are.
    unsafe {
        attr.write(InitAttr::NEW);
        WORLD.set_attr_uniqueid_args(site, rank, size, uid.cast::<UniqueIdBytes>(), attr)
    }
}

/// Initialise the library by these attributes.
///
/// # Safety
/// `attr` is an array of at least 256 bytes.
pub(super) unsafe fn init_attr(site: &'static Site, flags: c_int, attr: *mut c_void) -> c_int {
    // SAFETY: the caller's promise; an INTEGER is aligned as the attributes are.
    unsafe { WORLD.init_attr(site, flags as c_uint, attr.cast()) }
}

/// Store the PEs that are lost, and their number.
///
/// # Safety
/// `n` is an INTEGER, and `pes` an array of at least `n` of them.
pub(super) unsafe fn lost_pes(site: &'static Site, pes: *mut c_void, n: *mut c_void) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { WORLD.lost_pes(site, pes.cast(), n.cast()) }
}
