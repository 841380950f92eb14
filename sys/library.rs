// A library loaded at run time, and the table of its functions. Compiled into each crate here by `#[path]`, since crates
// of one floor do not import each other; not compiled without bindings.

use crate::Error;
use std::{
    ffi::{CStr, CString, c_void},
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    ptr::NonNull,
};

/// A library that stays loaded until the process ends: there is no way to close it. Both libraries start threads and
/// hook the allocator, and neither survives being unloaded under them.
pub(crate) struct Library {
    handle: NonNull<c_void>,
    file: PathBuf,
    /// The versions of the library that this crate was made for, in prose.
    accepted: &'static str,
}

impl Library {
    /// Loads `file`: a name that the dynamic linker looks up, or a path. This runs the library's constructors.
    pub(crate) fn open(file: &Path, accepted: &'static str) -> Result<Self, Error> {
        let unopened = |reason: &str| Error::Unopened { file: file.to_owned(), reason: reason.to_owned() };
        let name = CString::new(file.as_os_str().as_bytes()).map_err(|_| unopened("the path holds a zero byte"))?;
        // An empty name would open the program itself.
        if name.is_empty() {
            return Err(unopened("the path is empty"));
        }
        // The C library would load it, and a second C library with it: the two crash each other.
        if is_static() {
            return Err(unopened("the program is linked statically; link it dynamically to have it load libraries"));
        }
        // SAFETY: `name` ends with a zero. Constructors of the library run: that is what the caller asked for. Names
        // are bound now and kept local, so that nothing of it is found later, or by others, by accident.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        match NonNull::new(handle) {
            Some(handle) => Ok(Self { handle, file: file.to_owned(), accepted }),
            None => Err(unopened(&last_error())),
        }
    }

    /// The address of a function, of the named symbol version if one is given, else of the default one. A library
    /// that was built without symbol versions answers with the only function of that name that it has.
    pub(crate) fn symbol(&self, name: &CStr, version: Option<&CStr>) -> Result<NonNull<c_void>, Error> {
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

    /// Where symbols have no versions, the layout that a function expects cannot be known: so it is not there.
    #[cfg(not(all(target_os = "linux", target_env = "gnu")))]
    fn versioned(&self, _name: &CStr, _version: &CStr) -> *mut c_void {
        std::ptr::null_mut()
    }

    /// The refusal of a library that says it is `found`.
    pub(crate) fn refuse(&self, found: String) -> Error {
        Error::Version { file: self.file.clone(), found, accepted: self.accepted }
    }

    /// The file that holds `address`, which is a function of this library: where the linker found what it was asked
    /// for. The name that was asked for, if the linker cannot say.
    pub(crate) fn loaded_from(&self, address: *const c_void) -> PathBuf {
        let mut found = std::mem::MaybeUninit::<libc::Dl_info>::uninit();
        // SAFETY: `found` has room for the answer, which is whole if the call does not return 0.
        let file = unsafe {
            if libc::dladdr(address, found.as_mut_ptr()) == 0 {
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

/// Whether the program has no dynamic linker of its own.
fn is_static() -> bool {
    unsafe extern "C" fn first(info: *mut libc::dl_phdr_info, _: usize, linked: *mut c_void) -> libc::c_int {
        // SAFETY: the C library describes a loaded object during the call, its headers among it; `linked` is below.
        unsafe {
            let headers = std::slice::from_raw_parts((*info).dlpi_phdr, usize::from((*info).dlpi_phnum));
            linked.cast::<bool>().write(headers.iter().any(|header| header.p_type == libc::PT_INTERP));
        }
        1 // the first is the program: no more
    }
    let mut linked = false;
    // SAFETY: the function has the type that is wanted, and the flag outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(first), (&raw mut linked).cast()) };
    !linked
}

/// What the dynamic linker has to say of the last failure of this thread.
fn last_error() -> String {
    // SAFETY: the text, if any, belongs to the thread and is copied before the next call of the linker.
    let text = unsafe { libc::dlerror() };
    if text.is_null() {
        return "the dynamic linker gave no reason".to_owned();
    }
    // SAFETY: as above; it ends with a zero.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// Writes a struct with one pointer for each function, and how to fill it from a library.
///
/// A row is a C declaration in Rust; `@ "V"` after the name asks for that symbol version. The compiler holds each row
/// against the header's own declaration, which bindgen wrote into the module after `declared in`: a row that differs
/// from it does not compile. Nothing refers to those declarations at run time, so nothing is linked.
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
            pub(crate) fn of(library: &$crate::library::Library) -> Result<Self, $crate::Error> {
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

pub(crate) use table;
