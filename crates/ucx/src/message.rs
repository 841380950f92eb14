//! The active messages: what a target's processor is asked to do, and its answer.
//!
//! Heads are little-endian, and of the size that their kind has. A target trusts none of their fields: `memory` checks where they
//! point. A small put's data follows its head, in what UCX calls the header; that of others is what UCX calls the data.

pub use ferrite_fabric::segments::Place;
use ferrite_fabric::{Amo, SignalOp, Width};

/// The number of requests, which targets handle.
pub const REQUEST: u32 = 1;
/// The number of answers, which lanes handle.
pub const ANSWER: u32 = 2;

/// Most bytes of a request's head. A head is as short as it can be: a small put is to fit one cache line with UCX's
/// own head before it.
pub const REQUEST_BYTES: usize = 32;
/// Bytes of an answer.
pub const ANSWER_BYTES: usize = 24;

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

const KIND: u8 = 0x70;
const ASK: u8 = 0x10;
const PUT: u8 = 0x20;
const SET: u8 = 0x30;
const ADD: u8 = 0x40;
const NARROW: u8 = 0x50;
const WIDE: u8 = 0x60;
const WANTED: u8 = 0x80;

/// A request's head, as it travels.
pub struct Head {
    words: [u64; REQUEST_BYTES / 8],
    len: usize,
}

impl Head {
    /// Its bytes.
    #[inline]
    pub fn bytes(&self) -> [u8; REQUEST_BYTES] {
        let mut bytes = [0; REQUEST_BYTES];
        for (to, word) in bytes.chunks_exact_mut(8).zip(self.words) {
            to.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    /// How many of them count.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }
}

impl Request {
    /// Words of its head.
    #[inline]
    fn words(&self) -> usize {
        match self {
            Request::Ask => 1,
            Request::Put { .. } => 2,
            Request::Amo { op: Amo::CompareSwap, .. } | Request::PutSignal { .. } => 4,
            Request::Amo { .. } => 3,
        }
    }

    /// The head of the request that the initiator knows by `ticket`, and may want the answer of.
    #[inline]
    pub fn encode(self, ticket: u64, wanted: bool) -> Head {
        let nowhere = Place { segment: 0, offset: 0 };
        let (code, at, more) = match self {
            Request::Ask => (ASK, nowhere, [0; 2]),
            Request::Put { at } => (PUT, at, [0; 2]),
            Request::PutSignal { at, signal, op, value } => {
                let place = u64::from(signal.segment) << 56 | signal.offset;
                (if op == SignalOp::Add { ADD } else { SET }, at, [value, place])
            }
            Request::Amo { at, width, op, operand, compare } => {
                let code = if width == Width::W64 { WIDE } else { NARROW };
                (code | AMOS.iter().position(|amo| *amo == op).unwrap_or_default() as u8, at, [operand, compare])
            }
        };
        let code = code | if wanted { WANTED } else { 0 };
        // 48 bits of ticket last a lane for years.
        let first = ticket << 16 | u64::from(code) << 8 | u64::from(at.segment);
        Head { words: [first, at.offset, more[0], more[1]], len: 8 * self.words() }
    }

    /// The request of a head, the initiator's ticket, whether it wants the answer, and what follows the head.
    pub fn decode(bytes: &[u8]) -> Option<(Request, u64, bool, &[u8])> {
        let word = |at: usize| Some(u64::from_le_bytes(bytes.get(8 * at..8 * at + 8)?.try_into().ok()?));
        let first = word(0)?;
        let [segment, code, ..] = first.to_le_bytes();
        let at = || Some(Place { segment, offset: word(1)? });
        let signal = |op| {
            let place = word(3)?;
            let signal = Place { segment: (place >> 56) as u8, offset: place << 8 >> 8 };
            Some(Request::PutSignal { at: at()?, signal, op, value: word(2)? })
        };
        let amo = |width| {
            let op = *AMOS.get(usize::from(code & !(KIND | WANTED)))?;
            let compare = if op == Amo::CompareSwap { word(3)? } else { 0 };
            Some(Request::Amo { at: at()?, width, op, operand: word(2)?, compare })
        };
        let request = match code & KIND {
            ASK => Request::Ask,
            PUT => Request::Put { at: at()? },
            SET => signal(SignalOp::Set)?,
            ADD => signal(SignalOp::Add)?,
            NARROW => amo(Width::W32)?,
            WIDE => amo(Width::W64)?,
            _ => return None,
        };
        Some((request, first >> 16, code & WANTED != 0, bytes.get(8 * request.words()..)?))
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

    fn comes_back(request: Request, ticket: u64, wanted: bool) {
        let head = request.encode(ticket, wanted);
        let mut bytes = head.bytes()[..head.len()].to_vec();
        assert_eq!(Request::decode(&bytes), Some((request, ticket, wanted, &[][..])));
        bytes.extend([1, 2, 3]);
        assert_eq!(Request::decode(&bytes), Some((request, ticket, wanted, &[1, 2, 3][..])));
        for len in 0..head.len() {
            assert_eq!(Request::decode(&head.bytes()[..len]), None, "{request:?} cut to {len}");
        }
    }

    #[test]
    fn requests_come_back() {
        let at = Place { segment: 7, offset: u64::MAX - 1 };
        let signal = Place { segment: 255, offset: 1 << 40 };
        for op in AMOS {
            for width in [Width::W32, Width::W64] {
                let compare = if op == Amo::CompareSwap { u64::MAX } else { 0 };
                comes_back(Request::Amo { at, width, op, operand: 1, compare }, 9, false);
            }
        }
        comes_back(Request::Ask, 4, true);
        comes_back(Request::Put { at }, 1, true);
        for op in [SignalOp::Set, SignalOp::Add] {
            comes_back(Request::PutSignal { at, signal, op, value: 3 }, (1 << 48) - 1, true);
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
        assert_eq!(Request::decode(&[0; REQUEST_BYTES]), None);
        let mut head = [0; REQUEST_BYTES];
        head[1] = WIDE | 8;
        assert_eq!(Request::decode(&head), None);
        assert_eq!(outcome(&[0xff; ANSWER_BYTES]), None);
        assert_eq!(outcome(&[]), None);
    }
}
