//! The user at the other end of a Unix socket.
#![allow(unsafe_code)]

use rustix::{
    fd::{AsFd, AsRawFd},
    process::Uid,
};
use std::{io, mem::MaybeUninit};

/// User id of the process at the other end. The kernel reports its process number as 0 if it is in a PID namespace that this process cannot
/// see into (a container for each PE), and rustix cannot represent that number.
pub fn user(socket: impl AsFd) -> io::Result<Uid> {
    let mut peer = MaybeUninit::<libc::ucred>::zeroed();
    let mut len = size_of::<libc::ucred>() as libc::socklen_t;
    // SAFETY: the option is written to `peer`, which has the size that `len` says; zeroed, it is a valid value anyway.
    let (code, peer) = unsafe {
        let fd = socket.as_fd().as_raw_fd();
        let to = peer.as_mut_ptr().cast();
        (libc::getsockopt(fd, libc::SOL_SOCKET, libc::SO_PEERCRED, to, &raw mut len), peer.assume_init())
    };
    if code == 0 { Ok(Uid::from_raw(peer.uid)) } else { Err(io::Error::last_os_error()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixStream;

    #[test]
    fn the_other_end_of_a_pair_is_our_own_user() {
        let (one, _two) = UnixStream::pair().unwrap();
        assert_eq!(user(&one).unwrap(), rustix::process::geteuid());
    }
}
