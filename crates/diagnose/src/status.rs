//! The current state of a PE.
//!
//! Each PE has a [`Status`] in its control area. There it publishes that it joins or leaves the job, and what it waits for, once a wait has
//! lasted so long that a few more stores cost nothing in comparison. It never publishes that it computes: a PE that reports no wait
//! computes.
//!
//! # States, owners and orders
//!
//! `phase` goes from [`Phase::Absent`] to [`Phase::Joined`] to [`Phase::Left`]. `wait` counts up: it is odd while the PE is in a wait that
//! it has published, and even otherwise. Both, and the words that describe the wait, are written by the PE alone, by one thread at a time:
//! a thread that finds `wait` odd leaves it to the thread that has made it so ([`Status::publish_wait`]).
//! - The words that describe a wait are stored between two waits, before `wait` is stored odd with release. A reader loads `wait` with
//!   acquire, the words, then an acquire fence and `wait` again; the writer has a release fence between `wait` even and the words. So
//!   two equal odd values have that wait's words between them.
//! - `absent` and `looks` change during a wait. `absent` is stored before `looks` is raised with release, so a reader that sees the look
//!   sees its result.
//! - `asked` is written by other PEs: the wait whose place they request. The PE answers with `place` and then, with release, `answered`. A
//!   PE answers once for a wait, and the answer is the same for all.
//! - `told`, `looker`, `wanted`, `still_ms` and `unfinished` are used only in the status of a node's first PE. `told`: whether a proof was
//!   printed. `looker`: 1 + the number of the PE that watches the node; 0 if none does. `wanted`: whether a roll-call is requested.
//!   `still_ms`: for how long the node has made no progress. `unfinished`: whether a PE has reported that it ends without finalize. They
//!   guard no memory: at worst two PEs watch, and one prints.
//! - A PE that dies by a signal stores in `place` where, and then, with release, that it has `died`. It ends no wait any more.
//! - `process`, `namespace` and `aborts` are written before `phase` is [`Phase::Joined`].

use crate::text::Text;
use std::sync::atomic::{
    AtomicU64,
    Ordering::{AcqRel, Acquire, Relaxed, Release},
    fence,
};

/// Size of the name of the routine that a PE waits in, in words.
const NAME: usize = 20;
/// Size of the place of the wait, in words.
const PLACE: usize = 32;

/// `died` of a PE that stores where it dies.
const DYING: u64 = 1;
/// `died` of a PE that has stored it.
const DEAD: u64 = 2;

/// The current state of a PE.
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
    died: AtomicU64,
    of_others: OfOthers,
}

/// The words that other PEs write, in a cache line of their own.
#[repr(C, align(64))]
#[derive(Debug, Default)]
struct OfOthers {
    asked: AtomicU64,
    told: AtomicU64,
    still_ms: AtomicU64,
    looker: AtomicU64,
    wanted: AtomicU64,
    unfinished: AtomicU64,
}

/// Whether a PE takes part in the job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// It has not joined yet.
    Absent,
    /// Between init and finalize.
    Joined,
    /// After finalize.
    Left,
}

/// The parties that can end a wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Class {
    /// Only members that have yet to call the same collective.
    Collective = 1,
    /// Any other PE, and no other party.
    Peers,
    /// Others too: a thread, a child or a signal of the PE itself, a transport that carries its data, or an unknown party.
    Anyone,
}

/// A wait of a PE, as its board shows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Waiting {
    /// Version of the wait, which identifies it among the PE's waits.
    pub version: u64,
    /// The parties that can end it.
    pub class: Class,
    /// When it began, by the host's monotonic clock.
    pub since_ns: u64,
    /// The routine, with its arguments.
    pub name: String,
    /// For a collective: a member that has not come.
    pub absent: Option<u32>,
    /// For a collective: the slot of its team.
    pub team: Option<u16>,
    /// The call site in the program, once it was asked for and found.
    pub place: Option<String>,
}

/// A PE, as others see it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Seen {
    /// Number of the PE.
    pub pe: u32,
    /// Whether it takes part in the job.
    pub phase: Phase,
    /// Number of times it has checked whether its wait is over.
    pub looks: u64,
    /// Its wait, if it has published one.
    pub waiting: Option<Waiting>,
}

impl Status {
    /// Publish that the PE has joined the job, or left it.
    pub fn enter(&self, phase: Phase) {
        self.phase.store(phase as u64, Release);
    }

    /// Publish a wait. Return its version, or `None` if another thread of the PE has published its own. `team` is the slot of the team if
    /// the wait is in a collective.
    pub fn publish_wait(&self, class: Class, since_ns: u64, name: &str, team: Option<u16>) -> Option<u64> {
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
        // If two threads come here at once, only one of them succeeds.
        self.wait.compare_exchange(before, before + 1, Release, Relaxed).ok().map(|_| before + 1)
    }

    /// End the published wait, whichever it is.
    pub fn give_up(&self) {
        let version = self.wait.load(Relaxed);
        if !version.is_multiple_of(2) {
            self.end(version);
        }
    }

    /// Record another look of the wait of this version, in which `absent` had not come to the PE's collective.
    pub fn look(&self, version: u64, absent: Option<u32>) {
        if self.wait.load(Relaxed) == version {
            self.absent.store(absent.map_or(0, |pe| u64::from(pe) + 1), Relaxed);
            self.looks.fetch_add(1, Release);
        }
    }

    /// End the wait of this version.
    pub fn end(&self, version: u64) {
        let _ = self.wait.compare_exchange(version, version + 1, Release, Relaxed);
    }

    /// Whether the place of this wait was asked for and not yet answered.
    pub fn is_asked(&self, version: u64) -> bool {
        self.of_others.asked.load(Acquire) == version && self.answered.load(Relaxed) != version
    }

