//! Requests to a target's processor and their replies, as bytes: small messages for what a provider's hardware cannot
//! do by itself. Pure functions; both sides are of one job and one build, so there is one version.

pub use ferrite_fabric::segments::Place;
use ferrite_fabric::{Amo, SignalOp, Width, segments::Refusal};

/// Bytes of a request without its data: at most what the smallest inject of a common provider takes.
pub const REQUEST_BYTES: usize = 56;
/// Bytes of a reply.
pub const REPLY_BYTES: usize = 40;
/// A put with a signal travels whole in its request up to this size.
pub const INLINE_BYTES_MAX: usize = 4096;
/// The longest message.
pub const MESSAGE_BYTES_MAX: usize = REQUEST_BYTES + INLINE_BYTES_MAX;

const AMO: u8 = 1;
const SIGNAL: u8 = 2;
const REPLY: u8 = 3;

/// Who asks, and how the reply finds its operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Asker {
    /// The PE.
    pub pe: u32,
    /// The lane of that PE.
    pub lane: u32,
    /// The ticket of the operation.
    pub ticket: u64,
}

/// What a target is asked to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Request<'a> {
    /// Update a word.
    Amo {
        /// The word.
        at: Place,
        /// Its size.
        width: Width,
        /// The update.
        op: Amo,
        /// Its operand.
        operand: u64,
        /// What a compare-and-swap compares with.
        compare: u64,
    },
    /// Copy bytes, then update a signal.
    Signal {
        /// Where the bytes go.
        to: Place,
        /// They.
        data: &'a [u8],
        /// The signal word.
        signal: Place,
        /// Its update.
        op: SignalOp,
        /// Its operand.
        value: u64,
    },
}

/// What became of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reply {
    /// The PE that answers.
    pub from: u32,
    /// The lane that asked.
    pub lane: u32,
    /// The ticket that it asked with.
    pub ticket: u64,
    /// The word before, or why not: see [`refusal`].
    pub outcome: Result<u64, u8>,
}

const OUTSIDE: u8 = 1;
const UNALIGNED: u8 = 2;

/// A refusal as it travels: 0 is success there.
pub fn refusal(refusal: Refusal) -> u8 {
    match refusal {
        Refusal::Outside { .. } => OUTSIDE,
        Refusal::Unaligned { .. } => UNALIGNED,
    }
}

/// What a refusal that has travelled says.
pub fn refused(code: u8) -> &'static str {
    if code == UNALIGNED {
        "the word is not aligned to its size"
    } else {
        "the address is outside of what is registered there"
    }
}

/// A message that has arrived.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Message<'a> {
    /// Somebody asks.
    Request(Asker, Request<'a>),
    /// Somebody answers.
    Reply(Reply),
}

const AMOS: [Amo; 8] = [Amo::Fetch, Amo::Set, Amo::Swap, Amo::CompareSwap, Amo::Add, Amo::And, Amo::Or, Amo::Xor];

/// The bytes of a request. `job` tells this job's messages from those of others.
pub fn request(job: u64, asker: Asker, request: &Request<'_>, into: &mut Vec<u8>) {
    into.clear();
    let (kind, op, size, place, other, operand, compare, data): (_, _, _, _, _, _, _, &[u8]) = match *request {
        Request::Amo { at, width, op, operand, compare } => {
            let op = AMOS.iter().position(|&known| known == op).unwrap_or_default() as u8;
            (AMO, op, width.bytes() as u8, at, 0, operand, compare, &[])
        }
        Request::Signal { to, data, signal, op, value } => {
            (SIGNAL, u8::from(op == SignalOp::Add), 0, to, signal.segment, value, signal.offset, data)
        }
    };
    into.extend(job.to_le_bytes());
    into.extend([kind, op, place.segment, if kind == AMO { size } else { other }]);
    into.extend(asker.pe.to_le_bytes());
    into.extend(asker.lane.to_le_bytes());
    into.extend((data.len() as u32).to_le_bytes());
    for word in [asker.ticket, place.offset, operand, compare] {
        into.extend(word.to_le_bytes());
    }
    into.extend(data);
}

