//! Connections whose other end has not yet proven that it belongs to the job ("strangers").
//!
//! Any host may connect, as often as the kernel allows. So there are two classes of strangers:
//!
//! - A stranger that has not knocked yet (`proof`) costs a socket and a hundred bytes, and is sent nothing. There are few places for such
//!   strangers. If all are taken, the oldest stranger of the source that has the most places is dropped. So a flood from one address evicts
//!   itself. If peers share the address of a flood, as on one host, only a peer that hesitates before it knocks is evicted: peers knock as
//!   soon as they are connected, and try again.
//! - A stranger that has knocked knows the job's secret, or has overheard a PE that knows it. It is challenged, and a stranger that has not
//!   knocked cannot take its place. Each PE of the job has a few places, and each knock is accepted once, however often it is sent: a PE
//!   sends a new one each time. So replaying a knock that was overheard here takes no place from the PE that sent it. An attacker that
//!   overhears knocks by posing as another of our addresses gains one knock each time the PE knocks there.
//!
//! Each stranger has a deadline. All present strangers are read before others are accepted, and the number accepted at a time is bounded:
//! even if thousands connect at once, no present stranger needs to be dropped.

use crate::{
    connection::Opened,
    descriptors,
    dial::prepare,
    epoll::Epoll,
    proof::{CLAIM_BYTES, Challenge, KNOCK_BYTES, RANDOM_BYTES},
    shared::Shared,
    sys,
};
use ferrite_engine::{Bell, Error, Event, Pe, Result};
use ferrite_os::guarded_fd::GuardedFd;
use rustix::{
    event::epoll::{self, EventFlags},
    io::Errno,
    net::{SocketFlags, acceptfrom_with},
};
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    io,
    mem::MaybeUninit,
    net::{IpAddr, Ipv6Addr, SocketAddr},
    os::fd::BorrowedFd,
    time::{Duration, Instant},
};

/// Maximum number of strangers that have not knocked, and of connections accepted from a listener at a time.
const STRANGERS_MAX: usize = 64;
/// Maximum number of strangers with knocks of one PE: one for each of our addresses that the PE may try at a time, on all but the most
/// unusual hosts.
const KNOCKS_MAX: usize = 8;
/// How long to stop accepting after a failure, most often because no descriptor is left for a new connection.
const PAUSE: Duration = Duration::from_millis(100);
/// If PEs knock and cannot be accepted for want of a descriptor, for this many times the time of a proof, the shortage is reported.
const SHORTAGE_PROOFS: u32 = 2;

/// Name of the listeners and the bell in the epoll; strangers go by their numbers.
const DOOR: u64 = 0;

struct Stranger {
    socket: GuardedFd,
    address: SocketAddr,
    said: [u8; KNOCK_BYTES],
    have: usize,
    /// The challenge that was sent after its knock; its claim follows.
    challenge: Option<Challenge>,
    deadline: Instant,
}

/// The epoll that is readable if a stranger connects or sends, or if this PE sends after a pause. It is made before the thread that watches
/// it: that thread may first run when the program has taken all remaining descriptors.
pub fn accept_epoll(listeners: &[GuardedFd], lookout: &Bell) -> Result<Epoll> {
    let open = || {
        let epoll = Epoll::new()?;
        epoll.add(lookout.fd(), DOOR, EventFlags::IN)?;
        listeners.iter().try_for_each(|listener| watch(&epoll, listener, DOOR))?;
        Ok(epoll)
    };
    open().map_err(|e: io::Error| Error::because("watching for connections", e))
}

/// The strangers of a PE.
pub struct Acceptor {
    /// By number, which puts the oldest first.
    strangers: BTreeMap<u64, Stranger>,
    last: u64,
    /// Random bytes of all knocks received so far, 32 bytes each. Only PEs can make a knock, and each PE makes a few.
    knocks: HashSet<[u8; RANDOM_BYTES]>,
    paused: Option<Instant>,
    /// Spare descriptor, given up to accept and read knocks when no other is left.
    spare: Option<GuardedFd>,
    /// When a PE was first and last refused for want of a descriptor, in a period in which no PE was admitted.
    short: Option<(Instant, Instant)>,
}

