//! What a PE publishes of itself, and what it tells of a job that cannot go on.
//!
//! | file | job |
//! |---|---|
//! | `boards` | where that is, of each PE of the host |
//! | `names` | the numbers by which routines are recorded |
//! | `look` | what a PE does that has waited for long: tell, look around, report |
//! | `absent` | which member has not come to a collective, and which has called another |
//! | `solitude` | whether anything but other PEs could end this PE's wait |
//! | `roll_call` | who is where, asked for by a signal or due because nothing has moved for long |
//! | `crash` | what is told of a PE that dies by a signal |
//!
//! `crates/diagnose` has the memory that is shared, with the orders that suffice, and the rules by which something is proof.
//!
//! # Who does what, and when
//!
//! - A collective begins with [`Live::enter`]: five plain stores into lines of the PE's own, which others look at only when they have
//!   waited for long. Three of them are the flight recorder's, which the routine's name is taken from, too.
//! - What else is not on the near path is recorded by [`Live::note`], three stores: waits, locks, and what goes over a transport. With `SHMEM_RECORD=all` an
//!   observer records all that the program calls (`record`).
//! - Of the first collectives of a team, and of one in a while later, each member compares what it and the next one have called: roots
//!   and sizes that differ need not make anybody wait.
//! - A wait tells nothing for [`TELL_AFTER`]. Then it has a status, and each of its later looks is one by the rules of
//!   `ferrite_diagnose::judge`. There is no thread: who waits looks, and of a node one at a time looks at all of its PEs. A
//!   job in which nobody waits pays nothing, and nothing is to be said of it.
//! - What is proven is reported once per node, by one PE, with the places in the program of those that matter: each PE finds its own
//!   when it is asked to, for it takes milliseconds.
//!
//! Where PEs are threads of one process nothing is told: a test that waits for ever has a debugger.

mod absent;
pub(crate) mod boards;
pub(crate) mod crash;
mod look;
pub(crate) mod names;
pub(crate) mod record;
pub(crate) mod roll_call;
mod solitude;

use crate::{
    Ctx, Site, World,
    groups::team::TeamState,
    life::neighbour::Process,
    live::Live,
    settings::{OnStall, Settings},
};
use boards::Boards;
use core::{
    ffi::c_int,
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    time::Duration,
};
use ferrite_diagnose::{
    entry::Entry,
    status::{Phase, Status},
};
use look::Looker;
use std::{sync::Mutex, time::Instant};

/// How long a wait is nobody's business.
const TELL_AFTER: Duration = Duration::from_millis(60);

/// So many collectives of a team are compared with the next member's as they come, since what is wrong is mostly wrong the first time...
const COMPARED: u64 = 64;
/// ...and then every so many-th, with the few before it.
const COMPARE_EVERY: u64 = 256;

/// What has become of a wait that lasts.
pub(crate) struct Told {
    began: Instant,
    looked: Instant,
    /// The version of the status, once it was told.
    version: Option<u64>,
    /// Whether the PE moves more than this meanwhile: requests, aggregators.
    busy: bool,
}

/// What a started world publishes of itself, and sees of others.
pub(crate) struct Diagnosis {
    is_on: bool,
    on_stall: OnStall,
    /// Where this PE and others publish what they are in.
    pub boards: Boards,
    /// Several threads may be in the library at the same time.
    several_threads: AtomicBool,
    looker: Mutex<Looker>,
}

impl Diagnosis {
    /// This PE joins the job, the only one of its process or not.
    pub fn new(settings: &Settings, is_on: bool, boards: Boards) -> Diagnosis {
        let one = Diagnosis {
            is_on,
            on_stall: settings.on_stall,
            boards,
            several_threads: AtomicBool::new(true),
            looker: Mutex::default(),
        };
        let process = Process::current();
        if settings.on_stall == OnStall::Abort {
            one.own().want_abort();
        }
        one.own().introduce(process.namespace, process.number);
        one.enter(Phase::Joined);
        one
    }

    /// The PE joins or leaves.
    pub fn enter(&self, phase: Phase) {
        self.own().enter(phase);
    }

    /// Whether several threads may be in the library at the same time, as the program has asked for.
    pub fn allow_threads(&self, several: bool) {
        self.several_threads.store(several, Relaxed);
    }

    fn own(&self) -> &Status {
        &self.boards.own().status
    }

    /// The processes of the PEs of this node.
    fn processes(&self) -> Vec<Process> {
        let process = |index| {
            let (namespace, number) = self.boards.at(index).status.process();
            Process { namespace, number }
        };
        (0..self.boards.pes().len()).map(process).collect()
    }

    /// The collective that was called last, if there was one.
    fn routine(&self) -> Option<&'static Site> {
        self.boards.own().ring.last_collective().and_then(names::routine)
    }

    /// A wait that was told is over.
    #[cold]
    pub fn end(&self, told: &Told) {
        if let Some(version) = told.version {
            self.own().end(version);
            self.boards.first().end_turn(self.boards.pes()[self.boards.own_index()]);
        }
    }
}

impl World {
    /// The program calls a routine for `pe` of `ctx`, and not on the near path.
    #[inline(always)]
    pub(crate) fn note_beyond(&self, site: &'static Site, ctx: Ctx, pe: c_int, bytes: usize) {
        if let Some(live) = self.live() {
            live.note(site, u32::try_from(self.route(ctx, pe)).ok(), bytes);
        }
    }

    /// The same of one that is for nobody in particular.
    #[inline(always)]
    pub(crate) fn note_bare(&self, site: &'static Site) {
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
        let boards = &self.diagnosis.boards;
        boards.own().ring.collective(site.number(boards), team.slot as u16, word);
        if number < COMPARED || number.is_multiple_of(COMPARE_EVERY) {
            self.compare(team);
        }
    }

    /// The program calls a routine that is none of a team, and not on the near path: with so many bytes for or from a peer, if it has such.
    #[inline(always)]
    pub(crate) fn note(&self, site: &'static Site, peer: Option<u32>, bytes: usize) {
        let boards = &self.diagnosis.boards;
        boards.own().ring.other(site.number(boards), peer, bytes as u64);
    }
}
