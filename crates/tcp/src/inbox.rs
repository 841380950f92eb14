//! Bytes that have arrived on a connection and are not parsed yet.

use crate::{
    seal::{Broken, Direction, record_bytes},
    sys, words,
};
use ferrite_engine::segments;
use std::{io, ops::Range, os::fd::BorrowedFd};

const INBOX_BYTES: usize = 32 << 10;
/// Size of the buffer if records are opened in it: room for several whole records, and for the rest of the one before.
const SEALED_BYTES: usize = 64 << 10;
/// While large answers arrive, only this many bytes are read where a frame's head is expected. The bytes behind the head are then received
/// straight into their destination, and not copied from here.
const SIP_BYTES: usize = 256;

/// A buffer between a socket and a parser.
pub struct Inbox {
    bytes: Box<[u8]>,
    start: usize,
    end: usize,
    sip: bool,
    records: Option<Box<Records>>,
}

/// Records that have arrived and are still sealed. They lie behind the opened bytes, in the same buffer.
struct Records {
    direction: Direction,
    at: Range<usize>,
}

impl Inbox {
    /// An empty inbox. With a key, it opens records sealed with that key.
    pub fn new(key: Option<[u8; 32]>) -> Self {
        let records = key.map(|key| Box::new(Records { direction: Direction::new(key), at: 0..0 }));
        let bytes = vec![0; if records.is_some() { SEALED_BYTES } else { INBOX_BYTES }].into();
        Inbox { bytes, start: 0, end: 0, sip: false, records }
    }

    /// Whether arriving bytes are sealed.
    #[inline]
    pub fn is_sealed(&self) -> bool {
        self.records.is_some()
    }

    /// Whether a record has arrived, or an invalid length of one: then [`Inbox::fill`] handles it without reading the socket.
    pub fn has_record(&self) -> bool {
        self.records.as_ref().is_some_and(|records| match record_bytes(&self.bytes[records.at.clone()]) {
            Ok(len) => len.is_some_and(|len| len <= records.at.len()),
            Err(_) => true,
        })
    }

    /// Whether part of a record has arrived.
    pub fn has_part_of_record(&self) -> bool {
        self.records.as_ref().is_some_and(|records| !records.at.is_empty())
    }

    /// Bytes that have arrived and are not consumed.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }

    /// Remove the first `n` bytes, which have been parsed.
    #[inline]
    pub fn consume(&mut self, n: usize) {
        self.start += n;
        if self.start == self.end {
            self.start = 0;
            self.end = 0;
        }
    }

