//! UCX's worker: resources that make progress together, made for one caller at a time (`SERIALIZED`).

use crate::context::Context;
use ferrite_engine::Arm;
use ferrite_fabric::{Error, Result};
use std::{
    cell::Cell,
    ffi::c_void,
    mem,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    ptr,
    sync::Arc,
};
use ucx_sys::*;

/// Number of attempts to arm a worker. Most of UCX's devices refuse once after each event, while they take note of it.
const ARM_ATTEMPTS: usize = 3;

/// An open worker of a context.
pub struct Worker {
    pub context: Arc<Context>,
    pub handle: ucp_worker_h,
    /// Ferrite's own copy of the descriptor, if UCX reports events: a thread may still sleep on it while the worker is destroyed.
    events: Option<OwnedFd>,
    /// Requests are left that UCX does not end.
    is_leaked: Cell<bool>,
}

impl Worker {
    /// Make a worker of `context`.
    pub fn new(context: &Arc<Context>) -> Result<Self> {
        let params = ucp_worker_params_t {
            field_mask: UCP_WORKER_PARAM_FIELD_THREAD_MODE.into(),
            thread_mode: UCS_THREAD_MODE_SERIALIZED,
            ..Default::default()
        };
        let mut handle = ptr::null_mut();
        // SAFETY: the context is open; the mask names the field that is set.
        let status =
            unsafe { (context.ucx.call.ucp_worker_create)(context.handle, &raw const params, &raw mut handle) };
        context.check("making a worker of UCX", status)?;
        let mut worker = Worker { context: Arc::clone(context), handle, events: None, is_leaked: Cell::new(false) };
        if context.wakes {
            worker.events = Some(worker.open_events()?);
        }
        Ok(worker)
    }

    fn open_events(&self) -> Result<OwnedFd> {
        let mut fd = -1;
        // SAFETY: the worker is open.
        let status = unsafe { (self.context.ucx.call.ucp_worker_get_efd)(self.handle, &raw mut fd) };
        self.context.check("asking UCX for events (a transport of UCX_TLS cannot wake a sleeping PE)", status)?;
        // SAFETY: the worker lives during this call, and keeps its descriptor open.
        let theirs = unsafe { BorrowedFd::borrow_raw(fd) };
        theirs.try_clone_to_owned().map_err(|e| Error::because("keeping a descriptor of UCX's", e))
    }

    /// Make progress. Return the number of events.
    #[inline]
    pub fn progress(&self) -> usize {
        // SAFETY: the worker is open, and this is its one caller.
        unsafe { (self.context.ucx.call.ucp_worker_progress)(self.handle) as usize }
    }

    /// See [`ferrite_engine::Port::arm`]. UCX also refuses as long as it has data for a peer that does not accept it.
    pub fn arm(&self) -> Result<Arm> {
        if self.events.is_none() {
            return Ok(Arm::CannotArm);
        }
        for _ in 0..ARM_ATTEMPTS {
            if self.progress() > 0 {
                return Ok(Arm::Busy);
            }
            // SAFETY: as above.
            match unsafe { (self.context.ucx.call.ucp_worker_arm)(self.handle) } {
                UCS_ERR_BUSY => {}
                status => {
                    self.context.check("arming a worker of UCX", status)?;
                    // Poll once more after arming: not all devices report an event that came just before (rxe does not).
                    return Ok(if self.progress() > 0 { Arm::Busy } else { Arm::Armed });
                }
            }
        }
        Ok(Arm::CannotArm)
    }

    /// Descriptor that becomes readable at an event once the worker is armed.
    pub fn events(&self) -> Option<BorrowedFd<'_>> {
        self.events.as_ref().map(AsFd::as_fd)
    }

    /// Address at which peers find the worker.
    pub fn address(&self) -> Result<Vec<u8>> {
        let (call, mut address, mut len) = (&self.context.ucx.call, ptr::null_mut(), 0);
        // SAFETY: the worker is open; the address is copied, then released.
        unsafe {
            let status = (call.ucp_worker_get_address)(self.handle, &raw mut address, &raw mut len);
            self.context.check("asking UCX for a worker's address", status)?;
            let copy = std::slice::from_raw_parts(address.cast::<u8>(), len).to_vec();
            (call.ucp_worker_release_address)(self.handle, address);
            Ok(copy)
        }
    }

    /// Handle active messages of this ID with `handler`.
    ///
    /// # Safety
    /// `argument` is valid for `handler` as long as the worker lives.
    pub unsafe fn listen(&self, id: u32, handler: ucp_am_recv_callback_t, argument: *mut c_void) -> Result<()> {
        let mask = UCP_AM_HANDLER_PARAM_FIELD_ID
            | UCP_AM_HANDLER_PARAM_FIELD_FLAGS
            | UCP_AM_HANDLER_PARAM_FIELD_CB
            | UCP_AM_HANDLER_PARAM_FIELD_ARG;
        let param = ucp_am_handler_param_t {
            field_mask: mask.into(),
            id,
            flags: UCP_AM_FLAG_WHOLE_MSG,
            cb: handler,
            arg: argument,
        };
        // SAFETY: the worker is open; the argument as the caller says.
        let status = unsafe { (self.context.ucx.call.ucp_worker_set_am_recv_handler)(self.handle, &raw const param) };
        self.context.check("handling active messages of UCX", status)
    }
}

impl Worker {
    /// Never destroy the worker. Destroying one whose endpoints have requests under way ends the process: UCX 1.13 asserts that there are none
    /// (`ucp_ep_destroy_base`). The worker makes no more progress, so the processor touches no memory for it. A NIC may still write what it
    /// has begun to read.
    pub fn leak(&self) {
        if !self.is_leaked.replace(true) {
            mem::forget(Arc::clone(&self.context));
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        if self.is_leaked.get() {
            return;
        }
        // SAFETY: the owner has finished with the worker's endpoints.
        unsafe { (self.context.ucx.call.ucp_worker_destroy)(self.handle) };
    }
}
