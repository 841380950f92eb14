//! How the first PE of a node collects the introductions of the others and passes them the memory file: by SCM_RIGHTS, over abstract Unix
//! sockets.
//!
//! This needs no directory, no /dev/shm and no right to trace, and leaves nothing behind: a socket's name vanishes with the socket. There
//! are two sockets. Over the first, each guest introduces itself. Over the second, it waits for the file and its layout, which depends on
//! all introductions. The first PE therefore has the descriptor of only one guest open at a time, however many guests there are: the others
//! wait in the sockets' queues.
//!
//! The sockets' names, which every user can read, are derived from the job's secret. So is a token by which a caller proves, besides its
//! user id, that it belongs to the job; the name reveals nothing about the token. A caller with another user id is rejected before anything
//! is read from it. A caller with the same user id but without the token is rejected too. It could as well kill the job, so there is no
//! time limit for slow callers.

use ferrite_bootstrap::Secret;
use ferrite_fabric::{Error, Pe, Result};
use rustix::{
    fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd},
    io,
    net::{
        AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
        SendFlags, SocketAddrUnix, SocketFlags, SocketType, accept_with, bind, connect, listen, recvmsg, sendmsg,
        socket_with,
    },
    process::{Uid, geteuid},
};
use std::{
    io::{IoSlice, IoSliceMut},
    mem::MaybeUninit,
};

const TOKEN_BYTES: usize = 32;
/// Bytes of the index and the length at the start of an introduction.
const HEAD_BYTES: usize = 8;
/// Maximum length of an introduction. The list of CPUs has no bound of its own.
const SAID_BYTES_MAX: usize = 1 << 20;

/// The introduction of one guest.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Call {
    /// Index among the node's PEs.
    pub index: usize,
    /// The introduction, encoded.
    pub said: Vec<u8>,
}

/// The sockets of the node's first PE.
pub(super) struct Meeting {
    introductions: OwnedFd,
    files: OwnedFd,
    token: [u8; TOKEN_BYTES],
    guests: usize,
}

/// Purposes from which the names of the two sockets are derived.
const INTRODUCTIONS: &str = "the node's introductions";
const FILES: &str = "the node's socket";

fn address(secret: &Secret, purpose: &str, first: Pe) -> Result<SocketAddrUnix> {
    let name = secret.number(purpose);
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
    /// Open the sockets, before any of the `guests` other PEs connects.
    pub fn open(secret: &Secret, first: Pe, guests: usize) -> Result<Meeting> {
        let open = |purpose| {
            let address = address(secret, purpose, first)?;
            let open = || {
                let socket = stream()?;
                bind(&socket, &address)?;
                listen(&socket, i32::try_from(guests).unwrap_or(i32::MAX))?;
                Ok(socket)
            };
            open().map_err(|cause: io::Errno| Error::because("opening the node's socket", cause))
        };
        Ok(Meeting { introductions: open(INTRODUCTIONS)?, files: open(FILES)?, token: token(secret), guests })
    }

    /// Receive the introductions of all guests.
    pub fn hear(&self) -> Result<Vec<Call>> {
        let mut calls = Vec::with_capacity(self.guests);
        while calls.len() < self.guests {
            if let Some(caller) = self.admit(&self.introductions)? {
                match listen_to(&caller) {
                    Some(call) => calls.push(call),
                    None => return Err(Error::new("a PE of this node ended while it introduced itself")),
                }
            }
        }
        Ok(calls)
    }

    /// Send `file` and its description `about` to all guests.
    pub fn serve(self, file: BorrowedFd<'_>, about: &[u8]) -> Result<()> {
        let mut served = 0;
        while served < self.guests {
            if let Some(caller) = self.admit(&self.files)? {
                give(&caller, file, about)
                    .map_err(|cause| Error::because("handing the symmetric memory to a PE", cause))?;
                served += 1;
            }
        }
        Ok(())
    }

    /// Accept the next caller; `None` if it is not a PE of the job.
    fn admit(&self, socket: &OwnedFd) -> Result<Option<OwnedFd>> {
        match accept_with(socket, SocketFlags::CLOEXEC) {
            Ok(caller) if self.belongs(&caller) => Ok(Some(caller)),
            Ok(_) => {
                tracing::warn!("turned a stranger away from the node's socket");
                Ok(None)
            }
            Err(io::Errno::INTR | io::Errno::CONNABORTED) => Ok(None),
            Err(cause) => Err(Error::because("waiting for the PEs of this node", cause)),
        }
    }

    fn belongs(&self, caller: &OwnedFd) -> bool {
        let mut said = [0; TOKEN_BYTES];
        owner(caller).is_ok_and(|owner| owner == geteuid()) && hear_all(caller, &mut said) && said == self.token
    }
}

/// Receive the introduction of an admitted caller.
fn listen_to(caller: &OwnedFd) -> Option<Call> {
    let mut head = [0; HEAD_BYTES];
    if !hear_all(caller, &mut head) {
        return None;
    }
    let word = |at: usize| u32::from_le_bytes(head[at..at + 4].try_into().expect("four bytes")) as usize;
    let (index, len) = (word(0), word(4));
    let mut said = vec![0; Some(len).filter(|&len| len <= SAID_BYTES_MAX)?];
    hear_all(caller, &mut said).then_some(Call { index, said })
}

