//! Init and finalize: a world is not started, started a number of times, stopped, or started again.

use crate::{
    Site, World,
    check::Check,
    life::{child::is_child, neighbour::Neighbour, start},
    memory::Memory,
    misuse::EXIT_CODE,
    settings::{self, Settings},
};
use core::ffi::c_int;
use ferrite_abi::constants::{SHMEM_THREAD_MULTIPLE, SHMEM_THREAD_SINGLE, SHMEM_VENDOR_STRING};
use ferrite_bootstrap::{Boot, NodeMap};
use ferrite_diagnose::{entry::EntryKind, status::Phase};
use ferrite_fabric::{Fabric, Result};
use ferrite_os::mutex;
use std::{io::Write, sync::Arc};

/// How often the program has initialised the library, and how.
pub(crate) struct Phases {
    /// Inits without their finalize.
    depth: u32,
    /// The thread level that was granted.
    level: c_int,
    /// `start_pes` was called: finalize comes at exit by itself.
    finalize_at_exit: bool,
    /// There was a last finalize.
    has_ended: bool,
    /// What looked for mistakes until then, if that was asked for.
    looked: Option<Arc<Check>>,
}

impl Phases {
    pub const fn new() -> Phases {
        Phases { depth: 0, level: SHMEM_THREAD_SINGLE, finalize_at_exit: false, has_ended: false, looked: None }
    }
}

/// The memory of a world that is finalized, still mapped.
pub struct Remains(pub(crate) Memory);

impl Drop for Remains {
    fn drop(&mut self) {
        self.0.node.release_heap(self.0.heap_ceiling());
    }
}

/// What PEs agree on before the program begins.
static INIT: Site = Site::of_c("init");

/// What a world is to its process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// One of several: PEs are threads.
    Thread,
    /// The only one: what becomes of the process becomes of the PE, which watches for stalls and crashes.
    Process,
    /// The only one, and it has the executable: its static data become symmetric, and it calls [`World::at_exit`] when it exits.
    Executable,
}

/// What a world is to be made of.
pub struct StartOptions {
    /// Who this PE is.
    pub boot: Arc<dyn Boot>,
    /// What the user wants.
    pub settings: Settings,
    /// What it is to its process.
    pub extent: Extent,
    /// What reaches all other PEs, instead of mapped memory and of the transport that settings name: a simulated network. Waits then
    /// depend on nothing but it.
    pub network: Option<Box<dyn Fabric>>,
}

impl World {
    /// Start the world as planned. Collective.
    pub fn start(&self, plan: StartOptions) -> Result<()> {
        let _gate = mutex::lock(&self.gate);
        self.start_or_count(|| Ok(plan), SHMEM_THREAD_SINGLE)?;
        // Programs in Rust do not ask: contexts and teams may be other threads'.
        self.live().iter().for_each(|live| live.diagnosis.allow_threads(true));
        Ok(())
    }

    /// One more init: the first puts the world together. The caller is alone at the gate. Gives the thread level, and
    /// whether this was the first.
    fn start_or_count(&self, plan: impl FnOnce() -> Result<StartOptions>, requested: c_int) -> Result<(c_int, bool)> {
        {
            let mut phases = mutex::lock(&self.phases);
            if phases.depth > 0 {
                phases.depth += 1;
                phases.level = phases.level.max(requested);
                self.live().iter().for_each(|live| live.know_level(phases.level));
                return Ok((phases.level, false));
            }
        }
        self.open(Box::new(start::assemble(self, plan()?)?));
        self.live().iter().for_each(|live| live.know_level(requested));
        start::step("compare settings", || start::compare(self, &INIT));
        if let Some(live) = self.live()
            && let Some(check) = &live.check
        {
            check.introduce();
            check.watch(live);
        }
        let mut phases = mutex::lock(&self.phases);
        phases.depth = 1;
        phases.level = requested;
        Ok((requested, true))
    }

    /// Initialise the library.
    pub fn init(&'static self, site: &'static Site) {
        self.initialize(site, SHMEM_THREAD_SINGLE);
    }

    /// Initialise the library for this use of threads. All levels are granted.
    ///
    /// # Safety
    /// `provided` is valid for a write, or null.
    pub unsafe fn init_thread(&'static self, site: &'static Site, requested: c_int, provided: *mut c_int) -> c_int {
        if !(SHMEM_THREAD_SINGLE..=SHMEM_THREAD_MULTIPLE).contains(&requested) {
            return -1;
        }
        let level = self.initialize(site, requested);
        if !provided.is_null() {
            // SAFETY: the caller's promise.
            unsafe { provided.write(level) };
        }
        0
    }

    /// The old way to initialise: finalize comes by itself when the program ends, and calls after the first do
    /// nothing. The argument has meant nothing for decades.
    pub fn start_pes(&'static self, site: &'static Site, _npes: c_int) {
        if self.live().is_none() {
            self.initialize(site, SHMEM_THREAD_SINGLE);
            mutex::lock(&self.phases).finalize_at_exit = true;
        }
    }

