//! The requests that this PE issues on a connection, and what is known of their fate.
//!
//! Frames are numbered in the order of issue, and answered in that order. So the number of the last frame that was
//! applied says all there is to say, and an answer belongs to the request that has waited longest.
//!
//! # What is read without the lock
//!
//! All of an asker is behind its connection's lock (`channel`), but for its [`Marks`]. `done` (so many frames were
//! applied at the target, and what they fetched is in place) and `sent` (so many bytes were handed to the kernel) are
//! written under the lock and read without: stored with `Release`, read with `Acquire`, so a thread that sees a ticket
//! complete sees the bytes that it fetched. Both only grow. `wanted` goes the other way: up to which frame
//! somebody wants to know. `due` and `waiting` tell a lane, without the lock, whether a connection has anything to do.
//!
//! # Why acknowledgements are asked for
//!
//! A put needs no answer before somebody waits for its completion. So the target answers when asked
//! ([`Request::Ask`]), and the question travels in the same system call as the puts that it asks about. A flag
//! that a peer waits for costs one segment each way and no acknowledgement at all.

use crate::{
    outbox::Outbox,
    wire::{PAYLOAD_BYTES_MAX, Place, Reply, Request},
    words::WORD,
};
use ferrite_fabric::{Op, Width};
use std::{
    collections::VecDeque,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
};

/// Up to this size a put is copied when it is posted.
pub const INJECT_BYTES_MAX: usize = 8 << 10;
/// So many answers may be outstanding when an operation is posted.
const EXPECTED_MAX: usize = 8 << 10;
/// So many may be outstanding at all: a get travels as a request for each [`PAYLOAD_BYTES_MAX`] of it. What a target
/// must be ready to keep in mind.
pub const OUTSTANDING_MAX: usize = 128 << 10;
/// After so many frames the target is asked without anybody waiting, so that lanes can forget them.
const UNASKED_MAX: u64 = 8 << 10;

/// What must happen for an operation to be complete here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Local {
    /// Nothing: it was copied.
    Now,
    /// The connection's bytes up to this position are sent.
    Sent(u64),
    /// The frame itself is answered.
    Done,
}

/// An operation that is on its way.
#[derive(Clone, Copy, Debug)]
pub struct Posted {
    /// The number of its last frame.
    pub frame: u64,
    /// What its local completion needs.
    pub local: Local,
}

/// How far a connection has come: see the module for who may read and write it when.
#[derive(Default)]
pub struct Marks {
    done: AtomicU64,
    sent: AtomicU64,
    wanted: AtomicU64,
    due: AtomicU64,
    waiting: AtomicBool,
}

impl Marks {
    /// Frames applied at the target.
    #[inline]
    pub fn done(&self) -> u64 {
        self.done.load(Ordering::Acquire)
    }

    /// Bytes handed to the kernel.
    #[inline]
    pub fn sent(&self) -> u64 {
        self.sent.load(Ordering::Acquire)
    }

    /// Somebody wants to know when `frame` is applied: the next progress asks.
    #[inline]
    pub fn want(&self, frame: u64) {
        self.wanted.fetch_max(frame, Ordering::Relaxed);
    }

    /// Something waits to be sent.
    #[inline]
    pub fn is_waiting(&self) -> bool {
        self.waiting.load(Ordering::Acquire)
    }

    /// There is nothing to send, to ask or to hear.
    #[inline]
    pub fn is_idle(&self) -> bool {
        let due = self.due.load(Ordering::Relaxed).max(self.wanted.load(Ordering::Relaxed));
        !self.is_waiting() && self.done() >= due
    }

    /// Note what was sent and whether something is left. Under the lock.
    #[inline]
    pub fn note_sent(&self, sent: u64, waiting: bool) {
        self.sent.store(sent, Ordering::Release);
        self.waiting.store(waiting, Ordering::Release);
    }

    /// Something was left to be sent. Under the lock.
    #[inline]
    pub fn note_waiting(&self) {
        self.waiting.store(true, Ordering::Release);
    }
}

/// Where the payload of an answer belongs.
#[derive(Clone, Copy)]
pub enum Due {
    /// There is none.
    Number,
    /// A word of eight bytes, stored in the width that was asked for.
    Word(*mut u8, Width),
    /// So many bytes.
    Bytes(*mut u8, usize),
}

struct Expected {
    frame: u64,
    due: Due,
}

/// One end's requests.
#[derive(Default)]
pub struct Asker {
    posted: u64,
    asked: u64,
    expected: VecDeque<Expected>,
    /// Where in the outbox the last request ends.
    end: u64,
}

// SAFETY: the pointers of expected answers are the caller's, promised to be writable until the ticket completes,
// by whatever thread.
unsafe impl Send for Asker {}

impl Asker {
    /// Frames issued so far.
    pub fn posted(&self) -> u64 {
        self.posted
    }

    /// An answer is outstanding.
    pub fn is_expecting(&self) -> bool {
        !self.expected.is_empty()
    }

    /// If the connection ended now, an answer would be missing, or a request would never leave.
    pub fn is_owed(&self, outbox: &Outbox) -> bool {
        self.is_expecting() || outbox.sent() < self.end
    }

    /// An operation may be posted.
    #[inline]
    pub fn has_room(&self, op: &Op, outbox: &Outbox) -> bool {
        let len = match op {
            Op::Put { len, .. } | Op::PutSignal { len, .. } if *len <= INJECT_BYTES_MAX => *len,
            _ => 0,
        };
        outbox.has_room(len + 64) && self.expected.len() < EXPECTED_MAX
    }

