//! The root's thread: it listens while the root gathers, has every connection prove the secret, and passes messages.
//!
//! The process that draws a unique id, or has rank 0 of a start by environment, has this thread. It ends with its job.
//!
//! A connection that has not proven itself costs a descriptor and at most [`GREETING_BYTES`]. There are at most [`STRANGERS_MAX`] of them:
//! a further one displaces the oldest. So a flood of strangers delays members, which then connect again, and neither fills the memory nor
//! takes the descriptors of members. From the moment that all members have come, nothing listens any more.

use super::end_if_silent;
use super::held::Held;
use super::member::who;
use super::messages::{ToMember, ToRoot};
use super::opening::{CLAIM_BYTES, Challenge, GREETING_BYTES, Key};
use super::root::{Line, Outgoing, Root};
use crate::Secret;
use crate::codec::Frames;
use crate::secret::random;
use crate::wire::ToPe;
use ferrite_fabric::{Error, Result};
use ferrite_os::{guarded_fd::GuardedFd, signals, threads, unix_peer};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::{Errno, ioctl_fionbio};
use rustix::net::{RecvFlags, SendFlags, Shutdown, SocketFlags, accept_with, recv, send, shutdown};
use std::collections::BTreeMap;
use std::os::fd::OwnedFd;
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

/// Maximum number of connections that have not proven themselves.
const STRANGERS_MAX: usize = 128;
/// Time for a connection to prove itself.
const OPENING_LIMIT: Duration = Duration::from_secs(20);
/// Time for the last messages to arrive, and for the members to close their ends.
const PARTING_LIMIT: Duration = Duration::from_secs(2);

/// The socket that a root listens on.
pub(super) enum Door {
    /// A TCP socket: processes of any host may knock.
    Network(OwnedFd),
    /// An abstract Unix socket: processes of the same user in the same network namespace may knock.
    Local(OwnedFd),
}

/// Start the thread of a new root.
pub(super) fn start(door: Door, secret: &Secret, limit: Duration) -> Result<JoinHandle<()>> {
    let failed = |error: std::io::Error| Error::because("starting the root", error);
    let (door, is_local) = match door {
        Door::Network(door) => (door, false),
        Door::Local(door) => (door, true),
    };
    // A connection that is waited for may be gone when it is accepted.
    ioctl_fionbio(&door, true).map_err(|error| failed(error.into()))?;
    let server = Server {
        door: Some(Held::new(door).map_err(failed)?),
        is_local,
        key: Key::of(secret),
        limit,
        first_came: None,
        root: Root::new(random()?, who()),
        lines: BTreeMap::new(),
        next: 0,
    };
    let work = move || {
        signals::leave_to_program();
        server.run();
    };
    threads::start(Builder::new(), "ferrite-root", work).map_err(failed)
}

struct Connection {
    socket: Held,
    out: Vec<u8>,
    stage: Stage,
    since: Instant,
}

enum Stage {
    Knocking(Vec<u8>),
    Claiming(Challenge, Vec<u8>),
    Proven(Frames),
    /// The last message is in `out`.
    Parting,
}

struct Server {
    door: Option<Held>,
    is_local: bool,
    key: Key,
    limit: Duration,
    first_came: Option<Instant>,
    root: Root,
    lines: BTreeMap<Line, Connection>,
    next: Line,
}

impl Server {
    fn run(mut self) {
        while !self.root.is_over() {
            if let Err(why) = self.turn() {
                let last = self.root.fail(&why);
                self.send_all(last);
            }
        }
        self.door = None;
        self.lines.retain(|_, line| line.is_proven() || matches!(line.stage, Stage::Parting));
        self.lines.values_mut().for_each(|line| line.stage = Stage::Parting);
        let end = Instant::now() + PARTING_LIMIT;
        while Instant::now() < end {
            self.lines.retain(|_, line| line.part().is_ok());
            if self.lines.is_empty() || self.wait(Some(end)).is_err() {
                return;
            }
        }
    }

