//! The functions that the library exports.

use crate::{bindings::*, declared};
use libc::{c_char, c_int, c_void};

/// The symbol version of `fi_getinfo`, `fi_dupinfo` and `fi_freeinfo`, and so the layout of `fi_info`, that is used
/// with every library.
pub const LAYOUT: &str = "FABRIC_1.3";

dl::table! {
    /// libfabric's exported functions.
    struct Table, declared in declared;

    /// The version of the library: major in the upper half, minor in the lower.
    fn fi_version() -> u32;
    /// Lists what providers offer to satisfy `hints`, best first.
    fn fi_getinfo @ c"FABRIC_1.3" (
        version: u32, node: *const c_char, service: *const c_char, flags: u64, hints: *const fi_info,
        info: *mut *mut fi_info,
    ) -> c_int;
    /// Frees a list of `fi_getinfo`, or a copy.
    fn fi_freeinfo @ c"FABRIC_1.3" (info: *mut fi_info);
    /// Copies one `fi_info`; if passed null, makes an empty one.
    fn fi_dupinfo @ c"FABRIC_1.3" (info: *const fi_info) -> *mut fi_info;
    /// Opens a fabric.
    fn fi_fabric @ c"FABRIC_1.1" (attr: *mut fi_fabric_attr, fabric: *mut *mut fid_fabric, context: *mut c_void) -> c_int;
    /// The text of an error number, which is positive here.
    fn fi_strerror @ c"FABRIC_1.0" (error: c_int) -> *const c_char;
    /// Writes a structure or a set of flags as text into a buffer.
    fn fi_tostr_r @ c"FABRIC_1.4" (buffer: *mut c_char, len: usize, data: *const c_void, kind: fi_type) -> *mut c_char;
}
