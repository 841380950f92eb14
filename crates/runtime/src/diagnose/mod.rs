//! What a PE publishes of itself, and what it tells of a job that cannot go on.
//!
//! | file | job |
//! |---|---|
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
//! - A collective begins with [`Live::enter`]: three plain stores, two of them into a line of the PE's own that others look at only
//!   when they have waited for long.
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
pub(crate) mod crash;
mod look;
pub(crate) mod roll_call;
mod solitude;

use crate::{
    Site,
    coll::area,
    groups::team::TeamState,
    life::neighbour::Process,
    live::Live,
    memory::node::NodeMemory,
    settings::{OnStall, Settings},
};
use core::{
    ptr,
    sync::atomic::{AtomicBool, AtomicPtr, Ordering::Relaxed},
    time::Duration,
};
use ferrite_diagnose::{
    entry::Entry,
    status::{Phase, Seen, Status},
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
    /// The PEs of this node, and their statuses.
    local: Box<[u32]>,
    statuses: Box<[*const Status]>,
    /// Which of them is this PE.
    index: usize,
    /// The routine of the collective that was called last.
    routine: AtomicPtr<Site>,
    /// Several threads may be in the library at the same time.
    several_threads: AtomicBool,
    looker: Mutex<Looker>,
}

// SAFETY: the pointers go into a mapping that outlives this, to memory that is only ever touched as atomics.
unsafe impl Send for Diagnosis {}
// SAFETY: as above.
unsafe impl Sync for Diagnosis {}

impl Diagnosis {
    /// This PE joins the job, the only one of its process or not.
    pub fn new(settings: &Settings, is_on: bool, node: &NodeMemory, local: &[u32]) -> Diagnosis {
        let status = |index| node.control(index).wrapping_add(area::STATUS_AT).cast::<Status>().cast_const();
        let one = Diagnosis {
            is_on,
            on_stall: settings.on_stall,
            local: local.into(),
            statuses: (0..local.len()).map(status).collect(),
            index: node.index(),
            routine: AtomicPtr::new(ptr::null_mut()),
            several_threads: AtomicBool::new(true),
            looker: Mutex::default(),
        };
        let process = Process::current();
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
        self.status(self.index)
    }

    fn status(&self, index: usize) -> &Status {
        // SAFETY: in the control area of a mapped PE: aligned, zeros at first, and only ever touched as atomics.
        unsafe { &*self.statuses[index] }
    }

    /// The processes of the PEs of this node.
    fn processes(&self) -> Vec<Process> {
        let process = |index| {
            let (namespace, number) = self.status(index).process();
            Process { namespace, number }
        };
        (0..self.local.len()).map(process).collect()
    }

    /// What can be seen of the PEs of this node.
    fn see(&self) -> Vec<Seen> {
        self.local.iter().enumerate().map(|(index, &pe)| self.status(index).see(pe)).collect()
    }

    /// The collective that was called last, if there was one.
    fn routine(&self) -> Option<&'static Site> {
        // SAFETY: null, or from a `&'static Site`.
        unsafe { self.routine.load(Relaxed).as_ref() }
    }

    /// A wait that was told is over.
    #[cold]
    pub fn end(&self, told: &Told) {
        if let Some(version) = told.version {
            self.own().end(version);
            self.status(0).end_turn(self.local[self.index]);
        }
    }
}

impl Live {
    /// The program calls a collective of `team`.
    #[inline(always)]
    pub(crate) fn enter(&self, site: &'static Site, team: &TeamState, call: Entry) {
        self.diagnosis.routine.store(ptr::from_ref(site).cast_mut(), Relaxed);
        let number = team.enter(call);
        if number < COMPARED || number.is_multiple_of(COMPARE_EVERY) {
            self.compare(team);
        }
    }
}
