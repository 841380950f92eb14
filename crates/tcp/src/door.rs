//! Where strangers stand until they have proven that they belong to the job.
//!
//! A stranger costs one socket and a hundred bytes; it has a deadline, and there are few places: when all are
//! taken the one who has stood there longest goes. A real peer needs a millisecond and tries again. All who stand there are listened
//! to before others come in, and so many others at most: of thousands who come at once none need go.

use crate::{
    descriptors,
    dial::prepare,
    proof::{CLAIM_BYTES, Challenge},
    shared::{Options, Shared},
    sys,
};
use ferrite_fabric::{Bell, Error, Pe, Result, sleep_on};
use rustix::event::epoll;
use std::{
    collections::VecDeque,
    io,
    net::{SocketAddr, TcpListener, TcpStream},
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    time::{Duration, Instant},
};

const STRANGERS_MAX: usize = 64;
/// After the system had no descriptor left for a newcomer.
const PAUSE: Duration = Duration::from_millis(100);
/// Who never has one has lost whoever stands outside; but not all of their patience.
const SHORTAGE_MAX: Duration = Duration::from_secs(10);

struct Stranger {
    socket: TcpStream,
    address: SocketAddr,
    challenge: Challenge,
    claim: [u8; CLAIM_BYTES],
    have: usize,
    deadline: Instant,
}

/// What a door for these hangs on: made before the thread that watches it, which may come to run only when the program has
/// taken all descriptors that were left.
pub fn hinges(listeners: &[TcpListener], bell: &Bell) -> Result<OwnedFd> {
    let open = || {
        let ready = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        watch(&ready, bell.as_fd())?;
        for listener in listeners {
            watch(&ready, listener.as_fd())?;
        }
        Ok(ready)
    };
    open().map_err(|e: rustix::io::Errno| Error::because("watching for connections", e))
}

/// The listening sockets, and who stands before them. The service thread's alone.
pub struct Door<'a> {
    ready: OwnedFd,
    listeners: &'a [TcpListener],
    bell: &'a Bell,
    strangers: VecDeque<Stranger>,
    paused: Option<Instant>,
    /// Nobody could be let in since then, for want of descriptors.
    short_since: Option<Instant>,
}

impl<'a> Door<'a> {
    /// Nobody is there. `ready` is what [`hinges`] made for these.
    pub fn new(ready: OwnedFd, listeners: &'a [TcpListener], bell: &'a Bell) -> Self {
        Door { ready, listeners, bell, strangers: VecDeque::new(), paused: None, short_since: None }
    }