impl Acceptor {
    /// An acceptor without strangers.
    pub fn new(shared: &Shared) -> Self {
        let (strangers, knocks, spare) = (BTreeMap::new(), HashSet::new(), spare(shared));
        Acceptor { strangers, last: DOOR, knocks, paused: None, spare, short: None }
    }

    /// When to serve again even if nothing happens.
    pub fn deadline(&self) -> Option<Instant> {
        self.strangers.values().map(|s| s.deadline).chain(self.paused).min()
    }

    /// Serve all strangers. Those that have proven themselves are admitted to `shared`.
    pub fn serve(&mut self, shared: &Shared, events: &mut Vec<Event>) {
        let now = Instant::now();
        for number in ready(shared) {
            events.extend(self.listen(shared, number));
        }
        let late: Vec<u64> = self.strangers.iter().filter(|(_, one)| now >= one.deadline).map(|(at, _)| *at).collect();
        late.into_iter().for_each(|number| self.turn_away(number, "it did not prove itself in time"));
        self.resume(shared);
        if self.paused.is_none() {
            self.accept(shared, events);
        }
    }

    /// Read from a stranger that has sent something or gone away. Return an event if something failed on our side.
    fn listen(&mut self, shared: &Shared, number: u64) -> Option<Event> {
        let stranger = self.strangers.get_mut(&number)?;
        let heard = stranger.listen(shared);
        let has_spoken = stranger.have > 0;
        match heard {
            Ok(Heard::Nothing) => None,
            Ok(Heard::Knock(_, knock)) if !self.knocks.insert(knock) => {
                self.turn_away(number, "it repeats a greeting");
                None
            }
            Ok(Heard::Knock(from, _)) => {
                self.make_place_for(from);
                None
            }
            Ok(Heard::Proof(from)) => {
                let Stranger { socket, challenge, .. } = self.strangers.remove(&number)?;
                // Closing a descriptor would not remove the socket from the set, because the socket lives on in the connection.
                shared.accept_epoll.delete(socket.file()?);
                self.short = None;
                let keys = challenge.and_then(|challenge| challenge.keys(&shared.options.terms));
                shared.admit(from, Opened { socket, keys }).err().map(Event::Failed)
            }
            // A peer does this if it was quicker at another of our addresses.
            Err(_) if !has_spoken => {
                let address = self.strangers.remove(&number)?.address;
                tracing::debug!(%address, "nothing more was sent");
                None
            }
            Err(why) => {
                self.turn_away(number, why);
                None
            }
        }
    }

    /// Accept connections. Report an error if PEs could not be accepted for too long.
    fn accept(&mut self, shared: &Shared, events: &mut Vec<Event>) {
        for listener in &shared.listeners.sockets {
            for _ in 0..STRANGERS_MAX {
                match take(listener) {
                    Ok(Some((socket, address))) => {
                        events.extend(self.make_place(shared));
                        self.let_in(shared, socket, address);
                    }
                    Ok(None) => break,
                    Err(error) => return events.extend(self.pause(shared, &error).map(Event::Failed)),
                }
            }
        }
    }

    fn let_in(&mut self, shared: &Shared, socket: GuardedFd, address: SocketAddr) {
        self.last += 1;
        if let Err(error) = watch(&shared.accept_epoll, &socket, self.last) {
            return tracing::warn!(%address, %error, "a connection was dropped");
        }
        let deadline = Instant::now() + shared.options.proof_time;
        let stranger = Stranger { socket, address, said: [0; KNOCK_BYTES], have: 0, challenge: None, deadline };
        self.strangers.insert(self.last, stranger);
    }

    /// Make a place for one more stranger that has not knocked. The stranger to be dropped is read once more first: it may have knocked
    /// while others were accepted.
    fn make_place(&mut self, shared: &Shared) -> Option<Event> {
        let silent = || self.strangers.iter().filter(|(_, one)| one.challenge.is_none());
        if silent().count() < STRANGERS_MAX {
            return None;
        }
        let mut places = HashMap::new();
        silent().for_each(|(_, one)| *places.entry(source(one.address)).or_insert(0) += 1);
        let most = places.values().max().copied();
        let goes =
            silent().find(|(_, one)| places.get(&source(one.address)).copied() == most).map(|(&number, _)| number);
        let goes = goes?;
        let went_wrong = self.listen(shared, goes);
        if self.strangers.get(&goes).is_some_and(|one| one.challenge.is_none())
            && let Some(stranger) = self.strangers.remove(&goes)
        {
            tracing::debug!(address = %stranger.address, "a connection was dropped: newer ones wait");
        }
        went_wrong
    }

