//! Lanes: the operations that threads have in progress.

use crate::{cell::EPOCH_MAX, thread::Stamp};
use std::{
    collections::HashMap,
    hash::{BuildHasherDefault, Hasher},
};

/// The kind of an operation in progress.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// Puts, and atomics without an answer: fences order them.
    Puts,
    /// Puts with a signal: a thread that has seen the signal has seen them.
    Signals,
    /// Gets, and answers of atomics.
    Gets,
}

/// The kinds that a fence orders; they come first in [`Kind`].
const PUTS: [Kind; 2] = [Kind::Puts, Kind::Signals];

/// Where an operation is in progress. Each thread has one lane for each way.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Way {
    /// The context, by its number in the program.
    pub ctx: usize,
    /// The PE whose memory is accessed.
    pub to: u32,
    /// The kind of the operations.
    pub kind: Kind,
}

/// The lanes of a thread on one context to one PE, by kind.
#[derive(Default)]
pub(crate) struct Peer([Option<Lane>; 3]);

impl Peer {
    pub fn get(&self, kind: Kind) -> Option<&Lane> {
        self.0[kind as usize].as_ref()
    }

    pub fn get_mut(&mut self, kind: Kind) -> &mut Option<Lane> {
        &mut self.0[kind as usize]
    }

    pub fn each_mut(&mut self) -> impl Iterator<Item = &mut Lane> {
        self.0.iter_mut().flatten()
    }

    /// The lanes that a fence orders.
    pub fn puts(&self) -> impl Iterator<Item = &Lane> {
        PUTS.into_iter().filter_map(|kind| self.get(kind))
    }

    pub fn puts_mut(&mut self) -> impl Iterator<Item = &mut Lane> {
        self.0[..PUTS.len()].iter_mut().flatten()
    }

    /// The thread's own operations that fences have ordered before its next operation of a kind, as strands and epochs. An empty entry is
    /// (0, 0), which is no access.
    pub fn fenced_before(&self, kind: Kind) -> [(u16, u32); 2] {
        match kind {
            Kind::Gets => Default::default(),
            Kind::Puts | Kind::Signals => {
                PUTS.map(|kind| self.get(kind).map_or((0, 0), |lane| (lane.strand, lane.fenced)))
            }
        }
    }
}

/// The operations that one thread has in progress on one way.
pub(crate) struct Lane {
    /// The lane's own strand, or the thread's if there is none left.
    pub strand: u16,
    /// 0 if the lane has no strand of its own: each operation then counts as complete at once, as an access of the thread, and `fenced` and
    /// the first number of `done` stay 0.
    pub epoch: u32,
    /// The epoch up to which a fence has ordered the lane before later operations.
    pub fenced: u32,
    /// The stamp of the thread that called that fence.
    pub fenced_at: Stamp,
    /// The thread's epoch when the first operation that is not complete began; 0 if there is none.
    pub since: u32,
    /// The epoch up to which the lane is complete, and the thread's epoch when the first operation of it began. If another thread's quiet
    /// has completed them, the thread itself learns of it at its own quiet.
    pub done: (u32, u32),
    /// Words whose clocks the thread takes when the answers have arrived.
    pub owed: Vec<u64>,
}

impl Lane {
    /// A lane of `thread` with nothing in progress.
    pub fn new(strand: Option<u16>, thread: u16) -> Lane {
        let epoch = if strand.is_some() { 1 } else { 0 };
        Lane {
            strand: strand.unwrap_or(thread),
            epoch,
            fenced: 0,
            fenced_at: Stamp { strand: thread, epoch: 0 },
            since: 0,
            done: (0, 0),
            owed: Vec::new(),
        }
    }

    /// Begin a new epoch.
    pub fn next(&mut self) {
        if self.epoch != 0 {
            self.epoch = (self.epoch + 1).min(EPOCH_MAX);
        }
    }
}

/// All lanes, by thread, context and PE. Every operation looks its lane up, so the hash is a fast one; no adversary chooses the keys.
pub(crate) type Lanes = HashMap<(u16, usize, u32), Peer, BuildHasherDefault<WayHasher>>;

/// The operations that fences have ordered before an operation: strands, each up to an epoch.
#[derive(Default)]
pub struct Fenced {
    /// Operations of the thread itself. An empty entry is (0, 0), which is no access.
    pub(crate) own: [(u16, u32); 2],
    /// Operations of other threads; there are seldom any.
    pub(crate) others: Vec<(u16, u32)>,
}

impl Fenced {
    #[inline]
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u16, u32)> + Clone {
        self.own.iter().chain(&self.others).copied()
    }
}

/// An operation that a thread has begun.
pub struct Operation {
    pub(crate) kind: Kind,
    /// The strand that makes its accesses, and the epoch: a lane's own, or the thread's if there is no strand left.
    pub(crate) strand: u16,
    pub(crate) epoch: u32,
    /// The operations that come before it.
    pub(crate) fenced: Fenced,
}

/// A hash of some small numbers.
#[derive(Default)]
pub(crate) struct WayHasher(u64);

impl Hasher for WayHasher {
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(byte.into()));
    }

    fn write_u16(&mut self, word: u16) {
        self.write_u64(word.into());
    }

    fn write_u32(&mut self, word: u32) {
        self.write_u64(word.into());
    }

    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }

    fn write_isize(&mut self, word: isize) {
        self.write_u64(word as u64);
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}
