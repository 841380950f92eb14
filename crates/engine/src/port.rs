//! The traits of a transport: a [`Transport`] for the process, and a [`Port`] for each stream of operations.
//!
//! A port is thin. It moves bytes and reports completion. It has no tickets, no fences, no completion of an operation that takes more than
//! one call, and no fairness. This crate implements these once, over any port. A port declares its abilities in its [`Limits`]; the engine
//! relies on nothing else.
//!
//! # Tokens
//!
//! The engine passes each call a [`Token`] that no other call under way uses. If the call is not complete when it returns
//! ([`Posted::Pending`]), the port keeps the token and returns it exactly once, in [`Event::Done`] or [`Event::CallLost`]. The port may
//! access the call's local memory until it is done. If the call returns an error or [`Posted::Done`], the port has kept neither.
//!
//! # Peers
//!
//! The engine numbers the peers of a port from 0 in the order in which it meets them ([`Port::meet`]).
//!
//! # Callers
//!
//! One thread at a time calls a port, under the engine's mutex of that port. Different ports of one transport are called concurrently.

use crate::{Amo, Error, Links, Pe, Result, Segment, SegmentId, Target, Width, timing};
use ferrite_fabric::{About, AddressBook, Key};
use ferrite_os::guarded_fd::Closed;
use std::{
    os::fd::BorrowedFd,
    sync::Arc,
    time::{Duration, Instant},
};

/// An address in a peer's memory, or in this PE's memory as peers name it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Location {
    /// The registered memory that it lies in.
    pub segment: SegmentId,
    /// Bytes from its start.
    pub offset: u64,
}

impl Location {
    /// The location `bytes` further on.
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

/// State of a call when it returns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Posted {
    /// Complete. The port took this many bytes from the start: all of them, or as many as one call can take.
    Done(usize),
    /// Under way with this many bytes. Its token comes back when it is complete.
    Pending(usize),
}

impl Posted {
    /// Number of bytes taken.
    #[inline]
    pub fn bytes(self) -> usize {
        match self {
            Posted::Done(bytes) | Posted::Pending(bytes) => bytes,
        }
    }
}

/// Why the port refused a call. A refused call has no effect.
#[derive(Debug)]
pub enum PostError {
    /// The port has no room now, or no connection to the peer yet. Polling makes progress; if the refusal lasts too long, the peer counts
    /// as lost.
    Busy,
    /// The call can never succeed. The job is lost.
    Failed(Error),
    /// The same, because the connection to the peer is broken: the peer counts as lost.
    Lost(Error),
}

impl From<Error> for PostError {
    fn from(error: Error) -> PostError {
        PostError::Failed(error)
    }
}

/// Event that a poll reports.
#[derive(Debug)]
pub enum Event {
    /// The call with this token is complete: its local memory is free, and the fetched data has arrived. Written data is visible at the
    /// target unless [`Limits::flush`] requires a flush.
    Done(Token),
    /// The connection to a peer is broken. This is a fault only if the engine awaits something from that peer.
    Lost(PeerNumber, Error),
    /// The call with this token has failed because the connection to its peer is broken. Whether it took effect is unknown. The token of a
    /// message without data is free; the memory of any other call may still be in use.
    CallLost(Token, Error),
    /// The transport has failed: it no longer guarantees that operations complete.
    Failed(Error),
}

/// Kind of call that carries an operation. The order at a peer depends on it.
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
    /// All classes, each at the index of its discriminant.
    pub const ALL: [Class; 4] = [Class::Write, Class::Read, Class::Message, Class::Atomic];
}

/// The orders that a port keeps by itself. For each pair of classes: the size of the longest operations of which the second takes effect at
/// the peer after the first, if it was posted later. 0 means no guarantee.
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
    /// Orders of a port with one ordered stream for each peer.
    pub const ALL: Orders = Orders {
        write_write: usize::MAX,
        write_read: usize::MAX,
        write_message: usize::MAX,
        message_message: usize::MAX,
        message_read: usize::MAX,
        message_write: usize::MAX,
    };

    /// Whether the port itself makes `after` take effect after `before`, if neither has more than `len` bytes. A read as `before` needs no
    /// order: once it is complete, a later operation cannot change its result, and until then no order is guaranteed.
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

