//! The messages between a PE and our launcher, in the frames of [`crate::codec`]: one byte for the kind of message,
//! then its fields in order.
//!
//! A PE sends a request and waits for its answer, one at a time. The launcher sends nothing unasked: it ends a job by
//! closing the connection, or by a signal.
//!
//! | PE sends | launcher answers |
//! |---|---|
//! | `Hello` | `Welcome`, or `Refused` |
//! | `Exchange` | `Released`, when every PE has sent it |
//! | `Lookup` | `Found` |
//! | `Join`, `Leave`, `Abort` | nothing |
//!
//! `Released` carries all values of the exchange if they are small. Otherwise a PE looks up the values that it needs. It receives values of
//! its own host by the page and others one by one, and caches them. So a PE of a large job stores only the values of its host and of the
//! PEs that it communicates with.

use crate::codec::{Reader, Writer};
use crate::{NodeMap, Secret};
use ferrite_fabric::{Error, Pe, Result};

pub use crate::codec::{FRAME_MAX, Frames, Malformed};

/// The version of the protocol, and of the one of a start without a launcher (`join::messages`); all sides must have the same.
pub const VERSION: u32 = 3;
/// The longest key, in bytes.
pub const KEY_MAX: usize = 128;
/// The longest value, in bytes.
pub const VALUE_MAX: usize = 64 << 10;
/// The longest reason of an abort, in bytes. A longer one is truncated.
pub const WHY_MAX: usize = 4 << 10;

/// A value that a PE has published.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The PE that has published it.
    pub pe: Pe,
    /// The name under which it was published.
    pub key: String,
    /// The bytes that were published.
    pub value: Vec<u8>,
}

/// A message of a PE to the launcher.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ToLauncher {
    /// First message of a process.
    Hello {
        /// [`VERSION`] of the PE's library.
        version: u32,
    },
    /// The PE takes part in the job: if it ends without `Leave`, it counts as dead.
    Join,
    /// The PE has arrived at the exchange, with the values that it has published since the last one.
    Exchange {
        /// Keys and values.
        published: Vec<(String, Vec<u8>)>,
    },
    /// Look up the value that `pe` has published under `key`.
    Lookup {
        /// The PE that has published the value.
        pe: Pe,
        /// The key of the value.
        key: String,
    },
    /// The PE is done with its peers.
    Leave,
    /// End the whole job.
    Abort {
        /// Exit code of the job.
        code: i32,
        /// The reason; may be empty.
        why: String,
    },
}

/// A message of the launcher to a PE.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ToPe {
    /// The PE is accepted, and receives its number and job.
    Welcome {
        /// Number of the PE.
        me: Pe,
        /// The number of PEs in the job, and the node of each.
        nodes: NodeMap,
        /// The secret of the job.
        secret: Secret,
    },
    /// The launcher does not accept this process as a PE.
    Refused {
        /// Why the process is refused.
        why: String,
    },
    /// Every PE has arrived. Carries the values of the exchange, or `None` if they are too many to send: then the values that the PE has
    /// cached are stale, and it looks them up again.
    Released {
        /// The values of the exchange.
        entries: Option<Vec<Entry>>,
    },
    /// The answer to a lookup: the value, if there is one. For a PE of the same host, also values of the PEs after it, as many as fit a
    /// page.
    Found {
        /// Entries: first the answer to the question, then others.
        entries: Vec<Entry>,
    },
}

/// Refuse a key or value that does not fit a frame.
pub fn check(key: &str, value: &[u8]) -> Result<()> {
    if key.is_empty() || key.len() > KEY_MAX {
        return Err(Error::new(format!("a key of {} bytes: 1 to {KEY_MAX} are allowed", key.len())));
    }
    if value.len() > VALUE_MAX {
        let given = value.len();
        return Err(Error::new(format!("a value of {given} bytes for `{key}`: at most {VALUE_MAX} are allowed")));
    }
    Ok(())
}

/// Add a value to the values of one exchange, unless it does not fit.
pub fn publish(published: &mut Vec<(String, Vec<u8>)>, key: &str, value: &[u8]) -> Result<()> {
    check(key, value)?;
    let bytes: usize = published.iter().map(|(key, value)| key.len() + value.len() + 8).sum();
    if bytes + key.len() + value.len() + 64 > FRAME_MAX {
        return Err(Error::new(format!("publishing `{key}`: more than {FRAME_MAX} bytes in one turn")));
    }
    published.push((key.to_owned(), value.to_vec()));
    Ok(())
}