    /// Read from the socket. Return the number of bytes, and whether more may be available at once.
    pub fn fill(&mut self, socket: BorrowedFd<'_>) -> io::Result<(usize, bool)> {
        if self.is_sealed() {
            return Ok((self.fill_sealed(socket)?, true));
        }
        if self.start > 0 {
            // A part of a frame's head, of a word, or of a short payload or text is left: this moves at most some hundred bytes.
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

    /// Open the next record. Return the number of bytes of the stream in it, or 0 if it has not arrived completely.
    fn fill_sealed(&mut self, socket: BorrowedFd<'_>) -> io::Result<usize> {
        let Inbox { bytes, start, end, records: Some(records), .. } = self else { return Ok(0) };
        let Records { direction, at } = &mut **records;
        let broken = |what: Broken| io::Error::new(io::ErrorKind::InvalidData, what);
        loop {
            let left = *end - *start;
            match record_bytes(&bytes[at.clone()]).map_err(broken)? {
                Some(len) if len <= at.len() => {
                    let n = direction.open(&mut bytes[at.start..at.start + len]).map_err(broken)?;
                    // Move the rest of the previous record, a few bytes, up to this one.
                    bytes.copy_within(*start..*end, at.start - left);
                    (*start, *end) = (at.start - left, at.start + n);
                    at.start += len;
                    return Ok(n);
                }
                _ => {}
            }
            bytes.copy_within(*start..*end, 0);
            bytes.copy_within(at.clone(), left);
            (*start, *end, *at) = (0, left, left..left + at.len());
            let room = &mut bytes[at.end..];
            let room = sys::piece(room.as_mut_ptr(), room.len());
            // SAFETY: the piece is our own buffer, and not empty: a record and the rest of the one before it fill only part of the buffer.
            match unsafe { sys::receive(socket, room) } {
                Ok(Some(n)) => at.end += n,
                Ok(None) => return Ok(0),
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof && at.start < at.end => {
                    return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "its last record is cut short"));
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Move the available bytes of a put to `to`; `left` bytes of the put are missing there. If only part of a word would be visible there,
    /// these bytes stay here until the rest of the word has arrived. Return the number of bytes moved.
    ///
    /// # Safety
    /// `to` is writable for `left` bytes.
    #[inline]
    pub unsafe fn hand_over(&mut self, to: *mut u8, left: usize) -> usize {
        let here = self.bytes();
        let n = words::whole(to, here.len(), left);
        // SAFETY: writable as the caller says, and `n` bytes are here.
        unsafe { segments::store(to, here.as_ptr(), n) };
        self.consume(n);
        n
    }

    /// Move up to `left` bytes of an answer to `to`: first the bytes that are already here, then the bytes that the socket has, received
    /// straight into place. Return the number of bytes moved, and whether the socket may have more at once.
    ///
    /// # Safety
    /// `to` is writable for `left` bytes, and no thread reads them before all have arrived.
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::{io::Write, os::fd::AsFd, os::unix::net::UnixStream};

    const OLD: u8 = 0xa5;
    const WORDS: usize = 6;

    /// The destination of a put, and how much of the put has arrived.
    struct Target {
        inbox: Inbox,
        memory: [u64; WORDS],
        offset: usize,
        len: usize,
        stored: usize,
    }

    impl Target {
        fn new(offset: usize, len: usize) -> Self {
            assert!(offset + len <= WORDS * 8);
            Target { inbox: Inbox::new(None), memory: [u64::from_ne_bytes([OLD; 8]); WORDS], offset, len, stored: 0 }
        }

        /// Take all bytes that the socket has, and check the memory as another thread would see it at this moment.
        fn take(&mut self, socket: &UnixStream) {
            while self.inbox.fill(socket.as_fd()).unwrap().0 > 0 {}
            let left = self.len - self.stored;
            let to = self.memory.as_mut_ptr().cast::<u8>().wrapping_add(self.offset + self.stored);
            // SAFETY: the rest of a put that lies within the memory.
            self.stored += unsafe { self.inbox.hand_over(to, left) };
            self.is_whole();
        }

        fn bytes(&self) -> Vec<u8> {
            self.memory.iter().flat_map(|word| word.to_ne_bytes()).collect()
        }

        /// In each word, the bytes that the put covers are all old or all new.
        fn is_whole(&self) {
            let bytes = self.bytes();
            let covered = self.offset..self.offset + self.len;
            for (number, word) in bytes.chunks(8).enumerate() {
                let of_put = |at: &usize| covered.contains(&(number * 8 + at));
                let is_new: Vec<bool> = (0..8).filter(of_put).map(|at| word[at] != OLD).collect();
                let all_same = is_new.iter().all(|&new| new == is_new[0]);
                assert!(
                    all_same,
                    "word {number} is {word:02x?}, {} of {} bytes at {}",
                    self.stored, self.len, self.offset
                );
            }
        }

        fn is_complete(&self, payload: &[u8]) {
            assert_eq!(self.stored, self.len);
            let mut wanted = [OLD; WORDS * 8];
            wanted[self.offset..self.offset + self.len].copy_from_slice(payload);
            assert_eq!(self.bytes(), wanted);
        }
    }

    fn payload(len: usize) -> Vec<u8> {
        (1..=len as u8).collect()
    }

    #[test]
    fn a_stream_cut_at_any_byte_shows_whole_words() {
        for offset in 0..8 {
            for (len, cut) in (1..=40).flat_map(|len| (0..len).map(move |cut| (len, cut))) {
                let (mut peer, socket) = UnixStream::pair().unwrap();
                let (payload, mut target) = (payload(len), Target::new(offset, len));
                // Bytes behind the put stay in the inbox.
                for part in [&payload[..cut], &[&payload[cut..], b"next"].concat()] {
                    peer.write_all(part).unwrap();
                    target.take(&socket);
                }
                target.is_complete(&payload);
                assert_eq!(target.inbox.bytes(), b"next");
            }
        }
    }

    #[test]
    fn a_stream_that_comes_in_runs_of_any_length_shows_whole_words() {
        for (offset, run) in (0..8).flat_map(|offset| (1..=17).map(move |run| (offset, run))) {
            let (mut peer, socket) = UnixStream::pair().unwrap();
            let (payload, mut target) = (payload(40), Target::new(offset, 40));
            for part in payload.chunks(run) {
                peer.write_all(part).unwrap();
                target.take(&socket);
            }
            target.is_complete(&payload);
        }
    }
}