    fn initialize(&'static self, site: &'static Site, requested: c_int) -> c_int {
        // Before locks, which a thread of the parent may have held at the fork.
        if is_child() {
            self.refuse_call(site);
        }
        // Threads that initialise at the same time come one after the other, and one of them does it.
        let _gate = mutex::lock(&self.gate);
        let started = self.start_or_count(
            || {
                let settings = Settings::from_environment()?;
                let boot = match self.boot() {
                    Some(boot) => boot,
                    None => self.set_boot(ferrite_bootstrap::detect()?),
                };
                Ok(StartOptions { boot, settings, extent: Extent::Executable, network: None })
            },
            requested,
        );
        // SAFETY: a static is not moved.
        let watched = started.and_then(|started| unsafe { self.close_in_children() }.map(|()| started));
        let (level, first) = watched.unwrap_or_else(|error| self.init_failed(site, &error));
        let live = self.require_live(site);
        if first && live.me == 0 {
            introduce(&live.settings, live.boot.nodes());
        }
        level
    }

    /// End the job because the library could not be initialised.
    #[cold]
    pub fn init_failed(&self, site: &Site, error: &ferrite_fabric::Error) -> ! {
        self.die(EXIT_CODE, &format!("{}: {error}", site.name))
    }

    /// The thread level in force.
    ///
    /// # Safety
    /// `provided` is valid for a write.
    pub unsafe fn query_thread(&self, site: &'static Site, provided: *mut c_int) {
        self.require_live(site);
        self.must_be_somewhere(site, "provided", provided);
        // SAFETY: the caller's promise.
        unsafe { provided.write(mutex::lock(&self.phases).level) };
    }

    /// Whether the library is initialised now: 1 or 0. Legal at any time, in any thread.
    ///
    /// # Safety
    /// `initialized` is valid for a write.
    pub unsafe fn query_initialized(&self, site: &'static Site, initialized: *mut c_int) {
        self.must_be_somewhere(site, "initialized", initialized);
        // SAFETY: the caller's promise.
        unsafe { initialized.write(c_int::from(self.live().is_some())) };
    }

    /// Undo one init. The last one ends the use of the library on all PEs, until the next init. One more does nothing, as with other
    /// libraries: programs rely on it.
    pub fn finalize(&self, site: &'static Site) {
        drop(self.finalize_but_memory(site));
    }

    /// The same for a program whose handles may outlive the use of the library: what was allocated stays where it is until what
    /// comes back is dropped. `None` if this was not the last finalize.
    pub fn finalize_but_memory(&self, site: &'static Site) -> Option<Remains> {
        if self.live().is_none() && !is_child() && mutex::lock(&self.phases).has_ended {
            let looked = mutex::lock(&self.phases).looked.clone();
            looked.iter().for_each(|check| check.finalized_once_more(self, site.name));
            return None;
        }
        self.require_live(site);
        let last = mutex::lock(&self.phases).depth <= 1;
        if last {
            self.require_no_requests(site);
            self.quiet_all(site);
            self.live().iter().flat_map(|live| &live.neighbour).for_each(Neighbour::leave);
        }
        self.barrier_as(site, EntryKind::Finalize);
        let _gate = mutex::lock(&self.gate);
        let last = {
            let mut phases = mutex::lock(&self.phases);
            phases.depth = phases.depth.saturating_sub(1);
            phases.finalize_at_exit &= phases.depth > 0;
            if phases.depth == 0 {
                phases.has_ended = true;
                phases.looked = self.live().and_then(|live| live.check.clone());
            }
            phases.depth == 0
        };
        if !last {
            return None;
        }
        self.finish_observers();
        start::dismantle(self)
    }

    /// What is owed to the others by a program that ends without finalize. The world stays as it is: other threads may
    /// still be in it, and the kernel takes it apart.
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
        if let Some(Err(error)) = self.boot().map(|boot| boot.leave()) {
            self.die(EXIT_CODE, &format!("leaving the job: {error}"));
        }
    }

    /// Whether the program left finalize to its end.
    pub(crate) fn finalizes_at_exit(&self) -> bool {
        mutex::lock(&self.phases).finalize_at_exit
    }
}

/// Print what PE 0 prints at start-up: what the user asks for, and, unasked, advice on settings that are ignored or cost more than
/// they seem to.
fn introduce(settings: &Settings, map: &NodeMap) {
    let mut out = std::io::stdout().lock();
    // A closed standard output is no reason to end a job.
    if settings.version {
        let _ = writeln!(out, "{SHMEM_VENDOR_STRING}");
    }
    if settings.info {
        let _ = write!(out, "{}", settings::describe_all());
    }
    let _ = out.flush();
    let slips = settings::misspelt();
    let slips = slips.iter().map(|(name, meant)| format!("nothing reads {name}, which is set; is {meant} meant?"));
    for advice in slips.chain(settings.transport.advice(map)) {
        let _ = std::io::stderr().write_all(format!("ferrite: {advice}\n").as_bytes());
    }
}
