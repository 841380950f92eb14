//! The frames, as pure functions between bytes and values: no socket, no memory, nothing to trust.
//!
//! Requests and replies travel both ways on a connection; the kind tells them apart. A frame starts with a head of 16
//! bytes, little endian:
//!
//! | bytes | request | reply |
//! |---|---|---|
//! | 0 | kind, below 64 | kind, from 64 on |
//! | 1 | segment | 0 |
//! | 2 | detail (operation, width, whether the old value is wanted) | 0 |
//! | 3 | 0 | 0 |
//! | 4..8 | bytes of payload | bytes of payload |
//! | 8..16 | offset in the segment | frames applied so far |
//!
//! An atomic adds 16 bytes (operand, compare), a put with a signal 24 (segment and operation of the signal, its
//! offset, its value); then comes the payload. Whatever a frame does not use must be zero: what is sloppy today
//! cannot be given a meaning tomorrow.

pub use ferrite_fabric::segments::Place;
use ferrite_fabric::{Amo, SignalOp, Width};
use std::fmt;

/// Bytes of the head of every frame.
pub const HEAD_BYTES: usize = 16;
/// Bytes of the longest frame without its payload.
pub const FIXED_BYTES_MAX: usize = 40;
/// The longest payload of a frame. Longer operations travel in several.
pub const PAYLOAD_BYTES_MAX: usize = 16 << 20;
/// The longest text of a refusal.
pub const REFUSAL_BYTES_MAX: usize = 256;

/// What comes on a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Frame {
    /// The peer asks something.
    Request(Request),
    /// The peer answers.
    Reply(Reply),
}

/// What an initiator asks of a target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Request {
    /// Store the payload.
    Put {
        /// Where to.
        at: Place,
        /// Bytes of payload.
        len: u32,
    },
    /// Send bytes back.
    Get {
        /// Where from.
        at: Place,
        /// Bytes wanted.
        len: u32,
    },
    /// Update a word.
    Amo {
        /// The word.
        at: Place,
        /// Its size.
        width: Width,
        /// What to do to it.
        op: Amo,
        /// Whether the old value is sent back.
        fetch: bool,
        /// With what.
        operand: u64,
        /// What a compare-and-swap expects.
        compare: u64,
    },
    /// Store the payload, then update a signal word.
    PutSignal {
        /// Where to.
        at: Place,
        /// Bytes of payload.
        len: u32,
        /// The signal word.
        signal: Place,
        /// How it is updated.
        op: SignalOp,
        /// With what.
        value: u64,
    },
    /// Say how many frames have been applied.
    Ask,
    /// No request follows: the end of the stream is no accident. Answered as [`Request::Ask`].
    Bye,
}

/// What a target answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reply {
    /// So many frames have been applied, since the connection was made.
    Applied {
        /// How many.
        count: u64,
    },
    /// The payload is what the oldest unanswered request wanted; it was frame number `count`.
    Data {
        /// Bytes of payload.
        len: u32,
        /// Frames applied so far, this one included.
        count: u64,
    },
    /// Frame number `count` was refused, the payload says why; the connection ends here.
    Refused {
        /// Bytes of text.
        len: u32,
        /// Its number.
        count: u64,
    },
}

/// Bytes that are no frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Malformed {
    /// No frame has this kind.
    Kind(u8),
    /// The detail of this kind of frame has no such value.
    Detail(u8),
    /// A field that must be zero is not.
    NotZero,
    /// The payload is longer than any that is sent.
    TooLong(u32),
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Malformed::Kind(kind) => write!(f, "frame of kind {kind}, which does not exist"),
            Malformed::Detail(detail) => write!(f, "frame with detail {detail:#x}, which does not exist"),
            Malformed::NotZero => f.write_str("frame with a reserved field that is not zero"),
            Malformed::TooLong(len) => write!(f, "frame of {len} bytes, where {PAYLOAD_BYTES_MAX} is the most"),
        }
    }
}

impl std::error::Error for Malformed {}

