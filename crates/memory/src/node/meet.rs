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
use ferrite_os::unix_peer;
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fd::{AsFd, BorrowedFd, OwnedFd},
    io,
    net::{
        AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
        SendFlags, SocketAddrUnix, SocketFlags, SocketType, accept_with, bind, connect, listen, recvmsg, sendmsg,
        socket_with,
    },
    process::geteuid,
};
use std::{
    io::{IoSlice, IoSliceMut},
    mem::MaybeUninit,
    time::Duration,
};

/// How often a PE that waits for others looks whether one is lost.
const LOOK: Duration = Duration::from_millis(50);
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

/// The files of a node's memory.
#[derive(Debug)]
pub(super) struct Files {
    pub memory: OwnedFd,
    /// The file of large pages, if there is one.
    pub large: Option<OwnedFd>,
}

/// The sockets of the node's first PE.
pub(super) struct Meeting {
    introductions: OwnedFd,
    files: OwnedFd,
    secret: Secret,
    guests: usize,
}

/// Purposes from which the names of the two sockets are derived.
const INTRODUCTIONS: &str = "the host's introductions";
const FILES: &str = "the host's socket";

fn address(secret: &Secret, purpose: &str, first: Pe) -> Result<SocketAddrUnix> {
    let name = secret.number(purpose);
    SocketAddrUnix::new_abstract_name(format!("ferrite-{name:016x}-{}", first.0).as_bytes())
        .map_err(|cause| Error::because("naming the host's socket", cause))
}

fn token(secret: &Secret) -> [u8; TOKEN_BYTES] {
    secret.derive("the host's token")
}

fn stream() -> io::Result<OwnedFd> {
    socket_with(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)
}

/// Open the socket of `host` for this purpose, before any of the `guests` other PEs connects.
pub(super) fn open(secret: &Secret, purpose: &str, host: Pe, guests: usize) -> Result<OwnedFd> {
    let address = address(secret, purpose, host)?;
    let open = || {
        let socket = stream()?;
        bind(&socket, &address)?;
        listen(&socket, i32::try_from(guests).unwrap_or(i32::MAX))?;
        Ok(socket)
    };
    open().map_err(|cause: io::Errno| Error::because("opening the host's socket", cause))
}

/// Send the files and their description `about` to as many callers of the job as there are `guests`.
pub(super) fn serve(
    socket: &OwnedFd,
    secret: &Secret,
    guests: usize,
    (files, about): (&Files, &[u8]),
    is_lost: &dyn Fn() -> bool,
) -> Result<()> {
    let mut served = 0;
    while served < guests {
        if let Some(caller) = admit(socket, secret, is_lost)? {
            give(&caller, files, about)
                .map_err(|cause| Error::because("passing the symmetric memory to a PE", cause))?;
            served += 1;
        }
    }
    Ok(())
}

/// Accept the next caller; `None` if none has come yet, or if it is not a PE of the job. An error if one is lost.
fn admit(socket: &OwnedFd, secret: &Secret, is_lost: &dyn Fn() -> bool) -> Result<Option<OwnedFd>> {
    let limit = Timespec { tv_sec: 0, tv_nsec: LOOK.subsec_nanos().into() };
    match poll(&mut [PollFd::new(socket, PollFlags::IN)], Some(&limit)) {
        Ok(0) | Err(io::Errno::INTR) if is_lost() => {
            return Err(Error::new("a PE was lost while this host's PEs met"));
        }
        Ok(0) | Err(io::Errno::INTR) => return Ok(None),
        Ok(_) => {}
        Err(cause) => return Err(Error::because("waiting for the PEs of this host", cause)),
    }
    match accept_with(socket, SocketFlags::CLOEXEC) {
        Ok(caller) if belongs(&caller, secret) => Ok(Some(caller)),
        Ok(_) => {
            tracing::warn!("refused a connection from another process to the host's socket");
            Ok(None)
        }
        Err(io::Errno::INTR | io::Errno::CONNABORTED) => Ok(None),
        Err(cause) => Err(Error::because("waiting for the PEs of this host", cause)),
    }
}

fn belongs(caller: &OwnedFd, secret: &Secret) -> bool {
    let mut said = [0; TOKEN_BYTES];
    let is_same_user = unix_peer::user(caller).is_ok_and(|user| user == geteuid());
    is_same_user && hear_all(caller, &mut said) && said == token(secret)
}

/// Connect to the socket of `host` for this purpose, prove to be a PE of the job, and send `words`.
pub(super) fn call_on(secret: &Secret, purpose: &str, host: Pe, words: &[u8]) -> Result<OwnedFd> {
    let failed = |cause| because_of(host, cause);
    let address = address(secret, purpose, host)?;
    let socket = stream().map_err(failed)?;
    retry(|| connect(&socket, &address)).map_err(failed)?;
    if unix_peer::user(&socket).map_err(|cause| failed(io::Errno::from_io_error(&cause).unwrap_or(io::Errno::IO)))?
        != geteuid()
    {
        return Err(Error::new("the host's socket belongs to another user"));
    }
    let mut rest = &[&token(secret)[..], words].concat()[..];
    while !rest.is_empty() {
        rest = &rest[retry(|| rustix::net::send(&socket, rest, SendFlags::NOSIGNAL)).map_err(failed)?..];
    }
    Ok(socket)
}

