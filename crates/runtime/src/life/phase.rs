//! Init and finalize: a world is not started, started (init was called a number of times), stopped, or started again.

use crate::{
    Site, World,
    border::catch_loss,
    end::{EXIT_CODE, loss::Losses},
    fork::is_child,
    life::{
        neighbour::Neighbour,
        start::{self, Parting},
    },
    observe::{Event, Observer},
};
use core::ffi::c_int;
use ferrite_abi::{
    constants::{SHMEM_THREAD_MULTIPLE, SHMEM_THREAD_SINGLE, SHMEM_VENDOR_STRING},
    extensions::{SHMEM_DEVICE_HOST_INIT, SHMEM_DEVICE_KERNEL_INIT},
};
use ferrite_bootstrap::{Boot, NodeMap};
use ferrite_diagnose::{entry::EntryKind, status::Phase};
use ferrite_fabric::{Fabric, Result};
use ferrite_memory::Memory;
use ferrite_os::mutex;
use ferrite_settings::{self as settings, Settings};
use std::{io::Write, sync::Arc};

/// Initialisation state of the library.
pub(crate) struct Phases {
    /// Number of inits without their finalize.
    depth: u32,
    /// The thread level that was granted.
    level: c_int,
    /// `start_pes` was called: finalize is called at exit.
    finalize_at_exit: bool,
    /// The last finalize has been called.
    has_ended: bool,
    /// The last init has failed because a peer was lost, and losses return. Calls return that loss until the program abandons the job.
    is_start_lost: bool,
    /// The observers of the finalized world.
    observers: Vec<Arc<dyn Observer>>,
}

impl Phases {
    pub const fn new() -> Phases {
        Phases {
            depth: 0,
            level: SHMEM_THREAD_SINGLE,
            finalize_at_exit: false,
            has_ended: false,
            is_start_lost: false,
            observers: Vec::new(),
        }
    }

    /// Whether the last finalize has been called, and no init since.
    pub fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// Whether a loss has ended the last init, and the program has not abandoned the job.
    pub fn is_start_lost(&self) -> bool {
        self.is_start_lost
    }
}

/// The memory of a finalized world, still mapped.
pub struct Remains(pub(crate) Memory);

impl Drop for Remains {
    fn drop(&mut self) {
        self.0.node.release_heap(self.0.heap_ceiling());
    }
}

/// Requests for device memory in the argument of `shmem_init_thread`.
const DEVICE_BITS: c_int = SHMEM_DEVICE_HOST_INIT | SHMEM_DEVICE_KERNEL_INIT;

/// Reported as the routine of the agreement that PEs make before the program begins.
static INIT: Site = Site::of_c("init");

/// The relation of a world to its process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// One of several worlds: PEs are threads.
    Thread,
    /// The only world: if the process ends, so does the PE. The PE watches for stalls and crashes.
    Process,
    /// The only world, and it owns the executable: its static data become symmetric, and it calls [`World::at_exit`] when it exits.
    Executable,
}

/// Everything that a world is made of.
pub struct StartOptions {
    /// This PE, and its connection to the launcher.
    pub boot: Arc<dyn Boot>,
    /// The settings, from the environment or chosen.
    pub settings: Settings,
    /// The relation of the world to its process.
    pub extent: Extent,
    /// A simulated network that reaches all other PEs, instead of mapped memory and of the transport that the settings name. Waits then
    /// depend on this network only.
    pub network: Option<Box<dyn Fabric>>,
    /// Where losses are noted that return. `None` if the program cannot take them: then it ends.
    pub losses: Option<Arc<Losses>>,
}

impl World {
    /// Start the world with these options. Collective.
    pub fn start(&self, plan: StartOptions) -> Result<()> {
        let _gate = mutex::lock(&self.gate);
        self.start_or_count(&INIT, || Ok(plan), SHMEM_THREAD_SINGLE)?;
        // Programs in Rust do not request a thread level, so assume that other threads use contexts and teams too.
        self.live().iter().for_each(|live| live.diagnosis.allow_threads(true));
        Ok(())
    }

    /// Count one more init; the first one starts the world. The caller must hold the gate. Return the thread level, and whether this was
    /// the first init. Only the first can open device memory.
    fn start_or_count(
        &self,
        site: &'static Site,
        plan: impl FnOnce() -> Result<StartOptions>,
        requested: c_int,
    ) -> Result<(c_int, bool)> {
        let (requested, wants_device) = (requested & !DEVICE_BITS, requested & SHMEM_DEVICE_HOST_INIT != 0);
        {
            let mut phases = mutex::lock(&self.phases);
            if phases.depth > 0 {
                phases.depth += 1;
                phases.level = phases.level.max(requested);
                self.allow_level(phases.level);
                return Ok((phases.level, false));
            }
        }
        self.open(Box::new(start::assemble(self, plan()?)?));
        self.allow_level(requested);
        let wants_device = wants_device || self.live().is_some_and(|live| live.settings.gpu_support);
        start::step("compare settings", || start::compare(self, &INIT, wants_device));
        self.tell(&Event::Started);
        if wants_device {
            start::step("open device memory", || self.open_device(site));
        }
        let mut phases = mutex::lock(&self.phases);
        phases.depth = 1;
        phases.level = requested;
        phases.is_start_lost = false;
        Ok((requested, true))
    }