/// Where atomics are executed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Atomics {
    /// By the target's processor, with messages.
    Target,
    /// By the NIC ([`Port::atomic`]). Then all atomics of the job must be executed by the NIC.
    Nic {
        /// The NIC can hold an atomic back until the writes before it are visible.
        fenced: bool,
    },
}

/// How the engine learns that written data is visible at the target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flush {
    /// Written data is visible when its call is complete.
    Done,
    /// Written data is visible when a later [`Port::flush`] is complete.
    Call,
}

/// How the engine learns that a message was executed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answers {
    /// The target answers each message.
    Each,
    /// The target answers messages that fetch, and messages that are too long to be kept in order. An answer covers all earlier messages
    /// that are in order. If a thread waits for messages that no answer covers, the engine sends a request for one.
    Asked,
}

/// Abilities of a port. They are the same for all ports of a transport.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Maximum number of calls under way.
    pub depth: usize,
    /// Puts up to this size are copied when they are posted: the port copies the data of [`Port::write`] and [`Port::send`].
    pub copy_bytes_max: usize,
    /// Maximum data bytes of a message: at least a word.
    pub message_bytes_max: usize,
    /// True if puts are writes; otherwise they are messages.
    pub writes: bool,
    /// The orders that the port keeps.
    pub orders: Orders,
    /// Where atomics are executed.
    pub atomics: Atomics,
    /// How the engine learns that writes are visible.
    pub flush: Flush,
    /// How the engine learns that messages were executed.
    pub answers: Answers,
    /// Answers arrive at the service port; otherwise at the port that sent the request.
    pub answers_come_to_service: bool,
    /// A thread of this PE must poll for its peers' operations, or for its own, to make progress.
    pub needs_polling: bool,
    /// A thread may sleep on the descriptor of an armed port without a limit. False for a layer that makes datagrams reliable: it
    /// retransmits lost datagrams only while it is polled.
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
    /// The descriptor does not show all events: a thread must poll now and then.
    CannotArm,
}

/// An update of a word by a NIC.
#[derive(Clone, Copy, Debug)]
pub struct Update {
    /// Where the word is.
    pub at: Location,
    /// Size of the word.
    pub width: Width,
    /// The kind of update.
    pub op: Amo,
    /// Operand of the update.
    pub operand: u64,
    /// Expected value of a compare-and-swap.
    pub compare: u64,
    /// Destination of the old value, at any alignment; null if it is not wanted.
    pub fetch: *mut u8,
    /// Hold the update back until the writes before it are visible. Set only if [`Atomics::Nic`] is `fenced`.
    pub fenced: bool,
}

