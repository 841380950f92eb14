//! The operations that a collective may use, and the protocol that keeps successive collectives apart.
//!
//! # Messages and shared memory
//!
//! [`Exchange`] is message passing: a send copies bytes to a peer's memory, and then raises one flag there. [`Direct`]
//! adds what only shared memory allows: reading a peer's flags and memory. An algorithm requires the weaker of the two
//! that it can work with.
//!
//! # Memory
//!
//! | area | contents | written by |
//! |---|---|---|
//! | `Source` | the caller's source on this PE | no PE |
//! | `Dest` | the caller's destination; peers may write it from the moment the first member enters | owner and peers |
//! | `Scratch` | [`Exchange::scratch`] bytes of work area, one share per epoch of the window | owner and peers |
//! | `Cell` | one 64-byte line per flag: 8 bytes of tag, then [`CELL`] bytes of payload | peers |
//! | `Queue` | [`QUEUE`] more such lines, for broadcasts | peers |
//!
//! A payload in the cell of its own flag arrives in the cache line that the receiver polls, so a small message
//! transfers one cache line. `Source` and `Dest` may be the same memory: an algorithm that supports this lets a peer
//! write `Dest` only after the owner's source has been consumed. Without [`Direct`], only the owner reads its `Source`.
//!
//! # Orders
//!
//! When a flag is seen, the bytes of its send are in place. *Nothing else is ordered*: two sends to one peer may arrive
//! in either order, and a send may arrive after its sender has left the collective. The source of a send longer than
//! [`CELL`] may be read at any time until [`Exchange::settled`]; shorter ones are captured at once.
//!
//! # Epochs and windows
//!
//! Each collective on a team is one *epoch* (long reductions and scans use one per chunk). Every member gives it the
//! same number, because members call collectives in the same order. Flags, cells, tallies and scratch exist
//! [`WINDOW`](crate::WINDOW) times; epoch `e` uses share `e % WINDOW`. A flag's tag holds the epoch and a turn and is
//! compared for equality, so nothing is ever reset. Rules, each of which the simulator checks:
//!
//! 1. In each turn of an epoch a flag has one writer. Turn `t + 1` of a flag is raised only after evidence that turn `t`
//!    was awaited (a credit, or a later message that depends on it).
//! 2. Every flag raised in an epoch is awaited by its owner before the owner leaves the epoch; a tally is awaited for
//!    its full count. So nothing of an epoch is in flight towards a PE that has left it.
//!    The owner of a tally knows the total to expect: the counts awaited so far, plus this epoch's. The arrivals of
//!    [`Direct::arrive`] have a counter of their own, since every member must know its value.
//! 3. A slot (scratch or cell) is written once per turn and read before the evidence of rule 1 is given.
//! 4. An epoch is *closed* for a PE once it knows that every member has entered it, and so has left all earlier ones.
//!    Epoch `e` may begin only if some epoch `c >= e - WINDOW + 1` is closed: then every member has left `e - WINDOW`,
//!    whose share epoch `e` writes again.
//!
//! Barriers, all-reductions, collects and all-to-alls close their epoch by themselves. Broadcasts and scans do not: a
//! root may be ahead of a leaf. They are *open*, and `WINDOW - 2` of them may follow each other before
//! [`crate::enter`] spends an epoch on a dissemination barrier. With a window of two (mere parity) every collective
//! would have to close; with a window of one a fast PE overwrites a slow PE's slots, as the simulator's mutation tests
//! show.
//!
//! A broadcast down a tree takes no epoch, since it needs one line and no scratch: its payload fits the cell, or goes straight to `Dest`.
//! It uses the *queue*: broadcast `b` uses cell `b % QUEUE`, and may begin once every member has left `b - QUEUE`. A member that has
//! entered an epoch has left all broadcasts before it, so closing an epoch frees the cells of those broadcasts. Where PEs share cores, a
//! root fills the queue in its turn and the leaves empty it in theirs; with a barrier after every two broadcasts they would take turns for
//! each.
//!
//! A team runs one collective at a time. A non-blocking collective is the same future, held by a request. The next
//! collective of the team is polled only after it is complete. It must be completed: if it is dropped earlier, the team
//! is unusable. Collectives on different teams are independent, and may be polled in any order.
//!
//! # Sizes
//!
//! An engine provides, per member and share of the window, [`lines`]`(n)` cells of [`CELL_STRIDE`] bytes, a tally
//! and at least [`scratch_bytes_min`]`(n, grain)` bytes of scratch; all are O(log n). Longer messages are streamed through
//! scratch or written straight into `Dest`.
//!
//! # Order of combination
//!
//! `fold(into, from)` makes `into = into op from`, `fold_front` makes `into = from op into`. Tree, doubling and Rabenseifner reductions
//! combine by one and the same tree over ranks, in rank order, so their results agree bit for bit with each other and on every PE, for
//! floating point too. Ring and direct reductions combine each block on one PE alone and distribute the result: it is equal on every PE,
//! but combined in cyclic order, so the operation must commute in value. The board combines on every PE from the lowest rank to the
//! highest, as a loop would. So each algorithm gives all PEs the same bits, if `fold` is a function of its operands' bits; between the
//! tree's, the ring's and the loop's order, floating point rounds differently.

