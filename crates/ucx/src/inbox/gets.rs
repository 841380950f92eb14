//! Gets that are messages: the request, and the message with the data, which arrives at the worker that asked.
//!
//! If processors move the data, UCX makes messages of a get itself. But UCX 1.13 ends the process if it cannot send the data of a get
//! (`ucp_get_req_handler`, `ucs_fatal`), so a PE would die when a peer dies whose get it has received. A message that cannot be sent is an
//! error that Ferrite handles.
//!
//! A call is complete when its request is sent and its data have arrived. A request that reaches outside of the registered memory is refused,
//! by a message without data.

use super::{Inbox, Trouble, bytes_of, reply_of};
use crate::slot::{self, Slot};
use ferrite_engine::{
    ANSWER_BYTES, Location, Malformed, Pe, SegmentId, Token,
    segments::{self, Refusal},
};
use std::{ffi::c_void, ptr};
use ucx_sys::*;

/// ID of requests for data.
pub const GET: u32 = 2;
/// ID of messages with the data of a get.
pub const DATA: u32 = 3;

/// Bytes of a request: token and segment, offset, length.
pub const GET_BYTES: usize = 24;
/// Bytes of the head before the data: the token, and the PE that answers with [`REFUSED`] or without.
const DATA_HEAD_BYTES: usize = 16;
/// Bit of a get that is refused.
pub const REFUSED: u64 = 1 << 32;
const _: () = assert!(DATA_HEAD_BYTES <= ANSWER_BYTES);

/// A get under way.
#[derive(Clone, Copy)]
pub struct Get {
    /// The PE that has the data.
    pub pe: Pe,
    pub from: Location,
    pub to: *mut u8,
    pub len: usize,
    /// UCX has sent the request, and reads it no more.
    pub is_asked: bool,
    pub has_arrived: bool,
}

/// Encode a request.
pub fn request(token: Token, from: Location, len: usize) -> [u8; GET_BYTES] {
    let mut bytes = [0; GET_BYTES];
    let words = [u64::from(token.0) | u64::from(from.segment.0) << 32, from.offset, len as u64];
    for (to, word) in bytes.chunks_exact_mut(8).zip(words) {
        to.copy_from_slice(&word.to_le_bytes());
    }
    bytes
}

/// Encode the head of an answer.
pub fn data_head(token: u32, from: Pe, refused: u64) -> [u8; DATA_HEAD_BYTES] {
    let mut bytes = [0; DATA_HEAD_BYTES];
    bytes[..8].copy_from_slice(&u64::from(token).to_le_bytes());
    bytes[8..].copy_from_slice(&(u64::from(from.0) | refused).to_le_bytes());
    bytes
}

/// Decode a request: the token, as its sender wrote it, and the memory.
fn decode(head: &[u8]) -> Option<(u32, Location, u64)> {
    let head: &[u8; GET_BYTES] = head.try_into().ok()?;
    let word = |at: usize| u64::from_le_bytes(head[8 * at..][..8].try_into().expect("eight bytes"));
    let segment = SegmentId(u8::try_from(word(0) >> 32).ok()?);
    Some((word(0) as u32, Location { segment, offset: word(1) }, word(2)))
}

impl Inbox {
    /// The request of a get is sent, or will not be.
    pub fn asked(&self, slot: &Slot, status: ucs_status_t) {
        self.advance(slot, status, |get| Get { is_asked: true, ..get });
    }

    /// A part of a get is done, or has failed.
    fn advance(&self, slot: &Slot, status: ucs_status_t, step: impl FnOnce(Get) -> Get) {
        // After a failure nothing is awaited.
        let Some(get) = slot.end_get() else { return };
        if status != UCS_OK {
            return self.troubles.borrow_mut().push(Trouble::Failed(slot.token(), status));
        }
        let get = step(get);
        if get.is_asked && get.has_arrived {
            self.done.borrow_mut().push(slot.token());
        } else {
            slot.begin_get(get);
        }
    }

    /// The peer refuses a get.
    fn refused(&self, slot: &Slot, get: &Get) {
        let _ = slot.end_get();
        let why = Refusal::Outside { at: get.from, len: get.len as u64 };
        self.troubles.borrow_mut().push(Trouble::Refused(get.pe, why));
    }

