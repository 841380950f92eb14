//! What a PE is in now.
//!
//! Each PE has a [`Status`] in its control area. A PE says there when it joins and leaves the job, and what it waits for once
//! a wait has lasted so long that a few more stores are nothing to it. It never says that it computes: who says nothing computes.
//!
//! # States, owners and orders
//!
//! `phase` goes from [`Phase::Absent`] to [`Phase::Joined`] to [`Phase::Left`]. `wait` counts up: odd while the PE is in a wait that it
//! has told, even otherwise. Both and all that describes the wait are written by the PE alone, by one thread at a time: who
//! finds `wait` odd leaves it to the thread that has made it so ([`Status::tell`]).
//!
//! - The words that describe a wait are stored between two waits, before `wait` is stored odd with release. A reader loads `wait` with
//!   acquire, the words, then an acquire fence and `wait` again; the writer has a release fence between `wait` even and the words. So
//!   two equal odd values have that wait's words between them.
//! - `absent` and `looks` change during a wait. `absent` is stored before `looks` is raised with release, so who sees the look sees
//!   what came of it.
//! - `asked` is written by others: the wait whose place they want to know. The PE answers by `place` and then, with
//!   release, `answered`. A PE answers for a wait once, and the same whoever asks.
//! - `told`, `looker`, `wanted` and `still_ms` are used in the status of a node's first PE alone: whether a proof was printed;
//!   which PE looks after all of the node (1 + its number; 0 if none does); whether a roll-call is wanted; for how long nothing has moved. They guard no memory: at
//!   worst two look, and one prints.
//! - `process`, `namespace` and `aborts` are written before `phase` is [`Phase::Joined`].

use crate::text::Text;
use std::sync::atomic::{
    AtomicU64,
    Ordering::{AcqRel, Acquire, Relaxed, Release},
    fence,
};

/// Words of what a PE waits in.
const NAME: usize = 20;
/// Words of where that is.
const PLACE: usize = 32;

/// What a PE is in now.
#[repr(C, align(64))]
#[derive(Debug, Default)]
pub struct Status {
    phase: AtomicU64,
    aborts: AtomicU64,
    process: AtomicU64,
    namespace: AtomicU64,
    wait: AtomicU64,
    looks: AtomicU64,
    /// 1 + the PE that has not come to our collective.
    absent: AtomicU64,
    /// 1 + the slot of the team in whose collective we wait.
    team: AtomicU64,
    class: AtomicU64,
    since_ns: AtomicU64,
    answered: AtomicU64,
    name: Text<NAME>,
    place: Text<PLACE>,
    of_others: OfOthers,
}

/// What other PEs write, in a line of its own.
#[repr(C, align(64))]
#[derive(Debug, Default)]
struct OfOthers {
    asked: AtomicU64,
    told: AtomicU64,
    still_ms: AtomicU64,
    looker: AtomicU64,
    wanted: AtomicU64,
}

/// Whether a PE takes part in the job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Not yet.
    Absent,
    /// Between init and finalize.
    Joined,
    /// After it.
    Left,
}

/// Who may end a wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Class {
    /// Members that have yet to call the same collective, and nobody else.
    Collective = 1,
    /// Any other PE, and nobody else.
    Peers,
    /// Others too: a thread, a child or a signal of the PE's own, or what nobody knows.
    Anyone,
}

/// A wait that was told.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Waiting {
    /// Which of the PE's waits this is.
    pub version: u64,
    /// Who may end it.
    pub class: Class,
    /// When it began, by the host's monotonic clock.
    pub since_ns: u64,
    /// The routine, with its arguments.
    pub name: String,
    /// A member that has not come, of a collective.
    pub absent: Option<u32>,
    /// The slot of the team whose collective it is.
    pub team: Option<u16>,
    /// Where the program has called it, once that was asked for and found.
    pub place: Option<String>,
}

/// A PE, as others see it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Seen {
    /// Its number.
    pub pe: u32,
    /// Whether it takes part in the job.
    pub phase: Phase,
    /// How often it has looked for what it waits for.
    pub looks: u64,
    /// What it waits for, if it has told.
    pub waiting: Option<Waiting>,
}

impl Status {
    /// The PE has joined the job, or left it.
    pub fn enter(&self, phase: Phase) {
        self.phase.store(phase as u64, Release);
    }

