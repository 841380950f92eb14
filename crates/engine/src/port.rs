//! What a transport implements: a [`Transport`] for the process, and a [`Port`] for each stream of operations.
//!
//! A port is dumb. It moves bytes and says when: it knows no tickets, no fences, no completion of an operation that is
//! more than one call, and no fairness. All of that stands once, in this crate, over any port. What a port can and cannot
//! do it says by its [`Limits`]; the engine asks for nothing else.
//!
//! # Tokens
//!
//! The engine gives each call a [`Token`] that no call under way has. If the call is not over when it returns
//! ([`Posted::Pending`]), the port keeps the token, and gives it back exactly once, by [`Event::Done`]. Local memory that
//! was named in the call is the port's until then. A call that returns an error, or [`Posted::Done`], has not kept it.
//!
//! # Peers
//!
//! The engine numbers the peers of a port from 0 in the order in which it meets them ([`Port::meet`]).
//!
//! # Who calls
//!
//! One thread at a time, under the engine's mutex of that port. Ports of one transport are called at the same time.

use crate::{Amo, Error, Links, Pe, Result, Segment, SegmentId, Target, Width, timing};
use ferrite_fabric::{AddressBook, Key};
use ferrite_os::guarded_fd::Closed;
use std::{
    os::fd::BorrowedFd,
    sync::Arc,
    time::{Duration, Instant},
};

/// A place in a peer's memory, or in ours as peers name it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Location {
    /// The segment.
    pub segment: SegmentId,
    /// Bytes from its start.
    pub offset: u64,
}

impl Location {
    /// The place so many bytes further on.
    #[inline]
    pub fn beyond(self, bytes: usize) -> Location {
        Location { offset: self.offset.wrapping_add(bytes as u64), ..self }
    }
}

/// Names a call that is under way on a port. Smaller than [`Limits::depth`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token(pub u32);

/// A peer of a port, by the order in which the port met it.
pub type PeerNumber = u32;

/// What a call has come to when it returns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Posted {
    /// It is over; so many bytes were taken, from the first on: all of them, or as many as one call can.
    Done(usize),
    /// It is under way with so many bytes, and its token comes back when it is over.
    Pending(usize),
}

impl Posted {
    /// Bytes taken.
    #[inline]
    pub fn bytes(self) -> usize {
        match self {
            Posted::Done(bytes) | Posted::Pending(bytes) => bytes,
        }
    }
}

/// Why a call was not taken. Nothing has happened then.
#[derive(Debug)]
pub enum PostError {
    /// There is no room now, or no way to the peer yet. Polling brings it about; if nothing does for too long the peer counts as lost.
    Busy,
    /// It will never be possible. The job is lost.
    Failed(Error),
}

impl From<Error> for PostError {
    fn from(error: Error) -> PostError {
        PostError::Failed(error)
    }
}

/// What a poll has found.
#[derive(Debug)]
pub enum Event {
    /// The call of this token is over: its local memory is free, and what it fetched is there. What it wrote is visible at the
    /// target unless [`Limits::flush`] says otherwise.
    Done(Token),
    /// The way to a peer is broken. That is a fault only if something is awaited from there.
    Lost(PeerNumber, Error),
    /// Nothing can be promised any more.
    Failed(Error),
}

/// How operations are kept in order at a peer, by what carries them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// [`Port::write`].
    Write,
    /// [`Port::read`].
    Read,
    /// [`Port::send`].
    Message,
    /// [`Port::atomic`].
    Atomic,
}

impl Class {
    /// All of them, each at the place of its number.
    pub const ALL: [Class; 4] = [Class::Write, Class::Read, Class::Message, Class::Atomic];
}

/// The orders that a port keeps by itself: for two classes, the longest operations of which the second takes effect at the peer
/// after the first, if it was posted after it. 0 where it promises nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Orders {
    /// Writes after writes.
    pub write_write: usize,
    /// Reads after writes.
    pub write_read: usize,
    /// Messages after writes.
    pub write_message: usize,
    /// Messages after messages, by the bytes of their data.
    pub message_message: usize,
    /// Reads after messages.
    pub message_read: usize,
    /// Writes after messages.
    pub message_write: usize,
}

impl Orders {
    /// A port of which each peer has one stream.
    pub const ALL: Orders = Orders {
        write_write: usize::MAX,
        write_read: usize::MAX,
        write_message: usize::MAX,
        message_message: usize::MAX,
        message_read: usize::MAX,
        message_write: usize::MAX,
    };

