//! The frames between a PE and our launcher.
//!
//! A frame is its body's length (four bytes, little-endian), then the body: one byte that says which message it is,
//! and the message's fields in order. Numbers are little-endian; texts and values carry their length in four bytes.
//!
//! The PE asks, the launcher answers; a PE waits for one answer at a time. Nothing comes unasked: what ends a job is
//! the end of the connection, or a signal.
//!
//! | PE says | launcher answers |
//! |---|---|
//! | `Hello` | `Welcome`, or `Refused` |
//! | `Exchange` | `Released`, when every PE has said it |
//! | `Lookup` | `Found` |
//! | `Join`, `Leave`, `Abort` | nothing |
//!
//! A job's values travel whole with `Released` while they are small; beyond that a PE asks for those that it needs,
//! and gets them by the page, so that neither side holds all of a large job per PE.
//!
//! Decoding trusts nothing: lengths are checked against [`FRAME_MAX`] before memory is taken for them, and a body
//! must be consumed to its last byte.

use crate::NodeMap;
use ferrite_fabric::{Error, Pe, Result};
use std::fmt;

/// The protocol's number; both sides must speak the same.
pub const VERSION: u32 = 2;
/// The longest body of a frame, in bytes.
pub const FRAME_MAX: usize = 1 << 20;
/// The longest key, in bytes.
pub const KEY_MAX: usize = 128;
/// The longest value, in bytes.
pub const VALUE_MAX: usize = 64 << 10;
/// The longest reason that travels with an abort, in bytes; what is longer is cut.
pub const WHY_MAX: usize = 4 << 10;

/// One published value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Who published it.
    pub pe: Pe,
    /// Under which key.
    pub key: String,
    /// What.
    pub value: Vec<u8>,
}

/// What a PE says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ToLauncher {
    /// The first message of a process: which protocol it speaks.
    Hello {
        /// [`VERSION`] of the PE's library.
        version: u32,
    },
    /// From here on, to end without `Leave` is to have died.
    Join,
    /// All that the PE published since the last exchange; the PE now waits for all others.
    Exchange {
        /// Keys and values.
        said: Vec<(String, Vec<u8>)>,
    },
    /// What has `pe` published under `key`?
    Lookup {
        /// Of whom.
        pe: Pe,
        /// Under which key.
        key: String,
    },
    /// The PE is done with its peers.
    Leave,
    /// End the whole job.
    Abort {
        /// With this exit code.
        code: i32,
        /// For this reason, if there is one.
        why: String,
    },
}

/// What the launcher answers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ToPe {
    /// Who the PE is.
    Welcome {
        /// Its number.
        me: Pe,
        /// How many PEs the job has, and which of them share memory.
        nodes: NodeMap,
        /// The job's secret.
        secret: [u8; 16],
    },
    /// The launcher does not take this process for a PE, and why.
    Refused {
        /// In words.
        why: String,
    },
    /// Every PE has arrived. All that was published in this turn, or nothing if that is too much to send: then
    /// what the PE knew is stale, and it asks.
    Released {
        /// The values of the turn.
        entries: Option<Vec<Entry>>,
    },
    /// What was asked for, if it is there, and as many of the following PEs' values of that key as fit a page.
    Found {
        /// The values.
        entries: Vec<Entry>,
    },
}

/// Bytes that are no frame of this protocol, and why not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Malformed(String);

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Malformed {}

/// Refuse a key or value that no frame would carry.
pub fn check(key: &str, value: &[u8]) -> Result<()> {
    if key.is_empty() || key.len() > KEY_MAX {
        return Err(Error::new(format!("a key of {} bytes was given, of 1 to {KEY_MAX} is right", key.len())));
    }
    if value.len() > VALUE_MAX {
        let given = value.len();
        return Err(Error::new(format!("a value of {given} bytes for `{key}`: at most {VALUE_MAX} travel")));
    }
    Ok(())
}