    /// Pass the thread level to the parts that watch the program's threads.
    fn allow_level(&self, level: c_int) {
        self.live().iter().for_each(|live| live.diagnosis.allow_threads(level == SHMEM_THREAD_MULTIPLE));
        self.tell(&Event::Level(level));
    }

    /// Initialise the library, for one thread.
    pub fn init(&'static self, site: &'static Site) {
        self.initialize(site, SHMEM_THREAD_SINGLE);
    }

    /// Initialise the library for this thread level. All levels are granted. Device memory is granted in addition if it is requested and
    /// could be opened; kernels may not call the library.
    ///
    /// # Safety
    /// `provided` is valid for a write, or null.
    pub unsafe fn init_thread(&'static self, site: &'static Site, requested: c_int, provided: *mut c_int) -> c_int {
        if !(SHMEM_THREAD_SINGLE..=SHMEM_THREAD_MULTIPLE).contains(&(requested & !DEVICE_BITS)) {
            return -1;
        }
        let level = self.initialize(site, requested);
        let device = if self.device_room().is_some() { requested & SHMEM_DEVICE_HOST_INIT } else { 0 };
        if !provided.is_null() {
            // SAFETY: the caller's promise.
            unsafe { provided.write(level | device) };
        }
        0
    }

    /// The old way to initialise: finalize is called when the program ends, and calls after the first do nothing. The argument has had no
    /// meaning for decades.
    pub fn start_pes(&'static self, site: &'static Site, _npes: c_int) {
        if self.live().is_none() {
            self.initialize(site, SHMEM_THREAD_SINGLE);
            mutex::lock(&self.phases).finalize_at_exit = true;
        }
    }

    fn initialize(&'static self, site: &'static Site, requested: c_int) -> c_int {
        // Before any lock: a thread of the parent may have held it at the fork.
        if is_child() {
            self.refuse_call(site);
        }
        // Threads that initialise at the same time take turns, and the first one does it.
        let _gate = mutex::lock(&self.gate);
        match catch_loss(|| self.initialize_over(site, requested, ferrite_bootstrap::detect)) {
            Ok(level) => level,
            Err(loss) => {
                self.leave_lost_start();
                mutex::lock(&self.phases).is_start_lost = true;
                loss.resume()
            }
        }
    }

    /// Every init is undone.
    pub(super) fn forget_inits(&self) {
        let mut phases = mutex::lock(&self.phases);
        (phases.depth, phases.finalize_at_exit, phases.has_ended) = (0, false, true);
        phases.observers = self.live().map_or_else(Vec::new, |live| live.observers.list());
        phases.is_start_lost = false;
    }

    /// The program has abandoned a job whose init a loss has ended.
    pub(super) fn forget_lost_start(&self) {
        mutex::lock(&self.phases).is_start_lost = false;
    }

    /// Initialise the library, or count one more init. The caller must hold the gate.
    pub(super) fn initialize_over(
        &'static self,
        site: &'static Site,
        requested: c_int,
        boot: impl FnOnce() -> Result<Arc<dyn Boot>>,
    ) -> c_int {
        let started = self.start_or_count(
            site,
            || {
                // Those of an earlier job do not explain a failure of this start.
                *mutex::lock(&self.losses) = None;
                // The launcher comes first: it reports a wrong setting once for all PEs.
                let boot = boot()?;
                self.set_boot(&boot);
                let settings = Settings::from_environment()?;
                let losses = Losses::of(&*boot);
                Ok(StartOptions { boot, settings, extent: Extent::Executable, network: None, losses })
            },
            requested,
        );
        // SAFETY: a static is never moved.
        let watched = started.and_then(|started| unsafe { self.close_in_children() }.map(|()| started));
        let (level, first) = watched.unwrap_or_else(|error| self.init_failed(site, &error));
        let live = self.require_live(site);
        if first && live.me == 0 {
            introduce(&live.settings, live.boot.nodes(), live.diagnosis.carriage());
        }
        level
    }

    /// End the job because the library could not be initialised.
    #[cold]
    pub fn init_failed(&self, site: &Site, error: &ferrite_fabric::Error) -> ! {
        self.return_failed_init();
        self.die(EXIT_CODE, &format!("{}: {error}", site.name))
    }

