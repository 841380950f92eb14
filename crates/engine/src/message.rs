//! The wire format between engines: requests to a target's processor, and its answers. Pure functions between bytes and values.
//!
//! A head is little endian, and as short as its kind allows: the head of a small put is to fit one cache line together with the
//! put's data and a transport's own head.
//!
//! | word | request | answer |
//! |---|---|---|
//! | 0 | bits 0..8: kind and operation; 8..16: segment; 16..64: ticket | kind and status; 0; ticket |
//! | 1 | PE that asks; its lane | PE that answers; the lane that asked |
//! | 2 | offset in the segment | the old value of a word |
//! | 3 | operand, or the signal's value | |
//! | 4 | what a compare-and-swap compares with, or the place of the signal | |
//!
//! A target does not trust messages: [`Target`](crate::Target) checks every place that they name.

use crate::{Amo, Location, SegmentId, SignalOp, Width};
use core::fmt;

/// Bytes of the longest head.
pub const HEAD_BYTES_MAX: usize = 40;
/// Bytes of an answer.
pub const ANSWER_BYTES: usize = 24;
/// 48 bits of ticket last a lane for years.
const TICKET_BITS: u32 = 48;

/// Sender of a request, and the fields by which the answer finds its operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Asker {
    /// The PE that asks.
    pub pe: u32,
    /// The lane of that PE.
    pub lane: u32,
    /// The ticket of the operation.
    pub ticket: u64,
    /// Whether it wants an answer when the request is done. A refusal is always answered.
    pub wants_answer: bool,
}

/// A request to a target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Request {
    /// Answer. Everything that came before is done then.
    Ask,
    /// Store the message's data.
    Put {
        /// Where the data goes.
        at: Location,
    },
    /// Store the message's data, then update a signal word.
    PutSignal {
        /// Where the data goes.
        at: Location,
        /// The signal word.
        signal: Location,
        /// How it is updated.
        op: SignalOp,
        /// The operand of the update.
        value: u64,
    },
    /// Update a word.
    Amo {
        /// Where the word is.
        at: Location,
        /// Size of the word.
        width: Width,
        /// The kind of update.
        op: Amo,
        /// Operand of the update.
        operand: u64,
        /// Expected value of a compare-and-swap.
        compare: u64,
    },
}

/// Result of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Done. The value is the old value of the word.
    Done(u64),
    /// Refused: it reaches outside of the registered memory.
    Outside,
    /// Refused: it names a word that is not aligned to its size.
    Unaligned,
    /// Its data did not arrive.
    Lost,
}

impl Outcome {
    /// Why the request was not executed, in words.
    pub fn refusal(self) -> Option<&'static str> {
        match self {
            Outcome::Done(_) => None,
            Outcome::Outside => Some("the address is outside of the registered memory"),
            Outcome::Unaligned => Some("the word is not aligned to its size"),
            Outcome::Lost => Some("the data of a put did not arrive"),
        }
    }
}

/// What a target answers to a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Answer {
    /// The PE that answers.
    pub from: u32,
    /// The PE that asked, if it is known. This is not part of the wire format.
    pub to: u32,
    /// The lane that asked.
    pub lane: u32,
    /// The ticket of the request.
    pub ticket: u64,
    /// True for an answer to [`Request::Ask`]: everything that came before is done.
    pub is_of_ask: bool,
    /// Result of the request.
    pub outcome: Outcome,
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Answer { from, lane, ticket, outcome, .. } = self;
        let result = outcome.refusal().unwrap_or("done");
        write!(f, "PE {from} to lane {lane}, ticket {ticket}: {result}")
    }
}

/// What travels between two engines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Message {
    /// A request, with its sender.
    Request(Asker, Request),
    /// An answer to a request.
    Answer(Answer),
}

const AMOS: [Amo; 8] = [Amo::Fetch, Amo::Set, Amo::Swap, Amo::CompareSwap, Amo::Add, Amo::And, Amo::Or, Amo::Xor];

const KIND: u64 = 0x70;
const ASK: u64 = 0x10;
const PUT: u64 = 0x20;
const SET: u64 = 0x30;
const ADD: u64 = 0x40;
const NARROW: u64 = 0x50;
const WIDE: u64 = 0x60;
const ANSWER: u64 = 0x70;
const WANTED: u64 = 0x80;
/// Bit of an answer's code that marks answers to [`Request::Ask`].
const OF_ASK: u64 = 8;

