//! Where strangers stand until they have proven that they belong to the job.
//!
//! A stranger costs one socket and a hundred bytes; it has a deadline, and there are few places: when all are
//! taken the one who has stood there longest goes. A real peer needs a millisecond and tries again. All who stand there are listened
//! to before others come in, and so many others at most: of thousands who come at once none need go.

use crate::{
    descriptors,
    dial::prepare,
    proof::{CLAIM_BYTES, Challenge},
    shared::Shared,
    sys,
};
use ferrite_engine::{Bell, Error, Event, Pe, Result, sleep_on};
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

/// What is readable when somebody knocks or speaks, or something is sent after a while without. Made before the thread that watches it,
/// which may come to run only when the program has taken all descriptors that were left.
pub fn accept_epoll(listeners: &[TcpListener], lookout: &Bell) -> Result<OwnedFd> {
    let open = || {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        watch(&epoll, lookout.as_fd())?;
        listeners.iter().try_for_each(|listener| watch(&epoll, listener.as_fd()))?;
        Ok(epoll)
    };
    open().map_err(|e: rustix::io::Errno| Error::because("watching for connections", e))
}

/// Who stands before the listening sockets.
#[derive(Default)]
pub struct Acceptor {
    strangers: VecDeque<Stranger>,
    paused: Option<Instant>,
    /// Nobody could be let in since then, for want of descriptors.
    short_since: Option<Instant>,
}

impl Acceptor {
    /// When to look again even if nothing happens.
    pub fn deadline(&self) -> Option<Instant> {
        self.strangers.iter().map(|s| s.deadline).chain(self.paused).min()
    }

    /// Look after everybody; those who have proven themselves are admitted to `shared`.
    pub fn serve(&mut self, shared: &Shared, events: &mut Vec<Event>) {
        let now = Instant::now();
        for mut stranger in std::mem::take(&mut self.strangers) {
            match stranger.listen(shared) {
                Ok(Some(from)) => {
                    // A closed duplicate would stay in the set; this socket lives on elsewhere.
                    let _ = epoll::delete(&shared.accept_epoll, &stranger.socket);
                    events.extend(shared.admit(from, stranger.socket).err().map(Event::Failed));
                }
                Ok(None) if now < stranger.deadline => self.strangers.push_back(stranger),
                Ok(None) => turn_away(&stranger.address, "it did not prove itself in time"),
                // As peers do that were quicker at another of our addresses.
                Err(_) if stranger.have == 0 => tracing::debug!(address = %stranger.address, "nothing was said"),
                Err(why) => turn_away(&stranger.address, why),
            }
        }
        self.resume(shared);
        if self.paused.is_none() {
            events.extend(self.accept(shared).map(Event::Failed));
        }
    }

    /// Let in who knocks; gives what is wrong if nobody could be let in for too long.
    fn accept(&mut self, shared: &Shared) -> Option<Error> {
        for listener in &shared.listeners.sockets {
            for _ in 0..STRANGERS_MAX {
                match listener.accept() {
                    Ok((socket, address)) => {
                        self.short_since = None;
                        self.greet(shared, socket, address);
                    }
                    Err(e) if e.kind() == io::ErrorKind::WouldBlock => break,
                    Err(e) if matches!(e.kind(), io::ErrorKind::Interrupted | io::ErrorKind::ConnectionAborted) => {}
                    Err(error) => return self.pause(shared, &error),
                }
            }
        }
        None
    }

    fn greet(&mut self, shared: &Shared, socket: TcpStream, address: SocketAddr) {
        let challenge = match prepare(&socket, &shared.options).and_then(|()| Challenge::new()) {
            Ok(challenge) => challenge,
            Err(error) => return turn_away(&address, error),
        };
        if let Err(why) =
            say(&socket, &challenge.encode()).and_then(|()| Ok(watch(&shared.accept_epoll, socket.as_fd())?))
        {
            return turn_away(&address, why);
        }
        if self.strangers.len() == STRANGERS_MAX
            && let Some(oldest) = self.strangers.pop_front()
        {
            turn_away(&oldest.address, "others wait");
        }
        let deadline = Instant::now() + shared.options.proof_time;
        self.strangers.push_back(Stranger { socket, address, challenge, claim: [0; CLAIM_BYTES], have: 0, deadline });
    }

    /// Look away from the listeners for a while, lest a connection that cannot be accepted keeps us awake.
    fn pause(&mut self, shared: &Shared, error: &io::Error) -> Option<Error> {
        tracing::warn!(%error, "cannot accept connections for a moment");
        self.look_away(shared);
        // The want of a descriptor is told even where nobody wants in.
        let shortage = descriptors::shortage(error).filter(|_| shared.listeners.sockets.iter().any(is_knocked_at));
        if shortage.is_none() {
            self.short_since = None;
        }
        shortage.filter(|_| self.short_since.get_or_insert_with(Instant::now).elapsed() >= SHORTAGE_MAX)
    }

    fn look_away(&mut self, shared: &Shared) {
        for listener in &shared.listeners.sockets {
            let _ = epoll::delete(&shared.accept_epoll, listener);
        }
        self.paused = Some(Instant::now() + PAUSE);
    }

    fn resume(&mut self, shared: &Shared) {
        if self.paused.is_none_or(|until| Instant::now() < until) {
            return;
        }
        self.paused = None;
        for listener in &shared.listeners.sockets {
            if let Err(error) = watch(&shared.accept_epoll, listener.as_fd()) {
                tracing::warn!(%error, "cannot watch for connections for a moment");
                return self.look_away(shared);
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
        let answer = self.challenge.answer(&self.claim, &options.secret, shared.pairs.judge(from));
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

fn watch(epoll: &OwnedFd, socket: BorrowedFd<'_>) -> rustix::io::Result<()> {
    epoll::add(epoll, socket, epoll::EventData::new_u64(0), epoll::EventFlags::IN)
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