    /// Answer the request for the place of this wait. The place where the PE dies stays.
    pub fn answer(&self, version: u64, place: &str) {
        if self.died.load(Acquire) != 0 {
            return;
        }
        self.place.set(place);
        self.answered.store(version, Release);
    }

    /// Request the place of this wait.
    pub fn ask(&self, version: u64) {
        self.of_others.asked.store(version, Release);
    }

    /// Publish where the PE dies.
    pub fn die(&self, place: &str) {
        self.died.store(DYING, Release);
        self.place.set(place);
        self.died.store(DEAD, Release);
    }

    /// Where the PE has died, if it has reported its death.
    pub fn death_place(&self) -> Option<String> {
        (self.died.load(Acquire) == DEAD).then(|| self.place.get()).filter(|place| !place.is_empty())
    }

    /// Publish the PE's process: its PID namespace and its number there.
    pub fn introduce(&self, namespace: u64, process: u64) {
        self.namespace.store(namespace, Relaxed);
        self.process.store(process, Relaxed);
    }

    /// The PE's process: PID namespace and number.
    pub fn process(&self) -> (u64, u64) {
        (self.namespace.load(Relaxed), self.process.load(Relaxed))
    }

    /// Whether the PE is in a published wait.
    pub fn is_waiting(&self) -> bool {
        !self.wait.load(Relaxed).is_multiple_of(2)
    }

    /// The version of the PE's published wait; 0 if it is in none.
    pub fn wait(&self) -> u64 {
        Some(self.wait.load(Acquire)).filter(|version| !version.is_multiple_of(2)).unwrap_or(0)
    }

    /// Number of times the PE has checked whether its wait is over.
    pub fn looks(&self) -> u64 {
        self.looks.load(Acquire)
    }

    /// Claim the printing of a proof on this node. True for one caller only.
    pub fn claim_report(&self) -> bool {
        self.of_others.told.swap(1, AcqRel) == 0
    }

    /// Whether the printing of a proof was claimed.
    pub fn is_told(&self) -> bool {
        self.of_others.told.load(Relaxed) != 0
    }

    /// Claim the report that a PE of this node ends without finalize. True for one caller only.
    pub fn claim_unfinished(&self) -> bool {
        self.of_others.unfinished.swap(1, AcqRel) == 0
    }

    /// Set for how many milliseconds this node has made no progress; 0 if it has, or if that is not too long yet.
    pub fn set_still_ms(&self, ms: u64) {
        self.of_others.still_ms.store(ms, Relaxed);
    }

    /// The last value of [`Status::set_still_ms`].
    pub fn still_ms(&self) -> u64 {
        self.of_others.still_ms.load(Relaxed)
    }

    /// Publish that the user wants a job that cannot go on to be ended.
    pub fn want_abort(&self) {
        self.aborts.store(1, Relaxed);
    }

    /// Whether the user wants a job that cannot go on to be ended.
    pub fn aborts(&self) -> bool {
        self.aborts.load(Relaxed) != 0
    }

    /// Ask for a roll-call of this node.
    pub fn want_roll_call(&self) {
        self.of_others.wanted.store(1, Release);
    }

    /// Take the request for a roll-call, if there is one. The caller that gets it holds the roll-call.
    pub fn take_roll_call(&self) -> bool {
        self.of_others.wanted.load(Relaxed) != 0 && self.of_others.wanted.swap(0, AcqRel) != 0
    }

    /// Make PE `pe` the one that watches the node of this status, unless another PE does.
    pub fn begin_turn(&self, pe: u32) -> bool {
        let mine = u64::from(pe) + 1;
        match self.of_others.looker.compare_exchange(0, mine, AcqRel, Relaxed) {
            Ok(_) => true,
            Err(looker) => looker == mine,
        }
    }

    /// Stop watching the node, so that another PE can.
    pub fn end_turn(&self, pe: u32) {
        let _ = self.of_others.looker.compare_exchange(u64::from(pe) + 1, 0, AcqRel, Relaxed);
    }

    /// Read this status, which belongs to PE `pe`.
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

    /// Whether the wait of this version is in progress and its place not yet answered.
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
        let version = status.publish_wait(Class::Collective, 5, "shmem_barrier_all", None).unwrap();
        assert_eq!(status.publish_wait(Class::Peers, 6, "another thread's", None), None);
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
        let first = status.publish_wait(Class::Peers, 0, "a", None).unwrap();
        assert!(!status.is_asked(first));
        status.ask(first);
        assert!(status.is_asked(first) && status.owes(first));
        status.answer(first, "solver.c:214");
        assert!(!status.is_asked(first) && !status.owes(first));
        assert_eq!(status.see(0).waiting.unwrap().place.as_deref(), Some("solver.c:214"));
        status.end(first);
        let second = status.publish_wait(Class::Peers, 0, "b", None).unwrap();
        assert_ne!(first, second);
        assert_eq!(status.see(0).waiting.unwrap().place, None);
    }

    #[test]
    fn a_dead_pe_has_told_where_it_died() {
        let status = Status::default();
        let version = status.publish_wait(Class::Peers, 0, "a", None).unwrap();
        status.answer(version, "solver.c:214");
        assert_eq!(status.death_place(), None, "a place of a wait is none of a death");
        status.die("in shmem_putmem, called at solver.c:9");
        // Another thread of the process goes on.
        status.answer(version, "solver.c:214");
        assert_eq!(status.death_place().as_deref(), Some("in shmem_putmem, called at solver.c:9"));
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
        assert!(status.claim_unfinished() && !status.claim_unfinished());
        assert!(!status.take_roll_call());
        status.want_roll_call();
        status.want_roll_call();
        assert!(status.take_roll_call() && !status.take_roll_call());
    }
}