    /// Wait for something to happen, and handle it.
    fn turn(&mut self) -> Result<(), String> {
        let now = Instant::now();
        self.lines.retain(|_, line| line.is_proven() || now < line.since + OPENING_LIMIT);
        if let Some(first) = self.first_came.filter(|_| self.root.is_gathering())
            && now >= first + self.limit
        {
            let last = self.root.expire(self.limit);
            self.send_all(last);
            return Ok(());
        }
        let (knocks, ready) = self.wait(self.deadline())?;
        if knocks {
            self.accept()?;
        }
        for line in ready {
            // A connection may have been displaced, or closed, since.
            let out = match self.lines.get_mut(&line).map(|connection| connection.hear(&self.key)) {
                None => continue,
                Some(Ok(messages)) => messages.into_iter().flat_map(|message| self.root.hear(line, message)).collect(),
                Some(Err(Ended)) => {
                    self.lines.remove(&line);
                    self.root.lose(line)
                }
            };
            self.send_all(out);
            let has_come = self.lines.get(&line).is_some_and(Connection::is_proven);
            if has_come {
                self.first_came.get_or_insert_with(Instant::now);
            }
            if !self.root.is_gathering() && self.door.take().is_some() {
                self.lines.retain(|_, line| line.is_proven());
            }
            if self.root.is_over() {
                break;
            }
        }
        Ok(())
    }

    /// The next moment at which something is due without an event.
    fn deadline(&self) -> Option<Instant> {
        let strangers = self.lines.values().filter(|line| !line.is_proven()).map(|line| line.since + OPENING_LIMIT);
        let gathering = self.first_came.filter(|_| self.root.is_gathering()).map(|first| first + self.limit);
        strangers.chain(gathering).min()
    }

    /// Sleep until the deadline or an event. Return whether somebody knocks, and the connections that have something.
    fn wait(&self, until: Option<Instant>) -> Result<(bool, Vec<Line>), String> {
        let closed = || "the program of the root has closed descriptors that are the library's".to_owned();
        let mut polled = Vec::with_capacity(self.lines.len() + 1);
        if let Some(door) = &self.door {
            polled.push(PollFd::from_borrowed_fd(door.file().ok_or_else(closed)?, PollFlags::IN));
        }
        for line in self.lines.values() {
            let sends = if line.out.is_empty() { PollFlags::empty() } else { PollFlags::OUT };
            polled.push(PollFd::from_borrowed_fd(line.socket.file().ok_or_else(closed)?, PollFlags::IN | sends));
        }
        let left = until.map(|until| until.saturating_duration_since(Instant::now()));
        match poll(&mut polled, left.map(super::timespec).as_ref()) {
            Ok(_) => {}
            Err(Errno::INTR) => return Ok((false, Vec::new())),
            Err(error) => return Err(format!("the root cannot wait for its members: {error}")),
        }
        let at = usize::from(self.door.is_some());
        let ready = self.lines.keys().zip(&polled[at..]).filter(|(_, polled)| !polled.revents().is_empty());
        Ok((at == 1 && !polled[0].revents().is_empty(), ready.map(|(line, _)| *line).collect()))
    }

    fn accept(&mut self) -> Result<(), String> {
        let Some(door) = self.door.as_ref().and_then(|door| door.file()) else { return Ok(()) };
        let socket = match accept_with(door, SocketFlags::CLOEXEC | SocketFlags::NONBLOCK) {
            Ok(socket) => socket,
            Err(error @ (Errno::MFILE | Errno::NFILE)) => {
                return Err(format!("the root has no descriptor left for its members ({error}): raise ulimit -n"));
            }
            // The connection has ended already, or its network has.
            Err(_) => return Ok(()),
        };
        if self.is_local && unix_peer::user(&socket).ok() != Some(rustix::process::geteuid()) {
            return Ok(());
        }
        let _ = end_if_silent(&socket);
        let Ok(socket) = Held::new(socket) else { return Ok(()) };
        let strangers = self.lines.iter().filter(|(_, line)| !line.is_proven());
        let oldest = strangers.clone().map(|(line, _)| *line).next();
        if let Some(oldest) = oldest.filter(|_| strangers.count() >= STRANGERS_MAX) {
            self.lines.remove(&oldest);
        }
        let connection =
            Connection { socket, out: Vec::new(), stage: Stage::Knocking(Vec::new()), since: Instant::now() };
        self.lines.insert(self.next, connection);
        self.next += 1;
        Ok(())
    }

