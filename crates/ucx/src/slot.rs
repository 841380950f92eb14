//! Memory of one call under way that UCX reads and passes to the callback: the head of an active message, a copy of its source, its token.
//!
//! A slot belongs to a token, and the engine does not reuse a token before the call is over. So a slot outlasts everything that UCX does
//! with it, whether or not the engine has received its answer meanwhile.
//!
//! Everything that changes is in cells, because a callback runs while the port calls UCX.

use crate::inbox::{self, Get, Inbox};
use ferrite_engine::{HEAD_BYTES_MAX, PeerNumber, Token};
use std::{
    cell::{Cell, UnsafeCell},
    ffi::c_void,
    ptr,
};
use ucx_sys::*;

/// Up to this size the source of a put is copied when it is posted.
pub const COPY_BYTES_MAX: usize = 64;

/// Parameters of a call with memory of this host. When the call is over, UCX calls `cb` with `user_data`.
#[inline]
pub fn param(cb: ucp_request_param_t__bindgen_ty_1, user_data: *mut c_void) -> ucp_request_param_t {
    ucp_request_param_t {
        op_attr_mask: UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_MEMORY_TYPE,
        cb,
        user_data,
        memory_type: UCS_MEMORY_TYPE_HOST,
        ..Default::default()
    }
}

/// The slot of a token (see the module).
pub struct Slot {
    /// A head, and small data behind it.
    bytes: UnsafeCell<[u64; (HEAD_BYTES_MAX + COPY_BYTES_MAX) / 8]>,
    /// A copy of longer data that UCX cannot read in place.
    copy: Cell<Option<Box<[u8]>>>,
    /// Inbox that notes the end of the call.
    inbox: Cell<*const Inbox>,
    token: Token,
    peer: Cell<PeerNumber>,
    /// A write is under way.
    is_write: Cell<bool>,
    /// The get under way, if it is a message.
    get: Cell<Option<Get>>,
    /// While a flush is under way: tokens of other flushes that complete with it.
    joined: Cell<Option<Vec<Token>>>,
}

impl Slot {
    /// Slot of a token.
    pub fn new(token: Token) -> Slot {
        Slot {
            bytes: UnsafeCell::default(),
            copy: Cell::default(),
            inbox: Cell::new(ptr::null()),
            token,
            peer: Cell::new(0),
            is_write: Cell::new(false),
            get: Cell::default(),
            joined: Cell::default(),
        }
    }

    /// Token that the slot belongs to.
    pub fn token(&self) -> Token {
        self.token
    }

    /// Peer that the call goes to.
    pub fn peer(&self) -> PeerNumber {
        self.peer.get()
    }

    /// Memory that stays unchanged until the call is over.
    #[inline]
    pub fn bytes(&self) -> *mut u8 {
        self.bytes.get().cast()
    }

    /// Keep a copy of `len` bytes until the call is over. Return its address.
    ///
    /// # Safety
    /// `from` is readable for `len` bytes.
    pub unsafe fn keep_copy(&self, from: *const u8, len: usize) -> *const u8 {
        // SAFETY: as the caller promises.
        let copy: Box<[u8]> = unsafe { std::slice::from_raw_parts(from, len) }.into();
        let at = copy.as_ptr();
        self.copy.set(Some(copy));
        at
    }

    /// Parameters of a call whose end is reported to `inbox`.
    #[inline]
    pub fn param(&self, inbox: &Inbox, peer: PeerNumber, flags: u32) -> ucp_request_param_t {
        self.param_for(ucp_request_param_t__bindgen_ty_1 { send: Some(ended) }, inbox, peer, flags)
    }

    /// The same, for the request of a get that is a message.
    #[inline]
    pub fn param_of_get(&self, inbox: &Inbox, peer: PeerNumber, flags: u32) -> ucp_request_param_t {
        self.param_for(ucp_request_param_t__bindgen_ty_1 { send: Some(inbox::asked) }, inbox, peer, flags)
    }

    #[inline]
    fn param_for(
        &self,
        callback: ucp_request_param_t__bindgen_ty_1,
        inbox: &Inbox,
        peer: PeerNumber,
        flags: u32,
    ) -> ucp_request_param_t {
        self.inbox.set(inbox);
        self.peer.set(peer);
        let param = param(callback, ptr::from_ref(self).cast_mut().cast());
        let mask = param.op_attr_mask | if flags != 0 { UCP_OP_ATTR_FIELD_FLAGS } else { 0 };
        ucp_request_param_t { op_attr_mask: mask, flags, ..param }
    }

    /// End the call. Return the tokens of the flushes that complete with it.
    #[inline]
    pub fn end(&self) -> Vec<Token> {
        drop(self.copy.take());
        self.joined.take().unwrap_or_default()
    }

    /// Note that a write is under way.
    #[inline]
    pub fn begin_write(&self) {
        self.is_write.set(true);
    }

    /// Note that a call is over. Return whether it was a write under way.
    #[inline]
    pub fn end_write(&self) -> bool {
        self.is_write.take()
    }

    /// The inbox of the call.
    ///
    /// # Safety
    /// The call is under way, so its inbox lives.
    pub unsafe fn inbox(&self) -> &Inbox {
        // SAFETY: as the caller says.
        unsafe { &*self.inbox.get() }
    }

    /// Note that a get that is a message is under way.
    #[inline]
    pub fn begin_get(&self, get: Get) {
        self.get.set(Some(get));
    }

    /// The get under way.
    #[inline]
    pub fn get(&self) -> Option<Get> {
        self.get.get()
    }

    /// Note that no get is under way any more. Return it.
    #[inline]
    pub fn end_get(&self) -> Option<Get> {
        self.get.take()
    }

    /// Note that a flush is under way.
    pub fn begin_flush(&self) {
        self.joined.set(Some(Vec::new()));
    }

    /// Let another flush complete with this one. Return false if this one is not under way.
    pub fn join_flush(&self, token: Token) -> bool {
        let Some(mut joined) = self.joined.take() else { return false };
        joined.push(token);
        self.joined.set(Some(joined));
        true
    }
}

/// UCX calls this when a call is over.
unsafe extern "C" fn ended(request: *mut c_void, status: ucs_status_t, slot: *mut c_void) {
    // SAFETY: the slot and its inbox outlive the worker that calls; a request is freed once, here.
    unsafe {
        let slot = &*slot.cast::<Slot>();
        let inbox = slot.inbox();
        inbox.end(slot, status);
        inbox.free(request);
    }
}
