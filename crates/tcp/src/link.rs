//! The initiator's end of a connection: requests go out in the order of issue, answers come back in that order.
//!
//! # Who may touch what
//!
//! All of a link but a few counters is behind one mutex, held by whichever thread of the program posts to this
//! peer or makes progress, or for a moment by the service thread, which moves what a computing program left
//! behind. Nobody waits for it while making progress (`try_lock`): whoever has it is doing the work.
//!
//! The counters are written under the mutex and read without: `done` (so many frames were applied at the target,
//! and what they fetched is in place) and `sent` (so many bytes were handed to the kernel). They are stored with
//! `Release` and read with `Acquire`, so a thread that sees a ticket complete sees the bytes that it fetched. Both
//! only grow. `wanted` goes the other way: up to which frame somebody wants to know. `due` and `waiting`
//! tell a lane, without the mutex, whether a link has anything to do.
//!
//! # Why acknowledgements are asked for
//!
//! A put needs no answer before somebody waits for its completion. So the target answers when asked
//! ([`Request::Ask`]), and the question travels in the same system call as the puts that it asks about. A flag
//! that a peer waits for costs one segment each way and no acknowledgement at all.

use crate::{
    inbox::Inbox,
    memory,
    outbox::Outbox,
    wire::{HEAD_BYTES, Malformed, PAYLOAD_BYTES_MAX, Place, REFUSAL_BYTES_MAX, Reply, Request},
};
use ferrite_fabric::{Busy, Error, Op, Pe, Remote, Result, Width};
use std::{
    collections::VecDeque,
    net::TcpStream,
    os::fd::AsFd,
    sync::{
        Mutex, MutexGuard, PoisonError, TryLockError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

/// Up to this size a put is copied when it is posted.
pub const INJECT_BYTES_MAX: usize = 8 << 10;
/// So many answers may be outstanding.
const EXPECTED_MAX: usize = 8 << 10;
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

enum Into {
    Bytes { to: *mut u8, left: usize },
    Word { to: *mut u8, width: Width },
    Number,
}

struct Expected {
    frame: u64,
    into: Into,
}

struct Wire {
    socket: TcpStream,
    inbox: Inbox,
    outbox: Outbox,
    posted: u64,
    asked: u64,
    expected: VecDeque<Expected>,
    /// The front of `expected` is being answered: its head has been read.
    answering: bool,
}

// SAFETY: the pointers of expected answers are the caller's, promised to be writable until the ticket completes,
// by whatever thread.
unsafe impl Send for Wire {}

/// A connection to a peer's target side.
pub struct Link {
    /// Who is at the other end.
    pub to: Pe,
    wire: Mutex<Wire>,
    done: AtomicU64,
    sent: AtomicU64,
    wanted: AtomicU64,
    due: AtomicU64,
    waiting: AtomicBool,
}

impl Link {
    /// A link over a connection whose target has proven itself.
    pub fn new(to: Pe, socket: TcpStream) -> Self {
        Link {
            to,
            wire: Mutex::new(Wire {
                socket,
                inbox: Inbox::new(),
                outbox: Outbox::default(),
                posted: 0,
                asked: 0,
                expected: VecDeque::new(),
                answering: false,
            }),
            done: AtomicU64::new(0),
            sent: AtomicU64::new(0),
            wanted: AtomicU64::new(0),
            due: AtomicU64::new(0),
            waiting: AtomicBool::new(false),
        }
    }

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

    /// Post an operation. The second value says that the connection turned from empty to not empty.
    ///
    /// # Safety
    /// As [`ferrite_fabric::Lane::post`].
    pub unsafe fn post(&self, op: &Op) -> Result<Result<(Posted, bool), Busy>> {
        let mut wire = self.lock();
        // Sending may make room; what it cannot send makes the post be refused.
        if !wire.has_room(op) {
            wire.flush(self)?;
            if !wire.has_room(op) {
                return Ok(Err(Busy));
            }
        }
        // SAFETY: as the caller says.
        let posted = unsafe { wire.post(op) };
        if let Some(last) = wire.expected.back() {
            self.due.store(last.frame, Ordering::Relaxed);
        }
        if wire.outbox.is_worth_sending() {
            wire.flush(self)?;
        }
        let waits = !wire.outbox.is_empty();
        let turned = waits && !self.waiting.load(Ordering::Relaxed);
        if turned {
            self.waiting.store(true, Ordering::Release);
        }
        Ok(Ok((posted, turned)))
    }

    /// Send what waits and take what has been answered; gives the number of things that happened.
    pub fn progress(&self) -> Result<usize> {
        let Some(mut wire) = self.try_lock() else { return Ok(0) };
        wire.ask(self);
        let sent = wire.flush(self)?;
        Ok(usize::from(sent > 0) + wire.answers(self, false)?)
    }

    /// Whether nothing waits or is expected, told under the lock (see `service` for why).
    pub fn is_quiet(&self) -> bool {
        let wire = self.lock();
        wire.outbox.is_empty() && wire.expected.is_empty()
    }

    /// The last words: nothing is posted any more.
    pub fn bye(&self) -> Result<()> {
        let mut wire = self.lock();
        wire.outbox.stage(Request::Bye.encode().bytes());
        self.waiting.store(true, Ordering::Release);
        wire.flush(self).map(|_| ())
    }

    /// Whether the target has hung up after [`Link::bye`]: answers that nobody waits for are thrown away.
    pub fn has_parted(&self) -> bool {
        let mut wire = self.lock();
        wire.flush(self).is_err() || wire.answers(self, true).is_err()
    }

    fn lock(&self) -> MutexGuard<'_, Wire> {
        self.wire.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn try_lock(&self) -> Option<MutexGuard<'_, Wire>> {
        match self.wire.try_lock() {
            Ok(wire) => Some(wire),
            Err(TryLockError::Poisoned(wire)) => Some(wire.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    fn lost(&self, why: impl std::fmt::Display) -> Error {
        Error::new(format!("the connection to {} was lost: {why}", self.to))
    }
}

#[inline]
fn place(remote: &Remote) -> Place {
    Place { segment: remote.segment.0, offset: remote.offset }
}

impl Wire {
    #[inline]
    fn has_room(&self, op: &Op) -> bool {
        let len = match op {
            Op::Put { len, .. } | Op::PutSignal { len, .. } if *len <= INJECT_BYTES_MAX => *len,
            _ => 0,
        };
        self.outbox.has_room(len + 64) && self.expected.len() < EXPECTED_MAX
    }

    /// # Safety
    /// As [`ferrite_fabric::Lane::post`].
    #[inline]
    unsafe fn post(&mut self, op: &Op) -> Posted {
        match *op {
            Op::Put { ref to, from, len } => {
                // SAFETY: as the caller says.
                let local = unsafe { self.put(place(to), from, len, |at, len| Request::Put { at, len }) };
                Posted { frame: self.posted, local }
            }
            Op::PutSignal { ref to, from, len, ref signal, op, value } => {
                let signal = place(signal);
                let last = |at, len| Request::PutSignal { at, len, signal, op, value };
                // SAFETY: as the caller says.
                let local = unsafe { self.put(place(to), from, len, last) };
                Posted { frame: self.posted, local }
            }
            Op::Get { ref from, to, len } => {
                self.get(place(from), to, len);
                Posted { frame: self.posted, local: Local::Done }
            }
            Op::Amo { ref at, width, op, operand, compare, fetch } => {
                let wanted = !fetch.is_null();
                let request = Request::Amo { at: place(at), width, op, fetch: wanted, operand, compare };
                self.frame(request);
                if wanted {
                    self.expected.push_back(Expected { frame: self.posted, into: Into::Word { to: fetch, width } });
                }
                Posted { frame: self.posted, local: if wanted { Local::Done } else { Local::Now } }
            }
        }
    }

    #[inline]
    fn frame(&mut self, request: Request) {
        self.posted += 1;
        self.outbox.stage(request.encode().bytes());
    }

    /// # Safety
    /// `from` is readable for `len` bytes until the local completion that comes back.
    unsafe fn put(&mut self, at: Place, from: *const u8, len: usize, last: impl Fn(Place, u32) -> Request) -> Local {
        if len <= INJECT_BYTES_MAX {
            self.frame(last(at, len as u32));
            // SAFETY: readable as the caller says.
            unsafe { self.outbox.stage_from(from, len) };
            return Local::Now;
        }
        let mut gone = 0;
        while gone < len {
            let n = (len - gone).min(PAYLOAD_BYTES_MAX);
            let at = Place { offset: at.offset.wrapping_add(gone as u64), ..at };
            let whole = gone + n == len;
            self.frame(if whole { last(at, n as u32) } else { Request::Put { at, len: n as u32 } });
            // SAFETY: readable as the caller says.
            unsafe { self.outbox.direct(from.add(gone), n) };
            gone += n;
        }
        Local::Sent(self.outbox.queued())
    }

    fn get(&mut self, at: Place, to: *mut u8, len: usize) {
        let mut gone = 0;
        loop {
            let n = (len - gone).min(PAYLOAD_BYTES_MAX);
            let at = Place { offset: at.offset.wrapping_add(gone as u64), ..at };
            self.frame(Request::Get { at, len: n as u32 });
            let into = Into::Bytes { to: to.wrapping_add(gone), left: n };
            self.expected.push_back(Expected { frame: self.posted, into });
            gone += n;
            if gone >= len {
                return;
            }
        }
    }

    /// Ask for an acknowledgement if somebody wants one that no answer under way will bring.
    #[inline]
    fn ask(&mut self, link: &Link) {
        let wanted = link.wanted.load(Ordering::Relaxed);
        let covered = self.expected.back().map_or(0, |last| last.frame).max(link.done.load(Ordering::Relaxed));
        if wanted > covered || self.posted - self.asked.max(covered) > UNASKED_MAX {
            self.frame(Request::Ask);
            self.expected.push_back(Expected { frame: self.posted, into: Into::Number });
            self.asked = self.posted;
        }
    }

    #[inline]
    fn flush(&mut self, link: &Link) -> Result<usize> {
        if self.outbox.is_empty() {
            return Ok(0);
        }
        let sent = match self.outbox.flush(self.socket.as_fd()) {
            Ok(sent) => sent,
            // A target that hung up may have said why.
            Err(error) => return Err(self.last_words(link).unwrap_or_else(|| link.lost(error))),
        };
        link.sent.store(self.outbox.sent(), Ordering::Release);
        link.waiting.store(!self.outbox.is_empty(), Ordering::Release);
        Ok(sent)
    }

    /// What the target said before it hung up, if it said anything.
    fn last_words(&mut self, link: &Link) -> Option<Error> {
        loop {
            match self.answers(link, true) {
                Ok(0) => return None,
                Ok(_) => {}
                Err(error) => return Some(error),
            }
        }
    }

    /// Take what has arrived; `listen` even if nothing is expected.
    fn answers(&mut self, link: &Link, listen: bool) -> Result<usize> {
        let mut happened = 0;
        let mut more = true;
        loop {
            if self.answering {
                let (n, full) = self.pour(link)?;
                happened += n;
                if self.answering && !full {
                    return Ok(happened);
                }
                continue;
            }
            if let Some(reply) = self.whole().map_err(|e| link.lost(e))? {
                self.answer(link, reply)?;
                happened += 1;
                continue;
            }
            if !more || (self.expected.is_empty() && !listen) {
                return Ok(happened);
            }
            let (n, full) = self.inbox.fill(self.socket.as_fd()).map_err(|e| link.lost(hangup(e)))?;
            if n == 0 {
                return Ok(happened);
            }
            more = full;
        }
    }

    /// The next reply's head; a refusal only with its text.
    #[inline]
    fn whole(&self) -> Result<Option<Reply>, Malformed> {
        let here = self.inbox.bytes();
        Ok(Reply::parse(here)?.filter(|reply| match reply {
            Reply::Refused { len, .. } => here.len() >= HEAD_BYTES + *len as usize,
            _ => true,
        }))
    }

    /// Take a reply's head; what it carries comes next.
    #[inline]
    fn answer(&mut self, link: &Link, reply: Reply) -> Result<()> {
        let due = self.expected.front();
        self.inbox.consume(HEAD_BYTES);
        match (reply, due) {
            (Reply::Applied { count }, Some(Expected { frame, into: Into::Number })) if count == *frame => {
                self.finish(link);
                Ok(())
            }
            (Reply::Data { len, count }, Some(Expected { frame, into: Into::Bytes { left, .. } }))
                if count == *frame && len as usize == *left =>
            {
                self.answering = true;
                Ok(())
            }
            (Reply::Data { len: 8, count }, Some(Expected { frame, into: Into::Word { .. } })) if count == *frame => {
                self.answering = true;
                Ok(())
            }
            (Reply::Refused { len, .. }, _) => {
                let len = (len as usize).min(REFUSAL_BYTES_MAX).min(self.inbox.bytes().len());
                let why = String::from_utf8_lossy(&self.inbox.bytes()[..len]).into_owned();
                Err(Error::new(format!("{} refused an operation: {why}", link.to)))
            }
            _ => Err(link.lost("it answered what was not asked")),
        }
    }

    #[inline]
    fn pour(&mut self, link: &Link) -> Result<(usize, bool)> {
        let Some(due) = self.expected.front_mut() else { return Err(link.lost("nothing was asked")) };
        let (moved, full, left) = match &mut due.into {
            Into::Bytes { to, left } => {
                // SAFETY: the caller promised `left` bytes at `to` until this is answered.
                let (n, full) =
                    unsafe { self.inbox.pour(self.socket.as_fd(), *to, *left) }.map_err(|e| link.lost(hangup(e)))?;
                *to = to.wrapping_add(n);
                *left -= n;
                (n, full, *left)
            }
            Into::Word { to, width } => {
                let Some(&word) = self.inbox.bytes().first_chunk::<8>() else {
                    let (n, _) = self.inbox.fill(self.socket.as_fd()).map_err(|e| link.lost(hangup(e)))?;
                    return Ok((n, n > 0));
                };
                let word = u64::from_le_bytes(word);
                // SAFETY: the caller promised a word of that width at `to` until this is answered.
                unsafe {
                    match width {
                        Width::W32 => memory::store(*to, &(word as u32).to_ne_bytes()),
                        Width::W64 => memory::store(*to, &word.to_ne_bytes()),
                    }
                }
                self.inbox.consume(8);
                (8, true, 0)
            }
            Into::Number => (0, true, 0),
        };
        if left == 0 {
            self.answering = false;
            self.finish(link);
        }
        Ok((moved, full))
    }

    #[inline]
    fn finish(&mut self, link: &Link) {
        if let Some(due) = self.expected.pop_front() {
            link.done.store(due.frame, Ordering::Release);
        }
    }
}

fn hangup(error: std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::UnexpectedEof => "the peer hung up".to_owned(),
        _ => error.to_string(),
    }
}