fn because_of(host: Pe, cause: io::Errno) -> Error {
    Error::because(format!("getting the symmetric memory of this host from {host}"), cause)
}

impl Meeting {
    /// Open the sockets, before any of the `guests` other PEs connects.
    pub fn open(secret: &Secret, first: Pe, guests: usize) -> Result<Meeting> {
        let [introductions, files] = [INTRODUCTIONS, FILES].map(|purpose| open(secret, purpose, first, guests));
        Ok(Meeting { introductions: introductions?, files: files?, secret: *secret, guests })
    }

    /// Receive the introductions of all guests.
    pub fn hear(&self, is_lost: &dyn Fn() -> bool) -> Result<Vec<Call>> {
        let mut calls = Vec::with_capacity(self.guests);
        while calls.len() < self.guests {
            if let Some(caller) = admit(&self.introductions, &self.secret, is_lost)? {
                match listen_to(&caller) {
                    Some(call) => calls.push(call),
                    None => return Err(Error::new("a PE of this host ended while it introduced itself")),
                }
            }
        }
        Ok(calls)
    }

    /// Send the files and their description `about` to all guests.
    pub fn serve(self, files: &Files, about: &[u8], is_lost: &dyn Fn() -> bool) -> Result<()> {
        serve(&self.files, &self.secret, self.guests, (files, about), is_lost)
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

/// Introduce this PE to the node's first PE, whose sockets are open already, and receive the files and their description.
pub(super) fn attend<const N: usize>(secret: &Secret, first: Pe, call: &Call) -> Result<(Files, [u8; N])> {
    let head = [(call.index as u32).to_le_bytes(), (call.said.len() as u32).to_le_bytes()].concat();
    drop(call_on(secret, INTRODUCTIONS, first, &[&head[..], &call.said].concat())?);
    let socket = call_on(secret, FILES, first, &[])?;
    let mut about = [0; N];
    take(socket.as_fd(), &mut about)
        .map_err(|cause| because_of(first, cause))?
        .map(|files| (files, about))
        .ok_or_else(|| Error::new(format!("{first} closed the host's socket without an answer")))
}

fn retry<T>(mut call: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match call() {
            Err(io::Errno::INTR) => {}
            done => return done,
        }
    }
}

fn give(socket: &OwnedFd, files: &Files, about: &[u8]) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
    let files: Vec<BorrowedFd<'_>> = std::iter::once(&files.memory).chain(&files.large).map(AsFd::as_fd).collect();
    retry(|| {
        let mut rights = SendAncillaryBuffer::new(&mut space);
        rights.push(SendAncillaryMessage::ScmRights(&files));
        sendmsg(socket, &[IoSlice::new(about)], &mut rights, SendFlags::NOSIGNAL)
    })?;
    Ok(())
}

pub(super) fn take(socket: BorrowedFd<'_>, about: &mut [u8]) -> io::Result<Option<Files>> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
    let mut rights = RecvAncillaryBuffer::new(&mut space);
    let len = about.len();
    // The kernel keeps the data of one send together and delivers them together.
    let flags = RecvFlags::CMSG_CLOEXEC | RecvFlags::WAITALL;
    let got = retry(|| recvmsg(socket, &mut [IoSliceMut::new(about)], &mut rights, flags))?.bytes;
    if got < len {
        return Ok(None);
    }
    Ok(rights.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut files) => Some(Files { memory: files.next()?, large: files.next() }),
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
        let large = memfd_create("meet-large", MemfdFlags::CLOEXEC).unwrap();
        let (inode, inode_of_large) = (fstat(&file).unwrap().st_ino, fstat(&large).unwrap().st_ino);
        let files = Files { memory: file, large: Some(large) };
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
                                let (files, about) = attend(secret, Pe(7), &call).unwrap();
                                let inode_of = |file: &OwnedFd| fstat(file).unwrap().st_ino;
                                assert_eq!((inode_of(&files.memory), &about), (inode, b"map"));
                                assert_eq!(files.large.as_ref().map(inode_of), Some(inode_of_large));
                            });
                        }
                        assert!(!matches!(take(knows_name.as_fd(), &mut [0; 3]), Ok(Some(_))), "a stranger was served");
                    });
                }
            });
            let mut heard = meeting.hear(&|| false).unwrap();
            heard.sort_by_key(|call| call.index);
            assert_eq!(heard, [call(1), call(2)]);
            meeting.serve(&files, b"map", &|| false).unwrap();
        });
        assert!(attend::<3>(&secret, Pe(7), &call(1)).is_err(), "the name outlived its socket");
    }

    #[test]
    fn the_loss_of_a_guest_ends_the_wait_for_it() {
        let meeting = Meeting::open(&Secret::draw().unwrap(), Pe(3), 1).unwrap();
        assert!(meeting.hear(&|| true).unwrap_err().to_string().contains("a PE was lost"));
        let files = Files { memory: stream().unwrap(), large: None };
        assert!(meeting.serve(&files, b"map", &|| true).is_err());
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
