//! Which operations of a lane are complete: a window of slots between the last ticket that everything before is
//! complete of, and the last one issued.
//!
//! UCX completes in any order, so each operation under way has a slot, found by its ticket. A slot counts what has yet to
//! happen, and holds what UCX reads meanwhile: the head of an active message, or a small put's bytes. What completes as
//! it is posted leaves nothing behind, so a stream of small puts does not fill the window.
//!
//! # Who may touch it
//!
//! Callers of the lane's stream, under its mutex, and the library's callbacks, which run inside calls of the same
//! stream's worker, so under the same mutex. All is in cells, since a callback comes while the stream is borrowed.

use crate::message::{Outcome, REQUEST_BYTES, outcome};
use ferrite_fabric::{Pe, Stage, Ticket, Width};
use std::{
    cell::{Cell, UnsafeCell},
    ffi::c_void,
    ptr,
};
use ucx_sys::*;

/// So many operations may be under way.
pub const SLOTS: u64 = 2048;
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
    fn fail(&self, failure: Failure) {
        let first = self.failure.take().unwrap_or(failure);
        self.failure.set(Some(first));
        self.failed.set(true);
    }
}

/// One operation under way.
pub struct Slot {
    /// What UCX reads until the operation's requests are done.
    bytes: UnsafeCell<[u64; SLOT_WORDS]>,
    notices: Cell<*const Notices>,
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
    /// UCX reads `bytes`, not the caller's memory.
    copied: Cell<bool>,
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
    /// Before each call that may leave a request: what it answers goes to [`posted`](Self::posted).
    pub fn post(&self) -> *mut c_void {
        self.held.set(self.held.get() + 1);
        self.local.set(self.local.get() + u32::from(!self.copied.get()));
        ptr::from_ref(self).cast_mut().cast()
    }

    /// The call was complete at once, or failed: nobody will call back.
    pub fn posted(&self) {
        self.held.set(self.held.get() - 1);
        self.local.set(self.local.get() - u32::from(!self.copied.get()));
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
        if self.asked.replace(false) {
            self.held.set(self.held.get() - 1);
            self.local.set(self.local.get() - u32::from(!self.fetch.get().is_null()));
        }
    }

    /// It is a packet of this stream.
    pub fn join(&self, stream: &Acknowledged) {
        self.stream.set(stream);
    }

    fn is_done(&self, ticket: u64) -> bool {
        let stream = self.stream.get();
        // SAFETY: the stream's peer lives as long as its window.
        self.held.get() == 0 && (stream.is_null() || unsafe { &*stream }.upto() >= ticket)
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

    /// Write an old value where the caller wants it.
    fn give(&self, value: u64) {
        // SAFETY: the operation is not complete, so its caller keeps the place.
        unsafe { self.width.get().write(self.fetch.get(), value) };
    }

    /// Memory that stays as it is until the operation's requests are done.
    pub fn bytes(&self) -> *mut u8 {
        self.bytes.get().cast()
    }

    /// What the requests read was copied into [`bytes`](Self::bytes).
    pub fn copies(&self) {
        self.copied.set(true);
    }
}

/// The slots of a lane.
pub struct Window {
    slots: Box<[Slot]>,
    notices: Notices,
    issued: Cell<u64>,
    local: Cell<u64>,
    done: Cell<u64>,
}

impl Window {
    /// Nothing was issued yet. `release` is `ucp_request_free`.
    pub fn new(release: unsafe extern "C" fn(*mut c_void)) -> Self {
        let slot = || Slot {
            bytes: UnsafeCell::new([0; SLOT_WORDS]),
            notices: Cell::new(ptr::null()),
            pe: Cell::new(Pe(0)),
            fetch: Cell::new(ptr::null_mut()),
            width: Cell::new(Width::W64),
            returns: Cell::new(false),
            held: Cell::new(0),
            local: Cell::new(0),
            copied: Cell::new(false),
            asked: Cell::new(false),
            stream: Cell::new(ptr::null()),
        };
        Window {
            slots: (0..SLOTS).map(|_| slot()).collect(),
            notices: Notices { release, failure: Cell::new(None), failed: Cell::new(false) },
            issued: Cell::new(0),
            local: Cell::new(0),
            done: Cell::new(0),
        }
    }

    fn slot(&self, ticket: u64) -> &Slot {
        &self.slots[(ticket % SLOTS) as usize]
    }

    /// The slot of the next operation, if there is one free.
    #[inline]
    pub fn next(&self, pe: Pe) -> Option<&Slot> {
        if self.issued.get() - self.done.get() >= SLOTS {
            self.advance();
            if self.issued.get() - self.done.get() >= SLOTS {
                return None;
            }
        }
        let slot = self.slot(self.issued.get() + 1);
        slot.notices.set(&raw const self.notices);
        slot.pe.set(pe);
        slot.fetch.set(ptr::null_mut());
        slot.copied.set(false);
        slot.asked.set(false);
        slot.returns.set(false);
        slot.stream.set(ptr::null());
        Some(slot)
    }

