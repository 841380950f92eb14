//! Bytes that wait to be sent on a connection: small pieces copied into one buffer, large ones in place.

use crate::{
    seal::{Direction, RECORD_BYTES_MAX},
    sys::{self, PIECES_MAX, Piece},
};
use std::{
    collections::VecDeque,
    io,
    os::fd::BorrowedFd,
    sync::atomic::{Ordering, fence},
};

/// Maximum number of copied bytes that wait.
const STAGED_BYTES_MAX: usize = 128 << 10;
/// Maximum number of large pieces that wait.
const DIRECT_MAX: usize = 64;
/// Up to this size bytes are copied when they are queued.
pub const COPY_BYTES_MAX: usize = 8 << 10;
/// Number of bytes of sealed records that are sent at once. The last record may exceed it, by less than a record.
const SEALED_BYTES: usize = 48 << 10;
/// Sending is worth a system call if at least this many bytes wait.
const WORTH_BYTES: usize = 16 << 10;

enum Chunk {
    Staged(usize),
    Direct(*const u8, usize),
}

/// A bounded queue of bytes. The caller checks [`Outbox::has_room`] before it adds any.
#[derive(Default)]
pub struct Outbox {
    chunks: VecDeque<Chunk>,
    staged: Vec<u8>,
    /// Number of bytes of `staged` that have been sent.
    gone: usize,
    direct: usize,
    queued: u64,
    sent: u64,
    /// The socket had no room for all bytes that were offered last.
    refused: bool,
    sealer: Option<Box<Sealer>>,
    /// Bytes of sealed records that wait. The bytes of the stream in these records already count as sent.
    sealed: usize,
}

/// Seals outgoing bytes.
struct Sealer {
    direction: Direction,
    records: Vec<u8>,
    /// Number of bytes of `records` that have been sent.
    gone: usize,
}

// SAFETY: the pointers of direct chunks are only read, by the kernel or to be sealed. The caller that queues them promises that they stay
// readable until they are sent, from any thread.
unsafe impl Send for Outbox {}

impl Outbox {
    /// An empty outbox. With a key, sent bytes are sealed with it.
    pub fn new(key: Option<[u8; 32]>) -> Self {
        let sealer = |key| Box::new(Sealer { direction: Direction::new(key), records: Vec::new(), gone: 0 });
        Outbox { sealer: key.map(sealer), ..Outbox::default() }
    }