/// `text`, cut to at most `max` bytes at a character's border.
pub fn cut(text: &str, max: usize) -> &str {
    let mut end = text.len().min(max);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

impl ToLauncher {
    /// The whole frame.
    pub fn frame(&self) -> Vec<u8> {
        let mut to = Writer::new();
        match self {
            ToLauncher::Hello { version } => to.tag(b'h').u32(*version),
            ToLauncher::Join => to.tag(b'j'),
            ToLauncher::Exchange { said } => {
                to.tag(b'x').len(said.len());
                for (key, value) in said {
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

    /// The message in a frame's body.
    pub fn parse(body: &[u8]) -> Result<Self, Malformed> {
        let mut from = Reader::new(body);
        let message = match from.u8()? {
            b'h' => ToLauncher::Hello { version: from.u32()? },
            b'j' => ToLauncher::Join,
            b'x' => ToLauncher::Exchange { said: from.list(8, |from| Ok((from.key()?, from.value()?)))? },
            b'?' => ToLauncher::Lookup { pe: Pe(from.u32()?), key: from.key()? },
            b'l' => ToLauncher::Leave,
            b'!' => ToLauncher::Abort { code: from.u32()? as i32, why: from.text(WHY_MAX)? },
            other => return Err(Malformed(format!("no message of a PE begins with byte {other:#04x}"))),
        };
        from.end()?;
        Ok(message)
    }
}

impl ToPe {
    /// The whole frame.
    pub fn frame(&self) -> Vec<u8> {
        let mut to = Writer::new();
        match self {
            ToPe::Welcome { me, nodes, secret } => to.tag(b'W').u32(me.0).bytes(&nodes.encode()).raw(secret),
            ToPe::Refused { why } => to.tag(b'N').bytes(cut(why, WHY_MAX).as_bytes()),
            ToPe::Released { entries: None } => to.tag(b'A'),
            ToPe::Released { entries: Some(entries) } => to.tag(b'R').entries(entries),
            ToPe::Found { entries } => to.tag(b'F').entries(entries),
        };
        to.frame()
    }

    /// The message in a frame's body.
    pub fn parse(body: &[u8]) -> Result<Self, Malformed> {
        let mut from = Reader::new(body);
        let message = match from.u8()? {
            b'W' => ToPe::Welcome { me: Pe(from.u32()?), nodes: from.nodes()?, secret: from.raw()? },
            b'N' => ToPe::Refused { why: from.text(WHY_MAX)? },
            b'A' => ToPe::Released { entries: None },
            b'R' => ToPe::Released { entries: Some(from.entries()?) },
            b'F' => ToPe::Found { entries: from.entries()? },
            other => return Err(Malformed(format!("no message of the launcher begins with byte {other:#04x}"))),
        };
        from.end()?;
        Ok(message)
    }
}

/// A stream of bytes, cut into the bodies of frames.
///
/// Holds at most one frame beside what was pushed last: whoever pushes takes all bodies before pushing again.
#[derive(Default, Debug)]
pub struct Frames {
    held: Vec<u8>,
    taken: usize,
}

impl Frames {
    /// Add what the stream gave.
    pub fn push(&mut self, bytes: &[u8]) {
        self.held.drain(..self.taken);
        self.taken = 0;
        self.held.extend_from_slice(bytes);
    }

    /// The next whole body, if there is one.
    pub fn next_body(&mut self) -> Result<Option<&[u8]>, Malformed> {
        let Some((head, rest)) = self.held[self.taken..].split_first_chunk::<4>() else { return Ok(None) };
        let length = u32::from_le_bytes(*head) as usize;
        if length == 0 || length > FRAME_MAX {
            return Err(Malformed(format!("a frame of {length} bytes was announced, of 1 to {FRAME_MAX} is right")));
        }
        let Some(body) = rest.get(..length) else { return Ok(None) };
        self.taken += 4 + length;
        Ok(Some(body))
    }

    /// Whether the stream stands in the middle of a frame.
    pub fn is_torn(&self) -> bool {
        self.taken < self.held.len()
    }
}

struct Writer(Vec<u8>);

impl Writer {
    fn new() -> Self {
        Writer(vec![0; 4])
    }

    fn raw(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.extend_from_slice(bytes);
        self
    }

    fn tag(&mut self, tag: u8) -> &mut Self {
        self.raw(&[tag])
    }

    fn u32(&mut self, value: u32) -> &mut Self {
        self.raw(&value.to_le_bytes())
    }

    fn len(&mut self, value: usize) -> &mut Self {
        self.u32(u32::try_from(value).expect("what a frame holds is counted in 32 bits"))
    }

    fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.len(bytes.len()).raw(bytes)
    }

    fn entries(&mut self, entries: &[Entry]) -> &mut Self {
        self.len(entries.len());
        for entry in entries {
            self.u32(entry.pe.0).bytes(entry.key.as_bytes()).bytes(&entry.value);
        }
        self
    }

    fn frame(mut self) -> Vec<u8> {
        let length = self.0.len() - 4;
        debug_assert!(length <= FRAME_MAX, "a frame of {length} bytes was built");
        self.0[..4].copy_from_slice(&(length as u32).to_le_bytes());
        self.0
    }
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn new(body: &'a [u8]) -> Self {
        Reader(body)
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], Malformed> {
        let (taken, rest) = self
            .0
            .split_at_checked(length)
            .ok_or_else(|| Malformed(format!("a field of {length} bytes in a frame with {} left", self.0.len())))?;
        self.0 = rest;
        Ok(taken)
    }

    fn raw<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        Ok(self.take(N)?.try_into().expect("N bytes were taken"))
    }

    fn u8(&mut self) -> Result<u8, Malformed> {
        Ok(self.raw::<1>()?[0])
    }

    fn u32(&mut self) -> Result<u32, Malformed> {
        Ok(u32::from_le_bytes(self.raw()?))
    }

    fn bytes(&mut self, max: usize) -> Result<&'a [u8], Malformed> {
        let length = self.u32()? as usize;
        if length > max {
            return Err(Malformed(format!("a field of {length} bytes: at most {max} are right")));
        }
        self.take(length)
    }

    fn text(&mut self, max: usize) -> Result<String, Malformed> {
        let bytes = self.bytes(max)?;
        String::from_utf8(bytes.to_vec()).map_err(|_| Malformed("a text that is not UTF-8".into()))
    }

    fn key(&mut self) -> Result<String, Malformed> {
        let key = self.text(KEY_MAX)?;
        if key.is_empty() { Err(Malformed("an empty key".into())) } else { Ok(key) }
    }

    fn value(&mut self) -> Result<Vec<u8>, Malformed> {
        Ok(self.bytes(VALUE_MAX)?.to_vec())
    }

    fn nodes(&mut self) -> Result<NodeMap, Malformed> {
        let bytes = self.bytes(NodeMap::BYTES_MAX)?;
        NodeMap::decode(bytes).ok_or_else(|| Malformed("a map of nodes that makes no sense".into()))
    }

    /// A counted list, of items that take at least `least` bytes each: a count that the frame cannot hold is refused
    /// before memory is taken for it.
    fn list<T>(
        &mut self,
        least: usize,
        mut item: impl FnMut(&mut Self) -> Result<T, Malformed>,
    ) -> Result<Vec<T>, Malformed> {
        let count = self.u32()? as usize;
        if count > self.0.len() / least {
            return Err(Malformed(format!("a list of {count} items in a frame with {} bytes left", self.0.len())));
        }
        (0..count).map(|_| item(self)).collect()
    }

    fn entries(&mut self) -> Result<Vec<Entry>, Malformed> {
        self.list(12, |from| Ok(Entry { pe: Pe(from.u32()?), key: from.key()?, value: from.value()? }))
    }

    fn end(&self) -> Result<(), Malformed> {
        if self.0.is_empty() { Ok(()) } else { Err(Malformed(format!("{} bytes too many in a frame", self.0.len()))) }
    }
}
