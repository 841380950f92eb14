//! Loads the library, and wraps its functions with the arguments that a PE needs.

use crate::types::*;
use dl::{Error, Library};
use libc::{c_char, c_int, c_void};
use std::{ffi::CStr, fmt, path::Path, ptr};

/// The name by which the dynamic linker finds the library.
pub const FILE: &str = "libpmix.so.2";

/// The versions that are accepted, in prose.
pub const ACCEPTED: &str = "PMIx 3 to 5";

/// Why there is no value, in one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoValue(String);

impl fmt::Display for NoValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NoValue {}

macro_rules! functions {
    ($( $(#[$doc:meta])* fn $name:ident = $symbol:literal ( $($type:ty),* ) $(-> $back:ty)?; )*) => {
        /// The functions, by their names in the standard without `PMIx_`.
        #[derive(Clone, Copy, Debug)]
        pub struct Pmix {
            $( $(#[$doc])* pub $name: unsafe extern "C" fn($($type),*) $(-> $back)?, )*
        }

        impl Pmix {
            fn of(library: &Library) -> Result<Self, Error> {
                Ok(Pmix { $( $name: {
                    let address = library.symbol($symbol, None)?.as_ptr();
                    // SAFETY: the standard gives the function of this name this type.
                    unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn($($type),*) $(-> $back)?>(address) }
                }, )* })
            }
        }
    };
}

functions! {
    /// Connects to the server that the environment names. Returns the job and rank of this process.
    fn init = c"PMIx_Init"(*mut PmixProc, *mut PmixInfo, usize) -> c_int;
    /// Disconnects.
    fn finalize = c"PMIx_Finalize"(*const PmixInfo, usize) -> c_int;
    /// Ends the named processes, or the whole job if none is named.
    fn abort = c"PMIx_Abort"(c_int, *const c_char, *mut PmixProc, usize) -> c_int;
    /// Stores a value for the next commit.
    fn put = c"PMIx_Put"(u8, *const c_char, *mut PmixValue) -> c_int;
    /// Sends the stored values to the server.
    fn commit = c"PMIx_Commit"() -> c_int;
    /// Waits for all the named processes.
    fn fence = c"PMIx_Fence"(*const PmixProc, usize, *const PmixInfo, usize) -> c_int;
    /// Gets a value that a process has put, or that the launcher knows of the process. The caller frees the value.
    fn get = c"PMIx_Get"(*const PmixProc, *const c_char, *const PmixInfo, usize, *mut *mut PmixValue) -> c_int;
    /// The text of a status.
    fn error_string = c"PMIx_Error_string"(c_int) -> *const c_char;
    /// The library's name and version.
    fn version = c"PMIx_Get_version"() -> *const c_char;
}

impl Pmix {
    /// The text of a status.
    pub fn status(&self, status: c_int) -> String {
        // SAFETY: any status is good.
        let text = unsafe { (self.error_string)(status) };
        if text.is_null() {
            return format!("status {status}");
        }
        // SAFETY: a text of the library's, ended by a zero and never freed.
        unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
    }

    /// The library's name and version.
    pub fn version_text(&self) -> String {
        // SAFETY: may be called before anything else.
        let text = unsafe { (self.version)() };
        if text.is_null() {
            return "PMIx".to_owned();
        }
        // SAFETY: a text of the library's, ended by a zero and never freed.
        unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
    }

    /// The value that `process` has put under `key`, or that the launcher knows of it: bytes as they are, a number as its four bytes.
    pub fn value_of(&self, process: &PmixProc, key: &CStr) -> Result<Vec<u8>, NoValue> {
        let mut value: *mut PmixValue = ptr::null_mut();
        // SAFETY: all pointers are good for the call; no directions are given.
        let status = unsafe { (self.get)(process, key.as_ptr(), ptr::null(), 0, &raw mut value) };
        if status != PMIX_SUCCESS || value.is_null() {
            return Err(NoValue(self.status(status)));
        }
        // SAFETY: the library has filled in a value, which belongs to the caller.
        let (kind, data) = unsafe { ((*value).kind, (*value).data) };
        let found = match kind {
            // SAFETY: the type says which member is valid.
            PMIX_UINT32 => Ok(unsafe { data.uint32 }.to_ne_bytes().to_vec()),
            PMIX_BYTE_OBJECT => {
                // SAFETY: as above.
                let object = unsafe { data.bytes };
                let empty = object.bytes.is_null() || object.size == 0;
                // SAFETY: the object owns `size` bytes.
                let bytes = |b: PmixBytes| unsafe { std::slice::from_raw_parts(b.bytes.cast::<u8>(), b.size) }.to_vec();
                let copied = if empty { Vec::new() } else { bytes(object) };
                // SAFETY: the bytes came from malloc and belong to the value, which is not read again.
                unsafe { libc::free(object.bytes.cast()) };
                Ok(copied)
            }
            // It is not known here which memory a value of another type owns, so that memory is not freed.
            other => Err(NoValue(format!("a value of type {other}, where bytes or a 32-bit number were expected"))),
        };
        // SAFETY: the value came from malloc (the standard's PMIX_VALUE_RELEASE frees it in this way) and is not read again.
        unsafe { libc::free(value.cast()) };
        found
    }
}

/// Loads PMIx from `file`, or from where the dynamic linker finds [`FILE`]. A second call finds it loaded.
pub fn open(file: Option<&Path>) -> Result<Pmix, Error> {
    // In some builds, the library's plugins look up its symbols among the global ones.
    Pmix::of(&Library::open_global(file.unwrap_or(Path::new(FILE)), ACCEPTED)?)
}
