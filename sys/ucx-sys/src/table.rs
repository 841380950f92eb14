//! The functions that the library exports.

use crate::{bindings::*, declared};
use libc::{FILE, c_char, c_int, c_uint, c_void};

dl::table! {
    /// UCX's exported functions, as far as one-sided communication and active messages need them.
    ///
    /// A function that returns `ucs_status_ptr_t` returns null if the operation is done, an error, or a request that is still in progress;
    /// see [`status_of`](crate::status_of). A request is freed by `ucp_request_free`.
    struct Table, declared in declared;

    /// The text of a status.
    fn ucs_status_string(status: ucs_status_t) -> *const c_char;

    /// Reads the configuration from the environment (`UCX_*`, or with a prefix before) and from a file.
    fn ucp_config_read(prefix: *const c_char, file: *const c_char, config: *mut *mut ucp_config_t) -> ucs_status_t;
    /// Changes one row of a configuration; the name is without `UCX_`.
    fn ucp_config_modify(config: *mut ucp_config_t, name: *const c_char, value: *const c_char) -> ucs_status_t;
    /// Frees a configuration.
    fn ucp_config_release(config: *mut ucp_config_t);

    /// Makes a context, for the interface of the named version. See [`Ucx::ucp_init`](crate::Ucx::ucp_init).
    fn ucp_init_version(
        major: c_uint, minor: c_uint, params: *const ucp_params_t, config: *const ucp_config_t,
        context: *mut ucp_context_h,
    ) -> ucs_status_t;
    /// Frees a context. Everything that was made from it must be freed first.
    fn ucp_cleanup(context: ucp_context_h);
    /// Reads the attributes of a context that the mask names.
    fn ucp_context_query(context: ucp_context_h, attr: *mut ucp_context_attr_t) -> ucs_status_t;
    /// Describes a context as text. There is no other way to find out which transports it may use.
    fn ucp_context_print_info(context: ucp_context_h, stream: *mut FILE);

    /// Makes a worker: the resources that make progress together.
    fn ucp_worker_create(
        context: ucp_context_h, params: *const ucp_worker_params_t, worker: *mut ucp_worker_h,
    ) -> ucs_status_t;
    /// Frees a worker and its endpoints.
    fn ucp_worker_destroy(worker: ucp_worker_h);
    /// The worker's address, which peers make endpoints from.
    fn ucp_worker_get_address(worker: ucp_worker_h, address: *mut *mut ucp_address_t, len: *mut usize) -> ucs_status_t;
    /// Frees an address of `ucp_worker_get_address`.
    fn ucp_worker_release_address(worker: ucp_worker_h, address: *mut ucp_address_t);
    /// Progresses. Returns 0 if there was nothing to do.
    fn ucp_worker_progress(worker: ucp_worker_h) -> c_uint;
    /// The file descriptor that becomes readable at an event, after `ucp_worker_arm`.
    fn ucp_worker_get_efd(worker: ucp_worker_h, fd: *mut c_int) -> ucs_status_t;
    /// Arms the worker's file descriptor; `UCS_ERR_BUSY` if there is work already.
    fn ucp_worker_arm(worker: ucp_worker_h) -> ucs_status_t;
    /// Completes once all operations that the worker posted are complete at their targets.
    fn ucp_worker_flush_nbx(worker: ucp_worker_h, param: *const ucp_request_param_t) -> ucs_status_ptr_t;
    /// Sets the handler of active messages with a given number.
    fn ucp_worker_set_am_recv_handler(worker: ucp_worker_h, param: *const ucp_am_handler_param_t) -> ucs_status_t;

    /// Makes an endpoint: the way from a worker to another.
    fn ucp_ep_create(worker: ucp_worker_h, params: *const ucp_ep_params_t, ep: *mut ucp_ep_h) -> ucs_status_t;
    /// Closes an endpoint.
    fn ucp_ep_close_nbx(ep: ucp_ep_h, param: *const ucp_request_param_t) -> ucs_status_ptr_t;
    /// Makes a peer's packed key usable over an endpoint.
    fn ucp_ep_rkey_unpack(ep: ucp_ep_h, packed: *const c_void, rkey: *mut ucp_rkey_h) -> ucs_status_t;

    /// Registers memory with a context, or allocates it.
    fn ucp_mem_map(context: ucp_context_h, params: *const ucp_mem_map_params_t, memh: *mut ucp_mem_h) -> ucs_status_t;
    /// Ends a registration.
    fn ucp_mem_unmap(context: ucp_context_h, memh: ucp_mem_h) -> ucs_status_t;
    /// The key of a registration, packed to be sent to peers.
    fn ucp_rkey_pack(
        context: ucp_context_h, memh: ucp_mem_h, packed: *mut *mut c_void, len: *mut usize,
    ) -> ucs_status_t;
    /// Frees a packed key.
    fn ucp_rkey_buffer_release(packed: *mut c_void);
    /// Frees an unpacked key.
    fn ucp_rkey_destroy(rkey: ucp_rkey_h);

    /// Writes `count` bytes to a peer's memory.
    fn ucp_put_nbx(
        ep: ucp_ep_h, buffer: *const c_void, count: usize, remote: u64, rkey: ucp_rkey_h,
        param: *const ucp_request_param_t,
    ) -> ucs_status_ptr_t;
    /// Reads `count` bytes of a peer's memory.
    fn ucp_get_nbx(
        ep: ucp_ep_h, buffer: *mut c_void, count: usize, remote: u64, rkey: ucp_rkey_h,
        param: *const ucp_request_param_t,
    ) -> ucs_status_ptr_t;

    /// Sends an active message.
    fn ucp_am_send_nbx(
        ep: ucp_ep_h, id: c_uint, header: *const c_void, header_len: usize, buffer: *const c_void, count: usize,
        param: *const ucp_request_param_t,
    ) -> ucs_status_ptr_t;
    /// Receives the data of an active message whose handler got only a descriptor.
    fn ucp_am_recv_data_nbx(
        worker: ucp_worker_h, descriptor: *mut c_void, buffer: *mut c_void, count: usize,
        param: *const ucp_request_param_t,
    ) -> ucs_status_ptr_t;

    /// The status of a request.
    fn ucp_request_check_status(request: *mut c_void) -> ucs_status_t;
    /// Frees a request; a request in progress is freed when it completes.
    fn ucp_request_free(request: *mut c_void);
}