    /// Begin to tell of a wait; gives its version, or `None` if another thread of the PE tells of its own.
    /// `team`: the slot of the team whose collective is waited in.
    pub fn tell(&self, class: Class, since_ns: u64, name: &str, team: Option<u16>) -> Option<u64> {
        let before = self.wait.load(Relaxed);
        if !before.is_multiple_of(2) {
            return None;
        }
        fence(Release);
        self.class.store(class as u64, Relaxed);
        self.since_ns.store(since_ns, Relaxed);
        self.absent.store(0, Relaxed);
        self.team.store(team.map_or(0, |slot| u64::from(slot) + 1), Relaxed);
        self.name.set(name);
        // Of two threads one.
        self.wait.compare_exchange(before, before + 1, Release, Relaxed).ok().map(|_| before + 1)
    }

    /// The wait of this version goes on: the PE has looked once more, and this member has not come to its collective.
    pub fn look(&self, version: u64, absent: Option<u32>) {
        if self.wait.load(Relaxed) == version {
            self.absent.store(absent.map_or(0, |pe| u64::from(pe) + 1), Relaxed);
            self.looks.fetch_add(1, Release);
        }
    }

    /// The wait of this version is over.
    pub fn end(&self, version: u64) {
        let _ = self.wait.compare_exchange(version, version + 1, Release, Relaxed);
    }

    /// Whether the place of this wait was asked for and not yet answered.
    pub fn is_asked(&self, version: u64) -> bool {
        self.of_others.asked.load(Acquire) == version && self.answered.load(Relaxed) != version
    }

    /// Answer where this wait is.
    pub fn answer(&self, version: u64, place: &str) {
        self.place.set(place);
        self.answered.store(version, Release);
    }

    /// Ask where this wait is.
    pub fn ask(&self, version: u64) {
        self.of_others.asked.store(version, Release);
    }

    /// Say which process the PE is, by its number and its namespace of processes.
    pub fn introduce(&self, namespace: u64, process: u64) {
        self.namespace.store(namespace, Relaxed);
        self.process.store(process, Relaxed);
    }

    /// Which process the PE is: namespace and number.
    pub fn process(&self) -> (u64, u64) {
        (self.namespace.load(Relaxed), self.process.load(Relaxed))
    }

    /// Whether the PE is in a wait that it has told.
    pub fn is_waiting(&self) -> bool {
        !self.wait.load(Relaxed).is_multiple_of(2)
    }

    /// The version of the wait that the PE has told, if it is in one; else 0.
    pub fn wait(&self) -> u64 {
        Some(self.wait.load(Acquire)).filter(|version| !version.is_multiple_of(2)).unwrap_or(0)
    }

    /// How often the PE has looked for what it waits for.
    pub fn looks(&self) -> u64 {
        self.looks.load(Acquire)
    }

    /// Be the one on this node that prints what is proven: once.
    pub fn claim_report(&self) -> bool {
        self.of_others.told.swap(1, AcqRel) == 0
    }

    /// Whether something was printed.
    pub fn is_told(&self) -> bool {
        self.of_others.told.load(Relaxed) != 0
    }

    /// Nothing has moved on this node for so long; 0: something has, or not for too long.
    pub fn set_still_ms(&self, ms: u64) {
        self.of_others.still_ms.store(ms, Relaxed);
    }

    /// What was set last.
    pub fn still_ms(&self) -> u64 {
        self.of_others.still_ms.load(Relaxed)
    }

    /// The PE's user wants a job ended that cannot go on.
    pub fn want_abort(&self) {
        self.aborts.store(1, Relaxed);
    }

    /// Whether that is so.
    pub fn aborts(&self) -> bool {
        self.aborts.load(Relaxed) != 0
    }

    /// Ask for a roll-call of this node.
    pub fn want_roll_call(&self) {
        self.of_others.wanted.store(1, Release);
    }

    /// Whether one is wanted: by the one that will hold it.
    pub fn take_roll_call(&self) -> bool {
        self.of_others.wanted.load(Relaxed) != 0 && self.of_others.wanted.swap(0, AcqRel) != 0
    }

    /// Be the one that looks after the node of this status, unless another PE is.
    pub fn begin_turn(&self, pe: u32) -> bool {
        let mine = u64::from(pe) + 1;
        match self.of_others.looker.compare_exchange(0, mine, AcqRel, Relaxed) {
            Ok(_) => true,
            Err(looker) => looker == mine,
        }
    }