/// The bytes of a reply.
pub fn reply(job: u64, reply: &Reply) -> [u8; REPLY_BYTES] {
    let mut bytes = [0; REPLY_BYTES];
    let (status, value) = match reply.outcome {
        Ok(value) => (0, value),
        Err(why) => (why, 0),
    };
    bytes[..8].copy_from_slice(&job.to_le_bytes());
    bytes[8..10].copy_from_slice(&[REPLY, status]);
    bytes[12..16].copy_from_slice(&reply.from.to_le_bytes());
    bytes[16..20].copy_from_slice(&reply.lane.to_le_bytes());
    bytes[24..32].copy_from_slice(&reply.ticket.to_le_bytes());
    bytes[32..40].copy_from_slice(&value.to_le_bytes());
    bytes
}

/// Reads a message; `None` if it is none of this job.
pub fn read(job: u64, bytes: &[u8]) -> Option<Message<'_>> {
    let word = |at: usize| Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
    let half = |at: usize| Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
    if word(0)? != job {
        return None;
    }
    let [kind, op, segment, other] = *bytes.get(8..)?.first_chunk()?;
    let (pe, lane, ticket) = (half(12)?, half(16)?, word(24)?);
    if kind == REPLY {
        let outcome = if op == 0 { Ok(word(32)?) } else { Err(op) };
        return Some(Message::Reply(Reply { from: pe, lane, ticket, outcome }));
    }
    let (place, operand, compare) = (Place { segment, offset: word(32)? }, word(40)?, word(48)?);
    let data = bytes.get(REQUEST_BYTES..)?;
    if data.len() != half(20)? as usize {
        return None;
    }
    let request = match (kind, op, other) {
        (AMO, op, 4 | 8) => {
            let width = if other == 4 { Width::W32 } else { Width::W64 };
            Request::Amo { at: place, width, op: *AMOS.get(usize::from(op))?, operand, compare }
        }
        (SIGNAL, 0 | 1, _) => {
            let op = if op == 0 { SignalOp::Set } else { SignalOp::Add };
            let signal = Place { segment: other, offset: compare };
            Request::Signal { to: place, data, signal, op, value: operand }
        }
        _ => return None,
    };
    Some(Message::Request(Asker { pe, lane, ticket }, request))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ASKER: Asker = Asker { pe: 70_000, lane: 3, ticket: 1 << 40 };

    #[test]
    fn requests_survive_the_way() {
        let place = Place { segment: 2, offset: u64::MAX - 7 };
        let mut requests = vec![Request::Signal {
            to: place,
            data: b"data",
            signal: Place { segment: 255, offset: 8 },
            op: SignalOp::Add,
            value: 9,
        }];
        for op in AMOS {
            for width in [Width::W32, Width::W64] {
                requests.push(Request::Amo { at: place, width, op, operand: 5, compare: u64::MAX });
            }
        }
        let mut bytes = Vec::new();
        for what in requests {
            request(11, ASKER, &what, &mut bytes);
            assert_eq!(read(11, &bytes), Some(Message::Request(ASKER, what)));
            assert_eq!(read(12, &bytes), None, "another job's");
            for len in 0..bytes.len() {
                assert_eq!(read(11, &bytes[..len]), None, "{len} of {} bytes", bytes.len());
            }
            bytes[8] = 77;
            assert_eq!(read(11, &bytes), None, "a kind that there is not");
        }
    }

    #[test]
    fn replies_survive_the_way() {
        for outcome in [Ok(u64::MAX), Ok(0), Err(1), Err(2)] {
            let back = Reply { from: 1, lane: 2, ticket: 3, outcome };
            assert_eq!(read(5, &reply(5, &back)), Some(Message::Reply(back)));
        }
    }

    #[test]
    fn noise_is_refused_without_harm() {
        let mut state = 88_172_645_463_325_252_u64;
        for len in 0..2_000 {
            let bytes: Vec<u8> = (0..len % 90)
                .map(|_| {
                    state ^= state << 13;
                    state ^= state >> 7;
                    state ^= state << 17;
                    state as u8
                })
                .collect();
            assert_eq!(read(1, &bytes), None);
        }
    }
}