    /// Whether `after` takes effect after `before` without our help, if neither has more than `len` bytes. What comes after a read
    /// changes nothing about it once it is complete, and before that no order is promised to anybody.
    #[inline]
    pub fn keep(&self, before: Class, after: Class, len: usize) -> bool {
        let longest = match (before, after) {
            (Class::Read, _) => return true,
            (Class::Write, Class::Write) => self.write_write,
            (Class::Write, Class::Read) => self.write_read,
            (Class::Write, Class::Message) => self.write_message,
            (Class::Message, Class::Message) => self.message_message,
            (Class::Message, Class::Read) => self.message_read,
            (Class::Message, Class::Write) => self.message_write,
            (Class::Atomic, _) | (_, Class::Atomic) => 0,
        };
        longest > 0 && len <= longest
    }
}

/// Who executes atomics.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Atomics {
    /// The target's processor, by messages.
    Target,
    /// The NIC ([`Port::atomic`]). All of a job's atomics must be the NIC's then.
    Nic {
        /// It can hold an atomic back until the writes before it are visible.
        fenced: bool,
    },
}

/// How what was written becomes known to be visible at the target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flush {
    /// It is when its call is over.
    Done,
    /// By [`Port::flush`].
    Call,
}

/// How messages become known to be executed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answers {
    /// Each is answered.
    Each,
    /// Those that fetch, or are too long to be in order, are answered; the answer to one covers all before it that are in order, and
    /// somebody asks when somebody waits.
    Asked,
}

/// What a port can do. The same for all ports of a transport.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Calls that may be under way at a time.
    pub depth: usize,
    /// Puts up to this size are copied when they are posted: the port copies the data of [`Port::write`] and [`Port::send`].
    pub copy_bytes_max: usize,
    /// The longest data of a message: at least a word.
    pub message_bytes_max: usize,
    /// Puts are writes; else they are messages.
    pub writes: bool,
    /// The orders kept.
    pub orders: Orders,
    /// Who executes atomics.
    pub atomics: Atomics,
    /// How writes are known to be visible.
    pub flush: Flush,
    /// How messages are known to be executed.
    pub answers: Answers,
    /// Answers come to the port of the service; else to the port that asked.
    pub answers_come_to_service: bool,
    /// A processor of this PE must poll for its peers' operations, or for its own, to go on.
    pub needs_polling: bool,
    /// A thread may sleep on the descriptor of an armed port for as long as it likes. The layer that makes datagrams reliable repeats
    /// what was lost only while it is polled.
    pub sleeps_long: bool,
    /// A NIC moves data.
    pub drives_nic: bool,
}

/// Whether a thread may sleep until a port's descriptor is readable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arm {
    /// The next event makes it readable.
    Armed,
    /// Something has happened: poll again.
    Busy,
    /// It cannot be known: somebody has to poll now and then.
    CannotArm,
}

/// An update of a word by a NIC.
#[derive(Clone, Copy, Debug)]
pub struct Update {
    /// The word.
    pub at: Location,
    /// Its size.
    pub width: Width,
    /// The update.
    pub op: Amo,
    /// Its operand.
    pub operand: u64,
    /// What a compare-and-swap compares with.
    pub compare: u64,
    /// Where the old value goes, at any alignment; null if nobody wants it.
    pub fetch: *mut u8,
    /// Hold it back until the writes before it are visible: only where [`Atomics::Nic`] says that it can.
    pub fenced: bool,
}

/// Mistakes that an engine could make: see [`Transport::MISTAKE`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mistake {
    /// What follows a fence does not wait.
    FenceDoesNotWait,
    /// A part of an operation that is over counts twice.
    CountsTwice,
    /// A token is used again while its call is under way.
    ReusesTokens,
    /// Quiet does not wait for one of the peers.
    QuietForgetsAPeer,
    /// The signal of a put does not wait for its data.
    SignalDoesNotWait,
}

/// A process's way into a network.
pub trait Transport: Send + Sync + 'static {
    /// What operations go through.
    type Port: Port;
    /// A mistake that the engine is to make over this transport, for tests that prove that they would find it.
    const MISTAKE: Option<Mistake> = None;

    /// The name that a user would recognise.
    fn name(&self) -> &'static str;
    /// What a user would recognise in an error: the name with the provider below it.
    fn full_name(&self) -> String {
        self.name().to_owned()
    }
    /// What its ports can do.
    fn limits(&self) -> &Limits;
    /// Where peers find this process.
    fn address(&self) -> Vec<u8>;
    /// Let peers reach a segment, or what it has grown by: gives what they need to reach all of it. The engine has entered it in
    /// [`Target`] when this returns.
    ///
    /// # Safety
    /// The segment stays mapped until [`Transport::close`].
    unsafe fn register(&self, segment: Segment) -> Result<Key>;
    /// Where peers are found. Comes before any port meets a peer.
    fn connect(&self, book: Arc<dyn AddressBook>) -> Result<()>;
    /// The port that peers know. Called once.
    fn service(&self) -> Result<Self::Port>;
    /// A port for operations of ours.
    fn open(&self) -> Result<Self::Port>;
    /// Ports for operations that are worth having; where there are more lanes they share them.
    fn ports_max(&self) -> usize;
    /// The interfaces that data goes by: where none of them works any more, peers are lost.
    fn links(&self) -> Links {
        Links::none()
    }
    /// Readable when [`Transport::tend`] has something to do, whether ports are polled or not.
    fn tending_fd(&self) -> Option<BorrowedFd<'_>> {
        None
    }
    /// Look after what is no port's: newcomers, hosts that fall silent. The service thread calls it when the descriptor is readable,
    /// and at the latest at the time that the last call gave. It may tell of [`Event::Failed`], and of nothing else.
    fn tend(&self, events: &mut Vec<Event>) -> Option<Instant> {
        let _ = events;
        None
    }
    /// Whether the descriptors that the transport keeps open through calls of the program are still its own: the program may have closed
    /// one. Then the fabric fails, instead of waiting for what cannot come.
    fn descriptors(&self) -> Result<(), Closed> {
        Ok(())
    }
    /// How long the end may take: peers are told, and take what is under way, or the time is over.
    fn parting_time(&self) -> Duration {
        timing::PARTING
    }
    /// Nothing is posted any more: tell peers, so that they do not take the end for a loss. Gives whether all of them have heard; it
    /// is called again, after polls, until they have.
    fn part(&self) -> bool {
        true
    }
    /// All ports are gone. From here on nobody reaches the segments.
    fn close(&self) {}
}