    /// Whether no bytes wait.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.queued == self.sent && self.sealed == 0
    }

    /// Whether a frame with its small payload fits.
    #[inline]
    pub fn has_room(&self, bytes: usize) -> bool {
        self.staged.len() - self.gone + bytes <= STAGED_BYTES_MAX && self.direct < DIRECT_MAX
    }

    /// Whether the socket has no room, as far as is known.
    #[inline]
    pub fn is_refused(&self) -> bool {
        self.refused
    }

    /// Whether enough bytes wait to be worth a system call.
    #[inline]
    pub fn is_worth_sending(&self) -> bool {
        self.queued - self.sent >= WORTH_BYTES as u64
    }

    /// Bytes queued since the beginning, which is the position of the end of the queue.
    #[inline]
    pub fn queued(&self) -> u64 {
        self.queued
    }

    /// Bytes sent since the beginning, or sealed to be sent. Their source is not needed any more.
    #[inline]
    pub fn sent(&self) -> u64 {
        self.sent
    }

    /// Queue a copy of `bytes`.
    #[inline]
    pub fn stage(&mut self, bytes: &[u8]) {
        self.staged.extend_from_slice(bytes);
        self.count(bytes.len());
    }

    /// Queue the `len` bytes at `from`. Up to [`COPY_BYTES_MAX`] bytes are copied now; more bytes stay in place and are read when they are
    /// sent. Return whether they are copied.
    ///
    /// # Safety
    /// `from` is readable for `len` bytes. If they are more than [`COPY_BYTES_MAX`], it stays readable until they are sent or the outbox is
    /// dropped.
    #[inline]
    pub unsafe fn add(&mut self, from: *const u8, len: usize) -> bool {
        let is_copied = len <= COPY_BYTES_MAX;
        if is_copied {
            // SAFETY: readable as the caller says.
            unsafe { load(from, len, &mut self.staged) };
            self.count(len);
        } else {
            self.chunks.push_back(Chunk::Direct(from, len));
            self.direct += 1;
            self.queued += len as u64;
        }
        is_copied
    }

    #[inline]
    fn count(&mut self, len: usize) {
        self.queued += len as u64;
        match self.chunks.back_mut() {
            Some(Chunk::Staged(waiting)) => *waiting += len,
            _ => self.chunks.push_back(Chunk::Staged(len)),
        }
    }

    /// Send as many bytes as the socket takes. Return their number.
    pub fn flush(&mut self, socket: BorrowedFd<'_>) -> io::Result<usize> {
        if self.sealer.is_some() {
            return self.flush_sealed(socket);
        }
        let before = self.sent;
        while !self.is_empty() {
            let (pieces, n) = self.pieces();
            let offered: usize = pieces[..n].iter().map(|p| p.iov_len).sum();
            // SAFETY: staged pieces lie in `staged`, which is not touched during the call; direct ones are
            // readable as promised to `add`.
            let Some(taken) = (unsafe { sys::send(socket, &pieces[..n])? }) else { break };
            self.consume(taken);
            if taken < offered {
                break;
            }
        }
        self.refused = !self.is_empty();
        Ok((self.sent - before) as usize)
    }

    #[inline(never)]
    fn flush_sealed(&mut self, socket: BorrowedFd<'_>) -> io::Result<usize> {
        let Some(mut sealer) = self.sealer.take() else { return Ok(0) };
        let sent = self.send_records(&mut sealer, socket);
        self.sealer = Some(sealer);
        self.refused = !self.is_empty();
        sent
    }

    fn send_records(&mut self, sealer: &mut Sealer, socket: BorrowedFd<'_>) -> io::Result<usize> {
        let mut sent = 0;
        while !self.is_empty() {
            if self.sealed == 0 {
                self.seal(sealer);
            }
            let piece = sys::piece(sealer.records[sealer.gone..].as_ptr(), self.sealed);
            // SAFETY: the records are not touched during the call.
            let Some(taken) = (unsafe { sys::send(socket, &[piece])? }) else { break };
            (sent, sealer.gone, self.sealed) = (sent + taken, sealer.gone + taken, self.sealed - taken);
            if self.sealed > 0 {
                break;
            }
        }
        Ok(sent)
    }

    /// Seal waiting bytes into records, as many as are worth a system call.
    fn seal(&mut self, sealer: &mut Sealer) {
        let Sealer { direction, records, gone } = sealer;
        records.clear();
        *gone = 0;
        while self.queued > self.sent && records.len() < SEALED_BYTES {
            direction.seal(records, |to| {
                let mut room = RECORD_BYTES_MAX;
                while room > 0 && self.queued > self.sent {
                    let (pieces, n) = self.pieces();
                    let mut taken = 0;
                    for piece in &pieces[..n] {
                        let len = piece.iov_len.min(room - taken);
                        // SAFETY: staged pieces lie in `staged`, which is not touched meanwhile; direct ones are readable as promised
                        // to `add`.
                        unsafe { copy(piece.iov_base.cast(), len, to) };
                        taken += len;
                    }
                    room -= taken;
                    self.consume(taken);
                }
            });
        }
        self.sealed = records.len();
    }

    fn pieces(&self) -> ([Piece; PIECES_MAX], usize) {
        let mut pieces = [sys::piece(std::ptr::null(), 0); PIECES_MAX];
        let mut n = 0;
        let mut at = self.gone;
        for (piece, chunk) in pieces.iter_mut().zip(&self.chunks) {
            *piece = match *chunk {
                Chunk::Staged(len) => {
                    at += len;
                    sys::piece(self.staged[at - len..at].as_ptr(), len)
                }
                Chunk::Direct(from, len) => sys::piece(from, len),
            };
            n += 1;
        }
        (pieces, n)
    }

    fn consume(&mut self, mut taken: usize) {
        self.sent += taken as u64;
        while taken > 0 {
            let Some(chunk) = self.chunks.front_mut() else { break };
            let (len, staged) = match chunk {
                Chunk::Staged(len) => (len, true),
                Chunk::Direct(from, len) => {
                    *from = from.wrapping_add(taken.min(*len));
                    (len, false)
                }
            };
            let n = taken.min(*len);
            *len -= n;
            taken -= n;
            if staged {
                self.gone += n;
            }
            if *len == 0 {
                self.direct -= usize::from(!staged);
                self.chunks.pop_front();
            }
        }
        if self.gone == self.staged.len() {
            self.staged.clear();
            self.gone = 0;
        } else if self.gone > STAGED_BYTES_MAX {
            self.staged.drain(..self.gone);
            self.gone = 0;
        }
    }
}

/// Append the `len` bytes at `from` to `into`, and order the loads before all that follows.
///
/// # Safety
/// As for [`copy`].
#[inline]
unsafe fn load(from: *const u8, len: usize, into: &mut Vec<u8>) {
    // SAFETY: the caller's promise.
    unsafe { copy(from, len, into) };
    fence(Ordering::Acquire);
}

/// Append the `len` bytes at `from`, which other threads may store to meanwhile, to `into`.
///
/// # Safety
/// `from` is readable for `len` bytes.
unsafe fn copy(from: *const u8, len: usize, into: &mut Vec<u8>) {
    into.reserve(len);
    // SAFETY: readable as the caller says; the bytes are copied into room that was reserved, and become part of the vector only then.
    unsafe {
        ferrite_copy::copy_elements::<u8>(into.as_mut_ptr().add(into.len()), from, len);
        into.set_len(into.len() + len);
    }
}
