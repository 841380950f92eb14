//! Executes peers' messages at this PE: the target's side of every operation that a processor executes.
//!
//! Ports pass messages here, on the thread that polls them. A request is executed at once, and its answer is returned to the port, which
//! knows the connection to the PE that asked. An answer is handed over to the lane that asked, because the port at which it arrived may be
//! polled by another lane's thread.
//!
//! A port that has the whole message calls [`Target::receive`]. A port that receives the data piece by piece, or fetches it, calls
//! [`Target::begin`], stores the data at the place that this returns ([`segments::store`]), and then calls [`Target::finish`].
//!
//! # Memory orders
//!
//! Data is stored before [`Target::finish`], whose release fence orders it before the signal and before every later store. So a thread that
//! sees a later word sees the data, on processors that reorder stores too.

use crate::{
    Location, Pe, SignalOp, Width,
    handover::Handover,
    message::{self, Answer, Asker, Message, Outcome, Request},
    segments::{self, Refusal, Segments},
};
use std::{
    fmt,
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{self, AtomicU64, Ordering},
    },
};

/// Why a message is not one of this job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Malformed {
    /// Its bytes are no message.
    NoMessage,
    /// It comes from a PE that does not exist.
    NoSuchPe(u32),
    /// It has data, although messages of its kind have none.
    NeedlessData,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Malformed::NoMessage => f.write_str("bytes that are no message"),
            Malformed::NoSuchPe(pe) => write!(f, "a message of PE {pe}, which does not exist"),
            Malformed::NeedlessData => f.write_str("a message with data that it should not have"),
        }
    }
}

/// A request whose data has a place and is to be stored there.
#[derive(Clone, Copy, Debug)]
pub struct Incoming {
    asker: Asker,
    signal: Option<(Location, SignalOp, u64)>,
    /// Where the data goes.
    pub to: *mut u8,
}

/// The step that follows a message's head.
#[derive(Clone, Copy, Debug)]
pub enum Begun {
    /// Store the data; [`Target::finish`] follows.
    Data(Incoming),
    /// There is no data to store. Send the answer, if there is one.
    Over(Option<Answer>),
    /// It is refused, whatever data it has. Send the answer.
    Refused(Refusal, Answer),
}

/// The target's side of one PE.
#[derive(Debug)]
pub struct Target {
    me: Pe,
    size: u32,
    /// The memory that peers reach.
    pub segments: Segments,
    lanes: RwLock<Vec<Arc<Handover<Answer>>>>,
    /// Number of messages that were not of this job.
    dropped: AtomicU64,
}

impl Target {
    /// The target of PE `me` of `size`, with nothing registered.
    pub fn new(me: Pe, size: u32) -> Self {
        Target { me, size, segments: Segments::default(), lanes: RwLock::default(), dropped: AtomicU64::new(0) }
    }

    /// The PE that it belongs to.
    pub fn me(&self) -> Pe {
        self.me
    }

    /// Number of PEs in the job.
    pub fn size(&self) -> u32 {
        self.size
    }

    /// Add a lane. Returns its number, and the queue in which its answers are left.
    pub fn add_lane(&self) -> (u32, Arc<Handover<Answer>>) {
        let mut lanes = self.lanes.write().unwrap_or_else(PoisonError::into_inner);
        let answers = Arc::default();
        lanes.push(Arc::clone(&answers));
        (lanes.len() as u32 - 1, answers)
    }

    /// Execute a whole message: head and data, which may follow the head in the same bytes. Returns the answer to send.
    #[inline]
    pub fn receive(&self, head: &[u8], data: &[u8]) -> Result<Option<Answer>, Malformed> {
        let (message, behind) = message::decode(head).ok_or(Malformed::NoMessage)?;
        let data = match (behind, data) {
            ([], data) => data,
            (behind, []) => behind,
            _ => return Err(Malformed::NeedlessData),
        };
        Ok(match self.open(message, data.len())? {
            Begun::Over(answer) => answer,
            Begun::Refused(_, answer) => Some(answer),
            Begun::Data(incoming) => {
                // SAFETY: the place was just checked for as many bytes, which are a message's and so do not overlap them.
                unsafe { segments::store(incoming.to, data.as_ptr(), data.len()) };
                self.finish(&incoming, true)
            }
        })
    }

    /// Begin a message by its head, while its `len` bytes of data are not here yet.
    #[inline]
    pub fn begin(&self, head: &[u8], len: usize) -> Result<Begun, Malformed> {
        match message::decode(head) {
            Some((message, [])) => self.open(message, len),
            _ => Err(Malformed::NoMessage),
        }
    }

