//! Lanes: what threads have under way.

use crate::{cell::EPOCH_MAX, thread::Stamp};
use std::{
    collections::HashMap,
    hash::{BuildHasherDefault, Hasher},
};

/// What a thread has under way.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// Puts, and atomics without an answer: fences order them.
    Puts,
    /// Puts with a signal: who has seen the signal has seen them.
    Signals,
    /// Gets, and answers of atomics.
    Gets,
}

/// What fences are for: the first kinds.
const PUTS: [Kind; 2] = [Kind::Puts, Kind::Signals];

/// What is under way together.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Way {
    /// The context.
    pub ctx: usize,
    /// The peer.
    pub to: u32,
    /// What it is.
    pub kind: Kind,
}

/// What a thread has under way on a context to a PE, by its kind.
#[derive(Default)]
pub(crate) struct Peer([Option<Lane>; 3]);

impl Peer {
    /// What it has of a kind.
    pub fn get(&self, kind: Kind) -> Option<&Lane> {
        self.0[kind as usize].as_ref()
    }

    /// What it has of a kind, if anything.
    pub fn get_mut(&mut self, kind: Kind) -> &mut Option<Lane> {
        &mut self.0[kind as usize]
    }

    /// All it has.
    pub fn each_mut(&mut self) -> impl Iterator<Item = &mut Lane> {
        self.0.iter_mut().flatten()
    }

    /// What fences are for.
    pub fn puts(&self) -> impl Iterator<Item = &Lane> {
        PUTS.into_iter().filter_map(|kind| self.get(kind))
    }

    /// The same, to be changed.
    pub fn puts_mut(&mut self) -> impl Iterator<Item = &mut Lane> {
        self.0[..PUTS.len()].iter_mut().flatten()
    }

    /// What the thread's own fences have put in order before its next operation of a kind; nothing is (0, 0), which is no access.
    pub fn fenced_before(&self, kind: Kind) -> [(u16, u32); 2] {
        match kind {
            Kind::Gets => Default::default(),
            Kind::Puts | Kind::Signals => {
                PUTS.map(|kind| self.get(kind).map_or((0, 0), |lane| (lane.strand, lane.fenced)))
            }
        }
    }
}

/// What one thread has under way on one way.
pub(crate) struct Lane {
    /// Its own, or the thread's where there is none left.
    pub strand: u16,
    /// 0, and nothing ever fenced or done, where it has no strand of its own: what it does counts as done at once, by the thread.
    pub epoch: u32,
    /// What is in order before whatever comes now.
    pub fenced: u32,
    /// How far the thread had come whose fence it was.
    pub fenced_at: Stamp,
    /// The thread's epoch when the first operation that is not complete began; 0 if there is none.
    pub since: u32,
    /// What is complete, and the thread's epoch when the first of it began. Another thread's quiet may have completed it: the thread
    /// itself knows by its own.
    pub done: (u32, u32),
    /// Words whose clocks are taken when the answers are there.
    pub owed: Vec<u64>,
}

impl Lane {
    /// One with nothing under way, of a thread.
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

    /// What comes from here on is another epoch.
    pub fn next(&mut self) {
        if self.epoch != 0 {
            self.epoch = (self.epoch + 1).min(EPOCH_MAX);
        }
    }
}

/// All that is under way, by thread, context and PE. Found for every operation, by keys that nobody chooses.
pub(crate) type Lanes = HashMap<(u16, usize, u32), Peer, BuildHasherDefault<WayHasher>>;

/// What fences have put in order before an operation: strands, and up to which epochs.
#[derive(Default)]
pub struct Fenced {
    /// By the thread's own operations; nothing is (0, 0), which is no access.
    pub(crate) own: [(u16, u32); 2],
    /// By those of other threads, of which there seldom are any.
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
    /// Whose it is, and when: a lane's own strand, or the thread's where there is none left.
    pub(crate) strand: u16,
    pub(crate) epoch: u32,
    /// What comes before it.
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