    /// `from` has knocked once more: drop its oldest strangers if there are too many.
    fn make_place_for(&mut self, from: Pe) {
        let is_its = |one: &Stranger| one.challenge.as_ref().is_some_and(|challenge| challenge.from() == from);
        let its: Vec<u64> = self.strangers.iter().filter(|(_, one)| is_its(one)).map(|(&number, _)| number).collect();
        let too_many = its.len().saturating_sub(KNOCKS_MAX);
        its.into_iter().take(too_many).for_each(|number| self.turn_away(number, "the same PE has connected again"));
    }

    fn turn_away(&mut self, number: u64, why: impl std::fmt::Display) {
        if let Some(stranger) = self.strangers.remove(&number) {
            tracing::warn!(address = %stranger.address, "a connection was dropped: {why}");
        }
    }

    /// Stop watching the listeners for a while; otherwise a connection that cannot be accepted would keep waking this thread. Return the
    /// shortage of descriptors if it has lasted too long.
    fn pause(&mut self, shared: &Shared, error: &io::Error) -> Option<Error> {
        tracing::warn!(%error, "cannot accept connections for a moment");
        self.look_away(shared);
        let shortage = descriptors::shortage(error)?;
        if !self.is_missed_by_peers(shared) {
            return None;
        }
        let (now, patience) = (Instant::now(), SHORTAGE_PROOFS * shared.options.proof_time);
        let first = self.short.filter(|(_, last)| now - *last < patience).map_or(now, |(first, _)| first);
        self.short = Some((first, now));
        (now - first >= patience).then_some(shortage)
    }

    /// Whether a PE of the job is among the connections that cannot be accepted; other hosts may connect too. Connections that are examined
    /// here are dropped; peers try again.
    fn is_missed_by_peers(&mut self, shared: &Shared) -> bool {
        if self.spare.take().is_none() {
            // The program took this descriptor too, while it was in use.
            self.spare = spare(shared);
            return false;
        }
        let mut is_missed = false;
        for listener in &shared.listeners.sockets {
            for _ in 0..STRANGERS_MAX {
                let Ok(Some((socket, address))) = take(listener) else { break };
                let (said, deadline) = ([0; KNOCK_BYTES], Instant::now());
                let mut asked = Stranger { socket, address, said, have: 0, challenge: None, deadline };
                is_missed |= matches!(asked.hear(KNOCK_BYTES), Ok(true))
                    && Challenge::to(&asked.said, &shared.options.terms, shared.options.me, shared.options.size)
                        .is_ok_and(|challenge| self.knocks.insert(challenge.knock()));
            }
        }
        self.spare = spare(shared);
        is_missed
    }

    fn look_away(&mut self, shared: &Shared) {
        for listener in &shared.listeners.sockets {
            listener.file().iter().for_each(|listener| shared.accept_epoll.delete(*listener));
        }
        self.paused = Some(Instant::now() + PAUSE);
    }

    fn resume(&mut self, shared: &Shared) {
        if self.paused.is_none_or(|until| Instant::now() < until) {
            return;
        }
        self.paused = None;
        for listener in &shared.listeners.sockets {
            if let Err(error) = watch(&shared.accept_epoll, listener, DOOR) {
                tracing::warn!(%error, "cannot watch for connections for a moment");
                return self.look_away(shared);
            }
        }
    }
}

/// Result of reading from a stranger.
enum Heard {
    /// The message is not complete yet.
    Nothing,
    /// A valid knock of this PE with these random bytes, sent by the PE or replayed.
    Knock(Pe, [u8; RANDOM_BYTES]),
    /// A valid claim: the stranger is this PE.
    Proof(Pe),
}