    #[inline]
    fn open(&self, message: Message, len: usize) -> Result<Begun, Malformed> {
        let (asker, request) = match message {
            Message::Request(asker, request) => (asker, request),
            Message::Answer(_) if len > 0 => return Err(Malformed::NeedlessData),
            Message::Answer(answer) if answer.from >= self.size => return Err(Malformed::NoSuchPe(answer.from)),
            Message::Answer(answer) => {
                self.deliver(answer);
                return Ok(Begun::Over(None));
            }
        };
        if asker.pe >= self.size {
            return Err(Malformed::NoSuchPe(asker.pe));
        }
        let done = match request {
            Request::Put { at } => return Ok(self.place(asker, at, len, None)),
            Request::PutSignal { at, signal, op, value } => {
                return Ok(self.place(asker, at, len, Some((signal, op, value))));
            }
            _ if len > 0 => return Err(Malformed::NeedlessData),
            Request::Ask => {
                let answer = self.say(asker, Outcome::Done(0));
                return Ok(Begun::Over(Some(Answer { is_of_ask: true, ..answer })));
            }
            Request::Amo { at, width, op, operand, compare } => self.segments.amo(at, width, op, operand, compare),
        };
        Ok(match done {
            Ok(value) => Begun::Over(self.answer(asker, Outcome::Done(value))),
            Err(refusal) => self.refuse(asker, refusal),
        })
    }

    /// Find the place of a put's data. Nothing is touched unless the places of data and signal are both permitted.
    fn place(&self, asker: Asker, at: Location, len: usize, signal: Option<(Location, SignalOp, u64)>) -> Begun {
        let checked = signal.map_or(Ok(()), |(word, ..)| self.segments.word(word, Width::W64).map(drop));
        match checked.and_then(|()| self.segments.place(at, len as u64)) {
            Ok(to) => Begun::Data(Incoming { asker, signal, to }),
            Err(refusal) => self.refuse(asker, refusal),
        }
    }

    /// End a message whose data is in its place, or, if not `arrived`, never will be. Returns the answer to send.
    #[inline]
    pub fn finish(&self, incoming: &Incoming, arrived: bool) -> Option<Answer> {
        if !arrived {
            return Some(self.say(incoming.asker, Outcome::Lost));
        }
        // The copied data is visible before every later store.
        atomic::fence(Ordering::Release);
        if let Some((word, op, value)) = incoming.signal
            && let Err(refusal) = self.segments.amo(word, Width::W64, op.into(), value, 0)
        {
            return Some(self.say(incoming.asker, outcome(refusal)));
        }
        self.answer(incoming.asker, Outcome::Done(0))
    }

    /// Count a message that was not of this job, and log the count at each power of two.
    #[cold]
    pub fn drop_message(&self, why: Malformed) {
        let count = self.dropped.fetch_add(1, Ordering::Relaxed) + 1;
        if count.is_power_of_two() {
            tracing::warn!(me = %self.me, count, "messages were dropped, the last: {why}");
        }
    }

    fn deliver(&self, answer: Answer) {
        let lanes = self.lanes.read().unwrap_or_else(PoisonError::into_inner);
        match lanes.get(answer.lane as usize) {
            Some(lane) => lane.put(answer),
            None => tracing::debug!(%answer, "an answer names a lane that does not exist"),
        }
    }

    fn refuse(&self, asker: Asker, refusal: Refusal) -> Begun {
        Begun::Refused(refusal, self.say(asker, outcome(refusal)))
    }

    #[inline]
    fn answer(&self, asker: Asker, outcome: Outcome) -> Option<Answer> {
        asker.wants_answer.then(|| self.say(asker, outcome))
    }

    #[inline]
    fn say(&self, asker: Asker, outcome: Outcome) -> Answer {
        Answer { from: self.me.0, to: asker.pe, lane: asker.lane, ticket: asker.ticket, is_of_ask: false, outcome }
    }
}

fn outcome(refusal: Refusal) -> Outcome {
    match refusal {
        Refusal::Outside { .. } => Outcome::Outside,
        Refusal::Unaligned { .. } => Outcome::Unaligned,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Any process that reaches an endpoint may send such a message. The target only counts it.
    #[test]
    fn message_of_unknown_pe_is_dropped() {
        let target = Target::new(Pe(0), 2);
        let (lane, answers) = target.add_lane();
        let asker = |pe| Asker { pe, lane: 0, ticket: 1, wants_answer: true };
        let request = |pe| target.receive(Request::Ask.encode(asker(pe)).bytes(), &[]);
        assert!(matches!(request(1), Ok(Some(answer)) if answer.to == 1));
        assert_eq!(request(2).err(), Some(Malformed::NoSuchPe(2)));
        let answer = |from| Answer { from, to: 0, lane, ticket: 1, is_of_ask: false, outcome: Outcome::Outside };
        assert_eq!(target.receive(&answer(u32::MAX).encode(), &[]).err(), Some(Malformed::NoSuchPe(u32::MAX)));
        assert!(!answers.has_any());
        target.receive(&answer(1).encode(), &[]).unwrap();
        assert!(answers.has_any());
        target.drop_message(Malformed::NoSuchPe(2));
        assert_eq!(target.dropped.load(Ordering::Relaxed), 1);
    }
}
