//! Loads the library, and checks that its version is supported.

use crate::{ACCEPTED, Error, bindings::*, table::Table};
use dl::Library;
use libc::{c_uint, c_void};
use std::{
    ffi::CStr,
    path::{Path, PathBuf},
};

/// The version of the interface that contexts are made with: the oldest that is accepted as a library.
pub const API_VERSION: (u32, u32) = (1, 13);

const OLDEST: (u32, u32) = (1, 13);
const NEWEST: (u32, u32) = (1, 22);

/// A loaded UCX. It stays loaded when this is dropped.
#[derive(Clone, Debug)]
pub struct Ucx {
    /// The functions of the library.
    pub call: Table,
    /// The version that `ucp_get_version` returns: major, minor, release.
    pub version: (u32, u32, u32),
    /// Where the dynamic linker found it.
    pub file: PathBuf,
}

impl Ucx {
    /// Makes a context, for the interface of [`API_VERSION`]. The header's inline function of this name passes the
    /// version of the headers, by which an older library would be refused.
    ///
    /// # Safety
    ///
    /// The fields of `params` that its mask names are valid; `config` is null or from `ucp_config_read`; `context` is writable.
    pub unsafe fn ucp_init(
        &self,
        params: *const ucp_params_t,
        config: *const ucp_config_t,
        context: *mut ucp_context_h,
    ) -> ucs_status_t {
        let (major, minor) = API_VERSION;
        // SAFETY: the caller's promise.
        unsafe { (self.call.ucp_init_version)(major, minor, params, config, context) }
    }

    /// The text of a status.
    pub fn status_string(&self, status: ucs_status_t) -> String {
        // SAFETY: any status is good; the answer is null or a text that ends with a zero, copied before another call.
        let text = unsafe { (self.call.ucs_status_string)(status) };
        if text.is_null() {
            return format!("status {status}");
        }
        // SAFETY: as above.
        unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
    }
}

/// Loads a library, and refuses an unsupported version before anything else of the library is used.
pub(crate) fn load(file: &Path) -> Result<Ucx, Error> {
    let library = Library::open(file, ACCEPTED)?;
    let address = library.symbol(c"ucp_get_version", None)?;
    // SAFETY: the function of this name has had this type since the first version.
    let ucp_get_version = unsafe {
        std::mem::transmute::<*mut c_void, unsafe extern "C" fn(*mut c_uint, *mut c_uint, *mut c_uint)>(
            address.as_ptr(),
        )
    };
    let (mut major, mut minor, mut release) = (0, 0, 0);
    // SAFETY: it writes three numbers and may be called before anything else.
    unsafe { ucp_get_version(&raw mut major, &raw mut minor, &raw mut release) };
    if !(OLDEST..=NEWEST).contains(&(major, minor)) {
        return Err(library.refuse(format!("{major}.{minor}.{release}")));
    }
    let call = Table::of(&library)?;
    Ok(Ucx { call, version: (major, minor, release), file: library.loaded_from(address) })
}
