//! libfabric's objects, which are closed when they are dropped, and the texts of its errors.

use ferrite_engine::{Error, Result, memlock};
use libfabric_sys::*;
use std::{
    ffi::c_int,
    ptr::{self, NonNull},
};

/// An open object, which starts with its `fid`.
pub struct Object<T>(NonNull<T>);

// SAFETY: any thread may use an object, but only one at a time. The owner ensures the latter. Endpoints, their queues and their address
// vectors belong to a port, which one thread at a time uses. Domains and fabrics open and close objects, which providers serialise
// (FI_THREAD_SAFE is asked for).
unsafe impl<T> Send for Object<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Object<T> {}

impl<T> Object<T> {
    /// Open an object, or return the call's error. `open` passes the place for the object to the call.
    pub fn open(library: &Libfabric, what: &str, open: impl FnOnce(*mut *mut T) -> c_int) -> Result<Self> {
        let mut object = ptr::null_mut();
        check(library, what, open(&raw mut object))?;
        Self::of(what, object)
    }

    /// Wrap the object that a successful call returned.
    pub fn of(what: &str, object: *mut T) -> Result<Self> {
        let object =
            NonNull::new(object).ok_or_else(|| Error::new(format!("{what}: the provider returned nothing")))?;
        Ok(Object(object))
    }

    /// Pointer to the object.
    #[inline]
    pub fn as_ptr(&self) -> *mut T {
        self.0.as_ptr()
    }

    /// The `fid` that every object starts with.
    #[inline]
    pub fn fid(&self) -> *mut fid {
        self.0.as_ptr().cast()
    }
}

impl<T> Drop for Object<T> {
    fn drop(&mut self) {
        // SAFETY: the object is open and this is its only owner; owners order their fields so that everything that is bound to the object
        // is closed before it.
        let code = unsafe { fi_close(self.fid()) };
        if code != 0 {
            tracing::debug!("closing an object of libfabric: error {code}");
        }
    }
}

/// Turn a negative return code of a call into an error.
pub fn check(library: &Libfabric, what: &str, code: c_int) -> Result<()> {
    if code >= 0 {
        return Ok(());
    }
    Err(Error::because(what, library.strerror(code as isize)))
}

/// Check the return code of a registration. If the limit of locked memory may be the cause, the error includes a remedy.
pub fn registered(library: &Libfabric, len: usize, code: c_int) -> Result<()> {
    let what = format!("registering {len} bytes of memory with libfabric");
    if !matches!(-code, FI_ENOMEM | FI_EPERM | FI_EAGAIN) {
        return check(library, &what, code);
    }
    let cure = format!("{}; {}", library.strerror(code as isize), memlock::cure());
    Err(Error::because(what, cure))
}
