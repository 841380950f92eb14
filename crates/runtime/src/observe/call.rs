//! One call of a routine, as observers are shown it.

use crate::{Ctx, Site, live::Live, teams::TeamState};
use core::{ffi::c_int, fmt, sync::atomic::Ordering::Relaxed};
use ferrite_abi::constants::{SHMEM_SIGNAL_ADD, SHMEM_SIGNAL_SET};
use ferrite_callstack::caller::{self, CallSite};
use ferrite_fabric::Amo;

/// Purpose of a routine.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "most kinds have the names of their routines")]
pub enum Kind {
    /// Contiguous or strided, of a value or of memory.
    Put,
    Get,
    /// Data, then a signal.
    PutSignal,
    /// A signal without data.
    Signal,
    Atomic,
    Fence,
    /// Completes the operations of a context.
    Quiet,
    /// Completes the operations of a context to the PEs whose numbers are at `local`.
    QuietOfPes,
    /// Completes the operations of a context at this PE alone.
    LocalComplete,
    /// Waits until this PE's memory has the requested value, or a request is complete.
    Wait,
    /// Tests for either of these.
    Test,
    Lock,
    TryLock,
    Unlock,
    /// A synchronisation that first completes the default context's communication.
    Barrier,
    /// A synchronisation that does not complete communication.
    Sync,
    Broadcast,
    Collect,
    Fcollect,
    Alltoall,
    Reduce,
    Scan,
    Allocate,
    Reallocate,
    Free,
    /// Makes teams: collective over the parent, or over the members.
    Split,
    DestroyTeam,
    CreateContext,
    DestroyContext,
    /// Gives an aggregator an item.
    Send,
    /// Sends all items that an aggregator has so far.
    Flush,
    /// `shmem_pcontrol`: the level is the call's `root`.
    Control,
}

impl Kind {
    /// Whether all members of the call's group take part.
    pub fn is_collective(self) -> bool {
        use Kind::{
            Allocate, Alltoall, Barrier, Broadcast, Collect, DestroyTeam, Fcollect, Free, Reallocate, Reduce, Scan,
            Split, Sync,
        };
        matches!(
            self,
            Barrier
                | Sync
                | Broadcast
                | Collect
                | Fcollect
                | Alltoall
                | Reduce
                | Scan
                | Allocate
                | Reallocate
                | Free
                | Split
                | DestroyTeam
        )
    }
}

/// When the program may use the memory of its own that the call reads or writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// When the call returns.
    Now,
    /// After a quiet, or when the request is complete.
    Later,
    /// There is no answer: an atomic that returns nothing.
    None,
}

/// Blocks at equal distances; one block is contiguous.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    /// Bytes of one block.
    pub block: usize,
    /// Number of blocks.
    pub count: usize,
    /// Bytes from the start of one block to the start of the next in this PE's memory.
    pub here: isize,
    /// The same at the peer.
    pub there: isize,
}

impl Layout {
    /// One block of `bytes` bytes.
    pub const fn contiguous(bytes: usize) -> Layout {
        Layout { block: bytes, count: 1, here: 0, there: 0 }
    }

    /// Number of bytes that are moved.
    pub fn bytes(self) -> usize {
        self.block.saturating_mul(self.count)
    }
}

/// Operation of an atomic or a signal on its word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WordUpdate {
    /// The operation.
    pub op: Amo,
    /// Its operand, or the new value.
    pub operand: u64,
    /// The value that a swap under a condition expects.
    pub compare: u64,
}

impl fmt::Display for WordUpdate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let WordUpdate { op, operand, compare } = self;
        match op {
            Amo::Fetch => f.write_str("fetch"),
            Amo::Set => write!(f, "set to {operand}"),
            Amo::Swap => write!(f, "swap for {operand}"),
            Amo::CompareSwap => write!(f, "swap {compare} for {operand}"),
            Amo::Add => write!(f, "add {operand}"),
            Amo::And => write!(f, "and {operand:#x}"),
            Amo::Or => write!(f, "or {operand:#x}"),
            Amo::Xor => write!(f, "xor {operand:#x}"),
        }
    }
}

/// The signal of a put.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SignalWord {
    /// Its symmetric address.
    pub address: usize,
    /// The value that is set or added.
    pub value: u64,
    /// `SHMEM_SIGNAL_SET`, `SHMEM_SIGNAL_ADD`, or another value that the program passed.
    pub op: c_int,
}

