//! An attempt to connect to one address of a peer. No thread blocks on the connection until the peer has answered.
//!
//! Several attempts may run at once, and each shows its target that we belong to the job (`proof`). But only one target receives our claim,
//! and only after it has proven itself: a target that has accepted a claim may use the connection, and if that is then closed, the target
//! reports a fault.

use crate::{
    acceptor::say,
    connection::Opened,
    descriptors,
    dial::prepare,
    options::Options,
    proof::{ANSWER_BYTES, Admission, CHALLENGE_BYTES, Claim, Knock},
};
use ferrite_engine::{Error, Pe, Result};
use ferrite_os::guarded_fd::GuardedFd;
use rustix::{
    event::PollFlags,
    io::Errno,
    net::{AddressFamily, SocketFlags, SocketType, connect, ipproto, socket_with},
};
use std::{
    io::{self, Read},
    net::{SocketAddr, TcpStream},
    os::fd::{AsFd, BorrowedFd},
    time::{Duration, Instant},
};

/// Progress of an attempt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    /// A kernel has accepted the connection.
    Connected,
    /// The peer has proven itself: [`Attempt::prove`] may follow.
    Challenged,
}

/// An attempt to connect to one address of a peer.
pub struct Attempt {
    socket: TcpStream,
    knock: Knock,
    stage: Stage,
}

/// Progress of an attempt, with what the next step needs.
enum Stage {
    /// The kernel is opening the connection.
    Connecting,
    /// Our knock was sent; `have` bytes of the peer's challenge are here.
    Knocked { challenge: [u8; CHALLENGE_BYTES], have: usize },
    /// The peer's challenge proves that it belongs to the job. Our claim is the answer to it.
    Challenged(Claim),
}

impl Attempt {
    /// Start to connect. If the peer is on the same host, this call completes the connection and knocks before another process runs: see
    /// `acceptor`.
    pub fn begin(way: SocketAddr, options: &Options, to: Pe) -> Result<Self> {
        let knock = Knock::new(options.me, to)?;
        let open = || {
            let family = if way.is_ipv6() { AddressFamily::INET6 } else { AddressFamily::INET };
            let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
            let socket = socket_with(family, SocketType::STREAM, flags, Some(ipproto::TCP))?;
            match connect(&socket, &way) {
                Ok(()) | Err(Errno::INPROGRESS | Errno::INTR) => Ok(socket),
                Err(error) => Err(error),
            }
        };
        let socket = open().map_err(|errno| unopened(errno.into()))?;
        let mut begun = Attempt { socket: socket.into(), knock, stage: Stage::Connecting };
        if begun.socket.peer_addr().is_ok() {
            begun.knock(options)?;
        }
        Ok(begun)
    }

    fn knock(&mut self, options: &Options) -> Result<()> {
        if let Some(error) = self.socket.take_error().map_err(unopened)? {
            return Err(unopened(error));
        }
        prepare(self.socket.as_fd(), options)?;
        say(self.socket.as_fd(), &self.knock.encode(&options.terms))?;
        self.stage = Stage::Knocked { challenge: [0; CHALLENGE_BYTES], have: 0 };
        Ok(())
    }

    /// Whether a kernel has answered.
    pub fn is_connected(&self) -> bool {
        !matches!(self.stage, Stage::Connecting)
    }

    /// The descriptor and the events that [`Attempt::step`] waits for.
    pub fn awaits(&self) -> (BorrowedFd<'_>, PollFlags) {
        (self.socket.as_fd(), if self.is_connected() { PollFlags::IN } else { PollFlags::OUT })
    }

    /// Continue after the awaited event.
    pub fn step(&mut self, options: &Options) -> Result<Progress> {
        if let Stage::Connecting = self.stage {
            self.knock(options)?;
        }
        if let Stage::Knocked { challenge, have } = &mut self.stage {
            while *have < CHALLENGE_BYTES {
                match self.socket.read(&mut challenge[*have..]) {
                    Ok(0) => return Err(hung_up()),
                    Ok(n) => *have += n,
                    Err(e) if e.kind() == io::ErrorKind::WouldBlock => return Ok(Progress::Connected),
                    Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                    Err(e) => return Err(unproven(e)),
                }
            }
            self.stage = Stage::Challenged(self.knock.judge(challenge, &options.terms)?);
        }
        Ok(Progress::Challenged)
    }

    /// The error to report if the time is over and the attempt has come no further.
    pub fn late(&self) -> Error {
        let late = io::ErrorKind::TimedOut.into();
        if self.is_connected() { unproven(late) } else { unopened(late) }
    }

    /// Send our claim to the peer, which has proven itself, and receive its decision. From here on the peer may have made this the
    /// connection of the pair, so the attempt is not given up for being slow.
    pub fn prove(mut self, options: &Options, deadline: Instant) -> Result<(Opened, Admission)> {
        let Stage::Challenged(claim) = self.stage else { return Err(hung_up()) };
        self.socket.set_nonblocking(false).map_err(unproven)?;
        say(self.socket.as_fd(), &claim.encode(&options.terms))?;
        let mut answer = [0; ANSWER_BYTES];
        read(&mut self.socket, &mut answer, deadline)?;
        let admission = claim.judge(&answer, &options.terms)?;
        let socket = GuardedFd::new(self.socket.into()).map_err(unproven)?;
        Ok((Opened { socket, keys: claim.keys(&options.terms) }, admission))
    }
}

fn read(socket: &mut TcpStream, into: &mut [u8], deadline: Instant) -> Result<()> {
    let mut have = 0;
    while have < into.len() {
        let now = Instant::now();
        if now >= deadline {
            return Err(unproven(io::ErrorKind::TimedOut.into()));
        }
        let left = deadline.saturating_duration_since(now).max(Duration::from_millis(1));
        socket.set_read_timeout(Some(left)).map_err(unproven)?;
        match socket.read(&mut into[have..]) {
            Ok(0) => return Err(hung_up()),
            Ok(n) => have += n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(unproven(e)),
        }
    }
    Ok(())
}

fn unopened(error: io::Error) -> Error {
    descriptors::shortage(&error).unwrap_or_else(|| Error::because("opening the connection", error))
}

fn unproven(error: io::Error) -> Error {
    Error::because("waiting for the other end's proof", error)
}

fn hung_up() -> Error {
    Error::new("the other end hung up before it proved itself: is it of another job?")
}
