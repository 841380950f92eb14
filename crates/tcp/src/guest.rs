//! A connection on which a peer's requests come: they are applied in the order in which they were sent.
//!
//! That order is what [`Lane::fence`](ferrite_fabric::Lane::fence) promises. All operations of one PE at another
//! travel on one connection, TCP delivers its bytes in order, and here one thread at a time applies one request
//! after the other; so a fence has nothing to do. The same order makes completion cumulative: request number n
//! answered means that all before it were applied.

use crate::{
    inbox::Inbox,
    memory::{self, Memory, Refusal},
    outbox::Outbox,
    wire::{Malformed, Place, REFUSAL_BYTES_MAX, Reply, Request},
};
use ferrite_fabric::{Pe, SignalOp};
use std::{fmt, io, net::TcpStream, os::fd::AsFd, sync::atomic};

/// Results up to this size are copied when they are read; longer ones are sent from where they lie, and the next
/// request waits until they have left, lest it change them.
const COPY_BYTES_MAX: usize = 8 << 10;
/// Payloads up to this size are stored only when all of them is here.
const WHOLE_BYTES_MAX: usize = 64;
/// So many reads of the socket before others get their turn.
const READS_MAX: usize = 16;

/// Why a connection ends.
#[derive(Debug)]
pub enum End {
    /// The peer said that nothing follows.
    Bye,
    /// The peer sent what no peer sends.
    Malformed(Malformed),
    /// The peer asked for what is not its to touch.
    Refused(Refusal),
    /// The connection broke.
    Lost(io::Error),
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            End::Bye => f.write_str("the peer has finished"),
            End::Malformed(what) => what.fmt(f),
            End::Refused(what) => what.fmt(f),
            End::Lost(what) if what.kind() == io::ErrorKind::UnexpectedEof => f.write_str("the peer hung up"),
            End::Lost(what) => what.fmt(f),
        }
    }
}

enum Doing {
    /// The next bytes are a request.
    Heads,
    /// The next `left` bytes belong at `to`; then a signal may be raised.
    Payload { to: *mut u8, left: usize, then: Option<(Place, SignalOp, u64)> },
}

/// The target's end of a connection whose initiator has proven itself.
pub struct Guest {
    socket: TcpStream,
    from: Pe,
    inbox: Inbox,
    outbox: Outbox,
    doing: Doing,
    applied: u64,
}

// SAFETY: the pointer of a payload leads into a registered segment, which any thread may write.
unsafe impl Send for Guest {}

impl Guest {
    /// A connection from `from`.
    pub fn new(socket: TcpStream, from: Pe) -> Self {
        Guest { socket, from, inbox: Inbox::new(), outbox: Outbox::default(), doing: Doing::Heads, applied: 0 }
    }

    /// Who is at the other end.
    pub fn from(&self) -> Pe {
        self.from
    }

    /// The socket.
    pub fn socket(&self) -> &TcpStream {
        &self.socket
    }

    /// Nothing is read until the peer has taken what waits for it.
    pub fn is_blocked(&self) -> bool {
        self.outbox.has_direct() || !self.outbox.has_room(COPY_BYTES_MAX + 64)
    }

    /// Answers wait that the socket did not take.
    pub fn has_unsent(&self) -> bool {
        !self.outbox.is_empty()
    }

    /// Apply what has arrived and answer it; gives the number of things that happened.
    pub fn serve(&mut self, memory: &Memory) -> Result<usize, End> {
        let served = self.requests(memory);
        if let Err(end @ (End::Malformed(_) | End::Refused(_))) = &served {
            self.refuse(end);
        }
        let sent = if self.outbox.is_empty() { 0 } else { self.flush()? };
        Ok(served? + usize::from(sent > 0))
    }

    fn flush(&mut self) -> Result<usize, End> {
        self.outbox.flush(self.socket.as_fd()).map_err(End::Lost)
    }

