//! Replies to a peer: the engine's answers to its messages, and the bytes of its gets.
//!
//! A reply goes into the connection's outbox if there is room in the share of the outbox that replies have. Otherwise it waits here: as a
//! few words, or as the place in a segment where its bytes lie, never as a copy of them. So waiting replies are small, their number is
//! bounded ([`WAITING_MAX`]), and requests need not wait because replies do (`connection` says why they must not).
//!
//! A get therefore returns the bytes as they are at some time between its execution and the moment when they are sent. Small results are
//! copied at the execution, if there is room. Neither a fence nor the order of requests promises more: OpenSHMEM orders a get before a
//! later put to the same bytes only once the get is complete.

use crate::{
    end::Wrong,
    outbox::{COPY_BYTES_MAX, Outbox},
    wire::{Encoded, Frame, REFUSAL_BYTES_MAX, START_BYTES},
};
use ferrite_engine::ANSWER_BYTES;
use std::collections::VecDeque;

/// Maximum number of waiting replies: many times as many as a peer may have outstanding.
const WAITING_MAX: usize = 128 << 10;
/// The share of the outbox that replies have: their maximum number of copied bytes and of pieces at a time. The rest is for requests, so
/// neither keeps the other out for longer than its share takes to leave.
const SHARE_BYTES: usize = 64 << 10;
const SHARE_PIECES: usize = 16;

/// A reply to a peer.
#[derive(Clone, Copy)]
pub enum Reply {
    /// The peer's last request is executed.
    Heard,
    /// The engine's answer to a message.
    Answer([u8; ANSWER_BYTES]),
    /// The bytes of a get, where they lie in a segment.
    Data(*const u8, u32),
}

/// The replies of a connection that wait for room in the outbox.
#[derive(Default)]
pub struct Replies {
    waiting: VecDeque<Reply>,
    /// Bytes and pieces of the share that are taken, until the outbox has sent what lies before `share_end`.
    share_bytes: usize,
    share_pieces: usize,
    share_end: u64,
}

// SAFETY: the pointers of replies lead into registered segments, which any thread may read.
unsafe impl Send for Replies {}

impl Replies {
    /// Whether replies wait for room in the outbox.
    #[inline]
    pub fn has_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Add a reply to the outbox, or let it wait. The bytes of [`Reply::Data`] stay mapped while the outbox lives.
    #[inline]
    pub fn add(&mut self, reply: Reply, outbox: &mut Outbox) -> Result<(), Wrong> {
        if self.waiting.is_empty() && self.has_share(reply, outbox) {
            self.stage(reply, outbox);
            return Ok(());
        }
        if self.waiting.len() >= WAITING_MAX {
            return Err(Wrong::TooMany);
        }
        self.waiting.push_back(reply);
        Ok(())
    }

    /// Move waiting replies to the outbox, as far as it has room for them.
    #[inline]
    pub fn hand_over(&mut self, outbox: &mut Outbox) {
        while let Some(&reply) = self.waiting.front() {
            if !self.has_share(reply, outbox) {
                break;
            }
            self.waiting.pop_front();
            self.stage(reply, outbox);
        }
    }

    #[inline]
    fn has_share(&mut self, reply: Reply, outbox: &Outbox) -> bool {
        if outbox.sent() >= self.share_end {
            (self.share_bytes, self.share_pieces) = (0, 0);
        }
        self.share_bytes + reply.copied_bytes() <= SHARE_BYTES && self.share_pieces < SHARE_PIECES
    }

    #[inline]
    fn stage(&mut self, reply: Reply, outbox: &mut Outbox) {
        match reply {
            Reply::Heard => outbox.stage(Frame::Heard.encode().bytes()),
            Reply::Answer(bytes) => outbox.stage(Encoded::message(&bytes, 0).bytes()),
            Reply::Data(from, len) => {
                outbox.stage(Frame::Data { len }.encode().bytes());
                // SAFETY: `from` was checked for `len` bytes, and registered memory stays mapped while the transport,
                // which owns the outbox, is open.
                let is_copied = unsafe { outbox.add(from, len as usize) };
                self.share_pieces += usize::from(!is_copied);
            }
        }
        self.share_bytes += reply.copied_bytes();
        self.share_end = outbox.queued();
    }
}

impl Reply {
    /// Bytes that are copied to stage it.
    #[inline]
    fn copied_bytes(self) -> usize {
        START_BYTES
            + match self {
                Reply::Answer(_) => ANSWER_BYTES,
                Reply::Data(_, len) if len as usize <= COPY_BYTES_MAX => len as usize,
                Reply::Heard | Reply::Data(..) => 0,
            }
    }
}

/// Send the peer the reason why its connection ends, if there is room. The peer's side then ends the job.
pub fn refuse(why: &str, outbox: &mut Outbox) {
    let text = &why.as_bytes()[..why.len().min(REFUSAL_BYTES_MAX)];
    if outbox.has_room(START_BYTES + text.len()) {
        outbox.stage(Frame::Refused { len: text.len() as u32 }.encode().bytes());
        outbox.stage(text);
    }
}