    /// Readable when somebody knocks, speaks, or rings.
    pub fn ready(&self) -> BorrowedFd<'_> {
        self.ready.as_fd()
    }

    /// When to look again even if nothing happens.
    pub fn deadline(&self) -> Option<Instant> {
        self.strangers.iter().map(|s| s.deadline).chain(self.paused).min()
    }

    /// Look after everybody; those who have proven themselves are admitted to `shared`.
    pub fn serve(&mut self, shared: &Shared) {
        self.bell.hear();
        let now = Instant::now();
        for mut stranger in std::mem::take(&mut self.strangers) {
            match stranger.listen(shared) {
                Ok(Some(from)) => {
                    // A closed duplicate would stay in the set; this socket lives on elsewhere.
                    let _ = epoll::delete(&self.ready, &stranger.socket);
                    shared.admit(from, stranger.socket);
                }
                Ok(None) if now < stranger.deadline => self.strangers.push_back(stranger),
                Ok(None) => turn_away(&stranger.address, "it did not prove itself in time"),
                // As peers do that were quicker at another of our addresses.
                Err(_) if stranger.have == 0 => tracing::debug!(address = %stranger.address, "nothing was said"),
                Err(why) => turn_away(&stranger.address, why),
            }
        }
        self.resume();
        if self.paused.is_none() {
            self.accept(shared);
        }
    }

    fn accept(&mut self, shared: &Shared) {
        for listener in self.listeners {
            for _ in 0..STRANGERS_MAX {
                match listener.accept() {
                    Ok((socket, address)) => {
                        self.short_since = None;
                        self.greet(&shared.options, socket, address);
                    }
                    Err(e) if e.kind() == io::ErrorKind::WouldBlock => break,
                    Err(e) if matches!(e.kind(), io::ErrorKind::Interrupted | io::ErrorKind::ConnectionAborted) => {}
                    Err(error) => return self.pause(shared, &error),
                }
            }
        }
    }

    fn greet(&mut self, options: &Options, socket: TcpStream, address: SocketAddr) {
        let challenge = match prepare(&socket, options).and_then(|()| Challenge::new()) {
            Ok(challenge) => challenge,
            Err(error) => return turn_away(&address, error),
        };
        if let Err(why) = say(&socket, &challenge.encode()).and_then(|()| Ok(watch(&self.ready, socket.as_fd())?)) {
            return turn_away(&address, why);
        }
        if self.strangers.len() == STRANGERS_MAX
            && let Some(oldest) = self.strangers.pop_front()
        {
            turn_away(&oldest.address, "others wait");
        }
        let deadline = Instant::now() + options.proof_time;
        self.strangers.push_back(Stranger { socket, address, challenge, claim: [0; CLAIM_BYTES], have: 0, deadline });
    }

    /// Look away from the listeners for a while, lest a connection that cannot be accepted keeps us awake.
    fn pause(&mut self, shared: &Shared, error: &io::Error) {
        tracing::warn!(%error, "cannot accept connections for a moment");
        // The want of a descriptor is told even where nobody wants in.
        match descriptors::shortage(error).filter(|_| self.listeners.iter().any(is_knocked_at)) {
            Some(shortage) if self.short_since.get_or_insert_with(Instant::now).elapsed() >= SHORTAGE_MAX => {
                shared.fate.fail(&shortage);
            }
            Some(_) => {}
            None => self.short_since = None,
        }
        self.look_away();
    }

    fn look_away(&mut self) {
        for listener in self.listeners {
            let _ = epoll::delete(&self.ready, listener);
        }
        self.paused = Some(Instant::now() + PAUSE);
    }

    fn resume(&mut self) {
        if self.paused.is_some_and(|until| until <= Instant::now()) {
            self.paused = None;
            for listener in self.listeners {
                if let Err(error) = watch(&self.ready, listener.as_fd()) {
                    tracing::warn!(%error, "cannot watch for connections for a moment");
                    return self.look_away();
                }
            }
        }
    }
}

impl Stranger {
    /// Read no more than the claim; gives who it is once the claim is proven and answered.
    fn listen(&mut self, shared: &Shared) -> Result<Option<Pe>> {
        let rest = &mut self.claim[self.have..];
        let piece = sys::piece(rest.as_mut_ptr(), rest.len());
        // SAFETY: the piece is our own array, and not empty: a whole claim is judged at once.
        match unsafe { sys::receive(self.socket.as_fd(), piece) } {
            Ok(Some(n)) => self.have += n,
            Ok(None) => return Ok(None),
            Err(e) => return Err(Error::because("it went away before it proved itself", e)),
        }
        if self.have < CLAIM_BYTES {
            return Ok(None);
        }
        let options = &shared.options;
        let from = self.challenge.judge(&self.claim, &options.secret, options.me, options.size)?;
        let answer = self.challenge.answer(&self.claim, &options.secret, shared.judge(from));
        say(&self.socket, &answer).map_err(|e| {
            shared.pairs.forget(from);
            Error::because("answering", e)
        })?;
        Ok(Some(from))
    }
}

fn is_knocked_at(listener: &TcpListener) -> bool {
    sleep_on([listener.as_fd()], Some(Duration::ZERO))
}

fn watch(ready: &OwnedFd, socket: BorrowedFd<'_>) -> rustix::io::Result<()> {
    epoll::add(ready, socket, epoll::EventData::new_u64(0), epoll::EventFlags::IN)
}

/// Send a few bytes on a connection so new that it takes them at once.
fn say(socket: &TcpStream, bytes: &[u8]) -> io::Result<()> {
    // SAFETY: the piece is a slice.
    match unsafe { sys::send(socket.as_fd(), &[sys::piece(bytes.as_ptr(), bytes.len())])? } {
        Some(n) if n == bytes.len() => Ok(()),
        _ => Err(io::ErrorKind::WriteZero.into()),
    }
}

fn turn_away(address: &SocketAddr, why: impl std::fmt::Display) {
    tracing::warn!(%address, "a connection was dropped: {why}");
}
