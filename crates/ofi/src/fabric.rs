//! The [`Fabric`] itself.

use crate::{
    Candidate, Options, Survey,
    domain::{self, Domain},
    doze,
    lane::OfiLane,
    plan::{Atomics, Plan, STAGED_BYTES_MAX},
    progress,
    shared::Shared,
};
use ferrite_fabric::{AddressBook, Caps, Doze, Error, Fabric, Key, Lane, Result, Segment, mutex, threads};
use libfabric_sys::Libfabric;
use std::{
    fmt, mem,
    sync::{Arc, Mutex, MutexGuard, atomic::Ordering},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// How long the end waits for what was not waited for.
const PARTING: Duration = Duration::from_secs(1);

/// A PE's part in the fabric.
pub struct OfiFabric {
    shared: Arc<Shared>,
    caps: Caps,
    candidates: Vec<Candidate>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// Load the library that the options name. This takes 200 ms where its constructors do.
fn load(options: &Options) -> Result<Libfabric> {
    libfabric_sys::open(options.library.as_deref()).map_err(|error| Error::because("loading libfabric", error))
}

/// What libfabric is on this machine, and what it offers.
pub fn survey(options: &Options) -> Result<Survey> {
    let library = load(options)?;
    let candidates = domain::survey(&library, options)?;
    Ok(Survey { version: library.version(), candidates })
}

fn caps(plan: &Plan) -> Caps {
    Caps {
        inject_bytes_max: STAGED_BYTES_MAX,
        amo: |_, _| true,
        put_signal: true,
        needs_target_progress: plan.is_served_by_program(),
        nic_atomics: plan.atomics == Atomics::Nic,
        peers_store: false,
        drives_nic: plan.drives_nic,
    }
}

impl OfiFabric {
    /// Load libfabric, open the best of what it offers, and start the thread if one is needed.
    pub fn open(options: Options) -> Result<Self> {
        Self::with(load(&options)?, options)
    }

    /// The same with a library that is loaded already.
    pub fn with(library: Libfabric, options: Options) -> Result<Self> {
        let (domain, candidates) = Domain::open(library, &options)?;
        let shared = Arc::new(Shared::new(options, domain)?);
        let caps = caps(&shared.plan);
        let fabric = OfiFabric { shared, caps, candidates, thread: Mutex::default() };
        if fabric.shared.plan.thread {
            let theirs = Arc::clone(&fabric.shared);
            let thread = threads::start(thread::Builder::new(), "ferrite-ofi", move || progress::run(&theirs))
                .map_err(|e| Error::because("starting the progress thread", e))?;
            *fabric.thread() = Some(thread);
        }
        Ok(fabric)
    }

    fn thread(&self) -> MutexGuard<'_, Option<JoinHandle<()>>> {
        mutex::lock(&self.thread)
    }

    /// End the thread: the library takes its own state apart at the process's end, and nobody may be in it then.
    fn stop(&self) {
        self.shared.stopping.store(true, Ordering::Release);
        self.shared.bell.ring();
        let thread = self.thread().take();
        if let Some(thread) = thread {
            let _ = thread.join();
        }
    }

    /// What libfabric offered, and why each was taken or not.
    pub fn candidates(&self) -> &[Candidate] {
        &self.candidates
    }

    /// What is used and how, in a line.
    pub fn describe(&self) -> String {
        let Shared { domain, plan, .. } = &*self.shared;
        let (major, minor) = domain.library.version();
        let atomics = if plan.atomics == Atomics::Nic { "the NIC" } else { "the target's processor" };
        let progress = match (plan.thread, plan.needs_thread) {
            (true, _) => "a thread",
            (false, true) => "the program",
            (false, false) => "hardware",
        };
        let offer = &domain.offer;
        format!(
            "libfabric {major}.{minor}, {} on {} ({}); atomics by {atomics}; progress by {progress}",
            offer.name, offer.domain, offer.fabric
        )
    }
}

impl fmt::Debug for OfiFabric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OfiFabric").field("uses", &self.describe()).finish_non_exhaustive()
    }
}

impl Fabric for OfiFabric {
    fn name(&self) -> &'static str {
        "libfabric"
    }

    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn address(&self) -> Vec<u8> {
        self.shared.address.clone()
    }

    unsafe fn register(&self, segment: Segment) -> Result<Key> {
        // SAFETY: the regions are closed when the fabric is dropped, and until then the segment stays mapped.
        unsafe { self.shared.register(segment) }
    }

    fn connect(&self, book: Arc<dyn AddressBook>) -> Result<()> {
        self.shared.keep(book)
    }

    fn lane(&self) -> Result<Box<dyn Lane>> {
        Ok(Box::new(OfiLane::new(Arc::clone(&self.shared))?))
    }

    fn fault(&self) -> Option<Error> {
        self.shared.fate.fault()
    }

    fn doze(&self, limit: Duration) -> Doze {
        doze::doze(&self.shared, limit)
    }

    /// A peer that waits for nothing from here does not notice the end, so there is nobody to tell.
    fn part(&self) {
        let deadline = Instant::now() + PARTING;
        let busy = || !self.shared.service().is_quiet() || self.shared.lanes.all().iter().any(|lane| !lane.is_idle());
        while self.shared.fate.is_sound() && busy() && Instant::now() < deadline {
            self.shared.serve();
            self.shared.lanes.all().iter().for_each(|lane| lane.attend(&self.shared));
        }
        self.shared.fate.close();
        self.stop();
        self.shared.lanes.all().iter().for_each(|lane| lane.drain(&self.shared));
    }

    fn halt(&self) {
        self.shared.fate.close();
        self.stop();
        // The process ends: nobody needs these locks any more, and whoever waits for one stays out of the library.
        self.shared.lanes.all().iter().for_each(|lane| lane.shut());
        mem::forget(self.shared.service());
    }
}

impl Drop for OfiFabric {
    /// From here on peers may go, and nobody reaches the segments any more.
    fn drop(&mut self) {
        self.part();
        self.shared.regions.close();
    }
}
