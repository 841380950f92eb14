//! Active messages between workers of this process, and the attributes of contexts.
#![cfg(bindings)]

mod support;

use std::{
    cell::RefCell,
    ffi::c_void,
    slice,
    time::{Duration, Instant},
};
use support::{Place, good, library};
use ucx_sys::*;

/// The arguments of a handler's call.
#[derive(Debug, Default, PartialEq)]
struct Heard {
    header: Vec<u8>,
    data: Vec<u8>,
}

/// Notes what arrives, which is short enough to arrive whole.
unsafe extern "C" fn hear(
    heard: *mut c_void,
    header: *const c_void,
    header_len: usize,
    data: *mut c_void,
    len: usize,
    param: *const ucp_am_recv_param_t,
) -> ucs_status_t {
    // SAFETY: the argument is the one that was given with the handler; header and data are as long as UCX says, during
    // this call; nothing is read of data of which there is only a descriptor.
    unsafe {
        assert_eq!((*param).recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV as u64, 0, "a short message by rendezvous");
        let header = slice::from_raw_parts(header.cast::<u8>(), header_len).to_vec();
        (*heard.cast::<RefCell<Vec<Heard>>>())
            .borrow_mut()
            .push(Heard { header, data: slice::from_raw_parts(data.cast::<u8>(), len).to_vec() });
    }
    UCS_OK
}

#[test]
fn a_message_reaches_its_handler() {
    let Some(library) = library() else { return };
    let place = Place::new(&library, c"tcp,self", 2);
    let (call, ep) = (&library.call, place.connect());
    let heard = RefCell::new(Vec::<Heard>::new());
    let handler = ucp_am_handler_param_t {
        field_mask: (UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_ARG)
            .into(),
        id: 3,
        cb: Some(hear),
        arg: (&raw const heard).cast_mut().cast(),
        ..Default::default()
    };
    let plain = ucp_request_param_t::default();
    // SAFETY: what was heard outlives the workers' progress; header and data outlive the message.
    unsafe {
        let status = (call.ucp_worker_set_am_recv_handler)(place.workers[1], &raw const handler);
        good(&library, "ucp_worker_set_am_recv_handler", status);
        let (header, data) = (b"head".as_ptr().cast(), b"and body".as_ptr().cast());
        let sent = (call.ucp_am_send_nbx)(ep, 3, header, 4, data, 8, &raw const plain);
        place.finish("ucp_am_send_nbx", sent);
        let start = Instant::now();
        while heard.borrow().is_empty() {
            assert!(start.elapsed() < Duration::from_secs(60), "the message does not arrive");
            place.workers.iter().for_each(|worker| _ = (call.ucp_worker_progress)(*worker));
        }
        place.finish("ucp_ep_close_nbx", (call.ucp_ep_close_nbx)(ep, &raw const plain));
    }
    assert_eq!(*heard.borrow(), [Heard { header: b"head".to_vec(), data: b"and body".to_vec() }]);
}

#[test]
fn a_context_describes_itself() {
    let Some(library) = library() else { return };
    let place = Place::new(&library, c"tcp,self", 1);
    let mut context = ucp_context_attr_t { field_mask: UCP_ATTR_FIELD_REQUEST_SIZE.into(), ..Default::default() };
    // SAFETY: the context is open; the mask names the attribute.
    let status = unsafe { (library.call.ucp_context_query)(place.context, &raw mut context) };
    good(&library, "ucp_context_query", status);
    assert!(context.request_size > 0);
}
