//! The runtime's view of a provider: a [`Fabric`] for the process, a [`Lane`] for each context.

use crate::{Amo, Error, Op, Pe, Result, SegmentId, Width};
use std::{sync::Arc, time::Duration};

/// A piece of this process's memory that peers may reach.
#[derive(Clone, Copy, Debug)]
pub struct Segment {
    /// The name by which peers address it.
    pub id: SegmentId,
    /// Its first byte here.
    pub base: *mut u8,
    /// Its size in bytes.
    pub len: usize,
}

/// A segment whose words are not memory of this process: each atomic on it is a call of this object, on a thread that polls the fabric.
/// The runtime serves the words of a device's memory in this way, and requests of peers to copy between that memory and the host's.
pub trait Words: Send + Sync {
    /// Update the word at `offset`, atomically with respect to all other updates of it. Returns the old value; `None` if there is no such
    /// word. It does not post to the fabric, and does not wait for a peer.
    fn update(&self, offset: u64, width: Width, op: Amo, operand: u64, compare: u64) -> Option<u64>;
}

/// The key that peers need to reach a segment: opaque bytes that the bootstrap carries.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Key(pub Box<[u8]>);

/// Position in a lane's order of issue, from 1 on. It only grows, so completion is one comparison.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Ticket(pub u64);

impl Ticket {
    /// Ticket of an operation that was complete, at both ends, when it was posted. It has no place in the order.
    pub const NONE: Ticket = Ticket(0);
}

/// How far an operation has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// The source may be reused, the result has been written.
    Local,
    /// It is visible at the target.
    Remote,
}

/// The data path's only refusal: make progress, then post again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Busy;

/// Properties of a provider that the runtime needs.
#[derive(Clone, Debug)]
pub struct Caps {
    /// Up to this size a put's source may be reused when `post` returns.
    pub inject_bytes_max: usize,
    /// Whether the target must enter the library for an operation to complete.
    pub needs_target_progress: bool,
    /// Whether atomics are executed by the NIC. Then no CPU atomic may touch the same words, near peers'
    /// included.
    pub nic_atomics: bool,
    /// Whether a NIC moves data, and not processors through sockets or shared memory.
    pub drives_nic: bool,
}

/// Description of an open fabric, for people.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct About {
    /// Library, its version and its provider: `libfabric 2.1, cxi`.
    pub by: String,
    /// Devices that carry the data, by the library's names. Empty if the library does not name them.
    pub devices: Vec<String>,
    /// Maximum number of endpoints that send, if there is one.
    pub endpoints_max: Option<usize>,
}

/// Result of a call of [`Fabric::doze`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Doze {
    /// No sleep: the provider cannot be waited for, or not now.
    Refused,
    /// No sleep: something has happened.
    Busy,
    /// A sleep that a peer has ended.
    Woken,
    /// A sleep until the limit.
    Through,
}

/// Makes a fabric fail for a reason, from any thread at any time.
pub type Alarm = Box<dyn Fn(&Error) + Send + Sync>;

/// A way to reach PEs whose memory this process cannot map.
pub trait Fabric: Send + Sync {
    /// The name that a user would recognise.
    fn name(&self) -> &'static str;
    /// Properties of the fabric.
    fn caps(&self) -> &Caps;
    /// Description of the fabric, for people.
    fn about(&self) -> About {
        About { by: self.name().to_owned(), ..About::default() }
    }
    /// Address at which peers find this fabric. The bootstrap carries it, and [`AddressBook::address`] returns it.
    fn address(&self) -> Vec<u8>;
    /// Make a segment accessible to peers. A segment that has grown at its end is registered again.
    ///
    /// # Safety
    /// The segment stays mapped until the fabric is dropped.
    #[allow(unsafe_code)]
    unsafe fn register(&self, segment: Segment) -> Result<Key>;
    /// Let peers reach the words of a segment that is not memory. Refused by a fabric on which no processor of the target executes atomics.
    fn serve(&self, id: SegmentId, words: Arc<dyn Words>) -> Result<()> {
        let _ = (id, words);
        Err(Error::new(format!("no processor executes atomics of peers over {}", self.name())))
    }
    /// Set the address book of the peers. The fabric keeps the book and looks a peer up when that peer is first used, so nothing here is
    /// O(job).
    fn connect(&self, book: Arc<dyn AddressBook>) -> Result<()>;
    /// Open a stream of operations. Each context has one.
    fn lane(&self) -> Result<Box<dyn Lane>>;
    /// Why operations will never complete, if the fabric has failed: a peer was lost in the middle of an operation. After a fault, lanes
    /// return [`Busy`] and tickets stand still. So a thread that waits calls this now and then, and ends the job. Cheap while there is no
    /// fault.
    fn fault(&self) -> Option<Error> {
        None
    }
    /// The descriptor of the library that the program has closed, if there is one: it explains any fault better.
    fn closed_by_program(&self) -> Option<Error> {
        None
    }
    /// Sleep until there may be something to move, or `limit` has passed. Operations that this PE has posted were moved as far as possible
    /// before. An event that another thread takes meanwhile may not wake this thread, so the limit is short.
    fn doze(&self, limit: Duration) -> Doze {
        let _ = limit;
        Doze::Refused
    }
    /// Prepare the end of a process that does not drop the fabric: send everything that was posted, and notify peers, so that they do not
    /// take the end for a [`Fabric::fault`]. Bounded in time. Nothing is posted after it.
    fn part(&self) {}
    /// The peer whose loss is the [`Fabric::fault`], if it is known.
    fn lost_peer(&self) -> Option<Pe> {
        None
    }
    /// The alarm of this fabric: after it, a thread that is inside the fabric leaves it soon, as after a [`Fabric::fault`]. It may outlive
    /// the fabric.
    fn alarm(&self) -> Alarm {
        Box::new(|_| ())
    }
    /// The job is broken for the reason `why`, and the process goes on without it. When this returns, no operation accesses local memory any
    /// more, whatever becomes of those under way, and none ever will: `post` returns [`Busy`], and tickets stand still. Peers are not
    /// notified. Bounded in time.
    fn abandon(&self, why: &Error) {
        let _ = why;
    }
    /// Prepare the end of a process that has failed. When this returns, no thread is inside the provider's library, or will enter it, so
    /// that the library can destroy its state. Peers are not notified, and a thread that waits for an operation waits for ever.
    fn halt(&self) {}
}