/// Fill `into`. False if the caller closes the connection before.
fn hear_all(caller: &OwnedFd, into: &mut [u8]) -> bool {
    let len = into.len();
    retry(|| rustix::net::recv(caller, &mut *into, RecvFlags::WAITALL)).is_ok_and(|(got, _)| got == len)
}

/// Introduce this PE to the node's first PE, whose sockets are open already, and receive the file and its description.
pub(super) fn attend<const N: usize>(secret: &Secret, first: Pe, call: &Call) -> Result<(OwnedFd, [u8; N])> {
    let failed =
        |cause: io::Errno| Error::because(format!("getting the symmetric memory of this node from {first}"), cause);
    let meet = |purpose, words: &[u8]| {
        let address = address(secret, purpose, first)?;
        let socket = stream().map_err(failed)?;
        retry(|| connect(&socket, &address)).map_err(failed)?;
        if owner(&socket).map_err(failed)? != geteuid() {
            return Err(Error::new("the node's socket belongs to another user"));
        }
        let mut rest = &[&token(secret)[..], words].concat()[..];
        while !rest.is_empty() {
            rest = &rest[retry(|| rustix::net::send(&socket, rest, SendFlags::NOSIGNAL)).map_err(failed)?..];
        }
        Ok(socket)
    };
    let head = [(call.index as u32).to_le_bytes(), (call.said.len() as u32).to_le_bytes()].concat();
    drop(meet(INTRODUCTIONS, &[&head[..], &call.said].concat())?);
    let socket = meet(FILES, &[])?;
    let mut about = [0; N];
    take(socket.as_fd(), &mut about)
        .map_err(failed)?
        .map(|file| (file, about))
        .ok_or_else(|| Error::new(format!("{first} closed the node's socket without a word")))
}

/// User id of the process at the other end. The kernel reports its process number as 0 if it is in a PID namespace that this process cannot
/// see into (a container for each PE), and rustix cannot represent that number.
fn owner(socket: &OwnedFd) -> io::Result<Uid> {
    let mut peer = MaybeUninit::<libc::ucred>::zeroed();
    let mut len = size_of::<libc::ucred>() as libc::socklen_t;
    // SAFETY: the option is written to `peer`, which has the size that `len` says; zeroed, it is a valid value anyway.
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

fn give(socket: &OwnedFd, file: BorrowedFd<'_>, about: &[u8]) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let files = [file];
    retry(|| {
        let mut rights = SendAncillaryBuffer::new(&mut space);
        rights.push(SendAncillaryMessage::ScmRights(&files));
        sendmsg(socket, &[IoSlice::new(about)], &mut rights, SendFlags::NOSIGNAL)
    })?;
    Ok(())
}

fn take(socket: BorrowedFd<'_>, about: &mut [u8]) -> io::Result<Option<OwnedFd>> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut rights = RecvAncillaryBuffer::new(&mut space);
    let len = about.len();
    // The kernel keeps the data of one send together and delivers them together.
    let flags = RecvFlags::CMSG_CLOEXEC | RecvFlags::WAITALL;
    let got = retry(|| recvmsg(socket, &mut [IoSliceMut::new(about)], &mut rights, flags))?.bytes;
    if got < len {
        return Ok(None);
    }
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
        let call = |index| Call { index, said: format!("I am {index}").into_bytes() };
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for purpose in [INTRODUCTIONS, FILES] {
                    // The name is all that a stranger of the same user can read.
                    let knows_name = stream().unwrap();
                    connect(&knows_name, &address(&secret, purpose, Pe(7)).unwrap()).unwrap();
                    let guess = secret.derive(purpose);
                    retry(|| rustix::net::send(&knows_name, &guess, SendFlags::NOSIGNAL)).unwrap();
                    // A caller that hangs up without sending anything.
                    let mute = stream().unwrap();
                    connect(&mute, &address(&secret, purpose, Pe(7)).unwrap()).unwrap();
                    drop(mute);
                    // A caller that asks for the file waits until all guests have introduced themselves.
                    if purpose == INTRODUCTIONS {
                        assert!(!matches!(take(knows_name.as_fd(), &mut [0; 3]), Ok(Some(_))), "a stranger was heard");
                        continue;
                    }
                    std::thread::scope(|scope| {
                        for index in 1..=2 {
                            let (secret, call) = (&secret, call(index));
                            scope.spawn(move || {
                                let (file, about) = attend(secret, Pe(7), &call).unwrap();
                                assert_eq!((fstat(file).unwrap().st_ino, &about), (inode, b"map"));
                            });
                        }
                        assert!(!matches!(take(knows_name.as_fd(), &mut [0; 3]), Ok(Some(_))), "a stranger was served");
                    });
                }
            });
            let mut heard = meeting.hear().unwrap();
            heard.sort_by_key(|call| call.index);
            assert_eq!(heard, [call(1), call(2)]);
            meeting.serve(file.as_fd(), b"map").unwrap();
        });
        assert!(attend::<3>(&secret, Pe(7), &call(1)).is_err(), "the name outlived its socket");
    }

    #[test]
    fn who_says_more_than_anybody_has_to_say_is_not_heard() {
        let (ours, theirs) =
            rustix::net::socketpair(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None).unwrap();
        let head = [1_u32.to_le_bytes(), u32::MAX.to_le_bytes()].concat();
        retry(|| rustix::net::send(&theirs, &head, SendFlags::NOSIGNAL)).unwrap();
        assert_eq!(listen_to(&ours), None);
    }
}