    /// The ticket that [`issue`](Self::issue) will give.
    #[inline]
    pub fn upcoming(&self) -> u64 {
        self.issued.get() + 1
    }

    /// The operation of the next slot is on its way.
    #[inline]
    pub fn issue(&self) -> Ticket {
        let ticket = self.upcoming();
        self.issued.set(ticket);
        self.advance();
        Ticket(ticket)
    }

    /// The last ticket issued.
    #[inline]
    pub fn issued(&self) -> u64 {
        self.issued.get()
    }

    /// All up to this ticket are complete here and, but for puts, which a flush completes, at their targets.
    #[inline]
    pub fn done(&self) -> u64 {
        self.done.get()
    }

    /// The same of all that was issued for one PE, whatever is under way to others.
    pub fn is_done_at(&self, pe: Pe) -> bool {
        let mut under_way = self.done() + 1..=self.issued();
        !self.has_failed()
            && under_way.all(|ticket| self.slot(ticket).pe.get() != pe || self.slot(ticket).is_done(ticket))
    }

    /// All up to this ticket have left the caller's memory.
    #[inline]
    pub fn local(&self) -> u64 {
        self.local.get()
    }

    /// This one has, whatever is under way before it.
    #[inline]
    pub fn is_local(&self, ticket: u64) -> bool {
        let landed = |ticket| ticket <= self.issued() && self.slot(ticket).local.get() == 0;
        // Beyond `local` is beyond `done`, so the slot is its own.
        ticket <= self.local() || !self.has_failed() && landed(ticket)
    }

    /// Count what callbacks have completed. After a failure nothing is: what follows it may have been carried out or not.
    #[inline]
    pub fn advance(&self) {
        if self.has_failed() {
            return;
        }
        let issued = self.issued.get();
        let mut done = self.done.get();
        while done < issued && self.slot(done + 1).is_done(done + 1) {
            done += 1;
        }
        self.done.set(done);
        let mut local = self.local.get().max(done);
        while local < issued && self.slot(local + 1).local.get() == 0 {
            local += 1;
        }
        self.local.set(local);
    }

    /// All up to this ticket have come to `stage`, as far as slots know.
    #[inline]
    pub fn reached(&self, stage: Stage) -> u64 {
        if stage == Stage::Local { self.local() } else { self.done() }
    }

    /// Whether there was one.
    #[inline]
    pub fn has_failed(&self) -> bool {
        self.notices.failed.get()
    }

    /// The first failure.
    pub fn failure(&self) -> Option<Failure> {
        let failure = self.notices.failure.take();
        self.notices.failure.set(failure.clone());
        failure
    }

    /// Note a failure.
    pub fn fail(&self, failure: Failure) {
        self.notices.fail(failure);
    }

    fn answered(&self, ticket: u64, outcome: Outcome) {
        let slot = self.slot(ticket);
        if ticket > self.upcoming() {
            return tracing::warn!(ticket, "an answer to what was never asked");
        }
        let value = match outcome {
            Outcome::Done(value) => value,
            // What failed is never complete.
            Outcome::Refused => return self.fail(Failure::Refused(slot.pe.get())),
            Outcome::Lost => return self.fail(Failure::Lost(slot.pe.get())),
        };
        // Complete by a later answer of the same stream, or a word that came twice.
        if ticket <= self.done.get() {
            return;
        }
        let stream = slot.stream.get();
        if !stream.is_null() {
            // SAFETY: the stream's peer lives as long as its window.
            let acknowledged = unsafe { &(*stream).0 };
            acknowledged.set(acknowledged.get().max(ticket));
        }
        if slot.asked.replace(false) {
            if !slot.fetch.get().is_null() {
                slot.give(value);
                slot.local.set(slot.local.get() - 1);
            }
            slot.held.set(slot.held.get() - 1);
        }
    }

    /// Whether it is time to ask peers what they have carried out, lest the window fill: now and then while it is half
    /// full, not at each post.
    #[inline]
    pub fn wants_news(&self) -> bool {
        let issued = self.issued.get();
        issued - self.done.get() >= SLOTS / 2 && issued.is_multiple_of(SLOTS / 4)
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

/// UCX calls this when an answer has come.
pub unsafe extern "C" fn hear(
    window: *mut c_void,
    head: *const c_void,
    len: usize,
    _data: *mut c_void,
    _data_len: usize,
    _param: *const ucp_am_recv_param_t,
) -> ucs_status_t {
    // SAFETY: the argument is the window of the worker's lane; the head is as long as UCX says.
    let (window, head) = unsafe {
        let head = if len == 0 { &[] } else { std::slice::from_raw_parts(head.cast::<u8>(), len) };
        (&*window.cast::<Window>(), head)
    };
    match outcome(head) {
        Some((ticket, outcome)) => window.answered(ticket, outcome),
        None => tracing::warn!("an active message that is no answer"),
    }
    UCS_OK
}