/// A message but for its data, as it travels.
#[derive(Clone, Copy, Debug)]
pub struct Head {
    bytes: [u8; HEAD_BYTES_MAX],
    len: usize,
}

impl Head {
    /// The bytes of the head.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    #[inline]
    fn of(words: &[u64]) -> Head {
        Head { bytes: bytes_of(words), len: 8 * words.len() }
    }
}

/// The words as little-endian bytes, followed by zeros.
#[inline]
fn bytes_of<const N: usize>(words: &[u64]) -> [u8; N] {
    let mut bytes = [0; N];
    for (to, word) in bytes.chunks_exact_mut(8).zip(words) {
        to.copy_from_slice(&word.to_le_bytes());
    }
    bytes
}

fn packed(at: Location) -> u64 {
    u64::from(at.segment.0) << 56 | at.offset & (u64::MAX >> 8)
}

fn unpacked(word: u64) -> Location {
    Location { segment: SegmentId((word >> 56) as u8), offset: word & (u64::MAX >> 8) }
}

impl Request {
    /// Encode the head of this request.
    #[inline]
    pub fn encode(&self, asker: Asker) -> Head {
        let wanted = if asker.wants_answer { WANTED } else { 0 };
        let first = |code: u64, segment: u8| asker.ticket << 16 | u64::from(segment) << 8 | code | wanted;
        let who = u64::from(asker.pe) | u64::from(asker.lane) << 32;
        match *self {
            Request::Ask => Head::of(&[first(ASK, 0), who]),
            Request::Put { at } => Head::of(&[first(PUT, at.segment.0), who, at.offset]),
            Request::PutSignal { at, signal, op, value } => {
                let code = if op == SignalOp::Add { ADD } else { SET };
                Head::of(&[first(code, at.segment.0), who, at.offset, value, packed(signal)])
            }
            Request::Amo { at, width, op, operand, compare } => {
                let code = if width == Width::W64 { WIDE } else { NARROW };
                let code = code | AMOS.iter().position(|amo| *amo == op).unwrap_or_default() as u64;
                let words = [first(code, at.segment.0), who, at.offset, operand, compare];
                Head::of(if op == Amo::CompareSwap { &words } else { &words[..4] })
            }
        }
    }
}

impl Answer {
    /// The bytes that travel.
    #[inline]
    pub fn encode(&self) -> [u8; ANSWER_BYTES] {
        let (status, value) = match self.outcome {
            Outcome::Done(value) => (0, value),
            Outcome::Outside => (1, 0),
            Outcome::Unaligned => (2, 0),
            Outcome::Lost => (3, 0),
        };
        let of_ask = if self.is_of_ask { OF_ASK } else { 0 };
        let who = u64::from(self.from) | u64::from(self.lane) << 32;
        bytes_of(&[self.ticket << 16 | ANSWER | of_ask | status, who, value])
    }
}

/// Decode the head at the start of `bytes`. Returns it with the bytes that follow it, or `None` if the bytes are no head.
#[inline]
pub fn decode(bytes: &[u8]) -> Option<(Message, &[u8])> {
    let word = |at: usize| Some(u64::from_le_bytes(*bytes.get(8 * at..)?.first_chunk()?));
    let (first, who) = (word(0)?, word(1)?);
    let (code, segment, ticket) = (first & 0xff, SegmentId((first >> 8) as u8), first >> 16);
    let (pe, lane) = (who as u32, (who >> 32) as u32);
    let at = || Some(Location { segment, offset: word(2)? });
    let signal = |op| Some(Request::PutSignal { at: at()?, signal: unpacked(word(4)?), op, value: word(3)? });
    let amo = |width| {
        let op = *AMOS.get((code & 0xf) as usize)?;
        let compare = if op == Amo::CompareSwap { word(4)? } else { 0 };
        Some(Request::Amo { at: at()?, width, op, operand: word(3)?, compare })
    };
    let (request, words) = match code & KIND {
        ANSWER => {
            let outcome = match code & !(KIND | OF_ASK) {
                0 => Outcome::Done(word(2)?),
                1 => Outcome::Outside,
                2 => Outcome::Unaligned,
                3 => Outcome::Lost,
                _ => return None,
            };
            let answer = Answer { from: pe, to: 0, lane, ticket, is_of_ask: code & OF_ASK != 0, outcome };
            return Some((Message::Answer(answer), bytes.get(ANSWER_BYTES..)?));
        }
        NARROW => amo(Width::W32).map(|amo| (amo, amo_words(&amo)))?,
        WIDE => amo(Width::W64).map(|amo| (amo, amo_words(&amo)))?,
        _ if code & 0xf != 0 => return None,
        ASK => (Request::Ask, 2),
        PUT => (Request::Put { at: at()? }, 3),
        SET => (signal(SignalOp::Set)?, 5),
        ADD => (signal(SignalOp::Add)?, 5),
        _ => return None,
    };
    let asker = Asker { pe, lane, ticket, wants_answer: code & WANTED != 0 };
    Some((Message::Request(asker, request), bytes.get(8 * words..)?))
}

