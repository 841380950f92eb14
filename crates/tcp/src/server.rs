//! A peer's requests: they are applied in the order in which they were sent.
//!
//! That order is what [`Lane::fence`](ferrite_fabric::Lane::fence) promises. All operations of one PE at another
//! travel on one connection, TCP delivers its bytes in order, and here one thread at a time applies one request
//! after the other; so a fence has nothing to do. The same order makes completion cumulative: request number n
//! answered means that all before it were applied.
//!
//! # Answers that wait
//!
//! An answer goes into the connection's outbox if there is room in the share of it that answers have, and waits here
//! otherwise: as a word, or as the place in a segment where its bytes lie, never as a copy of them. So what waits is
//! small, it is bounded by what a peer may ask for before it is answered ([`OUTSTANDING_MAX`]), and requests need not wait
//! because answers do (`channel` says why they must not).
//!
//! What a get brings is therefore what lies there between the moment when it is applied and the moment when its bytes
//! leave. Small results are copied when they are applied, if there is room. Neither a fence nor the order of requests
//! promises more: OpenSHMEM orders a get before a later put to the same bytes only once the get is complete.

use crate::{
    asker::OUTSTANDING_MAX,
    end::Wrong,
    outbox::Outbox,
    wire::{Place, REFUSAL_BYTES_MAX, Reply, Request},
};
use ferrite_fabric::{SignalOp, segments::Segments};
use std::{collections::VecDeque, sync::atomic};

/// Results up to this size are copied into the outbox; longer ones are sent from where they lie.
const COPY_BYTES_MAX: usize = 8 << 10;
/// The share of the outbox that answers have: so many copied bytes of them at a time, and so many pieces. The rest is for
/// requests, so neither keeps the other out for longer than its share takes to leave.
const SHARE_BYTES: usize = 64 << 10;
const SHARE_PIECES: usize = 16;

/// What is done when the payload of a put is in its place.
pub type Signal = Option<(Place, SignalOp, u64)>;

#[derive(Clone, Copy)]
enum Answer {
    Number,
    Word(u64),
    Bytes(*const u8, u32),
}

/// One end's service to the other.
#[derive(Default)]
pub struct Server {
    applied: u64,
    waiting: VecDeque<(u64, Answer)>,
    /// Bytes and pieces of the share that are taken, until the outbox has sent what lies before `share_end`.
    share_bytes: usize,
    share_pieces: usize,
    share_end: u64,
    finished: bool,
}

// SAFETY: the pointers of answers lead into registered segments, which any thread may read.
unsafe impl Send for Server {}

impl Server {
    /// Answers wait that the outbox had no room for.
    #[inline]
    pub fn has_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// The peer has said that no request follows.
    pub fn is_finished(&self) -> bool {
        self.finished
    }

    /// The place of a put's payload; [`Server::stored`] follows when it is there.
    #[inline]
    pub fn place(&self, memory: &Segments, at: Place, len: u32, signal: &Signal) -> Result<*mut u8, Wrong> {
        self.still_serving()?;
        if let Some((signal, ..)) = signal {
            memory.signal(*signal)?;
        }
        Ok(memory.place(at, len.into())?)
    }

    /// The payload of a put is in its place.
    #[inline]
    pub fn stored(&mut self, memory: &Segments, signal: Signal) -> Result<(), Wrong> {
        // What was copied is visible before whatever is stored next; words order themselves (see `segments`).
        atomic::fence(atomic::Ordering::Release);
        self.applied += 1;
        if let Some((signal, op, value)) = signal {
            memory.raise(signal, op, value)?;
        }
        Ok(())
    }

    /// Apply a request that is not a put.
    #[inline]
    pub fn apply(&mut self, memory: &Segments, request: &Request, outbox: &mut Outbox) -> Result<(), Wrong> {
        self.still_serving()?;
        let answer = match *request {
            Request::Amo { at, width, op, fetch, operand, compare } => {
                let old = memory.amo(at, width, op, operand, compare)?;
                fetch.then_some(Answer::Word(old))
            }
            Request::Get { at, len } => Some(Answer::Bytes(memory.place(at, len.into())?, len)),
            Request::Ask => Some(Answer::Number),
            Request::Bye => {
                self.finished = true;
                Some(Answer::Number)
            }
            Request::Put { .. } | Request::PutSignal { .. } => None,
        };
        self.applied += 1;
        match answer {
            Some(answer) => self.answer(answer, outbox),
            None => Ok(()),
        }
    }

    fn still_serving(&self) -> Result<(), Wrong> {
        if self.finished { Err(Wrong::Late) } else { Ok(()) }
    }

    #[inline]
    fn answer(&mut self, answer: Answer, outbox: &mut Outbox) -> Result<(), Wrong> {
        if self.waiting.is_empty() && self.has_share(answer, outbox) {
            self.stage(self.applied, answer, outbox);
            return Ok(());
        }
        if self.waiting.len() >= OUTSTANDING_MAX {
            return Err(Wrong::TooMany);
        }
        self.waiting.push_back((self.applied, answer));
        Ok(())
    }

    /// Move answers that wait to the outbox, as far as it has room for them.
    #[inline]
    pub fn hand_over(&mut self, outbox: &mut Outbox) {
        while let Some(&(count, answer)) = self.waiting.front() {
            if !self.has_share(answer, outbox) {
                break;
            }
            self.waiting.pop_front();
            self.stage(count, answer, outbox);
        }
    }

    #[inline]
    fn has_share(&mut self, answer: Answer, outbox: &Outbox) -> bool {
        if outbox.sent() >= self.share_end {
            (self.share_bytes, self.share_pieces) = (0, 0);
        }
        self.share_bytes + answer.copied() <= SHARE_BYTES && self.share_pieces < SHARE_PIECES
    }

    #[inline]
    fn stage(&mut self, count: u64, answer: Answer, outbox: &mut Outbox) {
        match answer {
            Answer::Number => outbox.stage(Reply::Applied { count }.encode().bytes()),
            Answer::Word(word) => {
                outbox.stage(Reply::Data { len: 8, count }.encode().bytes());
                outbox.stage(&word.to_le_bytes());
            }
            Answer::Bytes(from, len) => {
                outbox.stage(Reply::Data { len, count }.encode().bytes());
                let len = len as usize;
                // SAFETY: `from` was checked for `len` bytes, and registered memory stays mapped while the fabric,
                // which owns the outbox, lives.
                unsafe {
                    if len <= COPY_BYTES_MAX {
                        outbox.stage_from(from, len);
                    } else {
                        outbox.direct(from, len);
                        self.share_pieces += 1;
                    }
                }
            }
        }
        self.share_bytes += answer.copied();
        self.share_end = outbox.queued();
    }

    /// Tell the peer why its connection ends, if it fits: its side turns that into the end of the job.
    pub fn refuse(&self, why: &str, outbox: &mut Outbox) {
        let text = &why.as_bytes()[..why.len().min(REFUSAL_BYTES_MAX)];
        if outbox.has_room(text.len() + 64) {
            outbox.stage(Reply::Refused { len: text.len() as u32, count: self.applied + 1 }.encode().bytes());
            outbox.stage(text);
        }
    }
}

impl Answer {
    /// Bytes that are copied to stage it.
    #[inline]
    fn copied(self) -> usize {
        match self {
            Answer::Number => 16,
            Answer::Word(_) => 24,
            Answer::Bytes(_, len) if len as usize <= COPY_BYTES_MAX => 16 + len as usize,
            Answer::Bytes(..) => 16,
        }
    }
}