/// One context's stream of operations. Threads that share a context share its lane. The lane locks itself for one post or one poll at a
/// time, and never while a thread waits. So each poll by any of these threads moves the operations of all.
pub trait Lane: Send + Sync {
    /// Start an operation.
    ///
    /// # Safety
    /// The operation's local pointers are valid for its length and stay so until the ticket that comes back
    /// reaches [`Stage::Local`].
    #[allow(unsafe_code)]
    unsafe fn post(&self, op: &Op) -> Result<Ticket, Busy>;
    /// Whether the network has taken all data and signals of the operations up to `ticket`, after one step of progress if it had not. Then they
    /// arrive without further calls. Always true if a thread of the fabric posts the rest of operations. A thread that has posted calls this
    /// until it is true: otherwise a peer would wait for a signal until this process happens to make progress.
    #[inline]
    fn has_left(&self, ticket: Ticket) -> bool {
        let _ = ticket;
        true
    }
    /// Operations posted from here on are delivered, at each PE, after those posted before.
    fn fence(&self);
    /// Return the ticket up to which all have come to `stage`. A call with [`Stage::Remote`] may also make a provider ask its peers, so
    /// call this first, then make progress.
    fn reached(&self, stage: Stage) -> Ticket;
    /// Make progress, unless another thread has locked the lane, even for a post. Returns the number of things that happened.
    fn progress(&self) -> usize;
    /// Whether all tickets up to `ticket` have come to `stage`, after one step of progress if they had not. A thread that waits calls this
    /// until it is true. A provider that locks its lane need do so only once here.
    #[inline]
    fn has_reached(&self, stage: Stage, ticket: Ticket) -> bool {
        self.reached(stage) >= ticket || self.progress() > 0 && self.reached(stage) >= ticket
    }
    /// As [`has_reached`](Self::has_reached) with [`Stage::Remote`], for a thread that waits for something else. It asks peers too. A peer that
    /// has left in order before it is asked is no fault, and what was posted for it never completes. Over TCP, a peer that leaves before it
    /// answers is no fault either.
    #[inline]
    fn probe(&self, ticket: Ticket) -> bool {
        self.has_reached(Stage::Remote, ticket)
    }
    /// Whether the operation of this ticket has come to [`Stage::Local`], whatever is under way before it, after one step of progress if it
    /// had not. A thread that waits for one get need not wait for slow operations of other threads. Always true for [`Ticket::NONE`].
    fn is_local(&self, ticket: Ticket) -> bool;
    /// Whether everything posted for this PE is complete there, whatever is under way to others, after one step of progress if it was not.
    /// It may never be true while other threads post more, so a thread that waits for a ticket also checks that ticket.
    fn is_quiet_at(&self, pe: Pe) -> bool;
}

/// Addresses and keys of peers, looked up when needed.
pub trait AddressBook: Send + Sync {
    /// Address at which a PE's fabric listens.
    fn address(&self, pe: Pe) -> Result<Vec<u8>>;
    /// The key of one of its segments.
    fn key(&self, pe: Pe, segment: SegmentId) -> Result<Key>;
}