/// Whether a message with this head asks for an answer.
#[inline]
pub fn wants_answer(head: &[u8]) -> bool {
    code(head) & WANTED != 0
}

/// Whether this is the head of an answer.
#[inline]
pub fn is_answer(head: &[u8]) -> bool {
    code(head) & KIND == ANSWER
}

#[inline]
fn code(head: &[u8]) -> u64 {
    head.first().copied().unwrap_or_default().into()
}

fn amo_words(amo: &Request) -> usize {
    if matches!(amo, Request::Amo { op: Amo::CompareSwap, .. }) { 5 } else { 4 }
}

/// The greatest ticket that fits a head.
pub const TICKET_MAX: u64 = (1 << TICKET_BITS) - 1;

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Vec<Request> {
        let (at, signal) = (Location { segment: SegmentId(7), offset: u64::MAX }, unpacked(packed(LAST)));
        const LAST: Location = Location { segment: SegmentId(255), offset: u64::MAX >> 8 };
        let mut all = vec![Request::Ask, Request::Put { at }];
        for op in [SignalOp::Set, SignalOp::Add] {
            all.push(Request::PutSignal { at, signal, op, value: 1 << 63 });
        }
        for width in [Width::W32, Width::W64] {
            for op in AMOS {
                let compare = if op == Amo::CompareSwap { 9 } else { 0 };
                all.push(Request::Amo { at, width, op, operand: u64::MAX, compare });
            }
        }
        all
    }

    #[test]
    fn requests_survive_encoding_with_their_data_offset() {
        for request in all() {
            for wants_answer in [false, true] {
                let asker = Asker { pe: 3, lane: u32::MAX, ticket: TICKET_MAX, wants_answer };
                let mut bytes = request.encode(asker).bytes().to_vec();
                assert!(decode(&bytes[..bytes.len() - 1]).is_none(), "cut short: {request:?}");
                bytes.extend(*b"data");
                assert_eq!(decode(&bytes), Some((Message::Request(asker, request), &b"data"[..])));
            }
        }
    }

    #[test]
    fn answers_travel_unchanged() {
        for outcome in [Outcome::Done(u64::MAX), Outcome::Outside, Outcome::Unaligned, Outcome::Lost] {
            for is_of_ask in [false, true] {
                let answer = Answer { from: 1, to: 0, lane: 2, ticket: TICKET_MAX, is_of_ask, outcome };
                assert_eq!(decode(&answer.encode()), Some((Message::Answer(answer), &[][..])));
            }
        }
    }

    #[test]
    fn head_shows_answers_and_requests_for_one() {
        for request in all() {
            for wants in [false, true] {
                let head = request.encode(Asker { pe: 3, lane: 1, ticket: TICKET_MAX, wants_answer: wants });
                assert_eq!(wants_answer(head.bytes()), wants);
                assert!(!is_answer(head.bytes()));
            }
        }
        let answer = Answer { from: 1, to: 0, lane: 2, ticket: 3, is_of_ask: true, outcome: Outcome::Done(4) };
        assert!(is_answer(&answer.encode()) && !wants_answer(&answer.encode()));
    }

    #[test]
    fn malformed_message_is_refused() {
        for code in 0..=255_u64 {
            let bytes: Vec<u8> = [code, 0, 0, 0, 0].into_iter().flat_map(u64::to_le_bytes).collect();
            let is_known = match code & KIND {
                0 => false,
                NARROW | WIDE => code & 0xf < 8,
                ANSWER => code & 0x87 < 4,
                _ => code & 0xf == 0,
            };
            assert_eq!(decode(&bytes).is_some(), is_known, "{code:#x}");
        }
    }
}
