//! One call of a routine, as observers see it.

use super::caller::{self, CallSite};
use crate::{Ctx, Site, World, far::Back, groups::team::TeamState, live::Live};
use core::{ffi::c_int, sync::atomic::Ordering::Relaxed};
use ferrite_fabric::Amo;

/// What a routine is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Kind {
    /// Contiguous or strided, of a value or of memory.
    Put,
    Get,
    /// Data, then a signal.
    PutSignal,
    /// A signal without data.
    Signal,
    Atomic,
    Fence,
    /// Of a context, or of some PEs of it.
    Quiet,
    /// Until this PE's memory holds what was asked for, or a request is complete.
    Wait,
    /// Whether it does, or is.
    Test,
    Lock,
    TryLock,
    Unlock,
    /// A synchronisation that completes the default context's communication before.
    Barrier,
    /// One that does not.
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
    /// An item for an aggregator.
    Send,
    /// All items so far.
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

/// When the program may use what the call reads or writes of its own memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Answer {
    /// When the call returns.
    Now,
    /// After quiet, or when the request is complete.
    Later,
    /// It gets none: an atomic that gives nothing back.
    None,
}

impl From<Back> for Answer {
    fn from(back: Back) -> Answer {
        match back {
            Back::Now => Answer::Now,
            Back::Later => Answer::Later,
        }
    }
}

/// Blocks at equal distances; one block is contiguous.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Layout {
    /// Bytes of one.
    pub block: usize,
    /// How many.
    pub count: usize,
    /// From the start of one to that of the next in this PE's memory, in bytes.
    pub here: isize,
    /// The same at the peer.
    pub there: isize,
}

impl Layout {
    /// So many bytes side by side.
    pub const fn contiguous(bytes: usize) -> Layout {
        Layout { block: bytes, count: 1, here: 0, there: 0 }
    }

    /// The bytes that are moved.
    pub fn bytes(self) -> usize {
        self.block.saturating_mul(self.count)
    }
}

/// What is done to a word, or asked of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct WordUpdate {
    pub op: Amo,
    pub operand: u64,
    pub compare: u64,
}

/// The signal of a put.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SignalWord {
    pub address: usize,
    pub value: u64,
    /// `SHMEM_SIGNAL_SET`, `SHMEM_SIGNAL_ADD`, or what the program thought to be one.
    pub op: c_int,
}

/// The members of a collective, and which of their collectives this is. Equal on all members for the same collective, and of no
/// other one in the life of the world, as long as the members observe all of the team's.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Group {
    /// The work area that the team lives in.
    pub slot: u32,
    /// The epoch that it began with there: teams that have the same slot one after the other differ in it.
    pub born: u64,
    /// The world's number of its first member: teams that have the same slot at the same time differ in it.
    pub first: u32,
    /// How many members there are.
    pub size: u32,
    /// Which of them this PE is.
    pub me: u32,
    /// How many collectives of the team were shown before.
    pub number: u64,
}

/// One call. Fields that a routine has nothing for have the values of [`Call::of`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    /// The routine.
    pub site: &'static Site,
    pub kind: Kind,
    /// [`Ctx::INVALID`] if it has none.
    pub ctx: Ctx,
    /// The world's number of the peer; -1 if there is none, or no such PE.
    pub pe: c_int,
    /// This PE's memory: source of a put, destination of a get or of an old value, destination of a collective.
    pub local: usize,
    /// The symmetric object, by its address here: at the peer, of a collective's source, what is waited for, a block, a lock.
    pub remote: usize,
    /// What is moved, or waited for: elements of `block` bytes; of a collective, what each member gives.
    pub layout: Layout,
    pub answer: Answer,
    /// Of an atomic, or a signal.
    pub word: Option<WordUpdate>,
    /// Of a put with a signal.
    pub signal: Option<SignalWord>,
    /// Of a collective.
    pub group: Option<Group>,
    /// Of a broadcast: the team's number of it. Of a wait or test: the comparison.
    pub root: c_int,
    /// Of a split: its numbers, which must be the same on all members. Start, stride and size, or the ranges of a grid.
    pub ranges: [c_int; 3],
    /// What [`super::Observed::gives`] said: the block of an allocation, the value that ended a wait, a test's answer.
    pub result: usize,
}

impl Call {
    /// A call of which no more is known.
    pub fn of(site: &'static Site, kind: Kind) -> Call {
        Call {
            site,
            kind,
            ctx: Ctx::INVALID,
            pe: -1,
            local: 0,
            remote: 0,
            layout: Layout::contiguous(0),
            answer: Answer::Now,
            word: None,
            signal: None,
            group: None,
            root: -1,
            ranges: [0; 3],
            result: 0,
        }
    }

    /// One that goes to `pe` of `ctx`.
    pub fn to(world: &World, site: &'static Site, kind: Kind, ctx: Ctx, pe: c_int) -> Call {
        let pe = match ctx {
            Ctx::INVALID => -1,
            Ctx::DEFAULT => pe,
            created => world.context(created).map_or(-1, |context| context.shape().world_pe(pe)),
        };
        let exists = world.live().is_some_and(|live| (0..live.size as c_int).contains(&pe));
        Call { ctx, pe: if exists { pe } else { -1 }, ..Call::of(site, kind) }
    }

    /// One that all members of a team make.
    pub fn among(site: &'static Site, kind: Kind, team: &TeamState) -> Call {
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

    /// One that all PEs make.
    pub fn among_all(live: &Live, site: &'static Site, kind: Kind) -> Call {
        Call::among(site, kind, &live.teams.world)
    }

    /// Where the program makes it: for `before` and `after` only.
    pub fn caller(&self) -> CallSite {
        caller::find()
    }
}
