//! The active messages: what a target's processor is asked to do, and its answer.
//!
//! Heads are of fixed size and little-endian. A target trusts none of their fields: `memory` checks where they point.

use ferrite_fabric::{Amo, SignalOp, Width};

/// The number of requests, which targets handle.
pub const REQUEST: u32 = 1;
/// The number of answers, which lanes handle.
pub const ANSWER: u32 = 2;

/// Bytes of a request's head.
pub const REQUEST_BYTES: usize = 40;
/// Bytes of an answer.
pub const ANSWER_BYTES: usize = 24;

/// A place in a target's memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// Which segment.
    pub segment: u8,
    /// Bytes from its start.
    pub offset: u64,
}

/// What a target is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Request {
    /// Update a word and answer its old value.
    Amo {
        /// The word.
        at: Place,
        /// Its size.
        width: Width,
        /// How.
        op: Amo,
        /// With what.
        operand: u64,
        /// For a compare-and-swap, what it must hold.
        compare: u64,
    },
    /// Answer: all that was asked before is done then.
    Ask,
    /// Take the message's data.
    Put {
        /// Where it belongs.
        at: Place,
    },
    /// Take the message's data, then update a signal word.
    PutSignal {
        /// Where the data belongs.
        at: Place,
        /// The signal word.
        signal: Place,
        /// How it is updated.
        op: SignalOp,
        /// With what.
        value: u64,
    },
}

/// What became of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// It was done; a word held this before.
    Done(u64),
    /// It pointed outside of what is registered, or at a word that is not aligned.
    Refused,
    /// Its data did not come.
    Lost,
}

const AMOS: [Amo; 8] = [Amo::Fetch, Amo::Set, Amo::Swap, Amo::CompareSwap, Amo::Add, Amo::And, Amo::Or, Amo::Xor];

const SIGNAL: u8 = 0x80;
const PUT: u8 = 0x20;
const ASK: u8 = 0x10;
const WIDE: u8 = 0x40;
const ADDS: u8 = 0x01;

impl Request {
    /// The head of the request that the initiator knows by `ticket`, and may want the answer of.
    pub fn encode(self, ticket: u64, wanted: bool) -> [u8; REQUEST_BYTES] {
        let (words, code, segments) = match self {
            Request::Amo { at, width, op, operand, compare } => {
                let op = AMOS.iter().position(|amo| *amo == op).unwrap_or_default() as u8;
                let wide = if width == Width::W64 { WIDE } else { 0 };
                ([at.offset, operand, compare], op | wide, [at.segment, 0])
            }
            Request::Ask => ([0; 3], ASK, [0; 2]),
            Request::Put { at } => ([at.offset, 0, 0], PUT, [at.segment, 0]),
            Request::PutSignal { at, signal, op, value } => {
                let adds = if op == SignalOp::Add { ADDS } else { 0 };
                ([at.offset, value, signal.offset], SIGNAL | adds, [at.segment, signal.segment])
            }
        };
        let mut bytes = [0; REQUEST_BYTES];
        for (to, word) in bytes.chunks_exact_mut(8).zip([ticket, words[0], words[1], words[2]]) {
            to.copy_from_slice(&word.to_le_bytes());
        }
        bytes[32..36].copy_from_slice(&[code, segments[0], segments[1], wanted.into()]);
        bytes
    }

    /// The request of a head, the initiator's ticket, and whether it wants the answer.
    pub fn decode(bytes: &[u8]) -> Option<(Request, u64, bool)> {
        let bytes: &[u8; REQUEST_BYTES] = bytes.try_into().ok()?;
        let word = |at: usize| bytes[8 * at..8 * at + 8].try_into().map(u64::from_le_bytes).ok();
        let [code, segment, other] = [bytes[32], bytes[33], bytes[34]];
        let at = Place { segment, offset: word(1)? };
        let (operand, compare) = (word(2)?, word(3)?);
        let request = if code & SIGNAL != 0 {
            let op = if code & ADDS != 0 { SignalOp::Add } else { SignalOp::Set };
            Request::PutSignal { at, signal: Place { segment: other, offset: compare }, op, value: operand }
        } else if code == ASK {
            Request::Ask
        } else if code == PUT {
            Request::Put { at }
        } else {
            let width = if code & WIDE != 0 { Width::W64 } else { Width::W32 };
            Request::Amo { at, width, op: *AMOS.get(usize::from(code & !WIDE))?, operand, compare }
        };
        Some((request, word(0)?, bytes[35] != 0))
    }
}

/// The answer to the request of `ticket`.
pub fn answer(ticket: u64, outcome: Outcome) -> [u8; ANSWER_BYTES] {
    let (status, value) = match outcome {
        Outcome::Done(value) => (0_u64, value),
        Outcome::Refused => (1, 0),
        Outcome::Lost => (2, 0),
    };
    let mut bytes = [0; ANSWER_BYTES];
    for (to, word) in bytes.chunks_exact_mut(8).zip([ticket, value, status]) {
        to.copy_from_slice(&word.to_le_bytes());
    }
    bytes
}

/// Ticket and outcome of an answer, if it is one.
pub fn outcome(bytes: &[u8]) -> Option<(u64, Outcome)> {
    let bytes: &[u8; ANSWER_BYTES] = bytes.try_into().ok()?;
    let word = |at: usize| bytes[8 * at..8 * at + 8].try_into().map(u64::from_le_bytes).ok();
    let outcome = match word(2)? {
        0 => Outcome::Done(word(1)?),
        1 => Outcome::Refused,
        2 => Outcome::Lost,
        _ => return None,
    };
    Some((word(0)?, outcome))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_come_back() {
        let at = Place { segment: 7, offset: u64::MAX - 1 };
        let signal = Place { segment: 255, offset: 1 << 40 };
        for op in AMOS {
            for width in [Width::W32, Width::W64] {
                let request = Request::Amo { at, width, op, operand: 1, compare: u64::MAX };
                assert_eq!(Request::decode(&request.encode(9, false)), Some((request, 9, false)));
            }
        }
        for request in [Request::Ask, Request::Put { at }] {
            assert_eq!(Request::decode(&request.encode(4, true)), Some((request, 4, true)));
        }
        for op in [SignalOp::Set, SignalOp::Add] {
            let request = Request::PutSignal { at, signal, op, value: 3 };
            assert_eq!(Request::decode(&request.encode(u64::MAX, true)), Some((request, u64::MAX, true)));
        }
    }

    #[test]
    fn answers_come_back() {
        for what in [Outcome::Done(u64::MAX), Outcome::Refused, Outcome::Lost] {
            assert_eq!(outcome(&answer(5, what)), Some((5, what)));
        }
    }

    #[test]
    fn what_is_neither_is_nothing() {
        assert_eq!(Request::decode(&[0; REQUEST_BYTES - 1]), None);
        let mut head = [0; REQUEST_BYTES];
        head[32] = 8;
        assert_eq!(Request::decode(&head), None);
        assert_eq!(outcome(&[0xff; ANSWER_BYTES]), None);
        assert_eq!(outcome(&[]), None);
    }
}
