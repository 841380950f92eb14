//! Where strangers stand until they have proven that they belong to the job.
//!
//! Anybody may connect, as often as the kernel lets them. So there are two rooms:
//!
//! - Who has not knocked yet (`proof`) costs a socket and a hundred bytes, and is told nothing. There are few places: when all are taken, of
//!   the source that has most of them the oldest goes. So a flood from one address throws out itself, and of those that share
//!   the address of a flood, as on one host, only who hesitates before it knocks: peers knock in the moment in which they
//!   are connected, and try again.
//! - Who has knocked knows the job's secret, or has heard somebody who does: it is challenged, and no stranger takes its place. There are
//!   a few places for each PE of the job, and a knock is let in once, however often it is said: a PE says another each time. So replaying
//!   what was heard here takes no place from the PE that said it; and what was heard by somebody who stands at another of our addresses,
//!   for the PE to knock there, is one knock for each time that the PE has done so.
//!
//! All have a deadline. All who stand there are listened to before others come in, and so many others at most: of thousands who come at
//! once none need go.

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

/// Places of those that have not knocked, and of those that come in at once.
const STRANGERS_MAX: usize = 64;
/// Places of a PE whose knock was heard: one for each of its addresses that it may try at a time, in all but the strangest hosts.
const KNOCKS_MAX: usize = 8;
/// After the system had no descriptor left for a newcomer.
const PAUSE: Duration = Duration::from_millis(100);
/// A PE that knocks and is never let in for want of a descriptor, for so many times the time of a proof, is missed.
const SHORTAGE_PROOFS: u32 = 2;

/// What the kernel calls the listeners and the bell; strangers have their numbers.
const DOOR: u64 = 0;

struct Stranger {
    socket: GuardedFd,
    address: SocketAddr,
    said: [u8; KNOCK_BYTES],
    have: usize,
    /// What it was told when it had knocked; its claim follows.
    challenge: Option<Challenge>,
    deadline: Instant,
}

/// What is readable when somebody knocks or speaks, or something is sent after a while without. Made before the thread that watches it,
/// which may come to run only when the program has taken all descriptors that were left.
pub fn accept_epoll(listeners: &[GuardedFd], lookout: &Bell) -> Result<Epoll> {
    let open = || {
        let epoll = Epoll::new()?;
        epoll.add(lookout.fd()?, DOOR, EventFlags::IN)?;
        listeners.iter().try_for_each(|listener| watch(&epoll, listener, DOOR))?;
        Ok(epoll)
    };
    open().map_err(|e: io::Error| Error::because("watching for connections", e))
}

/// Who stands before the listening sockets.
pub struct Acceptor {
    /// By number, so the oldest first.
    strangers: BTreeMap<u64, Stranger>,
    last: u64,
    /// All knocks that were heard, each 32 bytes. Only PEs can make one, and each makes a few.
    knocks: HashSet<[u8; RANDOM_BYTES]>,
    paused: Option<Instant>,
    /// Kept to ask who knocks when there is no other.
    spare: Option<GuardedFd>,
    /// When a PE was first and last not let in, for want of descriptors, while none was.
    short: Option<(Instant, Instant)>,
}

impl Acceptor {
    /// Nobody is there.
    pub fn new(shared: &Shared) -> Self {
        let (strangers, knocks, spare) = (BTreeMap::new(), HashSet::new(), spare(shared));
        Acceptor { strangers, last: DOOR, knocks, paused: None, spare, short: None }
    }

    /// When to look again even if nothing happens.
    pub fn deadline(&self) -> Option<Instant> {
        self.strangers.values().map(|s| s.deadline).chain(self.paused).min()
    }

    /// Look after everybody; those who have proven themselves are admitted to `shared`.
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

    /// Somebody has spoken, or gone; gives what went wrong on our side.
    fn listen(&mut self, shared: &Shared, number: u64) -> Option<Event> {
        let stranger = self.strangers.get_mut(&number)?;
        let heard = stranger.listen(shared);
        let has_spoken = stranger.have > 0;
        match heard {
            Ok(Heard::Nothing) => None,
            Ok(Heard::Knock(_, knock)) if !self.knocks.insert(knock) => {
                self.turn_away(number, "it says a knock that was said before");
                None
            }
            Ok(Heard::Knock(from, _)) => {
                self.make_place_for(from);
                None
            }
            Ok(Heard::Proof(from)) => {
                let Stranger { socket, challenge, .. } = self.strangers.remove(&number)?;
                // A closed duplicate would stay in the set; this socket lives on elsewhere.
                shared.accept_epoll.delete(socket.file()?);
                self.short = None;
                let keys = challenge.and_then(|challenge| challenge.keys(&shared.options.terms));
                shared.admit(from, Opened { socket, keys }).err().map(Event::Failed)
            }
            // As peers do that were quicker at another of our addresses.
            Err(_) if !has_spoken => {
                let address = self.strangers.remove(&number)?.address;
                tracing::debug!(%address, "nothing more was said");
                None
            }
            Err(why) => {
                self.turn_away(number, why);
                None
            }
        }
    }

