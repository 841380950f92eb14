//! The lanes in which a meeting's guests talk with its host: their own memory, which the host reads and writes, mapped or by the
//! fabric.

use crate::{
    coll::area::{MEETING, MEETING_AT},
    far::{Far, Signal},
    live::Live,
};
use core::{
    ffi::c_int,
    mem::offset_of,
    ptr,
    sync::atomic::{
        AtomicU64,
        Ordering::{AcqRel, Acquire, Relaxed, Release},
    },
};
use ferrite_fabric::{Op, Pe, Remote, SegmentId, SignalOp};

use super::slots::WORDS;

/// As many as threads of one PE that may be in a meeting at once. With more, those in the lanes of two PEs could wait for others
/// that wait for the lanes.
const LANES: usize = 64;

/// The lanes of one guest.
#[repr(C, align(64))]
pub(super) struct Lanes {
    /// For each lane the key, when the guest has spoken there. Side by side, so that a distant host sees all by one look.
    asked: [AtomicU64; LANES],
    lanes: [Lane; LANES],
}

/// One guest's conversation with its host.
#[repr(C, align(64))]
pub(super) struct Lane {
    /// 1 while a thread of the guest uses the lane.
    taken: AtomicU64,
    pub vacant: [AtomicU64; WORDS],
    /// Whether the guest could claim what was proposed, and its horizon.
    pub claimed: AtomicU64,
    pub horizon: AtomicU64,
    /// The key, when the host has spoken.
    pub answered: AtomicU64,
    /// What the host said: a slot, plus 1, or 0; later 1 for yes or 0 for no.
    pub word: AtomicU64,
    pub epoch: AtomicU64,
}

const _: () = assert!(size_of::<Lanes>() <= MEETING, "the lanes have their room");
const _: () = assert!(offset_of!(Lane, epoch) == offset_of!(Lane, word) + 8, "a host says both at once");

/// What a guest has said.
#[derive(Clone, Copy)]
pub(super) struct Said {
    pub vacant: [u64; WORDS],
    pub claimed: u64,
    pub horizon: u64,
}

impl Lanes {
    /// A lane for a thread of the guest that they belong to, if one is left: it gives it back.
    pub fn enter(&self) -> Option<usize> {
        self.lanes.iter().position(|lane| lane.taken.compare_exchange(0, 1, AcqRel, Relaxed).is_ok())
    }

    /// The thread is done with its lane.
    pub fn leave(&self, lane: usize) {
        self.lanes[lane].taken.store(0, Release);
    }

    /// What a thread has entered.
    pub fn lane(&self, lane: usize) -> &Lane {
        &self.lanes[lane]
    }

    /// The thread has spoken in its lane.
    pub fn ask(&self, lane: usize, key: u64) {
        self.asked[lane].store(key, Release);
    }
}

impl Lane {
    fn said(&self) -> Said {
        Said {
            vacant: core::array::from_fn(|i| self.vacant[i].load(Relaxed)),
            claimed: self.claimed.load(Relaxed),
            horizon: self.horizon.load(Relaxed),
        }
    }
}

/// A guest as its host knows it.
pub(super) enum Guest<'l> {
    /// Mapped.
    Near(&'l Lanes),
    /// For the fabric.
    Far(Distant<'l>),
}

/// The lanes of a guest that is not mapped.
pub(super) struct Distant<'l> {
    live: &'l Live,
    far: &'l Far,
    pe: Pe,
}

impl Live {
    /// The lanes of one of the PEs that are mapped, by its place among them.
    pub(super) fn lanes(&self, index: usize) -> &Lanes {
        // SAFETY: mapped, aligned, zero at first, and atomics all of it.
        unsafe { &*self.memory.node.control(index).wrapping_add(MEETING_AT).cast() }
    }