    /// Put an operation into the outbox, which has room for it.
    ///
    /// # Safety
    /// As [`ferrite_fabric::Lane::post`].
    #[inline]
    pub unsafe fn post(&mut self, op: &Op, outbox: &mut Outbox, marks: &Marks) -> Posted {
        let local = match *op {
            Op::Put { ref to, from, len } => {
                // SAFETY: as the caller says.
                unsafe { self.put((*to).into(), from, len, outbox, |at, len| Request::Put { at, len }) }
            }
            Op::PutSignal { ref to, from, len, ref signal, op, value } => {
                let signal = (*signal).into();
                let last = |at, len| Request::PutSignal { at, len, signal, op, value };
                // SAFETY: as the caller says.
                unsafe { self.put((*to).into(), from, len, outbox, last) }
            }
            Op::Get { ref from, to, len } => self.get((*from).into(), to, len, outbox),
            Op::Amo { ref at, width, op, operand, compare, fetch } => {
                let wanted = !fetch.is_null();
                self.frame(Request::Amo { at: (*at).into(), width, op, fetch: wanted, operand, compare }, outbox);
                if wanted {
                    self.expect(Due::Word(fetch, width));
                    Local::Done
                } else {
                    Local::Now
                }
            }
        };
        self.end = outbox.queued();
        if let Some(last) = self.expected.back() {
            marks.due.store(last.frame, Ordering::Relaxed);
        }
        Posted { frame: self.posted, local }
    }

    #[inline]
    fn frame(&mut self, request: Request, outbox: &mut Outbox) {
        self.posted += 1;
        outbox.stage(request.encode().bytes());
    }

    #[inline]
    fn expect(&mut self, due: Due) {
        self.expected.push_back(Expected { frame: self.posted, due });
    }

    /// # Safety
    /// `from` is readable for `len` bytes until the local completion that comes back.
    unsafe fn put(
        &mut self,
        at: Place,
        from: *const u8,
        len: usize,
        outbox: &mut Outbox,
        last: impl Fn(Place, u32) -> Request,
    ) -> Local {
        if len <= INJECT_BYTES_MAX {
            self.frame(last(at, len as u32), outbox);
            // SAFETY: readable as the caller says.
            unsafe { outbox.stage_from(from, len) };
            return Local::Now;
        }
        // The frames but the first begin where words do, for each is stored by itself.
        let first = PAYLOAD_BYTES_MAX - at.offset as usize % WORD;
        let mut gone = 0;
        while gone < len {
            let n = (len - gone).min(if gone == 0 { first } else { PAYLOAD_BYTES_MAX });
            let at = Place { offset: at.offset.wrapping_add(gone as u64), ..at };
            let whole = gone + n == len;
            self.frame(if whole { last(at, n as u32) } else { Request::Put { at, len: n as u32 } }, outbox);
            // SAFETY: readable as the caller says.
            unsafe { outbox.direct(from.add(gone), n) };
            gone += n;
        }
        Local::Sent(outbox.queued())
    }

    fn get(&mut self, at: Place, to: *mut u8, len: usize, outbox: &mut Outbox) -> Local {
        let mut gone = 0;
        loop {
            let n = (len - gone).min(PAYLOAD_BYTES_MAX);
            let at = Place { offset: at.offset.wrapping_add(gone as u64), ..at };
            self.frame(Request::Get { at, len: n as u32 }, outbox);
            self.expect(Due::Bytes(to.wrapping_add(gone), n));
            gone += n;
            if gone >= len {
                return Local::Done;
            }
        }
    }

    /// Ask for an acknowledgement if somebody wants one that no answer under way will bring.
    #[inline]
    pub fn ask(&mut self, outbox: &mut Outbox, marks: &Marks) {
        let wanted = marks.wanted.load(Ordering::Relaxed);
        let covered = self.expected.back().map_or(0, |last| last.frame).max(marks.done.load(Ordering::Relaxed));
        if wanted > covered || self.posted - self.asked.max(covered) > UNASKED_MAX {
            self.question(Request::Ask, outbox);
            self.asked = self.posted;
        }
    }

    /// The last words: nothing is posted any more.
    pub fn bye(&mut self, outbox: &mut Outbox, marks: &Marks) {
        self.question(Request::Bye, outbox);
        marks.due.store(self.posted, Ordering::Relaxed);
    }

    fn question(&mut self, request: Request, outbox: &mut Outbox) {
        self.frame(request, outbox);
        self.expect(Due::Number);
        self.end = outbox.queued();
    }

    /// Where the payload of an answer belongs; `None` if it answers what was not asked.
    #[inline]
    pub fn due(&self, reply: &Reply) -> Option<Due> {
        let front = self.expected.front()?;
        let right = match (*reply, front.due) {
            (Reply::Applied { count }, Due::Number) => count == front.frame,
            (Reply::Data { len, count }, Due::Bytes(_, left)) => count == front.frame && len as usize == left,
            (Reply::Data { len, count }, Due::Word(..)) => count == front.frame && len == 8,
            _ => false,
        };
        right.then_some(front.due)
    }

    /// The answer that was due is here, and its payload where it belongs.
    #[inline]
    pub fn answered(&mut self, marks: &Marks) {
        if let Some(answered) = self.expected.pop_front() {
            marks.done.store(answered.frame, Ordering::Release);
        }
    }
}
