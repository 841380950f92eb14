//! One operation under way. A slot counts what has yet to happen, and holds what UCX reads meanwhile: the head of an active
//! message, or a small put's bytes.
//!
//! # Who may touch it
//!
//! Callers of the lane's stream, under its mutex, and the library's callbacks, which run inside calls of the same
//! stream's worker, so under the same mutex. All is in cells, since a callback comes while the stream is borrowed.

use crate::message::REQUEST_BYTES;
use ferrite_fabric::{Pe, Width};
use std::{
    cell::{Cell, UnsafeCell},
    ffi::c_void,
    ptr,
};
use ucx_sys::*;

/// Up to this size a put is copied when it is posted.
pub const INJECT_BYTES_MAX: usize = 64;

/// Room for a head and a small put's bytes.
const SLOT_WORDS: usize = (REQUEST_BYTES + INJECT_BYTES_MAX) / 8;

/// Why operations fail: the first reason is kept.
#[derive(Clone, Debug)]
pub enum Failure {
    /// What UCX says of an operation at a PE.
    Status(Pe, ucs_status_t),
    /// The PE has no such memory.
    Refused(Pe),
    /// The PE did not get what was sent.
    Lost(Pe),
}

/// What callbacks leave for the stream.
pub struct Notices {
    release: unsafe extern "C" fn(*mut c_void),
    failure: Cell<Option<Failure>>,
    failed: Cell<bool>,
}

impl Notices {
    /// Nothing has failed. `release` is `ucp_request_free`.
    pub fn new(release: unsafe extern "C" fn(*mut c_void)) -> Self {
        Notices { release, failure: Cell::new(None), failed: Cell::new(false) }
    }

    /// Note a failure.
    pub fn fail(&self, failure: Failure) {
        let first = self.failure.take().unwrap_or(failure);
        self.failure.set(Some(first));
        self.failed.set(true);
    }

    /// Whether there was one.
    #[inline]
    pub fn have_failure(&self) -> bool {
        self.failed.get()
    }

    /// The first.
    pub fn failure(&self) -> Option<Failure> {
        let failure = self.failure.take();
        self.failure.set(failure.clone());
        failure
    }
}

/// See above.
pub struct Slot {
    /// What UCX reads until the operation's requests are done.
    bytes: UnsafeCell<[u64; SLOT_WORDS]>,
    notices: Cell<*const Notices>,
    /// The operation that it is, or was last, for.
    ticket: Cell<u64>,
    pe: Cell<Pe>,
    /// Where an old value goes.
    fetch: Cell<*mut u8>,
    width: Cell<Width>,
    /// The old value comes into `bytes`, behind the operand, with the request's completion.
    returns: Cell<bool>,
    /// So much must happen before the ticket is done and the slot is used again.
    held: Cell<u32>,
    /// So much must happen before the caller's memory is free.
    local: Cell<u32>,
    /// UCX reads `bytes` or `copy`, not the caller's memory.
    copied: Cell<bool>,
    /// A copy of what cannot be read where it is, until all that must happen has happened.
    copy: Cell<Option<Box<[u8]>>>,
    /// The target will answer.
    asked: Cell<bool>,
    /// One packet among others to the same peer, done when its stream is acknowledged so far; or null.
    stream: Cell<*const Acknowledged>,
}

/// Packets to a peer arrive in their order, so one ticket says which of them have been carried out: all up to it.
#[derive(Default)]
pub struct Acknowledged(Cell<u64>);

impl Acknowledged {
    /// The last ticket of which the peer has said so.
    pub fn upto(&self) -> u64 {
        self.0.get()
    }
}

impl Slot {
    /// Of no operation.
    pub fn new() -> Self {
        Slot {
            bytes: UnsafeCell::new([0; SLOT_WORDS]),
            notices: Cell::new(ptr::null()),
            ticket: Cell::new(0),
            pe: Cell::new(Pe(0)),
            fetch: Cell::new(ptr::null_mut()),
            width: Cell::new(Width::W64),
            returns: Cell::new(false),
            held: Cell::new(0),
            local: Cell::new(0),
            copied: Cell::new(false),
            copy: Cell::new(None),
            asked: Cell::new(false),
            stream: Cell::new(ptr::null()),
        }
    }

    /// For an operation from here on. The notices stay where they are while anything is under way.
    #[inline]
    pub fn take(&self, ticket: u64, pe: Pe, notices: &Notices) {
        self.notices.set(notices);
        self.ticket.set(ticket);
        self.pe.set(pe);
        self.fetch.set(ptr::null_mut());
        self.copied.set(false);
        self.asked.set(false);
        self.returns.set(false);
        self.stream.set(ptr::null());
    }

    /// The operation that it is, or was last, for.
    #[inline]
    pub fn ticket(&self) -> u64 {
        self.ticket.get()
    }

    /// Where that goes.
    pub fn pe(&self) -> Pe {
        self.pe.get()
    }

