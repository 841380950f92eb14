//! Handling of arriving bytes: frames and their payloads.

use super::{Arriving, Parting, Payload, READS_MAX, State, Usage, WHOLE_BYTES_MAX};
use crate::{
    end::{Stop, Wrong},
    replies::Reply,
    wire::{Frame, Malformed, REFUSAL_BYTES_MAX, START_BYTES},
};
use ferrite_engine::{Begun, Target, message, segments};
use std::os::fd::BorrowedFd;

impl State {
    /// Read and handle arriving bytes. Return the number of things that happened.
    #[inline]
    pub fn receive(&mut self, socket: BorrowedFd<'_>, target: &Target) -> Result<usize, Stop> {
        let mut happened = 0;
        let mut reads = 0;
        let mut more = true;
        loop {
            if let Some(Arriving { to, left, of }) = self.arriving {
                let straight = matches!(of, Payload::Get) && !self.inbox.is_sealed();
                // SAFETY: the whole payload was checked against the registered segments, or goes to memory that the caller of a get
                // promised to be writable.
                let (n, full) = unsafe {
                    if straight {
                        reads += 1;
                        self.inbox.pour(socket, to, left).map_err(Stop::Broken)?
                    } else {
                        (self.inbox.hand_over(to, left), false)
                    }
                };
                happened += n;
                if n == left {
                    self.arriving = None;
                    self.arrived(target, of)?;
                    more |= straight;
                    continue;
                }
                self.arriving = Some(Arriving { to: to.wrapping_add(n), left: left - n, of });
                if straight {
                    if !full || reads >= READS_MAX {
                        return Ok(happened);
                    }
                    continue;
                }
            } else if let Some((frame, used)) = self.frame()? {
                happened += 1;
                self.take(target, &frame, used)?;
                continue;
            }
            // No event announces a record that has already been read from the socket, so it is handled now.
            if !more || reads >= READS_MAX && !self.inbox.has_record() {
                return Ok(happened);
            }
            let (n, full) = self.inbox.fill(socket).map_err(Stop::Broken)?;
            if n == 0 {
                return Ok(happened);
            }
            self.usage = self.usage.max(Usage::Used);
            reads += 1;
            more = full;
        }
    }

    /// The next frame; `None` if it has not arrived. A payload so small that it may be a word, or the text of a refusal, must have arrived
    /// too.
    #[inline]
    fn frame(&self) -> Result<Option<(Frame, usize)>, Malformed> {
        let here = self.inbox.bytes();
        Ok(Frame::parse(here)?.filter(|(frame, used)| match frame {
            Frame::Message { len, .. } | Frame::Data { len } => {
                let len = *len as usize;
                len > WHOLE_BYTES_MAX || here.len() >= used + len
            }
            Frame::Refused { len } => here.len() >= used + *len as usize,
            _ => true,
        }))
    }

    /// Execute a frame, which takes `used` bytes of the inbox without its payload.
    #[inline]
    fn take(&mut self, target: &Target, frame: &Frame, used: usize) -> Result<(), Stop> {
        match *frame {
            Frame::Message { len, .. } => return self.message(target, used, len as usize),
            Frame::Data { len } => {
                let len = len as usize;
                let to = self.calls.place(len).ok_or(Wrong::Unasked)?;
                self.inbox.consume(used);
                return self.store(target, Arriving { to, left: len, of: Payload::Get });
            }
            Frame::Get { at, len } => {
                self.still_serving()?;
                let from = target.segments.place(at, len.into())?;
                self.replies.add(Reply::Data(from, len), &mut self.outbox)?;
            }
            Frame::Bye => {
                self.still_serving()?;
                self.usage = Usage::Finished;
                self.replies.add(Reply::Heard, &mut self.outbox)?;
            }
            Frame::Heard if self.parting == Parting::Said => self.parting = Parting::Heard,
            Frame::Heard => return Err(Wrong::Unasked.into()),
            Frame::Refused { len } => {
                let text = &self.inbox.bytes()[used..][..(len as usize).min(REFUSAL_BYTES_MAX)];
                return Err(Stop::Refused(String::from_utf8_lossy(text).into_owned()));
            }
        }
        self.inbox.consume(used);
        Ok(())
    }

    /// Execute a message, or begin to. A connection keeps the order of requests, so the engine's answer to a refused message is not sent:
    /// the refusal ends the connection.
    #[inline]
    fn message(&mut self, target: &Target, used: usize, len: usize) -> Result<(), Stop> {
        let head = &self.inbox.bytes()[START_BYTES..used];
        if !message::is_answer(head) {
            self.still_serving()?;
        } else if !self.calls.answered() {
            return Err(Wrong::Unasked.into());
        }
        let begun = target.begin(head, len)?;
        self.inbox.consume(used);
        match begun {
            Begun::Over(None) => Ok(()),
            Begun::Over(Some(answer)) => Ok(self.replies.add(Reply::Answer(answer.encode()), &mut self.outbox)?),
            Begun::Refused(refusal, _) => Err(refusal.into()),
            Begun::Data(incoming) => {
                self.store(target, Arriving { to: incoming.to, left: len, of: Payload::Put(incoming) })
            }
        }
    }

    fn still_serving(&self) -> Result<(), Wrong> {
        if self.usage == Usage::Finished { Err(Wrong::Late) } else { Ok(()) }
    }

    /// Store a payload if all of it is here; otherwise remember where it belongs.
    #[inline]
    fn store(&mut self, target: &Target, arriving: Arriving) -> Result<(), Stop> {
        let here = self.inbox.bytes();
        if here.len() < arriving.left {
            self.arriving = Some(arriving);
            return Ok(());
        }
        // SAFETY: the whole payload was checked against the registered segments, or goes to memory that the caller of a get promised to be
        // writable.
        unsafe { segments::store(arriving.to, here.as_ptr(), arriving.left) };
        self.inbox.consume(arriving.left);
        self.arrived(target, arriving.of)
    }

    #[inline]
    fn arrived(&mut self, target: &Target, payload: Payload) -> Result<(), Stop> {
        match payload {
            Payload::Get => self.calls.got(),
            Payload::Put(incoming) => {
                if let Some(answer) = target.finish(&incoming, true) {
                    self.replies.add(Reply::Answer(answer.encode()), &mut self.outbox)?;
                }
            }
        }
        Ok(())
    }
}