/// A frame's bytes without its payload.
#[derive(Clone, Copy)]
pub struct Encoded {
    bytes: [u8; FIXED_BYTES_MAX],
    len: usize,
}

impl Encoded {
    /// The bytes to send.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    #[inline]
    fn new(kind: u8, segment: u8, detail: u8, len: u32, tail: u64) -> Self {
        let mut bytes = [0; FIXED_BYTES_MAX];
        bytes[0] = kind;
        bytes[1] = segment;
        bytes[2] = detail;
        bytes[4..8].copy_from_slice(&len.to_le_bytes());
        bytes[8..16].copy_from_slice(&tail.to_le_bytes());
        Encoded { bytes, len: HEAD_BYTES }
    }

    #[inline]
    fn word(mut self, word: u64) -> Self {
        self.bytes[self.len..self.len + 8].copy_from_slice(&word.to_le_bytes());
        self.len += 8;
        self
    }
}

const PUT: u8 = 1;
const GET: u8 = 2;
const AMO: u8 = 3;
const PUT_SIGNAL: u8 = 4;
const ASK: u8 = 5;
const BYE: u8 = 6;
/// The bit of a kind that tells replies.
const REPLY: u8 = 64;
const APPLIED: u8 = 65;
const DATA: u8 = 66;
const REFUSED: u8 = 67;

const AMOS: [Amo; 8] = [Amo::Fetch, Amo::Set, Amo::Swap, Amo::CompareSwap, Amo::Add, Amo::And, Amo::Or, Amo::Xor];
const WIDE: u8 = 8;
const WANTED: u8 = 16;

#[inline]
fn amo_code(op: Amo) -> u8 {
    match op {
        Amo::Fetch => 0,
        Amo::Set => 1,
        Amo::Swap => 2,
        Amo::CompareSwap => 3,
        Amo::Add => 4,
        Amo::And => 5,
        Amo::Or => 6,
        Amo::Xor => 7,
    }
}

#[inline]
fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

#[inline]
fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}

#[inline]
fn bounded(len: u32) -> Result<u32, Malformed> {
    if len as usize <= PAYLOAD_BYTES_MAX { Ok(len) } else { Err(Malformed::TooLong(len)) }
}

#[inline]
fn zero(field: u64) -> Result<(), Malformed> {
    if field == 0 { Ok(()) } else { Err(Malformed::NotZero) }
}

impl Frame {
    /// The frame at the start of `bytes`, and how many of them it takes without its payload; `None` if more bytes are
    /// needed to tell.
    #[inline]
    pub fn parse(bytes: &[u8]) -> Result<Option<(Frame, usize)>, Malformed> {
        if bytes.first().is_some_and(|kind| kind & REPLY != 0) {
            return Ok(Reply::parse(bytes)?.map(|reply| (Frame::Reply(reply), HEAD_BYTES)));
        }
        Ok(Request::parse(bytes)?.map(|(request, used)| (Frame::Request(request), used)))
    }
}

impl Request {
    /// The frame without its payload.
    #[inline]
    pub fn encode(&self) -> Encoded {
        match *self {
            Request::Put { at, len } => Encoded::new(PUT, at.segment, 0, len, at.offset),
            Request::Get { at, len } => Encoded::new(GET, at.segment, 0, len, at.offset),
            Request::Amo { at, width, op, fetch, operand, compare } => {
                let wide = if width == Width::W64 { WIDE } else { 0 };
                let wanted = if fetch { WANTED } else { 0 };
                Encoded::new(AMO, at.segment, amo_code(op) | wide | wanted, 0, at.offset).word(operand).word(compare)
            }
            Request::PutSignal { at, len, signal, op, value } => {
                let how = u64::from(op == SignalOp::Add) << 8;
                Encoded::new(PUT_SIGNAL, at.segment, 0, len, at.offset)
                    .word(u64::from(signal.segment) | how)
                    .word(signal.offset)
                    .word(value)
            }
            Request::Ask => Encoded::new(ASK, 0, 0, 0, 0),
            Request::Bye => Encoded::new(BYE, 0, 0, 0, 0),
        }
    }

