//! UCX's worker: resources that make progress together, made for one caller at a time (`SERIALIZED`).

use crate::context::Context;
use ferrite_engine::Arm;
use ferrite_fabric::{Error, Result};
use std::{
    ffi::c_void,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    ptr,
    sync::Arc,
};
use ucx_sys::*;

/// Most of UCX's devices refuse to be armed for once after each event, while they take note of it.
const ARM_ATTEMPTS: usize = 3;

/// A worker.
pub struct Worker {
    pub context: Arc<Context>,
    pub handle: ucp_worker_h,
    /// A descriptor of our own, where UCX tells of events: a thread may still sleep on it while the worker goes.
    events: Option<OwnedFd>,
}

impl Worker {
    /// A worker of `context`.
    pub fn new(context: &Arc<Context>) -> Result<Self> {
        let params = ucp_worker_params_t {
            field_mask: UCP_WORKER_PARAM_FIELD_THREAD_MODE.into(),
            thread_mode: UCS_THREAD_MODE_SERIALIZED,
            ..Default::default()
        };
        let mut handle = ptr::null_mut();
        // SAFETY: the context is open, the mask says what is set.
        let status =
            unsafe { (context.ucx.call.ucp_worker_create)(context.handle, &raw const params, &raw mut handle) };
        context.check("making a worker of UCX", status)?;
        let mut worker = Worker { context: Arc::clone(context), handle, events: None };
        if context.wakes {
            worker.events = Some(worker.open_events()?);
        }
        Ok(worker)
    }

    fn open_events(&self) -> Result<OwnedFd> {
        let mut fd = -1;
        // SAFETY: the worker is open.
        let status = unsafe { (self.context.ucx.call.ucp_worker_get_efd)(self.handle, &raw mut fd) };
        self.context.check("asking UCX for events: a transport of UCX_TLS cannot wake a sleeping PE", status)?;
        // SAFETY: the worker, which lives during this call, keeps its descriptor open.
        let theirs = unsafe { BorrowedFd::borrow_raw(fd) };
        theirs.try_clone_to_owned().map_err(|e| Error::because("keeping a descriptor of UCX's", e))
    }

    /// Move what can be moved; gives the number of things that happened.
    #[inline]
    pub fn progress(&self) -> usize {
        // SAFETY: the worker is open, and this is its one caller.
        unsafe { (self.context.ucx.call.ucp_worker_progress)(self.handle) as usize }
    }

    /// See [`ferrite_engine::Port::arm`]. UCX refuses also for as long as it has something for a peer that does not take it.
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
                    // Once more after arming: not all devices tell of what came just before (rxe does not).
                    return Ok(if self.progress() > 0 { Arm::Busy } else { Arm::Armed });
                }
            }
        }
        Ok(Arm::CannotArm)
    }

    /// What becomes readable at an event once the worker is armed.
    pub fn events(&self) -> Option<BorrowedFd<'_>> {
        self.events.as_ref().map(AsFd::as_fd)
    }

    /// Where peers find it.
    pub fn address(&self) -> Result<Vec<u8>> {
        let (call, mut address, mut len) = (&self.context.ucx.call, ptr::null_mut(), 0);
        // SAFETY: the worker is open; what it gives is copied, then given back.
        unsafe {
            let status = (call.ucp_worker_get_address)(self.handle, &raw mut address, &raw mut len);
            self.context.check("asking UCX for a worker's address", status)?;
            let copy = std::slice::from_raw_parts(address.cast::<u8>(), len).to_vec();
            (call.ucp_worker_release_address)(self.handle, address);
            Ok(copy)
        }
    }

    /// Have active messages of this number handled.
    ///
    /// # Safety
    /// `argument` is what `handler` takes, for as long as the worker lives.
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

impl Drop for Worker {
    fn drop(&mut self) {
        // SAFETY: whoever owns it has finished with its endpoints.
        unsafe { (self.context.ucx.call.ucp_worker_destroy)(self.handle) };
    }
}