/// A process's access to a network.
pub trait Transport: Send + Sync + 'static {
    /// The ports of this transport, which carry operations.
    type Port: Port;

    /// The name that a user would recognise.
    fn name(&self) -> &'static str;
    /// Name for error messages: the name that a user would recognise, with the provider below it.
    fn full_name(&self) -> String {
        self.name().to_owned()
    }
    /// Description of the port, for logs and reports.
    fn about(&self) -> About {
        About { by: self.full_name(), ..About::default() }
    }
    /// Abilities of its ports.
    fn limits(&self) -> &Limits;
    /// Address at which peers find this process.
    fn address(&self) -> Vec<u8>;
    /// Make a segment, or its growth, accessible to peers. Returns the key with which they reach all of it. The engine enters it in
    /// [`Target`] after this returns.
    ///
    /// # Safety
    /// The segment stays mapped until [`Transport::close`].
    unsafe fn register(&self, segment: Segment) -> Result<Key>;
    /// Set the address book of the peers. Called before any port meets a peer.
    fn connect(&self, book: Arc<dyn AddressBook>) -> Result<()>;
    /// Open the port that peers know. Called once.
    fn service(&self) -> Result<Self::Port>;
    /// Open a port for operations of this PE.
    fn open(&self) -> Result<Self::Port>;
    /// Maximum number of ports worth opening for operations. If there are more lanes, they share ports.
    fn ports_max(&self) -> usize;
    /// The interfaces that carry the data. If none of them works any more, peers are lost.
    fn links(&self) -> Links {
        Links::none()
    }
    /// Descriptor that is readable when [`Transport::tend`] has something to do, whether ports are polled or not.
    fn tending_fd(&self) -> Option<BorrowedFd<'_>> {
        None
    }
    /// Do the work that belongs to no port: accept newcomers, watch for hosts that fall silent. The service thread calls it when the
    /// descriptor is readable, and at the latest at the time that the last call returned. It may report [`Event::Failed`] and no other
    /// event.
    fn tend(&self, events: &mut Vec<Event>) -> Option<Instant> {
        let _ = events;
        None
    }
    /// Check that the descriptors that the transport keeps open across calls of the program are still its own: the program may have closed
    /// one. If so, the fabric fails instead of waiting for an event that cannot come.
    fn descriptors(&self) -> Result<(), Closed> {
        Ok(())
    }
    /// Maximum duration of the shutdown, in which peers are notified and take what is under way.
    fn parting_time(&self) -> Duration {
        timing::PARTING
    }
    /// Notify peers that this process ends, so that they do not take the end for a loss. Nothing is posted any more. Returns whether all
    /// peers have received the notice; until they have, the engine polls and calls it again.
    fn part(&self) -> bool {
        true
    }
    /// The fabric has failed: a thread that is connecting to a peer ([`Port::meet`]) returns soon. Called from any thread, also after
    /// [`Transport::close`].
    fn give_up(&self) {}
    /// All ports are closed. After this call no peer reaches the segments.
    fn close(&self) {}
}

/// A stream of calls. The module documentation describes tokens, peers and callers.
pub trait Port: Send {
    /// Add a peer, whose number is one more than the last. Connecting may block for a bounded time.
    fn meet(&mut self, pe: Pe) -> Result<()>;

    /// Send a message: `head`, which is copied, and `len` bytes at `data`, which are copied if they are few ([`Limits::copy_bytes_max`]).
    /// The port takes the whole message or nothing. At the peer the message goes to [`Target`].
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

    /// Read bytes from a peer's memory.
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

    /// Write bytes to a peer's memory. If `copied`, the source is free when this returns, whatever part of it was taken.
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
    /// The destination of the old value is writable until the call is complete.
    unsafe fn atomic(&mut self, peer: PeerNumber, update: &Update, token: Token) -> Result<Posted, PostError> {
        let _ = (peer, update, token);
        unreachable!("Limits::atomics says that the target's processor executes them")
    }

    /// Flush writes: when the call is complete, everything written to this peer before is visible there.
    fn flush(&mut self, peer: PeerNumber, token: Token) -> Result<Posted, PostError> {
        let _ = (peer, token);
        unreachable!("Limits::flush says that there is nothing to flush")
    }

    /// Move data, serve peers whose messages arrive here, and report complete calls in `events`. Returns the number of things that
    /// happened, including progress of others.
    fn poll(&mut self, events: &mut Vec<Event>) -> usize;

    /// True if a message or an answer of this PE has not left yet. Then a thread must poll, even if no call is under way.
    fn has_unsent(&self) -> bool {
        false
    }

    /// Send queued data, if that is possible without blocking. The engine calls it after an operation that a peer may wait for: the signal
    /// of a put, or the first operation after a fence or a quiet. The service thread calls it so that data that the program left in the
    /// queue does not wait for long.
    fn push(&mut self) {}

    /// Whether a thread may sleep on [`Port::fd`] now.
    fn arm(&mut self) -> Arm;

    /// Descriptor that is readable after an event, while the port is armed.
    fn fd(&self) -> Option<BorrowedFd<'_>>;

    /// Close the port at the end of the fabric. If `orderly`, complete what is under way, until `deadline` at the latest. `serve` lets
    /// peers make progress meanwhile.
    fn close(&mut self, orderly: bool, deadline: Instant, serve: &mut dyn FnMut()) {
        let _ = (orderly, deadline, serve);
    }
}

/// Parameters with which the engine opens a transport.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// Executes peers' messages here, in the memory that they reach.
    pub target: Arc<Target>,
    /// True if threads sleep on ports: the service thread, or threads of the program that wait.
    pub sleeps: bool,
}
