//! The state that a PE publishes for diagnosis, and the reports about a job that cannot go on.
//!
//! | file | job |
//! |---|---|
//! | `look` | steps of a long wait: publish it, look at other PEs, report |
//! | `absent` | which member has not called a collective, and which has called another |
//! | `roll_call` | report of where each PE is, requested by a signal or due because nothing has moved for long |
//! | `crash` | report of a PE that dies by a signal |
//!
//! `crates/diagnose` defines the shared memory, with the memory orders that suffice, and the rules of proof.
//!
//! # Steps and their cost
//!
//! - A collective begins with [`Live::enter`]: five plain stores into lines of the PE's own, which other PEs read only after a long wait.
//!   Three of the stores are the flight recorder's, which also provides the routine's name.
//! - [`Live::note`] records, with three stores, other calls that are not on the near path: waits, locks, and operations over a transport.
//!   With `SHMEM_RECORD=all` an observer records all calls of the program (`record`).
//! - In the first collectives of a team, and now and then in later ones, each member compares its own calls with the next member's: calls
//!   with different roots and sizes need not make any PE wait.
//! - A wait publishes nothing for [`PUBLISH_AFTER`]. Then it has a status, and each of its later looks counts as one by the rules of
//!   `ferrite_diagnose::judge`. There is no thread: the waiting PE looks, and one PE of a node at a time looks at all of the node's PEs. A
//!   job in which no PE waits pays nothing, and there is nothing to report about it.
//! - A proven fault is reported once per node, by one PE, with the places in the program of the PEs that matter. Each PE finds its own
//!   place when it is asked to, because that takes milliseconds.
//!
//! If PEs are threads of one process, nothing is reported: a test that waits for ever has a debugger.

mod absent;
pub(crate) mod crash;
mod look;
pub(crate) mod record;
pub(crate) mod roll_call;

use crate::{
    Ctx, Site, World,
    boards::{Boards, names},
    live::Live,
    teams::TeamState,
    wait::WaitPublication,
};
use core::{
    ffi::c_int,
    sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    time::Duration,
};
use ferrite_diagnose::{
    entry::Entry,
    status::{Phase, Status},
};
use ferrite_memory::heap::budget::Bytes;
use ferrite_os::process::Process;
use ferrite_settings::{OnStall, Settings};
use look::Looker;
use std::sync::Mutex;

/// Time that a wait lasts before it is published.
const PUBLISH_AFTER: Duration = Duration::from_millis(60);

/// Number of first collectives of a team that are compared with the next member's as they come, since most mistakes are made the first
/// time...
const COMPARED: u64 = 64;
/// ...and then one collective in this many is compared, with the few before it.
const COMPARE_EVERY: u64 = 256;

/// The state that a started world publishes, and its view of other PEs' states.
pub(crate) struct Diagnosis {
    is_on: bool,
    on_stall: OnStall,
    /// Boards on which this PE and others publish their state.
    pub boards: Boards,
    /// Several threads may be in the library at the same time.
    several_threads: AtomicBool,
    /// Line about what carries this PE's traffic, as it is printed: a signal handler can write it.
    carriage: String,
    /// Number of bytes of this PE's heap on large pages of a pool, and the size of these pages.
    large_pages: [AtomicU64; 2],
    looker: Mutex<Looker>,
}

impl Diagnosis {
    /// This PE joins the job, as the only PE of its process or as one of several.
    pub fn new(settings: &Settings, is_on: bool, boards: Boards, carriage: &str) -> Diagnosis {
        let one = Diagnosis {
            is_on,
            on_stall: settings.on_stall,
            boards,
            several_threads: AtomicBool::new(true),
            carriage: format!("ferrite: {carriage}\n"),
            large_pages: [const { AtomicU64::new(0) }; 2],
            looker: Mutex::default(),
        };
        let process = Process::current();
        if settings.on_stall == OnStall::Abort {
            one.own().want_abort();
        }
        one.own().introduce(process.namespace, process.number);
        one.boards.own().set_carrier(carriage);
        one.enter(Phase::Joined);
        one
    }

    /// Line about what carries this PE's traffic, for the user.
    pub fn carriage(&self) -> &str {
        &self.carriage
    }