impl Stranger {
    /// Read no further than the end of the next message of the opening, and answer the message.
    fn listen(&mut self, shared: &Shared) -> Result<Heard> {
        if !self.hear(if self.challenge.is_none() { KNOCK_BYTES } else { CLAIM_BYTES })? {
            return Ok(Heard::Nothing);
        }
        let options = &shared.options;
        if let Some(challenge) = &self.challenge {
            let mut claim = [0; CLAIM_BYTES];
            claim.copy_from_slice(&self.said[..CLAIM_BYTES]);
            let from = challenge.judge(&claim, &options.terms)?;
            let answer = challenge.answer(&options.terms, shared.pairs.judge(from));
            say(self.socket.get().map_err(gone)?, &answer).inspect_err(|_| shared.pairs.forget(from))?;
            return Ok(Heard::Proof(from));
        }
        let challenge = Challenge::to(&self.said, &options.terms, options.me, options.size)?;
        let socket = self.socket.get().map_err(gone)?;
        prepare(socket, options)?;
        say(socket, &challenge.encode(&options.terms))?;
        let heard = Heard::Knock(challenge.from(), challenge.knock());
        (self.challenge, self.have) = (Some(challenge), 0);
        Ok(heard)
    }

    /// Read until `wanted` bytes are here, and no further. Return whether they are.
    fn hear(&mut self, wanted: usize) -> Result<bool> {
        let rest = &mut self.said[self.have..wanted];
        let piece = sys::piece(rest.as_mut_ptr(), rest.len());
        // SAFETY: the piece is our own array, and not empty, because a complete message is handled at once.
        match unsafe { sys::receive(self.socket.get().map_err(gone)?, piece) } {
            Ok(Some(n)) => self.have += n,
            Ok(None) => return Ok(false),
            Err(e) => return Err(gone(e)),
        }
        if self.challenge.is_none() && !Challenge::may_begin(&self.said[..self.have]) {
            return Err(Error::new("it does not speak this version of the protocol"));
        }
        Ok(self.have == wanted)
    }
}

fn gone(error: impl Into<io::Error>) -> Error {
    Error::because("it went away before it proved itself", error.into())
}

/// Accept the next connection, if there is one.
fn take(listener: &GuardedFd) -> io::Result<Option<(GuardedFd, SocketAddr)>> {
    loop {
        match acceptfrom_with(listener.get()?, SocketFlags::CLOEXEC) {
            // A connection without an address has already gone.
            Ok((_, None)) | Err(Errno::INTR | Errno::CONNABORTED) => {}
            Ok((newcomer, Some(address))) => return Ok(Some((GuardedFd::new(newcomer)?, address.try_into()?))),
            Err(Errno::AGAIN) => return Ok(None),
            Err(error) => return Err(error.into()),
        }
    }
}

/// The part of an address that is likely to identify one source. For IPv6 this is the network, since the owner of one address has all of
/// its network.
fn source(address: SocketAddr) -> IpAddr {
    match address.ip().to_canonical() {
        IpAddr::V6(ip) => Ipv6Addr::from_bits(ip.to_bits() & !0 << 64).into(),
        ip => ip,
    }
}

/// The strangers that have sent something or gone away.
fn ready(shared: &Shared) -> Vec<u64> {
    let mut events = [MaybeUninit::<epoll::Event>::uninit(); STRANGERS_MAX];
    // If the program has closed the epoll, the check of all descriptors reports it.
    shared.accept_epoll.ready(&mut events).into_iter().flatten().filter(|&number| number != DOOR).collect()
}

fn spare(shared: &Shared) -> Option<GuardedFd> {
    let listener = shared.listeners.sockets.first()?.file()?;
    GuardedFd::new(listener.try_clone_to_owned().ok()?).ok()
}

fn watch(epoll: &Epoll, socket: &GuardedFd, number: u64) -> io::Result<()> {
    epoll.add(socket.get()?, number, EventFlags::IN)
}

/// Send a few bytes on a connection so new that it takes them at once.
pub fn say(socket: BorrowedFd<'_>, bytes: &[u8]) -> Result<()> {
    // SAFETY: the piece is a slice.
    match unsafe { sys::send(socket, &[sys::piece(bytes.as_ptr(), bytes.len())]) } {
        Ok(Some(n)) if n == bytes.len() => Ok(()),
        Ok(_) => Err(Error::new("a new connection accepts no bytes")),
        Err(error) => Err(Error::because("writing to a new connection", error)),
    }
}
