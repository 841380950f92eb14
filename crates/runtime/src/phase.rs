//! The phases of a world: not started, started so many times, stopped, started again.

use crate::{
    Site, World,
    live::locked,
    misuse::EXIT_CODE,
    settings::{self, Settings},
    start,
};
use core::ffi::c_int;
use ferrite_abi::constants::{SHMEM_THREAD_MULTIPLE, SHMEM_THREAD_SINGLE, SHMEM_VENDOR_STRING};
use ferrite_bootstrap::Boot;
use ferrite_fabric::Result;
use std::{io::Write, sync::Arc};

/// How often the program has initialised the library, and how.
pub(crate) struct Phases {
    /// Inits without their finalize.
    depth: u32,
    /// The thread level that was granted.
    level: c_int,
    /// `start_pes` was called: finalize comes at exit by itself.
    finalize_at_exit: bool,
}

impl Phases {
    pub const fn new() -> Phases {
        Phases { depth: 0, level: SHMEM_THREAD_SINGLE, finalize_at_exit: false }
    }
}

/// What a world is to be made of.
pub struct Plan {
    /// Who this PE is.
    pub boot: Arc<dyn Boot>,
    /// What the user wants.
    pub settings: Settings,
    /// Whether this is the one world of its process: the executable's static data become symmetric, and the process
    /// calls [`World::at_exit`] when it exits.
    pub process_wide: bool,
}

impl World {
    /// Start the world as planned. Collective.
    pub fn start(&self, plan: Plan) -> Result<()> {
        let mut phases = locked(&self.phases);
        if phases.depth == 0 {
            self.open(Box::new(start::assemble(self, plan)?));
        }
        phases.depth += 1;
        drop(phases);
        self.sync_all(&Site { name: "init" });
        Ok(())
    }

    /// Initialise the library.
    pub fn init(&self, site: &'static Site) {
        self.initialize(site, SHMEM_THREAD_SINGLE);
    }

    /// Initialise the library for this use of threads. All levels are granted.
    ///
    /// # Safety
    /// `provided` is valid for a write, or null.
    pub unsafe fn init_thread(&self, site: &'static Site, requested: c_int, provided: *mut c_int) -> c_int {
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
    pub fn start_pes(&self, site: &'static Site, _npes: c_int) {
        if self.live().is_none() {
            self.initialize(site, SHMEM_THREAD_SINGLE);
            locked(&self.phases).finalize_at_exit = true;
        }
    }

    fn initialize(&self, site: &'static Site, requested: c_int) -> c_int {
        let nested = {
            let mut phases = locked(&self.phases);
            if phases.depth > 0 {
                phases.depth += 1;
                phases.level = phases.level.max(requested);
            }
            (phases.depth > 0).then_some(phases.level)
        };
        if let Some(level) = nested {
            return level;
        }
        let settings = Settings::from_environment().unwrap_or_else(|error| self.init_failed(site, &error));
        let boot = match self.boot() {
            Some(boot) => boot,
            None => self.set_boot(ferrite_bootstrap::detect().unwrap_or_else(|error| self.init_failed(site, &error))),
        };
        let (version, info) = (settings.version, settings.info);
        if let Err(error) = self.start(Plan { boot, settings, process_wide: true }) {
            self.init_failed(site, &error);
        }
        if self.my_pe(site) == 0 {
            introduce(version, info);
        }
        locked(&self.phases).level = requested;
        requested
    }

    #[cold]
    fn init_failed(&self, site: &Site, error: &ferrite_fabric::Error) -> ! {
        self.die(EXIT_CODE, &format!("{}: {error}", site.name))
    }

    /// The thread level in force.
    ///
    /// # Safety
    /// `provided` is valid for a write.
    pub unsafe fn query_thread(&self, site: &'static Site, provided: *mut c_int) {
        self.require_live(site);
        // SAFETY: the caller's promise.
        unsafe { provided.write(locked(&self.phases).level) };
    }

    /// Whether the library is initialised now: 1 or 0. Legal at any time, in any thread.
    ///
    /// # Safety
    /// `initialized` is valid for a write.
    pub unsafe fn query_initialized(&self, _site: &'static Site, initialized: *mut c_int) {
        // SAFETY: the caller's promise.
        unsafe { initialized.write(c_int::from(self.live().is_some())) };
    }

    /// Undo one init. The last one ends the use of the library on all PEs, until the next init.
    pub fn finalize(&self, site: &'static Site) {
        self.require_live(site);
        let last = locked(&self.phases).depth <= 1;
        if last {
            self.require_no_requests(site);
        }
        self.barrier_all(site);
        let mut phases = locked(&self.phases);
        phases.depth = phases.depth.saturating_sub(1);
        if phases.depth == 0 {
            phases.finalize_at_exit = false;
            drop(phases);
            start::dismantle(self);
        }
    }

    /// All the finalizes that are still owed, at once.
    pub(crate) fn finalize_all(&self, site: &'static Site) {
        locked(&self.phases).depth = 1;
        self.finalize(site);
    }

    /// Whether the program left finalize to its end.
    pub(crate) fn finalizes_at_exit(&self) -> bool {
        locked(&self.phases).finalize_at_exit
    }
}

/// What PE 0 prints at start-up, if asked to.
fn introduce(version: bool, info: bool) {
    let mut out = std::io::stdout().lock();
    // A closed standard output is no reason to end a job.
    if version {
        let _ = writeln!(out, "{SHMEM_VENDOR_STRING}");
    }
    if info {
        let _ = write!(out, "{}", settings::describe_all());
    }
    let _ = out.flush();
}
