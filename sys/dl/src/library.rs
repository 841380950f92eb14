//! A library loaded at run time, and the table of its functions.

use crate::Error;
use std::{
    ffi::{CStr, CString, c_int, c_void},
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    ptr::NonNull,
};

/// A library that stays loaded until the process ends: there is no way to close it. libfabric and UCX start threads
/// and hook the allocator, and do not survive being unloaded under them.
#[derive(Debug)]
pub struct Library {
    handle: NonNull<c_void>,
    file: PathBuf,
    /// The versions of the library that the caller was made for, in prose.
    accepted: &'static str,
}

impl Library {
    /// Loads `file`: a name that the dynamic linker looks up, or a path. This runs the library's constructors. Its symbols stay local, so that
    /// no other library finds them by accident.
    pub fn open(file: &Path, accepted: &'static str) -> Result<Self, Error> {
        Library::load(file, accepted, libc::RTLD_LOCAL)
    }

    /// As [`open`](Self::open), with the symbols among the global ones: for a library whose plugins look them up there.
    pub fn open_global(file: &Path, accepted: &'static str) -> Result<Self, Error> {
        Library::load(file, accepted, libc::RTLD_GLOBAL)
    }

    fn load(file: &Path, accepted: &'static str, scope: c_int) -> Result<Self, Error> {
        let unopened = |reason: &str| Error::Unopened { file: file.to_owned(), reason: reason.to_owned() };
        let name = CString::new(file.as_os_str().as_bytes()).map_err(|_| unopened("the path holds a zero byte"))?;
        // An empty name would open the program itself.
        if name.is_empty() {
            return Err(unopened("the path is empty"));
        }
        // In a static program, the C library would load a second C library with `file`, and the two crash each other.
        if is_static() {
            return Err(unopened("the program is linked statically; link it dynamically to have it load libraries"));
        }
        // SAFETY: `name` ends with a zero. The library's constructors run, as the caller asked. Symbols are bound now, so that none is missing
        // later.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | scope) };
        match NonNull::new(handle) {
            Some(handle) => Ok(Self { handle, file: file.to_owned(), accepted }),
            None => Err(unopened(&last_error())),
        }
    }

    /// The address of a function: of the given symbol version, or of the default version if none is given. If the library was built without
    /// symbol versions, this is its only function of that name.
    pub fn symbol(&self, name: &CStr, version: Option<&CStr>) -> Result<NonNull<c_void>, Error> {
        let address = match version {
            // SAFETY: the handle is open, since it is never closed; the name ends with a zero.
            None => unsafe { libc::dlsym(self.handle.as_ptr(), name.as_ptr()) },
            Some(version) => self.versioned(name, version),
        };
        NonNull::new(address).ok_or_else(|| {
            let at = version.map(|v| format!("@{}", v.to_string_lossy())).unwrap_or_default();
            let symbol = format!("{}{at}", name.to_string_lossy());
            Error::Symbol { file: self.file.clone(), symbol, accepted: self.accepted }
        })
    }

    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    fn versioned(&self, name: &CStr, version: &CStr) -> *mut c_void {
        // SAFETY: the handle is open, since it is never closed; both strings end with a zero.
        unsafe { libc::dlvsym(self.handle.as_ptr(), name.as_ptr(), version.as_ptr()) }
    }

    /// Without symbol versions, the layout that a function expects cannot be known, so the function counts as missing.
    #[cfg(not(all(target_os = "linux", target_env = "gnu")))]
    fn versioned(&self, _name: &CStr, _version: &CStr) -> *mut c_void {
        std::ptr::null_mut()
    }

    /// The error for a library that reports the version `found`.
    pub fn refuse(&self, found: String) -> Error {
        Error::Version { file: self.file.clone(), found, accepted: self.accepted }
    }

    /// The file that contains `address`, a function of this library: the file that the linker found. The name that was passed to `open`, if
    /// the linker does not know the file.
    pub fn loaded_from(&self, address: NonNull<c_void>) -> PathBuf {
        let mut found = std::mem::MaybeUninit::<libc::Dl_info>::uninit();
        // SAFETY: `found` has room for the answer, which is completely written if the call does not return 0.
        let file = unsafe {
            if libc::dladdr(address.as_ptr(), found.as_mut_ptr()) == 0 {
                std::ptr::null()
            } else {
                found.assume_init().dli_fname
            }
        };
        if file.is_null() {
            return self.file.clone();
        }
        // SAFETY: the linker's name of a loaded library ends with a zero and lives as long as the library: for ever.
        let file = unsafe { CStr::from_ptr(file) };
        PathBuf::from(std::ffi::OsStr::from_bytes(file.to_bytes()))
    }
}

/// True if the program has no dynamic linker of its own.
fn is_static() -> bool {
    unsafe extern "C" fn first(info: *mut libc::dl_phdr_info, _: usize, linked: *mut c_void) -> c_int {
        // SAFETY: the C library describes a loaded object, including its headers, for the duration of the call; `linked` is the flag below.
        unsafe {
            let headers = std::slice::from_raw_parts((*info).dlpi_phdr, usize::from((*info).dlpi_phnum));
            linked.cast::<bool>().write(headers.iter().any(|header| header.p_type == libc::PT_INTERP));
        }
        1 // the first is the program: no more
    }
    let mut linked = false;
    // SAFETY: the function has the required type, and the flag outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(first), (&raw mut linked).cast()) };
    !linked
}

/// The dynamic linker's message for the last failure of this thread.
fn last_error() -> String {
    // SAFETY: the text, if any, belongs to the thread and is copied before the next call of the linker.
    let text = unsafe { libc::dlerror() };
    if text.is_null() {
        return "the dynamic linker gave no reason".to_owned();
    }
    // SAFETY: as above; it ends with a zero.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// Defines a struct with one pointer for each function, and the function that fills it from a library.
///
/// A row is a C declaration in Rust; `@ "V"` after the name requests that symbol version. The compiler compares each row with the header's
/// own declaration, which bindgen wrote into the module after `declared in`: a row that differs from it does not compile. Nothing refers to
/// those declarations at run time, so nothing is linked.
#[macro_export]
macro_rules! table {
    (
        $(#[$doc:meta])* struct $Table:ident, declared in $declared:ident;
        $( $(#[$row:meta])* fn $name:ident $(@ $version:literal)? ( $($arg:ident: $type:ty),* $(,)? ) $(-> $back:ty)?; )*
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $Table {
            $( $(#[$row])* pub $name: unsafe extern "C" fn($($arg: $type),*) $(-> $back)?, )*
        }

        impl $Table {
            pub(crate) fn of(library: &$crate::Library) -> Result<Self, $crate::Error> {
                Ok(Self { $( $name: {
                    let version: &[&std::ffi::CStr] = &[$($version)?];
                    let name = concat!(stringify!($name), "\0");
                    let name = std::ffi::CStr::from_bytes_until_nul(name.as_bytes()).unwrap_or_default();
                    let address = library.symbol(name, version.first().copied())?.as_ptr();
                    // SAFETY: the symbol is the function of this name and layout version, and its row has the type
                    // that the library's header declares, by the assertion below.
                    unsafe {
                        std::mem::transmute::<*mut std::ffi::c_void, unsafe extern "C" fn($($arg: $type),*) $(-> $back)?>(
                            address,
                        )
                    }
                }, )* })
            }
        }

        const _: () = {
            $( let _: unsafe extern "C" fn($($arg: $type),*) $(-> $back)? = $declared::$name; )*
        };
    };
}