/// Truncate `text` to at most `max` bytes, at a character boundary.
pub fn cut(text: &str, max: usize) -> &str {
    let mut end = text.len().min(max);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

impl ToLauncher {
    /// Encode as a frame.
    pub fn frame(&self) -> Vec<u8> {
        let mut to = Writer::new();
        match self {
            ToLauncher::Hello { version } => to.tag(b'h').u32(*version),
            ToLauncher::Join => to.tag(b'j'),
            ToLauncher::Exchange { published } => {
                to.tag(b'x').len(published.len());
                for (key, value) in published {
                    to.bytes(key.as_bytes()).bytes(value);
                }
                &mut to
            }
            ToLauncher::Lookup { pe, key } => to.tag(b'?').u32(pe.0).bytes(key.as_bytes()),
            ToLauncher::Leave => to.tag(b'l'),
            ToLauncher::Abort { code, why } => to.tag(b'!').u32(*code as u32).bytes(cut(why, WHY_MAX).as_bytes()),
        };
        to.frame()
    }

    /// Decode a frame's body.
    pub fn parse(body: &[u8]) -> Result<Self, Malformed> {
        let mut from = Reader::new(body);
        let message = match from.u8()? {
            b'h' => ToLauncher::Hello { version: from.u32()? },
            b'j' => ToLauncher::Join,
            b'x' => ToLauncher::Exchange { published: from.list(8, |from| Ok((key(from)?, value(from)?)))? },
            b'?' => ToLauncher::Lookup { pe: Pe(from.u32()?), key: key(&mut from)? },
            b'l' => ToLauncher::Leave,
            b'!' => ToLauncher::Abort { code: from.u32()? as i32, why: from.text(WHY_MAX)? },
            other => return Err(Malformed::new(format!("no message of a PE begins with byte {other:#04x}"))),
        };
        from.end()?;
        Ok(message)
    }
}

impl ToPe {
    /// Name of the message in errors.
    pub fn name(&self) -> String {
        match self {
            ToPe::Welcome { me, nodes, .. } => format!("a welcome to {me} of {}", nodes.size()),
            ToPe::Refused { .. } => "a refusal".into(),
            ToPe::Released { .. } => "the end of an exchange".into(),
            ToPe::Found { .. } => "the values of a lookup".into(),
        }
    }

    /// Encode as a frame.
    pub fn frame(&self) -> Vec<u8> {
        let mut to = Writer::new();
        match self {
            ToPe::Welcome { me, nodes, secret } => to.tag(b'W').u32(me.0).bytes(&nodes.encode()).raw(secret.bytes()),
            ToPe::Refused { why } => to.tag(b'N').bytes(cut(why, WHY_MAX).as_bytes()),
            ToPe::Released { entries: None } => to.tag(b'A'),
            ToPe::Released { entries: Some(entries) } => entries_to(to.tag(b'R'), entries),
            ToPe::Found { entries } => entries_to(to.tag(b'F'), entries),
        };
        to.frame()
    }

    /// Decode a frame's body.
    pub fn parse(body: &[u8]) -> Result<Self, Malformed> {
        let mut from = Reader::new(body);
        let message = match from.u8()? {
            b'W' => ToPe::Welcome { me: Pe(from.u32()?), nodes: nodes(&mut from)?, secret: Secret::of(from.raw()?) },
            b'N' => ToPe::Refused { why: from.text(WHY_MAX)? },
            b'A' => ToPe::Released { entries: None },
            b'R' => ToPe::Released { entries: Some(entries_from(&mut from)?) },
            b'F' => ToPe::Found { entries: entries_from(&mut from)? },
            other => return Err(Malformed::new(format!("no message of the launcher begins with byte {other:#04x}"))),
        };
        from.end()?;
        Ok(message)
    }
}

/// Write a list of values.
pub fn entries_to<'a>(to: &'a mut Writer, entries: &[Entry]) -> &'a mut Writer {
    to.len(entries.len());
    for entry in entries {
        to.u32(entry.pe.0).bytes(entry.key.as_bytes()).bytes(&entry.value);
    }
    to
}

/// Read a list of values.
pub fn entries_from(from: &mut Reader<'_>) -> Result<Vec<Entry>, Malformed> {
    from.list(12, |from| Ok(Entry { pe: Pe(from.u32()?), key: key(from)?, value: value(from)? }))
}

/// Read a key, which is not empty and at most [`KEY_MAX`] bytes long.
pub fn key(from: &mut Reader<'_>) -> Result<String, Malformed> {
    let key = from.text(KEY_MAX)?;
    if key.is_empty() { Err(Malformed::new("an empty key")) } else { Ok(key) }
}

fn value(from: &mut Reader<'_>) -> Result<Vec<u8>, Malformed> {
    Ok(from.bytes(VALUE_MAX)?.to_vec())
}

/// Read a node map.
pub fn nodes(from: &mut Reader<'_>) -> Result<NodeMap, Malformed> {
    let bytes = from.bytes(NodeMap::BYTES_MAX)?;
    NodeMap::decode(bytes).ok_or_else(|| Malformed::new("a malformed map of nodes"))
}
