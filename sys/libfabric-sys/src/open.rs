//! Loads the library, and checks that its version is supported.

use crate::{ACCEPTED, Error, bindings::*, table::Table};
use dl::Library;
use libc::{c_int, c_void};
use std::path::{Path, PathBuf};

/// The newest version of the interface that this crate asks `fi_getinfo` for. From 1.18 on, EFA's provider uses the device's RDMA on every
/// device that has it (fi_efa(7), FI_OPT_EFA_USE_DEVICE_RDMA); of later versions nothing is used.
const NEWEST_ASKED: u32 = version(1, 18);

const OLDEST: u32 = version(1, 17);
const FIRST_REFUSED: u32 = version(3, 0);

/// A loaded libfabric. It stays loaded when this is dropped.
#[derive(Clone, Debug)]
pub struct Libfabric {
    /// The functions of the library.
    pub call: Table,
    /// The version that `fi_version` returns.
    pub version: u32,
    /// Where the dynamic linker found it.
    pub file: PathBuf,
}

impl Libfabric {
    /// The version's two numbers, for messages.
    pub fn version(&self) -> (u32, u32) {
        (self.version >> 16, self.version & 0xffff)
    }

    /// The version of the interface to ask `fi_getinfo` for: the newest that both the library and this crate know. A library refuses
    /// versions that are newer than its own.
    pub fn api_version(&self) -> u32 {
        self.version.min(NEWEST_ASKED)
    }

    /// An empty `fi_info` for hints, to be freed by `fi_freeinfo`; null if there is no memory. The header's inline function of this name
    /// does no more than this.
    pub fn fi_allocinfo(&self) -> *mut fi_info {
        // SAFETY: if passed null, `fi_dupinfo` makes an empty structure; it touches no memory of ours.
        unsafe { (self.call.fi_dupinfo)(std::ptr::null()) }
    }

    /// The text of an error that a call returned, of either sign.
    pub fn strerror(&self, error: isize) -> String {
        let error = c_int::try_from(error.unsigned_abs()).unwrap_or(c_int::MAX);
        // SAFETY: any number is good; the answer is null or a constant text that ends with a zero.
        let text = unsafe { (self.call.fi_strerror)(error) };
        if text.is_null() {
            return format!("error {error}");
        }
        // SAFETY: as above.
        unsafe { std::ffi::CStr::from_ptr(text) }.to_string_lossy().into_owned()
    }
}

/// A version as the interface writes it: the header's `FI_VERSION`.
pub const fn version(major: u32, minor: u32) -> u32 {
    major << 16 | minor
}

/// Signal actions, saved before the library is loaded. The constructors of two of the libraries below Debian's libfabric (PSM and
/// PSM2) install handlers for the signals of a crash, which print a backtrace and exit with 1. With these handlers, the exit status would
/// no longer show that a program died, and of which signal.
struct Handlers(Vec<(c_int, libc::sigaction)>);

impl Handlers {
    fn now() -> Self {
        let signals =
            [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGABRT, libc::SIGFPE, libc::SIGINT, libc::SIGTERM];
        let of = |signal| {
            // SAFETY: zeros are a valid value of this type; without a new action, the call only fills in the old one.
            unsafe {
                let mut action = std::mem::zeroed();
                (libc::sigaction(signal, std::ptr::null(), &raw mut action) == 0).then_some((signal, action))
            }
        };
        Handlers(signals.into_iter().filter_map(of).collect())
    }

    fn restore(&self) {
        for (signal, action) in &self.0 {
            // SAFETY: the action was in force a moment ago. It cannot fail with a signal that it did not fail with then.
            unsafe { libc::sigaction(*signal, action, std::ptr::null_mut()) };
        }
    }
}

/// Loads a library, and refuses an unsupported version before anything else of the library is used.
pub(crate) fn load(file: &Path) -> Result<Libfabric, Error> {
    let handlers = Handlers::now();
    let library = Library::open(file, ACCEPTED);
    handlers.restore();
    let library = library?;
    let address = library.symbol(c"fi_version", None)?;
    // SAFETY: the function of this name has had this type since the first version.
    let fi_version = unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn() -> u32>(address.as_ptr()) };
    // SAFETY: it takes nothing and may be called before anything else.
    let version = unsafe { fi_version() };
    if !(OLDEST..FIRST_REFUSED).contains(&version) {
        return Err(library.refuse(format!("{}.{}", version >> 16, version & 0xffff)));
    }
    Ok(Libfabric { call: Table::of(&library)?, version, file: library.loaded_from(address) })
}