    /// Let in who knocks; or tell what is wrong if PEs could not be let in for too long.
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

    /// For one more who has not knocked. Who would go is heard once more: it may have knocked while others came in.
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
            tracing::debug!(address = %stranger.address, "a connection was dropped: others wait");
        }
        went_wrong
    }

    /// `from` has knocked once more.
    fn make_place_for(&mut self, from: Pe) {
        let is_its = |one: &Stranger| one.challenge.as_ref().is_some_and(|challenge| challenge.from() == from);
        let its: Vec<u64> = self.strangers.iter().filter(|(_, one)| is_its(one)).map(|(&number, _)| number).collect();
        let too_many = its.len().saturating_sub(KNOCKS_MAX);
        its.into_iter().take(too_many).for_each(|number| self.turn_away(number, "the same PE has knocked again"));
    }

    fn turn_away(&mut self, number: u64, why: impl std::fmt::Display) {
        if let Some(stranger) = self.strangers.remove(&number) {
            tracing::warn!(address = %stranger.address, "a connection was dropped: {why}");
        }
    }

    /// Look away from the listeners for a while, lest a connection that cannot be accepted keeps us awake.
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

    /// Whether a PE of the job is among those who knock and cannot be let in: anybody may knock. Who is asked is turned away;
    /// peers try again.
    fn is_missed_by_peers(&mut self, shared: &Shared) -> bool {
        if self.spare.take().is_none() {
            // The program took this one too, while it was in use.
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

/// What a stranger has said.
enum Heard {
    /// Not all yet.
    Nothing,
    /// This PE wants in, if it is the one, by a knock with these random bytes.
    Knock(Pe, [u8; RANDOM_BYTES]),
    /// It is.
    Proof(Pe),
}

impl Stranger {
    /// Read no more than what comes next in an opening, and answer it.
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

    /// Whether so many bytes have come; none that follow are read.
    fn hear(&mut self, wanted: usize) -> Result<bool> {
        let rest = &mut self.said[self.have..wanted];
        let piece = sys::piece(rest.as_mut_ptr(), rest.len());
        // SAFETY: the piece is our own array, and not empty: what is whole is judged at once.
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

/// The next who connects, if anybody does.
fn take(listener: &GuardedFd) -> io::Result<Option<(GuardedFd, SocketAddr)>> {
    loop {
        match acceptfrom_with(listener.get()?, SocketFlags::CLOEXEC) {
            // Without an address it has gone again.
            Ok((_, None)) | Err(Errno::INTR | Errno::CONNABORTED) => {}
            Ok((newcomer, Some(address))) => return Ok(Some((GuardedFd::new(newcomer)?, address.try_into()?))),
            Err(Errno::AGAIN) => return Ok(None),
            Err(error) => return Err(error.into()),
        }
    }
}

/// Who is likely to be one: of IPv6, whoever has one address has all of a network.
fn source(address: SocketAddr) -> IpAddr {
    match address.ip().to_canonical() {
        IpAddr::V6(ip) => Ipv6Addr::from_bits(ip.to_bits() & !0 << 64).into(),
        ip => ip,
    }
}

/// The strangers that have something.
fn ready(shared: &Shared) -> Vec<u64> {
    let mut events = [MaybeUninit::<epoll::Event>::uninit(); STRANGERS_MAX];
    // If the program has closed the epoll, the check of all descriptors reports it.
    shared
        .accept_epoll
        .ready(&mut events)
        .unwrap_or_default()
        .iter()
        .map(|event| event.data.u64())
        .filter(|&number| number != DOOR)
        .collect()
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
        Ok(_) => Err(Error::new("a new connection takes nothing")),
        Err(error) => Err(Error::because("speaking on a new connection", error)),
    }
}