    /// Before each call that may leave a request: what it answers goes to [`posted`](Self::posted).
    pub fn post(&self) -> *mut c_void {
        self.held.set(self.held.get() + 1);
        self.local.set(self.local.get() + u32::from(!self.copied.get()));
        ptr::from_ref(self).cast_mut().cast()
    }

    /// The call was complete at once, or failed: nobody will call back.
    pub fn posted(&self) {
        self.release();
        self.local.set(self.local.get() - u32::from(!self.copied.get()));
    }

    /// One of the things that must happen has.
    fn release(&self) {
        self.held.set(self.held.get() - 1);
        if self.held.get() == 0 {
            self.copy.take();
        }
    }

    /// Have the operation read a copy of its source, which is taken while `post` posts it.
    ///
    /// # Safety
    /// `from` is readable for `len` bytes.
    pub unsafe fn with_copy<T>(&self, from: *const u8, len: usize, post: impl FnOnce(*const u8) -> T) -> T {
        // SAFETY: the caller's promise.
        let copy: Box<[u8]> = unsafe { std::slice::from_raw_parts(from, len) }.into();
        let at = copy.as_ptr();
        self.copy.set(Some(copy));
        self.copies();
        // Pieces that are done at once must not end it for those that follow.
        self.held.set(self.held.get() + 1);
        let posted = post(at);
        self.release();
        posted
    }

    /// The target will answer, with an old value if `fetch` is not null.
    pub fn ask(&self, fetch: *mut u8, width: Width) {
        self.asked.set(true);
        self.fetch.set(fetch);
        self.width.set(width);
        self.held.set(self.held.get() + 1);
        self.local.set(self.local.get() + u32::from(!fetch.is_null()));
    }

    /// The request could not be sent after all.
    pub fn unask(&self) {
        self.stream.set(ptr::null());
        if self.asked.replace(false) {
            self.held.set(self.held.get() - 1);
            self.local.set(self.local.get() - u32::from(!self.fetch.get().is_null()));
        }
    }

    /// It has answered.
    pub fn answered(&self, value: u64) {
        let stream = self.stream.get();
        if !stream.is_null() {
            // SAFETY: the stream's peer lives as long as its window.
            let acknowledged = unsafe { &(*stream).0 };
            acknowledged.set(acknowledged.get().max(self.ticket.get()));
        }
        if self.asked.replace(false) {
            if !self.fetch.get().is_null() {
                // SAFETY: the operation is not complete, so its caller keeps the place.
                unsafe { self.width.get().write(self.fetch.get(), value) };
                self.local.set(self.local.get() - 1);
            }
            self.release();
        }
    }

    /// It is a packet of this stream.
    pub fn join(&self, stream: &Acknowledged) {
        self.stream.set(stream);
    }

    /// All that must happen has happened, also to what it was last for.
    #[inline]
    pub fn is_done(&self) -> bool {
        let stream = self.stream.get();
        // SAFETY: the stream's peer lives as long as its window.
        self.held.get() == 0 && (stream.is_null() || unsafe { &*stream }.upto() >= self.ticket.get())
    }

    /// The caller's memory is free.
    #[inline]
    pub fn is_local(&self) -> bool {
        self.local.get() == 0
    }

    /// The library puts an old value behind the operand in [`bytes`](Self::bytes); it belongs at `fetch`.
    pub fn returns(&self, fetch: *mut u8, width: Width) {
        self.fetch.set(fetch);
        self.width.set(width);
        self.returns.set(!fetch.is_null());
    }

    /// The operation's request is done.
    pub fn completed(&self) {
        if self.returns.get() {
            // SAFETY: the library has written as many bytes as the word has; the caller keeps `fetch` until now.
            unsafe {
                let old = self.bytes().add(8);
                self.fetch.get().copy_from_nonoverlapping(old, self.width.get().bytes());
            }
        }
        self.posted();
    }

    /// It failed, so it is never complete.
    pub fn fails(&self, status: ucs_status_t) {
        // SAFETY: notices are of the window, as its slots are.
        unsafe { &*self.notices.get() }.fail(Failure::Status(self.pe.get(), status));
    }

    /// Memory that stays as it is until the operation's requests are done.
    pub fn bytes(&self) -> *mut u8 {
        self.bytes.get().cast()
    }

    /// What the requests read is a copy of ours.
    pub fn copies(&self) {
        self.copied.set(true);
    }
}

/// UCX calls this when a request of a slot is done.
pub unsafe extern "C" fn sent(request: *mut c_void, status: ucs_status_t, slot: *mut c_void) {
    // SAFETY: `slot` is what `Slot::post` gave; the window outlives its worker, and notices are of the window.
    let (slot, release) = unsafe {
        let slot = &*slot.cast::<Slot>();
        (slot, (*slot.notices.get()).release)
    };
    if status == UCS_OK {
        slot.completed();
    } else {
        slot.fails(status);
    }
    // SAFETY: a request is given back once, here.
    unsafe { release(request) };
}
