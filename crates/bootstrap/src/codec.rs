//! Encodes and decodes the launcher's messages: frames in a stream of bytes, and fields in a frame.
//!
//! A frame is the length of its body (four bytes, little-endian), then the body. Numbers are little-endian. Texts and
//! values are preceded by their length in four bytes.
//!
//! Decoding trusts no input: a length is checked against a bound before memory is allocated for it, and a body must be consumed to its last
//! byte.

use std::fmt;

/// The longest body of a frame between a PE and its launcher, in bytes.
pub const FRAME_MAX: usize = 1 << 20;

/// The error for bytes that are not a valid frame.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Malformed(String);

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Malformed {}

impl Malformed {
    /// An error with this reason.
    pub fn new(why: impl Into<String>) -> Self {
        Malformed(why.into())
    }
}

/// Splits a stream of bytes into the bodies of frames.
///
/// Holds at most one frame besides the bytes pushed last: the caller takes all bodies before it pushes again.
#[derive(Debug)]
pub struct Frames {
    held: Vec<u8>,
    taken: usize,
    max: usize,
}

impl Default for Frames {
    fn default() -> Self {
        Frames::up_to(FRAME_MAX)
    }
}

impl Frames {
    /// Split a stream whose bodies have at most `max` bytes.
    pub fn up_to(max: usize) -> Self {
        Frames { held: Vec::new(), taken: 0, max }
    }

    /// Add bytes that have come.
    pub fn push(&mut self, bytes: &[u8]) {
        self.held.drain(..self.taken);
        self.taken = 0;
        self.held.extend_from_slice(bytes);
    }

    /// The next complete body, if there is one.
    pub fn next_body(&mut self) -> Result<Option<&[u8]>, Malformed> {
        let Some((head, rest)) = self.held[self.taken..].split_first_chunk::<4>() else { return Ok(None) };
        let length = u32::from_le_bytes(*head) as usize;
        if length == 0 || length > self.max {
            return Err(Malformed(format!("a frame announces {length} bytes; 1 to {} are allowed", self.max)));
        }
        let Some(body) = rest.get(..length) else { return Ok(None) };
        self.taken += 4 + length;
        Ok(Some(body))
    }

    /// Whether the bytes end in the middle of a frame.
    pub fn is_torn(&self) -> bool {
        self.taken < self.held.len()
    }
}

/// A frame being written.
pub struct Writer(Vec<u8>);

impl Writer {
    /// Begin a frame without a body.
    #[expect(clippy::new_without_default, reason = "an empty frame is no frame yet")]
    pub fn new() -> Self {
        Writer(vec![0; 4])
    }

    /// Append bytes without a length.
    pub fn raw(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.extend_from_slice(bytes);
        self
    }

    /// Append one byte, as the tag of a message.
    pub fn tag(&mut self, tag: u8) -> &mut Self {
        self.raw(&[tag])
    }

    /// Append a 32-bit number.
    pub fn u32(&mut self, value: u32) -> &mut Self {
        self.raw(&value.to_le_bytes())
    }

    /// Append a 64-bit number.
    pub fn u64(&mut self, value: u64) -> &mut Self {
        self.raw(&value.to_le_bytes())
    }

    /// Append a length, as 32 bits.
    pub fn len(&mut self, value: usize) -> &mut Self {
        self.u32(u32::try_from(value).expect("what a frame holds is counted in 32 bits"))
    }

    /// Append bytes preceded by their length.
    pub fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.len(bytes.len()).raw(bytes)
    }

    /// The complete frame, with its length filled in.
    pub fn frame(mut self) -> Vec<u8> {
        let length = self.0.len() - 4;
        self.0[..4].copy_from_slice(&(length as u32).to_le_bytes());
        self.0
    }
}

/// A body being read.
pub struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    /// Read from the first byte of `body`.
    pub fn new(body: &'a [u8]) -> Self {
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

    /// Read bytes without a length.
    pub fn raw<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        Ok(self.take(N)?.try_into().expect("N bytes were taken"))
    }

    /// Take the next byte.
    pub fn u8(&mut self) -> Result<u8, Malformed> {
        Ok(self.raw::<1>()?[0])
    }

    /// Read a 32-bit number.
    pub fn u32(&mut self) -> Result<u32, Malformed> {
        Ok(u32::from_le_bytes(self.raw()?))
    }

    /// Read a 64-bit number.
    pub fn u64(&mut self) -> Result<u64, Malformed> {
        Ok(u64::from_le_bytes(self.raw()?))
    }

    /// Read bytes preceded by their length, at most `max`.
    pub fn bytes(&mut self, max: usize) -> Result<&'a [u8], Malformed> {
        let length = self.u32()? as usize;
        if length > max {
            return Err(Malformed(format!("a field of {length} bytes: at most {max} are allowed")));
        }
        self.take(length)
    }

    /// Read a text of at most `max` bytes.
    pub fn text(&mut self, max: usize) -> Result<String, Malformed> {
        let bytes = self.bytes(max)?;
        String::from_utf8(bytes.to_vec()).map_err(|_| Malformed("a text that is not UTF-8".into()))
    }

    /// Read a list preceded by its length, of items that take at least `least` bytes each. A length that cannot fit the frame is refused
    /// before memory is allocated.
    pub fn list<T>(
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

    /// Check that all bytes were consumed.
    pub fn end(&self) -> Result<(), Malformed> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(Malformed(format!("{} unread bytes at the end of a frame", self.0.len())))
        }
    }
}
