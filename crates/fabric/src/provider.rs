//! What the runtime sees: a [`Fabric`] for the process, a [`Lane`] for each context.

use crate::{Error, Op, Pe, Result, SegmentId};
use std::{sync::Arc, time::Duration};

/// A piece of this process's memory that peers may reach.
#[derive(Clone, Copy, Debug)]
pub struct Segment {
    /// The name by which peers address it.
    pub id: SegmentId,
    /// Its first byte.
    pub base: *mut u8,
    /// Its size in bytes.
    pub len: usize,
}

/// What peers need to reach a segment: opaque bytes that the bootstrap carries.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Key(pub Box<[u8]>);

/// Position in a lane's order of issue, from 1 on. It only grows, so completion is one comparison.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Ticket(pub u64);

impl Ticket {
    /// Of an operation that was complete, at both ends, when it was posted. It has no place in the order.
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

/// What the runtime has to know of a provider.
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

/// What came of the wish to sleep until a peer speaks.
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

/// A way to reach PEs whose memory this process cannot map.
pub trait Fabric: Send + Sync {
    /// The name that a user would recognise.
    fn name(&self) -> &'static str;
    /// What it can do.
    fn caps(&self) -> &Caps;
    /// Where peers find this fabric: what the bootstrap carries, and [`AddressBook::address`] gives back.
    fn address(&self) -> Vec<u8>;
    /// Let peers reach a segment. A segment that has grown at its end is registered again.
    ///
    /// # Safety
    /// The segment stays mapped until the fabric is dropped.
    #[allow(unsafe_code)]
    unsafe fn register(&self, segment: Segment) -> Result<Key>;
    /// Learn where peers are found. The book is kept: it is opened at a peer's page when that peer is first
    /// used, so nothing here is O(job).
    fn connect(&self, book: Arc<dyn AddressBook>) -> Result<()>;
    /// A new stream of operations; one belongs to each context.
    fn lane(&self) -> Result<Box<dyn Lane>>;
    /// Why operations will never complete, once that is so: a peer was lost in the middle of something. From
    /// then on lanes answer [`Busy`] and tickets stand still, so whoever waits asks here now and then, and ends
    /// the job. Cheap while there is none.
    fn fault(&self) -> Option<Error> {
        None
    }
    /// The descriptor that the program has closed though it was not its own, if there is one: the better reason for any fault.
    fn closed_by_program(&self) -> Option<Error> {
        None
    }
    /// Sleep until there may be something to move, or `limit` has passed. What this PE has posted was moved as far as it could be. What
    /// another thread moves meanwhile may wake nobody here, so the limit is short.
    fn doze(&self, limit: Duration) -> Doze {
        let _ = limit;
        Doze::Refused
    }
    /// This process is about to end without dropping the fabric: what was posted goes out, and peers are told, so that they
    /// do not take the end for a [`Fabric::fault`]. Bounded in time. Nothing is posted after it.
    fn part(&self) {}
    /// This process is about to end in failure: when this returns no thread is inside the provider's library, or will be, so
    /// that it can take itself apart. Peers are told nothing, and whoever waits for something waits for ever.
    fn halt(&self) {}
}

/// One context's stream of operations. Threads that share a context share its lane: it guards itself, for a post or for one look
/// at a time and never while somebody waits, so that each look of any of them moves the operations of all.
pub trait Lane: Send + Sync {
    /// Start an operation.
    ///
    /// # Safety
    /// The operation's local pointers are valid for its length and stay so until the ticket that comes back
    /// reaches [`Stage::Local`].
    #[allow(unsafe_code)]
    unsafe fn post(&self, op: &Op) -> Result<Ticket, Busy>;
    /// Operations posted from here on are delivered, at each PE, after those posted before.
    fn fence(&self);
    /// All tickets up to this one have come to `stage`. Asking for [`Stage::Remote`] may also be what makes a
    /// provider ask its peers, so ask first, then make progress.
    fn reached(&self, stage: Stage) -> Ticket;
    /// Move what can be moved, unless another thread has the lane, be it to post; gives the number of things that happened.
    fn progress(&self) -> usize;
    /// Whether all up to `ticket` have come to `stage`, after one step of progress if they had not: what a waiter asks until it
    /// is so. A provider that locks its lane need do so only once here.
    #[inline]
    fn has_reached(&self, stage: Stage, ticket: Ticket) -> bool {
        self.reached(stage) >= ticket || self.progress() > 0 && self.reached(stage) >= ticket
    }
    /// Whether the operation of this ticket has come to [`Stage::Local`], whatever is under way before it: who waits for one get
    /// need not wait for what others take their time over. After one step of progress if it had not. It is always so of
    /// [`Ticket::NONE`].
    fn is_local(&self, ticket: Ticket) -> bool;
    /// Whether all that was posted for this PE is complete there, whatever is under way to others; after one step of progress if it
    /// was not. It may never be so while other threads post more: who has a ticket to wait for asks for that besides.
    fn is_quiet_at(&self, pe: Pe) -> bool;
}

/// Addresses and keys of peers, looked up when needed.
pub trait AddressBook: Send + Sync {
    /// Where a PE's fabric listens.
    fn address(&self, pe: Pe) -> Result<Vec<u8>>;
    /// The key of one of its segments.
    fn key(&self, pe: Pe, segment: SegmentId) -> Result<Key>;
}
