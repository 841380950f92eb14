//! Workers of one process. Each test program uses a part of this.
#![allow(dead_code, reason = "compiled into each test program")]

use std::{
    ffi::CStr,
    path::PathBuf,
    ptr,
    time::{Duration, Instant},
};
use ucx_sys::*;

/// For hanging, not for slowness.
const PATIENCE: Duration = Duration::from_secs(60);

/// The library, or `None` with the reason printed. `FERRITE_LIBUCP` names another than the installed one.
pub fn library() -> Option<Ucx> {
    #[expect(clippy::disallowed_methods, reason = "the one variable of this test")]
    let file = std::env::var_os("FERRITE_LIBUCP").map(PathBuf::from);
    match open(file.as_deref()) {
        Ok(library) => Some(library),
        Err(error @ (Error::NotBuilt { .. } | Error::Unopened { .. })) if file.is_none() => {
            println!("skipped: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// Panics with the library's own words.
#[track_caller]
pub fn good(library: &Ucx, what: &str, status: ucs_status_t) {
    assert_eq!(status, UCS_OK, "{what}: {}", library.status_string(status));
}

/// A context with one or two workers.
pub struct Place {
    pub library: Ucx,
    pub context: ucp_context_h,
    pub workers: Vec<ucp_worker_h>,
}

impl Place {
    pub fn new(library: &Ucx, transports: &CStr, workers: usize) -> Self {
        let call = &library.call;
        let mask = UCP_PARAM_FIELD_FEATURES;
        let features = UCP_FEATURE_RMA | UCP_FEATURE_AM;
        let params = ucp_params_t { field_mask: mask.into(), features: features.into(), ..Default::default() };
        let (mut config, mut context) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: names end with a zero, structures say by their masks what is set, and the configuration is released
        // after its use.
        unsafe {
            good(library, "ucp_config_read", (call.ucp_config_read)(ptr::null(), ptr::null(), &raw mut config));
            let status = (call.ucp_config_modify)(config, c"TLS".as_ptr(), transports.as_ptr());
            good(library, "ucp_config_modify", status);
            good(library, "ucp_init", library.ucp_init(&raw const params, config, &raw mut context));
            (call.ucp_config_release)(config);
        }
        let workers = (0..workers).map(|_| Self::worker(library, context)).collect();
        Self { library: library.clone(), context, workers }
    }

    fn worker(library: &Ucx, context: ucp_context_h) -> ucp_worker_h {
        let params = ucp_worker_params_t {
            field_mask: UCP_WORKER_PARAM_FIELD_THREAD_MODE.into(),
            thread_mode: UCS_THREAD_MODE_SINGLE,
            ..Default::default()
        };
        let mut worker = ptr::null_mut();
        // SAFETY: the context is open.
        let status = unsafe { (library.call.ucp_worker_create)(context, &raw const params, &raw mut worker) };
        good(library, "ucp_worker_create", status);
        worker
    }

    /// An endpoint of the first worker to the last one: the same, if there is only one.
    pub fn connect(&self) -> ucp_ep_h {
        let (call, from, to) = (&self.library.call, self.workers[0], self.workers[self.workers.len() - 1]);
        let (mut address, mut len, mut ep) = (ptr::null_mut(), 0, ptr::null_mut());
        // SAFETY: the workers are open; the address is released after its use.
        unsafe {
            let status = (call.ucp_worker_get_address)(to, &raw mut address, &raw mut len);
            good(&self.library, "ucp_worker_get_address", status);
            let params =
                ucp_ep_params_t { field_mask: UCP_EP_PARAM_FIELD_REMOTE_ADDRESS.into(), address, ..Default::default() };
            good(&self.library, "ucp_ep_create", (call.ucp_ep_create)(from, &raw const params, &raw mut ep));
            (call.ucp_worker_release_address)(to, address);
        }
        ep
    }

    /// Progresses all workers until what a call answered is done.
    pub fn finish(&self, what: &str, answer: ucs_status_ptr_t) {
        let start = Instant::now();
        let mut status = status_of(answer);
        while status == UCS_INPROGRESS {
            assert!(start.elapsed() < PATIENCE, "{what} does not complete");
            for worker in &self.workers {
                // SAFETY: the worker is open, and of this thread.
                unsafe { (self.library.call.ucp_worker_progress)(*worker) };
            }
            // SAFETY: the answer is a request that was not freed.
            status = unsafe { (self.library.call.ucp_request_check_status)(answer) };
        }
        if is_request(answer) {
            // SAFETY: the request is done, and used no more.
            unsafe { (self.library.call.ucp_request_free)(answer) };
        }
        good(&self.library, what, status);
    }

    /// Completes all that was posted to endpoints of the first worker.
    pub fn flush(&self) {
        let param = ucp_request_param_t::default();
        // SAFETY: the worker is open.
        let flush = unsafe { (self.library.call.ucp_worker_flush_nbx)(self.workers[0], &raw const param) };
        self.finish("ucp_worker_flush_nbx", flush);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // SAFETY: nothing of the workers and the context is used after this.
        unsafe {
            for worker in &self.workers {
                (self.library.call.ucp_worker_destroy)(*worker);
            }
            (self.library.call.ucp_cleanup)(self.context);
        }
    }
}
