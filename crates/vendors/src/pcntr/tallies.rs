//! Counts of the operations of one context, issued and complete (`mod.rs` has the rules).

use core::sync::atomic::{AtomicU64, Ordering::Release};
use ferrite_fabric::{Stage, Ticket};
use ferrite_os::mutex;
use std::{collections::VecDeque, sync::Mutex};

/// Maximum number of tracked operations before the transport is asked which of them are complete.
const FOLLOWED_MAX: usize = 4096;

/// Direction of an operation, for the memory of its target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Direction {
    /// Changes the memory, and returns nothing.
    Write,
    /// Returns data or an old value.
    Read,
}

impl Direction {
    /// The stage that an operation must reach to be complete.
    pub fn stage(self) -> Stage {
        match self {
            Direction::Write => Stage::Remote,
            Direction::Read => Stage::Local,
        }
    }
}

/// The operations of one context.
#[derive(Default)]
pub(crate) struct Tallies {
    writes: Tally,
    reads: Tally,
}

/// The operations of one direction.
#[derive(Default)]
pub(crate) struct Tally {
    pub issued: AtomicU64,
    pub completed: AtomicU64,
    /// A ticket for each operation under way, in ascending order.
    under_way: Mutex<VecDeque<Ticket>>,
}

impl Tallies {
    pub fn of(&self, direction: Direction) -> &Tally {
        match direction {
            Direction::Write => &self.writes,
            Direction::Read => &self.reads,
        }
    }
}

impl Tally {
    /// Track one more operation, which is complete when `ticket` is. `reached` returns the last ticket that is complete.
    pub fn follow(&self, ticket: Ticket, reached: impl FnOnce() -> Option<Ticket>) {
        let mut under_way = mutex::lock(&self.under_way);
        let ticket = under_way.back().map_or(ticket, |&last| last.max(ticket));
        under_way.push_back(ticket);
        let full = under_way.len() >= FOLLOWED_MAX;
        drop(under_way);
        if full && let Some(reached) = reached() {
            self.settle(reached);
        }
    }

    /// Count all operations with tickets up to `reached` as complete.
    pub fn settle(&self, reached: Ticket) {
        let mut under_way = mutex::lock(&self.under_way);
        let done = under_way.partition_point(|&ticket| ticket <= reached);
        under_way.drain(..done);
        self.completed.fetch_add(done as u64, Release);
    }

    pub fn is_idle(&self) -> bool {
        mutex::lock(&self.under_way).is_empty()
    }
}