impl fmt::Display for SignalWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SignalWord { address, value, op } = *self;
        match op {
            SHMEM_SIGNAL_SET => write!(f, "set {address:#x} to {value}"),
            SHMEM_SIGNAL_ADD => write!(f, "add {value} to {address:#x}"),
            _ => write!(f, "unknown operation {op} on {address:#x}"),
        }
    }
}

/// The members of a collective, and the number of the collective among theirs. All but `me` is equal on all members for the same
/// collective, and different for any other one in the life of the world, as long as the members observe all collectives of the team.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Group {
    /// The team's work area.
    pub slot: u32,
    /// The epoch in which the team began there: teams that have the same slot one after the other differ in it.
    pub born: u64,
    /// The first member as a PE of the world: teams that have the same slot at the same time differ in it.
    pub first: u32,
    /// Number of members.
    pub size: u32,
    /// Rank of this PE among them.
    pub me: u32,
    /// Number of collectives of the team that were shown before.
    pub number: u64,
}

/// One call. Fields that a routine does not use have the values of [`Call::of`].
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// The routine.
    pub site: &'static Site,
    /// Its purpose.
    pub kind: Kind,
    /// [`Ctx::INVALID`] if the routine takes none.
    pub ctx: Ctx,
    /// The peer as a PE of the world; -1 if there is none, or no such PE.
    pub pe: c_int,
    /// This PE's memory: source of a put, destination of a get or of an old value, destination of a collective.
    pub local: usize,
    /// The symmetric object, by its address here: the object at the peer, a collective's source, the awaited memory, a block, a lock.
    pub remote: usize,
    /// Data that are moved or awaited, as elements of `block` bytes; for a collective, each member's contribution.
    pub layout: Layout,
    /// Present for an all-to-all of blocks that differ in length: bytes of the source up to the end of its last block.
    pub source_len: Option<usize>,
    /// When the program may use its own memory.
    pub answer: Answer,
    /// Present for an atomic or a signal.
    pub word: Option<WordUpdate>,
    /// Present for a put with a signal.
    pub signal: Option<SignalWord>,
    /// Present for a collective.
    pub group: Option<Group>,
    /// For a broadcast, the team's number of its root. For a wait or test, the comparison.
    pub root: c_int,
    /// For a split, its numbers, which must be the same on all members: start, stride and size, or the ranges of a grid.
    pub ranges: [c_int; 3],
    /// Present in `after`: the block of an allocation, the value that ended a wait, a test's answer.
    pub result: usize,
}

impl Call {
    /// A call whose other fields have their defaults.
    pub fn of(site: &'static Site, kind: Kind) -> Call {
        Call {
            site,
            kind,
            ctx: Ctx::INVALID,
            pe: -1,
            local: 0,
            remote: 0,
            layout: Layout::contiguous(0),
            source_len: None,
            answer: Answer::Now,
            word: None,
            signal: None,
            group: None,
            root: -1,
            ranges: [0; 3],
            result: 0,
        }
    }

    /// A call that all members of a team make.
    pub(crate) fn among(site: &'static Site, kind: Kind, team: &TeamState) -> Call {
        let group = Group {
            slot: team.slot as u32,
            born: team.born,
            first: team.shape.world_pe(0) as u32,
            size: team.shape.size(),
            me: team.me as u32,
            number: team.shown.fetch_add(1, Relaxed),
        };
        Call { group: Some(group), ..Call::of(site, kind) }
    }

    /// A call that all PEs make.
    pub(crate) fn among_all(live: &Live, site: &'static Site, kind: Kind) -> Call {
        Call::among(site, kind, &live.teams.world)
    }

    /// Bytes from the beginning of the source, and of the destination, within which a collective certainly reads and writes. Members may
    /// contribute different amounts: it certainly takes its own. Blocks that differ in length go to places that are unknown before they come.
    pub fn extents(&self) -> (usize, usize) {
        let given = self.layout.bytes();
        match (self.source_len, self.kind, self.group) {
            (Some(len), ..) => (len, 0),
            (None, Kind::Fcollect, Some(group)) => (given, given.saturating_mul(group.size as usize)),
            _ => (given, given),
        }
    }

    /// Place in the program that makes the call: for `before` and `after` only.
    pub fn caller(&self) -> CallSite {
        caller::find()
    }
}
