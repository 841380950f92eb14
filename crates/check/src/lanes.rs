//! Lanes: what threads have under way.

use crate::cell::EPOCH_MAX;
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

/// What one thread has under way on one way.
pub(crate) struct Lane {
    pub strand: u16,
    pub epoch: u32,
    /// What is in order before whatever comes now.
    pub fenced: u32,
    /// The thread's epoch when it was.
    pub fenced_at: u32,
    /// The thread's epoch when the first operation that is not complete began; 0 if there is none.
    pub since: u32,
    /// What is complete, and the thread's epoch when the first of it began. Another thread's quiet may have completed it: the thread
    /// itself knows by its own.
    pub done: (u32, u32),
    /// Words whose clocks are taken when the answers are there.
    pub owed: Vec<u64>,
}

impl Lane {
    /// What comes from here on is another epoch.
    pub fn next(&mut self) {
        self.epoch = (self.epoch + 1).min(EPOCH_MAX);
    }
}

/// All that is under way, by thread. Found for every operation, by keys that nobody chooses.
pub(crate) type Lanes = HashMap<(u16, Way), Lane, BuildHasherDefault<WayHasher>>;

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
