//! What has arrived on a connection and is not yet understood.

use crate::sys;
use ferrite_fabric::segments;
use std::{io, os::fd::BorrowedFd};

const INBOX_BYTES: usize = 32 << 10;
/// While large payloads come, only so much is read where a frame's head is expected: what follows the head is
/// then read to where it belongs, and not copied from here.
const SIP_BYTES: usize = 256;

/// A buffer between a socket and a parser.
pub struct Inbox {
    bytes: Box<[u8]>,
    start: usize,
    end: usize,
    sip: bool,
}

impl Inbox {
    /// An empty one.
    pub fn new() -> Self {
        Inbox { bytes: vec![0; INBOX_BYTES].into(), start: 0, end: 0, sip: false }
    }

    /// What is there.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }

    /// The first `n` bytes have been understood.
    #[inline]
    pub fn consume(&mut self, n: usize) {
        self.start += n;
        if self.start == self.end {
            self.start = 0;
            self.end = 0;
        }
    }

    /// Read more; gives the number of bytes, and whether the socket may have more at once.
    pub fn fill(&mut self, socket: BorrowedFd<'_>) -> io::Result<(usize, bool)> {
        if self.start > 0 {
            // Less than a frame's fixed part is left: this moves a few bytes.
            self.bytes.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        let sip = self.sip && self.end == 0;
        let room = if sip { &mut self.bytes[..SIP_BYTES] } else { &mut self.bytes[self.end..] };
        let room = sys::piece(room.as_mut_ptr(), room.len());
        // SAFETY: the piece is our own buffer.
        let Some(n) = (unsafe { sys::receive(socket, room)? }) else { return Ok((0, false)) };
        self.end += n;
        self.sip = false;
        Ok((n, n == room.iov_len))
    }

    /// Move up to `left` bytes of a payload to `to`: what is here already, then what the socket has. Gives the
    /// number of bytes moved, and whether the socket may have more at once.
    ///
    /// # Safety
    /// `to` is writable for `left` bytes.
    pub unsafe fn pour(&mut self, socket: BorrowedFd<'_>, to: *mut u8, left: usize) -> io::Result<(usize, bool)> {
        let here = left.min(self.end - self.start);
        // SAFETY: writable as the caller says; both parts lie within `left`.
        unsafe {
            segments::store(to, self.bytes[self.start..self.start + here].as_ptr(), here);
            self.consume(here);
            if here == left {
                return Ok((here, true));
            }
            let piece = sys::piece(to.add(here), left - here);
            self.sip = true;
            match sys::receive(socket, piece)? {
                Some(n) => Ok((here + n, n == left - here)),
                None => Ok((here, false)),
            }
        }
    }
}
