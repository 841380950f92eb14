//! The frames, as pure functions between bytes and values: no socket, no memory, nothing to trust.
//!
//! Frames of both PEs travel both ways on a connection. A frame starts with eight bytes, little endian:
//!
//! | bytes | message | get | data | refused | bye, heard |
//! |---|---|---|---|---|---|
//! | 0 | kind | kind | kind | kind | kind |
//! | 1 | bytes of the engine's head | segment | 0 | 0 | 0 |
//! | 2..4 | 0 | 0 | 0 | 0 | 0 |
//! | 4..8 | bytes of data | bytes wanted | bytes of data | bytes of text | 0 |
//! | then | the engine's head, data | offset in the segment | data | text | |
//!
//! The engine's head is opaque here. Fields that a frame does not use must be zero: otherwise a later version could not give them a
//! meaning.

use ferrite_engine::{HEAD_BYTES_MAX, Location, SegmentId};
use std::fmt;

/// Bytes at the start of every frame.
pub const START_BYTES: usize = 8;
/// Bytes of the longest frame without its payload.
pub const FIXED_BYTES_MAX: usize = START_BYTES + HEAD_BYTES_MAX;
/// The longest payload of a frame. Longer operations travel in several.
pub const PAYLOAD_BYTES_MAX: usize = 16 << 20;
/// The longest text of a refusal.
pub const REFUSAL_BYTES_MAX: usize = 256;

/// A frame on a connection, without its payload.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Frame {
    /// A message between engines.
    Message {
        /// Bytes of its head, which follows.
        head: u8,
        /// Bytes of its data, which follows the head.
        len: u32,
    },
    /// Send bytes back, as [`Frame::Data`].
    Get {
        /// Where the bytes lie.
        at: Location,
        /// Number of bytes wanted.
        len: u32,
    },
    /// Answer to the oldest [`Frame::Get`] that is not answered yet; the payload is its bytes.
    Data {
        /// Bytes of payload.
        len: u32,
    },
    /// A request was refused; the payload says why. The connection ends here.
    Refused {
        /// Bytes of text.
        len: u32,
    },
    /// No request follows, so the end of the stream is not an accident. Answered by [`Frame::Heard`].
    Bye,
    /// All requests up to [`Frame::Bye`] are executed.
    Heard,
}

/// Why bytes are not a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Malformed {
    /// No frame has this kind.
    Kind(u8),
    /// No message has a head of this length.
    Head(u8),
    /// A field that must be zero is not.
    NotZero,
    /// The payload is longer than any that is sent.
    TooLong(u32),
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Malformed::Kind(kind) => write!(f, "frame of kind {kind}, which does not exist"),
            Malformed::Head(len) => write!(f, "message with a head of {len} bytes, which does not exist"),
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

    /// A message with this head, to be followed by `len` bytes of data.
    #[inline]
    pub fn message(head: &[u8], len: usize) -> Self {
        Encoded::new(MESSAGE, head.len() as u8, len as u32, head)
    }

    #[inline]
    fn new(kind: u8, detail: u8, len: u32, behind: &[u8]) -> Self {
        let mut bytes = [0; FIXED_BYTES_MAX];
        bytes[0] = kind;
        bytes[1] = detail;
        bytes[4..START_BYTES].copy_from_slice(&len.to_le_bytes());
        bytes[START_BYTES..START_BYTES + behind.len()].copy_from_slice(behind);
        Encoded { bytes, len: START_BYTES + behind.len() }
    }
}

const MESSAGE: u8 = 1;
const GET: u8 = 2;
const DATA: u8 = 3;
const REFUSED: u8 = 4;
const BYE: u8 = 5;
const HEARD: u8 = 6;

impl Frame {
    /// The frame without its payload. A message is encoded without its head too: see [`Encoded::message`].
    #[inline]
    pub fn encode(&self) -> Encoded {
        match *self {
            Frame::Message { head, len } => Encoded::new(MESSAGE, head, len, &[]),
            Frame::Get { at, len } => Encoded::new(GET, at.segment.0, len, &at.offset.to_le_bytes()),
            Frame::Data { len } => Encoded::new(DATA, 0, len, &[]),
            Frame::Refused { len } => Encoded::new(REFUSED, 0, len, &[]),
            Frame::Bye => Encoded::new(BYE, 0, 0, &[]),
            Frame::Heard => Encoded::new(HEARD, 0, 0, &[]),
        }
    }

    /// Parse the frame at the start of `bytes`. Return it with its number of bytes, which include the head of a message but not the
    /// payload; `None` if more bytes are needed.
    #[inline]
    pub fn parse(bytes: &[u8]) -> Result<Option<(Frame, usize)>, Malformed> {
        let Some((&[kind, detail, zero0, zero1, l0, l1, l2, l3], rest)) = bytes.split_first_chunk::<START_BYTES>()
        else {
            return Ok(None);
        };
        let len = u32::from_le_bytes([l0, l1, l2, l3]);
        let unused = match kind {
            DATA | REFUSED => u32::from(detail),
            BYE | HEARD => u32::from(detail) | len,
            _ => 0,
        };
        if zero0 | zero1 != 0 || unused != 0 {
            return Err(Malformed::NotZero);
        }
        let len_max = if kind == REFUSED { REFUSAL_BYTES_MAX } else { PAYLOAD_BYTES_MAX };
        let (frame, behind) = match kind {
            MESSAGE | GET | DATA | REFUSED if len as usize > len_max => return Err(Malformed::TooLong(len)),
            MESSAGE if detail == 0 || usize::from(detail) > HEAD_BYTES_MAX => return Err(Malformed::Head(detail)),
            MESSAGE => (Frame::Message { head: detail, len }, usize::from(detail)),
            GET => {
                let Some(offset) = rest.first_chunk() else { return Ok(None) };
                let at = Location { segment: SegmentId(detail), offset: u64::from_le_bytes(*offset) };
                (Frame::Get { at, len }, size_of::<u64>())
            }
            DATA => (Frame::Data { len }, 0),
            REFUSED => (Frame::Refused { len }, 0),
            BYE => (Frame::Bye, 0),
            HEARD => (Frame::Heard, 0),
            _ => return Err(Malformed::Kind(kind)),
        };
        Ok((rest.len() >= behind).then_some((frame, START_BYTES + behind)))
    }
}