    /// Leave it to others.
    pub fn end_turn(&self, pe: u32) {
        let _ = self.of_others.looker.compare_exchange(u64::from(pe) + 1, 0, AcqRel, Relaxed);
    }

    /// What can be seen of PE `pe`, whose status this is.
    pub fn see(&self, pe: u32) -> Seen {
        let phase = match self.phase.load(Acquire) {
            1 => Phase::Joined,
            2 => Phase::Left,
            _ => Phase::Absent,
        };
        let looks = self.looks.load(Acquire);
        Seen { pe, phase, looks, waiting: self.waiting() }
    }

    fn waiting(&self) -> Option<Waiting> {
        let version = self.wait.load(Acquire);
        if version.is_multiple_of(2) {
            return None;
        }
        let class = match self.class.load(Relaxed) {
            1 => Class::Collective,
            2 => Class::Peers,
            _ => Class::Anyone,
        };
        let absent = self.absent.load(Relaxed).checked_sub(1).and_then(|pe| u32::try_from(pe).ok());
        let team = self.team.load(Relaxed).checked_sub(1).map(|slot| slot as u16);
        let (since_ns, name) = (self.since_ns.load(Relaxed), self.name.get());
        let answered = self.answered.load(Acquire) == version;
        let place = answered.then(|| self.place.get()).filter(|place| !place.is_empty());
        fence(Acquire);
        let still = self.wait.load(Relaxed) == version;
        still.then_some(Waiting { version, class, since_ns, name, absent, team, place })
    }

    /// Whether a place that was asked for is still owed, of the wait of this version.
    pub fn owes(&self, version: u64) -> bool {
        self.wait.load(Relaxed) == version && self.answered.load(Acquire) != version
    }
}

const _: () = assert!(size_of::<Status>() <= 1024);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_seen_while_it_lasts() {
        let status = Status::default();
        assert_eq!(status.see(3), Seen { pe: 3, phase: Phase::Absent, looks: 0, waiting: None });
        status.enter(Phase::Joined);
        let version = status.tell(Class::Collective, 5, "shmem_barrier_all", None).unwrap();
        assert_eq!(status.tell(Class::Peers, 6, "another thread's", None), None);
        status.look(version, Some(0));
        let seen = status.see(3);
        let waiting = seen.waiting.unwrap();
        assert_eq!((seen.phase, seen.looks), (Phase::Joined, 1));
        assert_eq!(
            (waiting.class, waiting.since_ns, waiting.absent, waiting.place),
            (Class::Collective, 5, Some(0), None)
        );
        assert_eq!(waiting.name, "shmem_barrier_all");
        status.end(version);
        assert_eq!(status.see(3).waiting, None);
        status.look(version, None);
        assert_eq!(status.see(3).looks, 1, "a look of a wait that is over is none");
    }

    #[test]
    fn a_place_belongs_to_the_wait_that_it_was_asked_of() {
        let status = Status::default();
        let first = status.tell(Class::Peers, 0, "a", None).unwrap();
        assert!(!status.is_asked(first));
        status.ask(first);
        assert!(status.is_asked(first) && status.owes(first));
        status.answer(first, "solver.c:214");
        assert!(!status.is_asked(first) && !status.owes(first));
        assert_eq!(status.see(0).waiting.unwrap().place.as_deref(), Some("solver.c:214"));
        status.end(first);
        let second = status.tell(Class::Peers, 0, "b", None).unwrap();
        assert_ne!(first, second);
        assert_eq!(status.see(0).waiting.unwrap().place, None);
    }

    #[test]
    fn one_of_a_node_looks() {
        let status = Status::default();
        assert!(status.begin_turn(4) && status.begin_turn(4));
        assert!(!status.begin_turn(0));
        status.end_turn(0);
        assert!(!status.begin_turn(0));
        status.end_turn(4);
        assert!(status.begin_turn(0));
    }

    #[test]
    fn one_of_a_node_prints_a_report() {
        let status = Status::default();
        assert!(status.claim_report());
        assert!(!status.claim_report());
        assert!(!status.take_roll_call());
        status.want_roll_call();
        status.want_roll_call();
        assert!(status.take_roll_call() && !status.take_roll_call());
    }
}
