//! The two system calls of the data path: scatter and gather on a socket, never waiting, never a signal.
//!
//! They take raw pieces and not slices, because the pieces are memory that others write at the same time (user
//! buffers that a peer may reach, segments), to which no Rust reference may exist.

use std::{
    io,
    mem::MaybeUninit,
    os::fd::{AsRawFd, BorrowedFd},
};

/// A piece of memory to send from or receive into.
pub type Piece = libc::iovec;

/// The most pieces of one call.
pub const PIECES_MAX: usize = 16;

/// A piece of `len` bytes at `at`.
#[inline]
pub fn piece(at: *const u8, len: usize) -> Piece {
    Piece { iov_base: at.cast_mut().cast(), iov_len: len }
}

fn message(pieces: &[Piece]) -> libc::msghdr {
    // SAFETY: a message header of zeros is one without address, pieces or control data.
    let mut message: libc::msghdr = unsafe { MaybeUninit::zeroed().assume_init() };
    message.msg_iov = pieces.as_ptr().cast_mut();
    message.msg_iovlen = pieces.len() as _;
    message
}

fn outcome(n: isize) -> io::Result<Option<usize>> {
    if n >= 0 {
        return Ok(Some(n as usize));
    }
    let error = io::Error::last_os_error();
    match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted => Ok(None),
        _ => Err(error),
    }
}

/// Send what the socket takes at once; `None` if it takes nothing now.
///
/// # Safety
/// The pieces are readable.
pub unsafe fn send(socket: BorrowedFd<'_>, pieces: &[Piece]) -> io::Result<Option<usize>> {
    // SAFETY: the header names the pieces, which outlive the call and are readable as the caller says.
    outcome(unsafe { libc::sendmsg(socket.as_raw_fd(), &message(pieces), libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL) })
}

/// Receive what is there; `None` if nothing is now. The end of the stream is an error.
///
/// # Safety
/// The pieces are writable, and not empty.
pub unsafe fn receive(socket: BorrowedFd<'_>, pieces: &[Piece]) -> io::Result<Option<usize>> {
    // SAFETY: the header names the pieces, which outlive the call and are writable as the caller says.
    match outcome(unsafe { libc::recvmsg(socket.as_raw_fd(), &mut message(pieces), libc::MSG_DONTWAIT) })? {
        Some(0) => Err(io::ErrorKind::UnexpectedEof.into()),
        n => Ok(n),
    }
}

/// Keep the program's signal handlers off the calling thread.
pub fn block_signals() {
    // SAFETY: the set is filled before it is read, and only the calling thread's mask changes.
    unsafe {
        let mut all = MaybeUninit::<libc::sigset_t>::uninit();
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), std::ptr::null_mut());
    }
}