    fn requests(&mut self, memory: &Memory) -> Result<usize, End> {
        let mut happened = 0;
        let mut reads = 0;
        let mut more = true;
        loop {
            if self.is_blocked() {
                happened += self.flush()?;
                if self.is_blocked() {
                    return Ok(happened);
                }
            }
            if let Doing::Payload { to, left, then } = self.doing {
                // SAFETY: `to` was checked against the registered segments for all of the payload.
                let (n, full) = unsafe { self.inbox.pour(self.socket.as_fd(), to, left) }.map_err(End::Lost)?;
                happened += n;
                reads += 1;
                if n < left {
                    self.doing = Doing::Payload { to: to.wrapping_add(n), left: left - n, then };
                    if !full || reads >= READS_MAX {
                        return Ok(happened);
                    }
                    continue;
                }
                self.finish(memory, then)?;
                more = true;
                continue;
            }
            if let Some((request, used)) = self.whole().map_err(End::Malformed)? {
                self.inbox.consume(used);
                self.apply(memory, request)?;
                happened += 1;
                continue;
            }
            if !more || reads >= READS_MAX {
                return Ok(happened);
            }
            let (n, full) = self.inbox.fill(self.socket.as_fd()).map_err(End::Lost)?;
            if n == 0 {
                return Ok(happened);
            }
            reads += 1;
            more = full;
        }
    }

    /// The next request, with its payload if that is so small that it may be a word: words are stored whole.
    #[inline]
    fn whole(&self) -> Result<Option<(Request, usize)>, Malformed> {
        let parsed = Request::parse(self.inbox.bytes())?;
        Ok(parsed.filter(|(request, used)| match request {
            Request::Put { len, .. } | Request::PutSignal { len, .. } => {
                let len = *len as usize;
                len > WHOLE_BYTES_MAX || self.inbox.bytes().len() >= used + len
            }
            _ => true,
        }))
    }

    #[inline]
    fn apply(&mut self, memory: &Memory, request: Request) -> Result<(), End> {
        match request {
            Request::Put { at, len } => self.take(memory, at, len, None),
            Request::PutSignal { at, len, signal, op, value } => {
                memory.signal(signal).map_err(End::Refused)?;
                self.take(memory, at, len, Some((signal, op, value)))
            }
            Request::Amo { at, width, op, fetch, operand, compare } => {
                let old = memory.amo(at, width, op, operand, compare).map_err(End::Refused)?;
                self.applied += 1;
                if fetch {
                    self.outbox.stage(Reply::Data { len: 8, count: self.applied }.encode().bytes());
                    self.outbox.stage(&old.to_le_bytes());
                }
                Ok(())
            }
            Request::Get { at, len } => {
                let from = memory.place(at, len.into()).map_err(End::Refused)?;
                self.applied += 1;
                self.outbox.stage(Reply::Data { len, count: self.applied }.encode().bytes());
                let len = len as usize;
                // SAFETY: `from` was just checked for `len` bytes, and registered memory stays mapped while the
                // fabric, which owns the outbox, lives.
                unsafe {
                    if len <= COPY_BYTES_MAX {
                        self.outbox.stage_from(from, len);
                    } else {
                        self.outbox.direct(from, len);
                    }
                }
                Ok(())
            }
            Request::Ask => {
                self.applied += 1;
                self.outbox.stage(Reply::Applied { count: self.applied }.encode().bytes());
                Ok(())
            }
            Request::Bye => Err(End::Bye),
        }
    }

    fn take(&mut self, memory: &Memory, at: Place, len: u32, then: Option<(Place, SignalOp, u64)>) -> Result<(), End> {
        let to = memory.place(at, len.into()).map_err(End::Refused)?;
        let left = len as usize;
        let here = self.inbox.bytes();
        if here.len() < left {
            self.doing = Doing::Payload { to, left, then };
            return Ok(());
        }
        // SAFETY: `to` was just checked for `left` bytes.
        unsafe { memory::store(to, &here[..left]) };
        self.inbox.consume(left);
        self.finish(memory, then)
    }

    fn finish(&mut self, memory: &Memory, then: Option<(Place, SignalOp, u64)>) -> Result<(), End> {
        self.doing = Doing::Heads;
        // What was copied is visible before whatever is stored next; words order themselves (see `memory`).
        atomic::fence(atomic::Ordering::Release);
        self.applied += 1;
        match then {
            Some((signal, op, value)) => memory.raise(signal, op, value).map_err(End::Refused),
            None => Ok(()),
        }
    }

    /// Tell the peer why its connection ends, if it fits: its side turns that into the end of the job.
    fn refuse(&mut self, end: &End) {
        let text = end.to_string();
        let text = &text.as_bytes()[..text.len().min(REFUSAL_BYTES_MAX)];
        let count = self.applied + 1;
        if self.outbox.has_room(text.len() + 64) {
            self.outbox.stage(Reply::Refused { len: text.len() as u32, count }.encode().bytes());
            self.outbox.stage(text);
        }
    }
}