use crate::epoch::{Epochs, QUEUE};
use crate::pattern::ceil_log2;
use std::future::Future;

pub use crate::pattern::Rank;

/// Bytes that fit beside a flag's tag and travel with it.
pub const CELL: usize = CELL_STRIDE - CELL_TAG;
/// Bytes from one cell to the next: a cache line.
pub const CELL_STRIDE: usize = 64;
/// Bytes of tag at the head of a cell.
pub const CELL_TAG: usize = 8;
/// Slots through which a long message is streamed.
pub const PIPELINE_SLOTS: usize = 4;

/// Flags (and cells) that a team of `size` needs in each share of the window.
pub const fn lines(size: Rank) -> usize {
    3 * ceil_log2(size) as usize + 16
}

/// Least scratch, in bytes per share of the window, for a team of `size` and elements of `grain` bytes.
pub const fn scratch_bytes_min(size: Rank, grain: usize) -> usize {
    let slot = if grain < CELL_STRIDE { CELL_STRIDE } else { grain };
    (ceil_log2(size) as usize + 2 + PIPELINE_SLOTS) * slot
}

/// Which memory a [`Span`] lies in.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Area {
    /// The caller's source.
    Source,
    /// The caller's destination.
    Dest,
    /// This epoch's share of the work area.
    Scratch,
    /// This epoch's share of the cells, tags included: cell `i` begins at `i * CELL_STRIDE`.
    Cell,
    /// The cells of the queue, tags included.
    Queue,
}

/// A run of bytes in an area.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    /// The memory that it lies in.
    pub area: Area,
    /// Bytes from its beginning.
    pub offset: usize,
    /// Bytes of the run.
    pub len: usize,
}

impl Span {
    /// No bytes: the payload of a bare flag.
    pub const NOTHING: Span = Span { area: Area::Scratch, offset: 0, len: 0 };

    /// `len` bytes of the source, from its beginning.
    #[inline]
    pub const fn source(len: usize) -> Span {
        Span { area: Area::Source, offset: 0, len }
    }
    /// `len` bytes of the destination, from its beginning.
    #[inline]
    pub const fn dest(len: usize) -> Span {
        Span { area: Area::Dest, offset: 0, len }
    }
    /// `len` bytes of scratch at `offset`.
    #[inline]
    pub const fn scratch(offset: usize, len: usize) -> Span {
        Span { area: Area::Scratch, offset, len }
    }
    /// The payload, `len <= CELL` bytes, of the cell of `line`.
    #[inline]
    pub const fn cell(line: usize, len: usize) -> Span {
        debug_assert!(len <= CELL);
        Span { area: Area::Cell, offset: line * CELL_STRIDE + CELL_TAG, len }
    }
    /// `len` bytes of this span from `offset` within it.
    #[inline]
    pub const fn part(self, offset: usize, len: usize) -> Span {
        debug_assert!(offset + len <= self.len);
        Span { area: self.area, offset: self.offset + offset, len }
    }
}

/// `count` items of `item` bytes, `stride` bytes apart, from the beginning of `first` (whose own length is ignored).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Items {
    /// Area and offset of the first item.
    pub first: Span,
    /// Bytes of one item.
    pub item: usize,
    /// Bytes from one item to the next.
    pub stride: usize,
    /// Number of items.
    pub count: usize,
}

impl From<Span> for Items {
    #[inline]
    fn from(span: Span) -> Items {
        Items { first: span, item: span.len, stride: span.len, count: 1 }
    }
}

impl Items {
    /// The span of item `i`.
    #[inline]
    pub const fn span(&self, i: usize) -> Span {
        Span { area: self.first.area, offset: self.first.offset + i * self.stride, len: self.item }
    }
}

/// A flag of this epoch: its line, and the turn, which distinguishes the uses of one line within one epoch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Flag {
    /// Number of the line, below [`lines`].
    pub line: u16,
    /// Number of this use of the line in this epoch.
    pub turn: u16,
    /// Whether it is a line of the queue rather than of this epoch's share.
    pub is_queued: bool,
}