    /// The lanes of a guest, by its world number.
    pub(super) fn guest(&self, pe: c_int) -> Guest<'_> {
        match (self.memory.local.binary_search(&(pe as u32)), &self.far) {
            (Ok(index), _) => Guest::Near(self.lanes(index)),
            (Err(_), Some(far)) => Guest::Far(Distant { live: self, far, pe: Pe(pe as u32) }),
            (Err(_), None) => unreachable!("PE {pe} is not mapped, and there is no fabric"),
        }
    }
}

impl Guest<'_> {
    /// The lane in which the guest has asked by `key`, and what it said there; the question is taken away.
    pub fn take_question(&self, key: u64) -> Option<(usize, Said)> {
        match self {
            Guest::Near(lanes) => {
                let lane = lanes.asked.iter().position(|asked| asked.load(Acquire) == key)?;
                let said = lanes.lanes[lane].said();
                lanes.asked[lane].store(0, Relaxed);
                Some((lane, said))
            }
            Guest::Far(distant) => distant.take_question(key),
        }
    }

    /// Answer in that lane.
    pub fn tell(&self, lane: usize, key: u64, word: u64, epoch: u64) {
        match self {
            Guest::Near(lanes) => {
                let lane = &lanes.lanes[lane];
                lane.word.store(word, Relaxed);
                lane.epoch.store(epoch, Relaxed);
                lane.answered.store(key, Release);
            }
            Guest::Far(distant) => distant.tell(lane, key, word, epoch),
        }
    }
}

impl Distant<'_> {
    fn at(&self, lane: usize, offset: usize) -> Remote {
        self.within(offset_of!(Lanes, lanes) + lane * size_of::<Lane>() + offset)
    }

    fn asked_at(&self, lane: usize) -> Remote {
        self.within(offset_of!(Lanes, asked) + lane * size_of::<AtomicU64>())
    }

    fn within(&self, offset: usize) -> Remote {
        Remote { pe: self.pe, segment: SegmentId::CONTROL, offset: (MEETING_AT + offset) as u64 }
    }

    fn get<const N: usize>(&self, from: Remote) -> [u64; N] {
        let mut words = [0; N];
        let (to, len) = (words.as_mut_ptr().cast(), size_of::<[u64; N]>());
        // SAFETY: `words` is here until they are fetched.
        unsafe { self.live.fetch(&self.far.stream, &Op::Get { from, to, len }) };
        words
    }

    fn take_question(&self, key: u64) -> Option<(usize, Said)> {
        // Of a word that is just being written a half may come, which is no key.
        let lane = self.get::<LANES>(self.asked_at(0)).iter().position(|&asked| asked == key)?;
        // After the key was seen: the guest leaves its words alone until it is answered.
        const _: () = assert!(offset_of!(Lane, horizon) == offset_of!(Lane, vacant) + 8 * (WORDS + 1));
        let words: [u64; WORDS + 2] = self.get(self.at(lane, offset_of!(Lane, vacant)));
        let said =
            Said { vacant: core::array::from_fn(|i| words[i]), claimed: words[WORDS], horizon: words[WORDS + 1] };
        let signal = Signal { at: self.asked_at(lane), op: SignalOp::Set, value: 0 };
        // SAFETY: no bytes.
        unsafe { self.live.send_signal(self.far, signal.at, ptr::null(), 0, signal) };
        Some((lane, said))
    }

    fn tell(&self, lane: usize, key: u64, word: u64, epoch: u64) {
        // Behind the end of the question, since the guest may ask again as soon as it has the answer.
        self.far.stream.fence();
        let words = [word, epoch];
        let to = self.at(lane, offset_of!(Lane, word));
        let signal = Signal { at: self.at(lane, offset_of!(Lane, answered)), op: SignalOp::Set, value: key };
        // SAFETY: `words` is here until the wait is over.
        let ticket = unsafe { self.live.send_signal(self.far, to, words.as_ptr().cast(), size_of_val(&words), signal) };
        if let Some(ticket) = ticket {
            self.live.wait_for_one(&self.far.stream, ticket);
        }
    }
}
