//! Calls of the driver: the context of the thread, errors as text, a lost device.

use super::Cuda;
use crate::{Error, Kind, Result};
use cuda_sys::{CUcontext, CUresult, Driver, result};
use std::{
    ffi::{CStr, c_char},
    fmt::Display,
    ptr,
};

impl Cuda {
    /// Call the driver in the device's context. `name` is the call with its arguments, for an error.
    pub(super) fn call(&self, name: impl Display, call: impl FnOnce(&Driver) -> CUresult) -> Result<()> {
        let _current = self.enter()?;
        self.note(check(&self.driver, call(&self.driver), name))
    }

    /// Call the driver to give something back. If the device is lost, it is gone already.
    pub(super) fn give_back(&self, name: impl Display, call: impl FnOnce(&Driver) -> CUresult) -> Result<()> {
        match self.call(name, call) {
            Err(error) if error.kind() == Kind::Lost => Ok(()),
            result => result,
        }
    }

    /// Make the device's context current for this thread until the result is dropped. Fails if the device is lost.
    pub(super) fn enter(&self) -> Result<Current<'_>> {
        if let Some(lost) = self.lost.get() {
            return Err(lost.clone());
        }
        let mut current: CUcontext = ptr::null_mut();
        // SAFETY: the driver writes one handle.
        let status = unsafe { (self.driver.ctx_get_current)(&raw mut current) };
        self.note(check(&self.driver, status, "cuCtxGetCurrent"))?;
        if current == self.context.handle {
            return Ok(Current { driver: &self.driver, is_pushed: false });
        }
        // SAFETY: the context was alive when the device was opened; if the program has destroyed it since, the driver reports that.
        let status = unsafe { (self.driver.ctx_push)(self.context.handle) };
        self.note(check(&self.driver, status, "cuCtxPushCurrent"))?;
        Ok(Current { driver: &self.driver, is_pushed: true })
    }

    /// Remember the first error which says that the device is lost.
    pub(super) fn note<T>(&self, result: Result<T>) -> Result<T> {
        if let Err(error) = &result
            && error.kind() == Kind::Lost
        {
            // A second thread may note its own error at the same time: either is right.
            let _ = self.lost.set(error.clone());
        }
        result
    }
}

/// The device's context is current for this thread while this value lives.
pub(super) struct Current<'a> {
    driver: &'a Driver,
    is_pushed: bool,
}

impl Drop for Current<'_> {
    fn drop(&mut self) {
        if self.is_pushed {
            let mut ours: CUcontext = ptr::null_mut();
            // SAFETY: pops the context that `enter` has pushed; the driver writes one handle. A failure leaves the thread as it is, and the
            // next call reports it.
            unsafe { (self.driver.ctx_pop)(&raw mut ours) };
        }
    }
}

/// The result of a call, with the driver's text if it failed.
pub(super) fn check(driver: &Driver, status: CUresult, call: impl Display) -> Result<()> {
    if status == result::SUCCESS {
        return Ok(());
    }
    let text = describe(driver.error_string, status);
    let name = describe(driver.error_name, status);
    let reason = match (text, name) {
        (Some(text), Some(name)) => format!("{text} ({name})"),
        (None, Some(only)) | (Some(only), None) => only,
        (None, None) => format!("unknown status {status}"),
    };
    Err(Error::new(kind_of(status), format!("{call}: {reason}")))
}

fn describe(
    function: unsafe extern "C" fn(CUresult, *mut *const c_char) -> CUresult,
    status: CUresult,
) -> Option<String> {
    let mut text: *const c_char = ptr::null();
    // SAFETY: the driver writes one pointer, for any status.
    let found = unsafe { function(status, &raw mut text) } == result::SUCCESS && !text.is_null();
    // SAFETY: the driver's text ends with a zero and is never freed.
    found.then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}

/// The category of a status. A status that the driver documents as the end of the context, or after which it asks for a new process, is a
/// loss.
fn kind_of(status: CUresult) -> Kind {
    match status {
        result::OUT_OF_MEMORY => Kind::OutOfMemory,
        result::NO_DEVICE | result::STUB_LIBRARY => Kind::Absent,
        result::NOT_SUPPORTED | result::NOT_PERMITTED | result::PEER_ACCESS_UNSUPPORTED => Kind::Unsupported,
        result::DEINITIALIZED
        | result::INVALID_CONTEXT
        | result::CONTEXT_IS_DESTROYED
        | result::ECC_UNCORRECTABLE
        | result::NVLINK_UNCORRECTABLE
        | result::ILLEGAL_ADDRESS
        | result::LAUNCH_TIMEOUT
        | result::ASSERT
        | result::HARDWARE_STACK_ERROR..=result::LAUNCH_FAILED => Kind::Lost,
        _ => Kind::Failed,
    }
}