/// A stream of calls. See the module for tokens, peers and callers.
pub trait Port: Send {
    /// A new peer, whose number is one more than the last. Connecting may wait, for a bounded time.
    fn meet(&mut self, pe: Pe) -> Result<()>;

    /// Send a message: `head`, which is copied, and `len` bytes at `data`, which are copied if they are few
    /// ([`Limits::copy_bytes_max`]). All of it is taken or none. At the peer it comes to [`Target`].
    ///
    /// # Safety
    /// `data` is readable for `len` bytes until the call is over.
    unsafe fn send(
        &mut self,
        peer: PeerNumber,
        head: &[u8],
        data: *const u8,
        len: usize,
        token: Token,
    ) -> Result<Posted, PostError>;

    /// Read bytes at a peer.
    ///
    /// # Safety
    /// `to` is writable for `len` bytes until the call is over.
    unsafe fn read(
        &mut self,
        peer: PeerNumber,
        from: Location,
        to: *mut u8,
        len: usize,
        token: Token,
    ) -> Result<Posted, PostError>;

    /// Write bytes at a peer. `copied`: the source is free when this returns, whatever part of it was taken.
    ///
    /// # Safety
    /// `from` is readable for `len` bytes until the call is over.
    unsafe fn write(
        &mut self,
        peer: PeerNumber,
        to: Location,
        from: *const u8,
        len: usize,
        copied: bool,
        token: Token,
    ) -> Result<Posted, PostError> {
        let _ = (peer, to, from, len, copied, token);
        unreachable!("Limits::writes says that puts are messages")
    }

    /// Have the NIC update a word.
    ///
    /// # Safety
    /// The place of the old value is writable until the call is over.
    unsafe fn atomic(&mut self, peer: PeerNumber, update: &Update, token: Token) -> Result<Posted, PostError> {
        let _ = (peer, update, token);
        unreachable!("Limits::atomics says that the target's processor executes them")
    }

    /// Everything written to this peer before is visible there when the call is over.
    fn flush(&mut self, peer: PeerNumber, token: Token) -> Result<Posted, PostError> {
        let _ = (peer, token);
        unreachable!("Limits::flush says that there is nothing to flush")
    }

    /// Move what can be moved, serve peers whose messages come here, and tell of calls that are over. Gives the number of things that
    /// happened, those of others included.
    fn poll(&mut self, events: &mut Vec<Event>) -> usize;

    /// Something of ours, an answer too, has not left yet, so that somebody must poll though no call is under way.
    fn has_unsent(&self) -> bool {
        false
    }

    /// Send what waits to be sent, if that can be done without waiting. The engine asks for it behind what a peer may wait for: the
    /// signal of a put, or the first operation behind a fence or a quiet; the service thread, lest what the program has left waits for
    /// long.
    fn push(&mut self) {}

    /// Whether a thread may sleep on [`Port::fd`] now.
    fn arm(&mut self) -> Arm;

    /// What is readable after an event, while the port is armed.
    fn fd(&self) -> Option<BorrowedFd<'_>>;

    /// The fabric ends: bring what is under way to its end, if that is `orderly`, until `deadline` at the latest. `serve` lets peers
    /// go on meanwhile.
    fn close(&mut self, orderly: bool, deadline: Instant, serve: &mut dyn FnMut()) {
        let _ = (orderly, deadline, serve);
    }
}

/// How a transport is opened: what the engine gives it.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// What peers' messages do here, and the memory that they reach.
    pub target: Arc<Target>,
    /// Threads sleep on ports: one of the engine's, or threads of the program that wait.
    pub sleeps: bool,
}
