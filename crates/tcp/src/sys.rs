//! The system calls of the data path: send from several pieces and receive into one, without blocking and without signals.
//!
//! They take raw pieces and not slices, because others write to this memory at the same time (user buffers that a peer may reach,
//! segments), so no Rust reference to it may exist.
//!
//! They bypass the C library. In a process with more than one thread, it makes each of these calls a point at which the thread may be
//! cancelled. This costs two locked instructions, before the call and after it, in each poll of a waiting thread.

use std::{
    io,
    mem::{MaybeUninit, size_of},
    os::fd::{AsRawFd, BorrowedFd},
    time::Duration,
};
use syscalls::{Errno, Sysno, syscall};

/// A piece of memory to send from or receive into.
pub type Piece = libc::iovec;

/// Maximum number of pieces of one call.
pub const PIECES_MAX: usize = 16;

/// A piece of `len` bytes at `at`.
#[inline]
pub fn piece(at: *const u8, len: usize) -> Piece {
    Piece { iov_base: at.cast_mut().cast(), iov_len: len }
}

fn message(pieces: &[Piece]) -> libc::msghdr {
    // SAFETY: an all-zero message header is valid: it has no address, pieces or control data.
    let mut message: libc::msghdr = unsafe { MaybeUninit::zeroed().assume_init() };
    message.msg_iov = pieces.as_ptr().cast_mut();
    message.msg_iovlen = pieces.len() as _;
    message
}

fn outcome(result: Result<usize, Errno>) -> io::Result<Option<usize>> {
    match result {
        Ok(n) => Ok(Some(n)),
        Err(Errno::EAGAIN | Errno::EINTR) => Ok(None),
        Err(errno) => Err(io::Error::from_raw_os_error(errno.into_raw())),
    }
}

/// Send as much as the socket takes at once. Return the number of bytes; `None` if the socket takes nothing now.
///
/// # Safety
/// The pieces are readable.
#[inline]
pub unsafe fn send(socket: BorrowedFd<'_>, pieces: &[Piece]) -> io::Result<Option<usize>> {
    const FLAGS: libc::c_int = libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL;
    let socket = socket.as_raw_fd();
    outcome(match pieces {
        // SAFETY: readable as the caller says. One piece needs no header, which the kernel would copy first.
        [one] => unsafe { syscall!(Sysno::sendto, socket, one.iov_base, one.iov_len, FLAGS, 0, 0) },
        several => {
            let header = message(several);
            // SAFETY: the header names the pieces, which outlive the call and are readable as the caller says.
            unsafe { syscall!(Sysno::sendmsg, socket, &raw const header, FLAGS) }
        }
    })
}

/// Receive the bytes that are available; `None` if there are none now. The end of the stream is an error.
///
/// # Safety
/// The piece is writable, and not empty.
#[inline]
pub unsafe fn receive(socket: BorrowedFd<'_>, piece: Piece) -> io::Result<Option<usize>> {
    let socket = socket.as_raw_fd();
    // SAFETY: writable as the caller says.
    let got = unsafe { syscall!(Sysno::recvfrom, socket, piece.iov_base, piece.iov_len, libc::MSG_DONTWAIT, 0, 0) };
    match outcome(got)? {
        Some(0) => Err(io::ErrorKind::UnexpectedEof.into()),
        n => Ok(n),
    }
}

/// Time since the other end's kernel last acknowledged something; `None` if nothing is left for it to acknowledge.
pub fn unanswered(socket: BorrowedFd<'_>) -> Option<Duration> {
    // SAFETY: all fields of the structure are numbers.
    let mut info: libc::tcp_info = unsafe { MaybeUninit::zeroed().assume_init() };
    let mut len = size_of::<libc::tcp_info>() as libc::socklen_t;
    // SAFETY: the kernel writes at most `len` bytes of the structure.
    let result = unsafe {
        libc::getsockopt(socket.as_raw_fd(), libc::IPPROTO_TCP, libc::TCP_INFO, (&raw mut info).cast(), &raw mut len)
    };
    (result == 0 && info.tcpi_unacked > 0).then(|| Duration::from_millis(info.tcpi_last_ack_recv.into()))
}
