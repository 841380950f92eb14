//! UCX's worker: resources that make progress together.
//!
//! A worker is made for one caller at a time (`SERIALIZED`), and every one of them is behind a mutex of this crate: that
//! of a lane's stream, or that of the target. The two are never waited for one inside the other.

use crate::context::Context;
use ferrite_fabric::{Error, Result, tick::Rest};
use std::{
    ffi::c_void,
    os::fd::{BorrowedFd, OwnedFd},
    ptr,
    sync::Arc,
};
use ucx_sys::*;

/// A worker.
pub struct Worker {
    pub context: Arc<Context>,
    pub handle: ucp_worker_h,
    /// A descriptor of our own, so that a thread may sleep on it while the worker goes; where UCX tells of events.
    events: Option<Arc<OwnedFd>>,
}

// SAFETY: one caller at a time is what it was made for, whichever thread that is.
unsafe impl Send for Worker {}

impl Worker {
    /// A worker of `context`.
    pub fn new(context: &Arc<Context>) -> Result<Self> {
        let params = ucp_worker_params_t {
            field_mask: UCP_WORKER_PARAM_FIELD_THREAD_MODE.into(),
            thread_mode: UCS_THREAD_MODE_SERIALIZED,
            ..Default::default()
        };
        let (call, mut handle) = (&context.ucx.call, ptr::null_mut());
        // SAFETY: the context is open, the mask says what is set.
        let status = unsafe { (call.ucp_worker_create)(context.handle, &raw const params, &raw mut handle) };
        context.check("making a worker of UCX", status)?;
        match context.wakes.then(|| events(context, handle)).transpose() {
            Ok(events) => Ok(Worker { context: Arc::clone(context), handle, events: events.map(Arc::new) }),
            Err(error) => {
                // SAFETY: the worker was just made, and nobody else knows it.
                unsafe { (call.ucp_worker_destroy)(handle) };
                Err(error)
            }
        }
    }

    /// Move what can be moved; gives the number of things that happened.
    #[inline]
    pub fn progress(&self) -> usize {
        // SAFETY: the worker is open, and this is its one caller.
        unsafe { (self.context.ucx.call.ucp_worker_progress)(self.handle) as usize }
    }

    /// Whether the next event will show at [`events`](Self::events): not if something is left to do.
    fn arm(&self) -> Result<bool> {
        // SAFETY: as above.
        let status = unsafe { (self.context.ucx.call.ucp_worker_arm)(self.handle) };
        if status == UCS_ERR_BUSY {
            return Ok(false);
        }
        self.context.check("arming a worker of UCX", status).map(|()| true)
    }

    /// One attempt to rest: armed only if nothing happened, so that whoever waits for what might have may sleep.
    pub fn rest(&self) -> Result<Rest> {
        if self.progress() > 0 {
            return Ok(Rest::Busy);
        }
        if self.events.is_none() || !self.arm()? {
            return Ok(Rest::Uneasy);
        }
        // Once more after arming: not all devices tell of what came just before (rxe does not).
        Ok(if self.progress() > 0 { Rest::Busy } else { Rest::Armed })
    }

    /// What becomes readable at an event after [`arm`](Self::arm).
    pub fn events(&self) -> Option<Arc<OwnedFd>> {
        self.events.clone()
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

fn events(context: &Context, worker: ucp_worker_h) -> Result<OwnedFd> {
    let mut fd = -1;
    // SAFETY: the worker is open.
    let status = unsafe { (context.ucx.call.ucp_worker_get_efd)(worker, &raw mut fd) };
    context.check("asking UCX for events: a transport of UCX_TLS cannot wake a sleeping PE", status)?;
    // SAFETY: the worker, which lives during this call, keeps its descriptor open.
    let theirs = unsafe { BorrowedFd::borrow_raw(fd) };
    theirs.try_clone_to_owned().map_err(|e| Error::because("keeping a descriptor of UCX's", e))
}