    /// Note how much of the heap is on large pages of a pool.
    pub fn set_large_pages(&self, bytes: usize, page: usize) {
        [bytes, page].into_iter().zip(&self.large_pages).for_each(|(number, to)| to.store(number as u64, Relaxed));
        let line = self.carriage.trim_start_matches("ferrite: ").trim_end();
        let [bytes, page] = [bytes, page].map(|number| Bytes(number as u64));
        self.boards.own().set_carrier(&format!("{line}; {bytes} of its heap on pages of {page}"));
    }

    /// Number of bytes of this PE's heap on large pages of a pool, and the size of these pages; zeros if there is no pool.
    pub fn large_pages(&self) -> [u64; 2] {
        [0, 1].map(|at| self.large_pages[at].load(Relaxed))
    }

    /// Publish that the PE joins or leaves.
    pub fn enter(&self, phase: Phase) {
        self.own().enter(phase);
    }

    /// Publish where this PE dies.
    pub fn die(&self, place: &str) {
        self.own().die(place);
    }

    /// Set whether several threads may be in the library at the same time, as the program has asked for.
    pub fn allow_threads(&self, several: bool) {
        self.several_threads.store(several, Relaxed);
    }

    fn own(&self) -> &Status {
        &self.boards.own().status
    }

    /// The process of the PE whose board is at an index.
    fn process(&self, index: usize) -> Process {
        let (namespace, number) = self.boards.at(index).status.process();
        Process { namespace, number }
    }

    /// The last collective that was called, if there was one.
    fn routine(&self) -> Option<&'static Site> {
        self.boards.own().ring.last_collective().and_then(names::routine)
    }

    /// End the wait that this PE has published, if there is one: the wait is given up.
    #[cold]
    pub fn unpublish_wait(&self) {
        self.own().give_up();
        self.go_on();
    }

    /// End a wait that was published.
    #[cold]
    pub fn end_published_wait(&self, publication: &WaitPublication) {
        if let Some(version) = publication.version {
            self.own().end(version);
            self.go_on();
        }
    }

    /// A PE of this host goes on. PEs that still wait look again whether the host stands still.
    fn go_on(&self) {
        let first = self.boards.first();
        first.end_turn(self.boards.pes()[self.boards.own_index()]);
        first.set_still_ms(0);
    }
}

impl World {
    /// The program calls a routine for `pe` of `ctx` that is not on the near path.
    #[inline(always)]
    pub(crate) fn note_call_to(&self, site: &'static Site, ctx: Ctx, pe: c_int, bytes: usize) {
        if let Some(live) = self.live() {
            live.note(site, u32::try_from(self.route(ctx, pe)).ok(), bytes);
        }
    }

    /// The program calls a routine without a target PE that is not on the near path.
    #[inline(always)]
    pub(crate) fn note_call(&self, site: &'static Site) {
        if let Some(live) = self.live() {
            live.note(site, None, 0);
        }
    }
}

impl Live {
    /// The program calls a collective of `team`.
    #[inline(always)]
    pub(crate) fn enter(&self, site: &'static Site, team: &TeamState, call: Entry) {
        let (number, word) = team.enter(call);
        self.record(site, team, word);
        self.compare_sometimes(team, number);
    }

    /// As [`Live::enter`], for a step of a routine that was recorded as it began.
    pub(crate) fn enter_step(&self, team: &TeamState, call: Entry) {
        let (number, _) = team.enter(call);
        self.compare_sometimes(team, number);
    }

    /// The program calls a routine of the symmetric heap, whose steps are collectives of all PEs.
    pub(crate) fn begin_steps(&self, site: &'static Site, call: Entry) {
        self.record(site, &self.teams.world, call.word(0));
    }

    #[inline(always)]
    fn record(&self, site: &'static Site, team: &TeamState, word: u64) {
        let boards = &self.diagnosis.boards;
        boards.own().ring.collective(site.number(boards), team.slot as u16, word);
    }

    #[inline(always)]
    fn compare_sometimes(&self, team: &TeamState, number: u64) {
        if number < COMPARED || number.is_multiple_of(COMPARE_EVERY) {
            self.compare(team);
        }
    }

    /// The program calls a routine that is not a collective and not on the near path. `bytes` go to or come from `peer`, if it has one.
    #[inline(always)]
    pub(crate) fn note(&self, site: &'static Site, peer: Option<u32>, bytes: usize) {
        let boards = &self.diagnosis.boards;
        boards.own().ring.other(site.number(boards), peer, bytes as u64);
    }
}
