//! A flush under way, and what came of the last one.

use std::{cell::Cell, ffi::c_void, rc::Rc};
use ucx_sys::*;

/// At most one is under way at a time. Used under the mutex of its stream, also by UCX, which calls back inside the calls of the
/// stream's worker.
pub struct Flush {
    pub running: Cell<bool>,
    /// Why one has failed.
    pub failure: Cell<Option<ucs_status_t>>,
    release: unsafe extern "C" fn(*mut c_void),
}

impl Flush {
    /// None yet; `release` gives requests back.
    pub fn new(release: unsafe extern "C" fn(*mut c_void)) -> Self {
        Flush { running: Cell::new(false), failure: Cell::new(None), release }
    }

    /// Start one by a call of UCX's, which tells of its end here: somebody keeps this until then.
    pub fn start(self: &Rc<Self>, call: impl FnOnce(*const ucp_request_param_t) -> ucs_status_ptr_t) {
        let param = ucp_request_param_t {
            op_attr_mask: UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
            cb: ucp_request_param_t__bindgen_ty_1 { send: Some(flushed) },
            user_data: Rc::as_ptr(self).cast_mut().cast(),
            ..Default::default()
        };
        self.running.set(true);
        let answer = call(&raw const param);
        if !is_request(answer) {
            self.end(status_of(answer));
        }
    }

    /// It has ended.
    fn end(&self, status: ucs_status_t) {
        if status == UCS_OK {
            self.running.set(false);
        } else {
            // It stays running: what it was to complete never will be.
            self.failure.set(Some(status));
        }
    }
}

/// UCX calls this when a flush is done.
unsafe extern "C" fn flushed(request: *mut c_void, status: ucs_status_t, flush: *mut c_void) {
    // SAFETY: the argument is the stream's, which outlives its worker; a request is given back once, here.
    unsafe {
        let flush = &*flush.cast::<Flush>();
        flush.end(status);
        (flush.release)(request);
    }
}
