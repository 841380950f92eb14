//! How the first PE of a node hands the memory file to the others: by SCM_RIGHTS, over an abstract Unix socket.
//!
//! This needs no directory, no /dev/shm and no right to trace, and leaves nothing behind: the socket's name
//! vanishes with the socket. Its name, which every user can read, is derived from the job's secret, and so is a token
//! by which a caller proves, besides its user id, that it belongs to the job; the one says nothing of the other. A stranger is refused and costs a moment.

use ferrite_bootstrap::Secret;
use ferrite_fabric::{Error, Pe, Result};
use rustix::{
    fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd},
    io,
    net::{
        AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
        SendFlags, SocketAddrUnix, SocketFlags, SocketType, accept_with, bind, connect, listen, recvmsg, sendmsg,
        socket_with,
        sockopt::{Timeout, set_socket_timeout},
    },
    process::{Uid, geteuid},
};
use std::{
    io::{IoSlice, IoSliceMut},
    mem::MaybeUninit,
    time::Duration,
};

/// A caller has this long to say who it is.
const STRANGER_PATIENCE: Duration = Duration::from_secs(2);

const TOKEN_BYTES: usize = 32;

/// The socket of the node's first PE.
pub(super) struct Meeting {
    socket: OwnedFd,
    token: [u8; TOKEN_BYTES],
}

fn address(secret: &Secret, first: Pe) -> Result<SocketAddrUnix> {
    let name = secret.number("the node's socket");
    SocketAddrUnix::new_abstract_name(format!("ferrite-{name:016x}-{}", first.0).as_bytes())
        .map_err(|cause| Error::because("naming the node's socket", cause))
}

fn token(secret: &Secret) -> [u8; TOKEN_BYTES] {
    secret.derive("the node's token")
}

fn stream() -> io::Result<OwnedFd> {
    socket_with(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)
}

impl Meeting {
    /// Be there before any PE comes.
    pub fn open(secret: &Secret, first: Pe, guests: usize) -> Result<Meeting> {
        let address = address(secret, first)?;
        let open = || {
            let socket = stream()?;
            bind(&socket, &address)?;
            listen(&socket, i32::try_from(guests).unwrap_or(i32::MAX))?;
            Ok(socket)
        };
        let socket = open().map_err(|cause: io::Errno| Error::because("opening the node's socket", cause))?;
        Ok(Meeting { socket, token: token(secret) })
    }

    /// Hand `file` to that many PEs.
    pub fn serve(self, file: BorrowedFd<'_>, guests: usize) -> Result<()> {
        let mut served = 0;
        while served < guests {
            let caller = match accept_with(&self.socket, SocketFlags::CLOEXEC) {
                Ok(caller) => caller,
                Err(io::Errno::INTR | io::Errno::CONNABORTED) => continue,
                Err(cause) => return Err(Error::because("waiting for the PEs of this node", cause)),
            };
            if !self.belongs(&caller) {
                tracing::warn!("turned a stranger away from the node's socket");
                continue;
            }
            give(&caller, file).map_err(|cause| Error::because("handing the symmetric memory to a PE", cause))?;
            served += 1;
        }
        Ok(())
    }

    fn belongs(&self, caller: &OwnedFd) -> bool {
        let mut said = [0; TOKEN_BYTES];
        owner(caller).is_ok_and(|owner| owner == geteuid())
            && set_socket_timeout(caller, Timeout::Recv, Some(STRANGER_PATIENCE)).is_ok()
            && retry(|| rustix::net::recv(caller, &mut said, RecvFlags::WAITALL))
                .is_ok_and(|(len, _)| len == said.len())
            && said == self.token
    }
}

/// Get the file from the node's first PE, which is there already.
pub(super) fn attend(secret: &Secret, first: Pe) -> Result<OwnedFd> {
    let failed =
        |cause: io::Errno| Error::because(format!("getting the symmetric memory of this node from {first}"), cause);
    let address = address(secret, first)?;
    let socket = stream().map_err(failed)?;
    retry(|| connect(&socket, &address)).map_err(failed)?;
    if owner(&socket).map_err(failed)? != geteuid() {
        return Err(Error::new("the node's socket belongs to another user"));
    }
    retry(|| rustix::net::send(&socket, &token(secret), SendFlags::NOSIGNAL)).map_err(failed)?;
    take(socket.as_fd())
        .map_err(failed)?
        .ok_or_else(|| Error::new(format!("{first} closed the node's socket without a word")))
}

/// Whose process is at the other end. Its number is 0 where it is in a namespace of processes that we do not see into (a
/// container for each PE), and rustix has no number for that.
fn owner(socket: &OwnedFd) -> io::Result<Uid> {
    let mut peer = MaybeUninit::<libc::ucred>::zeroed();
    let mut len = size_of::<libc::ucred>() as libc::socklen_t;
    // SAFETY: the option is written to `peer`, which has the room that `len` says; zeroed, it is a valid value anyway.
    let (code, peer) = unsafe {
        let fd = socket.as_raw_fd();
        let to = peer.as_mut_ptr().cast();
        (libc::getsockopt(fd, libc::SOL_SOCKET, libc::SO_PEERCRED, to, &raw mut len), peer.assume_init())
    };
    if code == 0 {
        Ok(Uid::from_raw(peer.uid))
    } else {
        Err(io::Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(io::Errno::IO))
    }
}

fn retry<T>(mut call: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match call() {
            Err(io::Errno::INTR) => {}
            done => return done,
        }
    }
}

fn give(socket: &OwnedFd, file: BorrowedFd<'_>) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let files = [file];
    retry(|| {
        let mut rights = SendAncillaryBuffer::new(&mut space);
        rights.push(SendAncillaryMessage::ScmRights(&files));
        sendmsg(socket, &[IoSlice::new(&[1])], &mut rights, SendFlags::NOSIGNAL)
    })?;
    Ok(())
}

fn take(socket: BorrowedFd<'_>) -> io::Result<Option<OwnedFd>> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut rights = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    retry(|| recvmsg(socket, &mut [IoSliceMut::new(&mut byte)], &mut rights, RecvFlags::CMSG_CLOEXEC))?;
    Ok(rights.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut files) => files.next(),
        _ => None,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::{MemfdFlags, fstat, memfd_create};

    #[test]
    fn guests_get_the_file_and_strangers_do_not() {
        let secret = Secret::draw().unwrap();
        let meeting = Meeting::open(&secret, Pe(7), 2).unwrap();
        let file = memfd_create("meet", MemfdFlags::CLOEXEC).unwrap();
        let inode = fstat(&file).unwrap().st_ino;
        std::thread::scope(|scope| {
            scope.spawn(|| {
                // All that a stranger of the same user can read is the name.
                let knows_name = stream().unwrap();
                connect(&knows_name, &address(&secret, Pe(7)).unwrap()).unwrap();
                let guess = secret.derive("the node's socket");
                retry(|| rustix::net::send(&knows_name, &guess, SendFlags::NOSIGNAL)).unwrap();
                assert!(!matches!(take(knows_name.as_fd()), Ok(Some(_))), "a stranger with a wrong token was served");
                // One who hangs up without a word.
                let mute = stream().unwrap();
                connect(&mute, &address(&secret, Pe(7)).unwrap()).unwrap();
                drop(mute);
                for _ in 0..2 {
                    assert_eq!(fstat(attend(&secret, Pe(7)).unwrap()).unwrap().st_ino, inode);
                }
            });
            meeting.serve(file.as_fd(), 2).unwrap();
        });
        assert!(attend(&secret, Pe(7)).is_err(), "the name outlived its socket");
    }
}