    /// The frame at the start of `bytes`, and how many of them it takes without its payload; `None` if more
    /// bytes are needed to tell.
    #[inline]
    pub fn parse(bytes: &[u8]) -> Result<Option<(Request, usize)>, Malformed> {
        let Some(head) = bytes.get(..HEAD_BYTES) else { return Ok(None) };
        let (kind, detail, len) = (head[0], head[2], u32_at(head, 4));
        let at = Place { segment: head[1], offset: u64_at(head, 8) };
        zero(head[3].into())?;
        if kind != AMO {
            zero(detail.into())?;
        }
        match kind {
            PUT => Ok(Some((Request::Put { at, len: bounded(len)? }, HEAD_BYTES))),
            GET => Ok(Some((Request::Get { at, len: bounded(len)? }, HEAD_BYTES))),
            AMO => {
                zero(len.into())?;
                if detail >= 2 * WANTED {
                    return Err(Malformed::Detail(detail));
                }
                let Some(rest) = bytes.get(HEAD_BYTES..HEAD_BYTES + 16) else { return Ok(None) };
                let request = Request::Amo {
                    at,
                    width: if detail & WIDE == 0 { Width::W32 } else { Width::W64 },
                    op: AMOS[usize::from(detail & 7)],
                    fetch: detail & WANTED != 0,
                    operand: u64_at(rest, 0),
                    compare: u64_at(rest, 8),
                };
                Ok(Some((request, HEAD_BYTES + 16)))
            }
            PUT_SIGNAL => {
                bounded(len)?;
                let Some(rest) = bytes.get(HEAD_BYTES..HEAD_BYTES + 24) else { return Ok(None) };
                let how = u64_at(rest, 0);
                zero(how >> 9)?;
                let request = Request::PutSignal {
                    at,
                    len,
                    signal: Place { segment: (how & 0xff) as u8, offset: u64_at(rest, 8) },
                    op: if how & 0x100 == 0 { SignalOp::Set } else { SignalOp::Add },
                    value: u64_at(rest, 16),
                };
                Ok(Some((request, HEAD_BYTES + 24)))
            }
            ASK | BYE => {
                zero(u64::from(at.segment) | u64::from(len) | at.offset)?;
                Ok(Some((if kind == ASK { Request::Ask } else { Request::Bye }, HEAD_BYTES)))
            }
            _ => Err(Malformed::Kind(kind)),
        }
    }
}

impl Reply {
    /// The frame without its payload.
    #[inline]
    pub fn encode(&self) -> Encoded {
        match *self {
            Reply::Applied { count } => Encoded::new(APPLIED, 0, 0, 0, count),
            Reply::Data { len, count } => Encoded::new(DATA, 0, 0, len, count),
            Reply::Refused { len, count } => Encoded::new(REFUSED, 0, 0, len, count),
        }
    }

    /// The reply at the start of `bytes`, which takes [`HEAD_BYTES`] without its payload; `None` if more bytes
    /// are needed to tell.
    #[inline]
    pub fn parse(bytes: &[u8]) -> Result<Option<Reply>, Malformed> {
        let Some(head) = bytes.get(..HEAD_BYTES) else { return Ok(None) };
        let (len, count) = (u32_at(head, 4), u64_at(head, 8));
        zero(u64::from(head[1]) | u64::from(head[2]) | u64::from(head[3]))?;
        match head[0] {
            APPLIED => zero(len.into()).map(|()| Some(Reply::Applied { count })),
            DATA => Ok(Some(Reply::Data { len: bounded(len)?, count })),
            REFUSED if len as usize > REFUSAL_BYTES_MAX => Err(Malformed::TooLong(len)),
            REFUSED => Ok(Some(Reply::Refused { len, count })),
            kind => Err(Malformed::Kind(kind)),
        }
    }
}