    /// Answer a peer's get.
    fn answer_get(&self, head: &[u8], param: &ucp_am_recv_param_t) {
        let Some((token, from, len)) = decode(head) else { return self.target.drop_message(Malformed::NoMessage) };
        if self.is_closed.get() {
            return;
        }
        let Some(reply) = reply_of(param) else {
            return tracing::warn!(token, "a get has no reply endpoint, so its data are not sent");
        };
        let (from, len, refused) = match self.target.segments.place(from, len) {
            Ok(place) => (place.cast_const(), len as usize, 0),
            Err(refusal) => {
                tracing::warn!("a get is refused: {refusal}");
                (ptr::null(), 0, REFUSED)
            }
        };
        let mut answer = self.reply();
        answer.bytes[..DATA_HEAD_BYTES].copy_from_slice(&data_head(token, self.target.me(), refused));
        // SAFETY: the place was checked, and registered memory stays mapped while the fabric lives. The endpoint belongs to the message
        // being answered.
        unsafe { self.send_reply(reply, DATA, answer, DATA_HEAD_BYTES, (from, len)) };
    }

    /// Store the data of a get.
    fn take_data(&self, head: &[u8], data: *mut c_void, len: usize, param: &ucp_am_recv_param_t) {
        let Ok(head) = <&[u8; DATA_HEAD_BYTES]>::try_from(head) else {
            return self.target.drop_message(Malformed::NoMessage);
        };
        let [token, answer] = [0, 8].map(|at| u64::from_le_bytes(head[at..at + 8].try_into().expect("eight bytes")));
        let slot = usize::try_from(token).ok().and_then(|token| self.slots.get(token));
        // A closed port touches no memory of the program any more.
        if self.is_closed.get() {
            return;
        }
        // As for other answers: only the PE that was asked has one.
        let is_awaited = |get: &Get| !get.has_arrived && answer & !REFUSED == u64::from(get.pe.0);
        let Some((slot, get)) = slot.and_then(|slot| Some((slot, slot.get().filter(is_awaited)?))) else {
            return self.target.drop_message(Malformed::NeedlessData);
        };
        if answer & REFUSED != 0 {
            return self.refused(slot, &get);
        }
        if len != get.len {
            return self.arrive(slot, UCS_ERR_INVALID_ADDR);
        }
        if param.recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV as u64 == 0 {
            // SAFETY: UCX has placed `len` bytes there for the duration of this call; the destination is writable until the call is over.
            unsafe { segments::store(get.to, data.cast::<u8>().cast_const(), len) };
            return self.arrive(slot, UCS_OK);
        }
        let fetched = ucp_request_param_t__bindgen_ty_1 { recv_am: Some(fetched) };
        let param = slot::param(fetched, ptr::from_ref(slot).cast_mut().cast());
        // SAFETY: the worker is the one whose handler runs, `data` the message's descriptor; the destination as above. The slot outlives the
        // worker.
        let answer = unsafe {
            (self.context.ucx.call.ucp_am_recv_data_nbx)(self.worker, data, get.to.cast(), len, &raw const param)
        };
        if is_request(answer) {
            self.begin();
        } else {
            self.arrive(slot, status_of(answer));
        }
    }

    fn arrive(&self, slot: &Slot, status: ucs_status_t) {
        self.advance(slot, status, |get| Get { has_arrived: true, ..get });
    }
}

/// UCX calls this when a request for data has arrived.
pub unsafe extern "C" fn hear_get(
    inbox: *mut c_void,
    head: *const c_void,
    head_len: usize,
    _data: *mut c_void,
    _len: usize,
    param: *const ucp_am_recv_param_t,
) -> ucs_status_t {
    // SAFETY: the argument is the inbox of this worker; the head is as long as UCX says, during this call.
    unsafe {
        let head = bytes_of(head, head_len);
        (*inbox.cast::<Inbox>()).answer_get(head, &*param);
    }
    UCS_OK
}

/// UCX calls this when the data of a get have arrived, or can be fetched.
pub unsafe extern "C" fn hear_data(
    inbox: *mut c_void,
    head: *const c_void,
    head_len: usize,
    data: *mut c_void,
    len: usize,
    param: *const ucp_am_recv_param_t,
) -> ucs_status_t {
    // SAFETY: as in `hear_get`.
    unsafe {
        let head = bytes_of(head, head_len);
        (*inbox.cast::<Inbox>()).take_data(head, data, len, &*param);
    }
    UCS_OK
}

/// UCX calls this when it has sent the request of a get, or has failed to.
pub unsafe extern "C" fn asked(request: *mut c_void, status: ucs_status_t, slot: *mut c_void) {
    // SAFETY: the slot and its inbox outlive the worker that calls; a request is freed once, here.
    unsafe {
        let slot = &*slot.cast::<Slot>();
        let inbox = slot.inbox();
        inbox.free(request);
        inbox.asked(slot, status);
    }
}

/// UCX calls this when it has fetched the data of a long get, or has failed to.
unsafe extern "C" fn fetched(request: *mut c_void, status: ucs_status_t, _len: usize, slot: *mut c_void) {
    // SAFETY: as in `asked`.
    unsafe {
        let slot = &*slot.cast::<Slot>();
        let inbox = slot.inbox();
        inbox.free(request);
        inbox.arrive(slot, status);
    }
}