    /// Store the thread level in force.
    ///
    /// # Safety
    /// `provided` is valid for a write.
    pub unsafe fn query_thread(&self, site: &'static Site, provided: *mut c_int) {
        self.require_live(site);
        self.must_be_somewhere(site, "provided", provided);
        // SAFETY: the caller's promise.
        unsafe { provided.write(mutex::lock(&self.phases).level) };
    }

    /// Store whether the library is initialised now: 1 or 0. Legal at any time, in any thread.
    ///
    /// # Safety
    /// `initialized` is valid for a write.
    pub unsafe fn query_initialized(&self, site: &'static Site, initialized: *mut c_int) {
        self.must_be_somewhere(site, "initialized", initialized);
        // SAFETY: the caller's promise.
        unsafe { initialized.write(c_int::from(self.live().is_some())) };
    }

    /// Undo one init. The last finalize ends the use of the library on all PEs, until the next init. One more does nothing, as with other
    /// libraries: programs rely on it.
    pub fn finalize(&self, site: &'static Site) {
        drop(self.finalize_but_memory(site));
    }

    /// As [`finalize`](Self::finalize), for programs whose handles may outlive the use of the library: allocated memory stays mapped until
    /// the returned value is dropped. `None` if this was not the last finalize.
    pub fn finalize_but_memory(&self, site: &'static Site) -> Option<Remains> {
        if self.live().is_none() && !is_child() && mutex::lock(&self.phases).has_ended {
            self.observers().iter().for_each(|one| one.finalized_again(self, site));
            return None;
        }
        self.require_live(site);
        let last = mutex::lock(&self.phases).depth <= 1;
        if last {
            self.require_no_requests(site);
            self.quiet_all(site);
            self.close_device(site);
            self.live().iter().flat_map(|live| &live.neighbour).for_each(Neighbour::leave);
        }
        self.barrier_as(site, EntryKind::Finalize);
        let _gate = mutex::lock(&self.gate);
        let last = {
            let mut phases = mutex::lock(&self.phases);
            let Some(depth) = phases.depth.checked_sub(1) else {
                drop(phases);
                self.misuse(site, format_args!("another thread has ended the last init meanwhile"))
            };
            phases.depth = depth;
            phases.finalize_at_exit &= phases.depth > 0;
            if phases.depth == 0 {
                phases.has_ended = true;
                phases.observers = self.live().map_or_else(Vec::new, |live| live.observers.list());
            }
            phases.depth == 0
        };
        if !last {
            return None;
        }
        self.finish_observers();
        start::take_apart(self, Parting::Together)
    }

    /// Leave the job in a program that ends without finalize. The world is not taken apart: other threads may still be in it, and the
    /// kernel cleans up.
    pub(crate) fn say_goodbye(&self, site: &'static Site) {
        let carried = self.live().and_then(|live| live.far.as_ref().map(|far| (live, far)));
        if let Some((live, far)) = carried {
            live.complete_unowed(&far.stream);
        }
        let neighbour = || self.live().into_iter().flat_map(|live| &live.neighbour);
        neighbour().for_each(Neighbour::leave);
        self.barrier_as(site, EntryKind::Finalize);
        self.live().iter().for_each(|live| live.diagnosis.enter(Phase::Left));
        self.finish_observers();
        if let Some((_, far)) = carried {
            far.part();
        }
        neighbour().for_each(Neighbour::stop);
        let Some(boot) = self.boot() else { return };
        match boot.leave() {
            // A peer that dies after the last barrier takes nothing with it.
            Err(_) if boot.has_lost() => boot.abandon(),
            Err(error) => self.die(EXIT_CODE, &format!("leaving the job: {error}")),
            Ok(()) => {}
        }
    }

    /// The observers of the world, also after the last finalize.
    pub(super) fn observers(&self) -> Vec<Arc<dyn Observer>> {
        match self.live() {
            Some(live) => live.observers.list(),
            None => mutex::lock(&self.phases).observers.clone(),
        }
    }

    /// Whether the program relies on finalize at exit (`start_pes`).
    pub(crate) fn finalizes_at_exit(&self) -> bool {
        mutex::lock(&self.phases).finalize_at_exit
    }
}

/// Print the start-up output of PE 0: the information that the user asked for, and, unasked, advice on settings that are ignored or cost
/// more than expected.
fn introduce(settings: &Settings, map: &NodeMap, carriage: &str) {
    let mut out = std::io::stdout().lock();
    // A closed standard output is no reason to end a job.
    if settings.version {
        let _ = writeln!(out, "{SHMEM_VENDOR_STRING}");
    }
    if settings.info {
        let _ = write!(out, "{}{carriage}", settings::describe_all());
    }
    let _ = out.flush();
    let slips = settings::misspelt();
    let slips = slips.iter().map(|(name, meant)| format!("{name} is set, but unknown; did you mean {meant}?"));
    for advice in slips.chain(settings::of_others()).chain(settings.transport.advice(map)) {
        let _ = std::io::stderr().write_all(format!("ferrite: {advice}\n").as_bytes());
    }
}