impl Flag {
    /// The first and usually only turn of `line`.
    #[inline]
    pub const fn line(line: usize) -> Flag {
        Flag { line: line as u16, turn: 0, is_queued: false }
    }
    /// The flag of broadcast `number` through the queue. Broadcasts that follow the same epoch have different turns: the next epoch comes
    /// after at most [`QUEUE`] of them.
    #[inline]
    pub(crate) const fn queued(number: u64) -> Flag {
        Flag { line: (number % QUEUE) as u16, turn: number as u16, is_queued: true }
    }
    /// A later turn of the same line.
    #[inline]
    pub const fn turn(self, turn: u16) -> Flag {
        Flag { turn, ..self }
    }
    /// The value of the cell's tag when this flag is raised in `epoch`. Never zero, since epochs begin at one.
    #[inline]
    pub const fn tag(self, epoch: u64) -> u64 {
        epoch << 16 | self.turn as u64
    }
    /// Whether the cell of this flag has room for `len` bytes.
    #[inline]
    pub const fn holds(self, len: usize) -> bool {
        len <= CELL
    }
    /// The payload of this flag's cell.
    #[inline]
    pub const fn cell(self, len: usize) -> Span {
        let area = if self.is_queued { Area::Queue } else { Area::Cell };
        Span { area, ..Span::cell(self.line as usize, len) }
    }
}

/// The operations of a collective: no clocks, no allocation, no transport types.
///
/// A value of this trait is one member's view of a team, for one call: the engine knows where `Source` and `Dest` are,
/// and which operation `fold` performs.
pub trait Exchange {
    /// This member's rank in the team.
    fn me(&self) -> Rank;
    /// Number of members.
    fn size(&self) -> Rank;
    /// Bytes of one element of the bound operation: spans given to `fold` are multiples of it.
    fn grain(&self) -> usize;
    /// Bytes of scratch in one share of the window.
    fn scratch(&self) -> usize;
    /// This member's position in the team's sequence of collectives.
    fn epochs(&self) -> &Epochs;

    /// Copy our `from` to `to` at `peer` (equal lengths), then raise `flag` there. A send to ourselves takes effect at once.
    fn send(&self, peer: Rank, to: Span, from: Span, flag: Flag);
    /// Copy our items to those at `peer` (equal shapes but for the stride), then count one in the tally there.
    fn send_counted(&self, peer: Rank, to: Items, from: Items);
    /// Wait until our `flag` was raised in this epoch.
    fn landed(&self, flag: Flag) -> impl Future<Output = ()>;
    /// Wait until our tally has counted `count` in this epoch. Called once per epoch, with the whole count.
    fn tallied(&self, count: u64) -> impl Future<Output = ()>;
    /// Wait until our earlier sends no longer read their sources.
    fn settled(&self) -> impl Future<Output = ()>;

    /// `into = from`, both ours; nothing happens when they are the same memory.
    fn copy(&self, into: Span, from: Span);
    /// The same for items.
    fn copy_items(&self, into: Items, from: Items);
    /// Set all bytes to zero.
    fn zero(&self, into: Span);
    /// `into = into op from`, both ours.
    fn fold(&self, into: Span, from: Span);
    /// `into = from op into`, both ours.
    fn fold_front(&self, into: Span, from: Span);
    /// The word in our scratch or cell at `at`, of 8 bytes.
    fn load(&self, at: Span) -> u64;
    /// Set the word in our scratch at `at`, of 8 bytes.
    fn store(&self, at: Span, word: u64);

    /// Raise `flag` at `peer`, with no bytes.
    #[inline]
    fn raise(&self, peer: Rank, flag: Flag) {
        self.send(peer, Span::NOTHING, Span::NOTHING, flag);
    }
    /// Count one in the tally at `peer`, with no bytes.
    #[inline]
    fn count(&self, peer: Rank) {
        self.send_counted(peer, Span::NOTHING.into(), Span::NOTHING.into());
    }
}

/// An exchange whose members can load each other's memory.
///
/// A peer's span may be read only after a flag by which the peer declared it ready, and before a flag or tally by which we report to the
/// peer that we are done; the peer may not leave before it has seen that.
pub trait Direct: Exchange {
    /// Wait until `peer` has raised `flag` at itself in this epoch.
    fn landed_at(&self, peer: Rank, flag: Flag) -> impl Future<Output = ()>;
    /// Add one to the arrivals, a counter that all members watch. Called once per epoch.
    fn arrive(&self);
    /// Wait until every member has arrived in this epoch. All members call this, or none does.
    fn all_arrived(&self) -> impl Future<Output = ()>;
    /// Our `into` = `from` at `peer`.
    fn pull(&self, peer: Rank, into: Span, from: Span) -> impl Future<Output = ()>;
    /// Our `into` = our `mine` op `from` at `peer`, in one pass. `into` may be `mine`.
    fn join(&self, peer: Rank, into: Span, mine: Span, from: Span) -> impl Future<Output = ()>;
    /// Our `into` = `from` at `peer` op our `mine`. `into` must not be `mine`. Engines do it in one pass.
    #[inline]
    fn join_front(&self, peer: Rank, into: Span, mine: Span, from: Span) -> impl Future<Output = ()> {
        async move {
            self.pull(peer, into, from).await;
            self.fold(into, mine);
        }
    }
}
