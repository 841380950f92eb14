//! libfabric's objects, closed when they are dropped, and its errors in words.

use ferrite_engine::{Error, Result, memlock};
use libfabric_sys::*;
use std::{
    ffi::c_int,
    ptr::{self, NonNull},
};

/// An open object, which starts with its `fid`.
pub struct Object<T>(NonNull<T>);

// SAFETY: an object may be used by any thread, by one at a time. Who owns it sees to the latter: endpoints, their queues and their
// address vectors belong to a port, which one thread at a time uses; domains and fabrics open and close objects, which providers
// serialise (FI_THREAD_SAFE is asked for).
unsafe impl<T> Send for Object<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Object<T> {}

impl<T> Object<T> {
    /// What a call opened, or its error: `open` gives the place for the object to the call.
    pub fn open(library: &Libfabric, what: &str, open: impl FnOnce(*mut *mut T) -> c_int) -> Result<Self> {
        let mut object = ptr::null_mut();
        check(library, what, open(&raw mut object))?;
        Self::of(what, object)
    }

    /// What a call gave when it succeeded.
    pub fn of(what: &str, object: *mut T) -> Result<Self> {
        let object = NonNull::new(object).ok_or_else(|| Error::new(format!("{what}: the provider gave nothing")))?;
        Ok(Object(object))
    }

    /// The object.
    #[inline]
    pub fn as_ptr(&self) -> *mut T {
        self.0.as_ptr()
    }

    /// The start that all objects have.
    #[inline]
    pub fn fid(&self) -> *mut fid {
        self.0.as_ptr().cast()
    }
}

impl<T> Drop for Object<T> {
    fn drop(&mut self) {
        // SAFETY: the object is open and this is its only owner; fields of owners are ordered so that whatever is
        // bound to it is closed before it.
        let code = unsafe { fi_close(self.fid()) };
        if code != 0 {
            tracing::debug!("closing an object of libfabric: error {code}");
        }
    }
}

/// An error of a call.
pub fn check(library: &Libfabric, what: &str, code: c_int) -> Result<()> {
    if code >= 0 {
        return Ok(());
    }
    Err(Error::because(what, library.strerror(code as isize)))
}

/// An error of a registration, with what a user can do about it.
pub fn registered(library: &Libfabric, len: usize, code: c_int) -> Result<()> {
    let what = format!("registering {len} bytes of memory with libfabric");
    if !matches!(-code, FI_ENOMEM | FI_EPERM | FI_EAGAIN) {
        return check(library, &what, code);
    }
    let cure = format!("{}; {}", library.strerror(code as isize), memlock::cure());
    Err(Error::because(what, cure))
}