    fn send_all(&mut self, out: Vec<Outgoing>) {
        for (line, message) in out {
            let Some(connection) = self.lines.get_mut(&line) else { continue };
            connection.out.extend(message.frame());
            if matches!(message, ToMember::Job(ToPe::Refused { .. })) {
                connection.stage = Stage::Parting;
            }
            // An error is ignored: it comes again when the connection is read, which ends it.
            flush(connection);
        }
    }
}

/// A connection has ended, or never becomes a member's.
struct Ended;

impl Connection {
    fn is_proven(&self) -> bool {
        matches!(self.stage, Stage::Proven(_))
    }

    /// Send what is left, then close the connection once the other end has: what it sent meanwhile would otherwise make the kernel discard
    /// the last messages.
    fn part(&mut self) -> Result<(), Ended> {
        if !flush(self) {
            return Err(Ended);
        }
        if self.out.is_empty() {
            let _ = shutdown(self.socket.file().ok_or(Ended)?, Shutdown::Write);
        }
        receive(&self.socket, &mut [0; 1 << 10]).map(drop)
    }

    /// Read and send what is possible now. Returns the messages of a proven connection.
    fn hear(&mut self, key: &Key) -> Result<Vec<ToRoot>, Ended> {
        if !flush(self) {
            return Err(Ended);
        }
        match &mut self.stage {
            Stage::Parting => self.part().map(|()| Vec::new()),
            Stage::Proven(frames) => {
                let mut chunk = [0; 16 << 10];
                let count = receive(&self.socket, &mut chunk)?;
                frames.push(&chunk[..count]);
                messages(frames)
            }
            Stage::Knocking(said) => {
                let Some(knock) = fill::<GREETING_BYTES>(&self.socket, said)? else { return Ok(Vec::new()) };
                let challenge = Challenge::to(&knock, key).ok_or(Ended)?;
                self.out.extend(challenge.encode(key));
                self.stage = Stage::Claiming(challenge, Vec::new());
                if flush(self) { Ok(Vec::new()) } else { Err(Ended) }
            }
            Stage::Claiming(challenge, said) => {
                let Some(claim) = fill::<CLAIM_BYTES>(&self.socket, said)? else { return Ok(Vec::new()) };
                if !challenge.accepts(&claim, key) {
                    return Err(Ended);
                }
                self.stage = Stage::Proven(Frames::default());
                Ok(Vec::new())
            }
        }
    }
}

fn messages(frames: &mut Frames) -> Result<Vec<ToRoot>, Ended> {
    let mut found = Vec::new();
    while let Some(body) = frames.next_body().map_err(|_| Ended)? {
        found.push(ToRoot::parse(body).map_err(|_| Ended)?);
    }
    Ok(found)
}

/// Receive up to `N` bytes in all, never more: what follows them is not read before they have been judged.
fn fill<const N: usize>(socket: &GuardedFd, said: &mut Vec<u8>) -> Result<Option<[u8; N]>, Ended> {
    let mut chunk = [0; N];
    let count = receive(socket, &mut chunk[said.len()..])?;
    said.extend_from_slice(&chunk[said.len()..][..count]);
    Ok(said[..].try_into().ok())
}

/// Receive what is there.
fn receive(socket: &GuardedFd, into: &mut [u8]) -> Result<usize, Ended> {
    let file = socket.file().ok_or(Ended)?;
    match recv(file, &mut *into, RecvFlags::DONTWAIT) {
        Ok((0, _)) => Err(Ended),
        Ok((count, _)) => Ok(count),
        Err(Errno::AGAIN | Errno::INTR) => Ok(0),
        Err(_) => Err(Ended),
    }
}

/// Send what the socket takes now. False if the connection has ended.
fn flush(line: &mut Connection) -> bool {
    while !line.out.is_empty() {
        let Some(file) = line.socket.file() else { return false };
        match send(file, &line.out, SendFlags::NOSIGNAL | SendFlags::DONTWAIT) {
            Ok(count) => drop(line.out.drain(..count)),
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => return true,
            Err(_) => return false,
        }
    }
    true
}
