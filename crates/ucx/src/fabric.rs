//! A PE's part in the fabric.

use crate::{
    By, Options, Survey,
    context::Context,
    doze,
    lane::{PARTING, UcxLane},
    service,
    shared::Shared,
    slot::INJECT_BYTES_MAX,
};
use ferrite_fabric::{AddressBook, Caps, Doze, Error, Fabric, Key, Lane, Progress, Result, Segment, mutex, threads};
use std::{
    fmt, mem,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// What it can do, by who executes atomics, and whether peers may store to memory that UCX has lent.
fn caps(options: &Options, context: &Context) -> Caps {
    Caps {
        inject_bytes_max: INJECT_BYTES_MAX,
        amo: |_, _| true,
        put_signal: true,
        needs_target_progress: options.progress == Progress::Program,
        nic_atomics: options.atomics == By::Library,
        peers_store: context.is_local(),
        drives_nic: !context.is_software(),
    }
}

/// What UCX is on this machine, and what it may use of it.
pub fn survey(options: &Options) -> Result<Survey> {
    let context = Context::new(options)?;
    Ok(Survey {
        version: context.ucx.version,
        file: context.ucx.file.clone(),
        resources: context.resources.clone(),
        drives_nic: !context.is_software(),
    })
}

fn start(shared: &Arc<Shared>) -> Result<JoinHandle<()>> {
    let shared = Arc::clone(shared);
    let run = move || {
        if let Err(error) = service::run(&shared) {
            shared.fate.fail(&error);
        }
    };
    threads::start(thread::Builder::new(), "ferrite-ucx", run)
        .map_err(|e| Error::because("starting the service thread", e))
}

/// A PE's part in the fabric.
pub struct UcxFabric {
    shared: Arc<Shared>,
    caps: Caps,
    /// The thread that serves peers, where one does.
    service: Mutex<Option<JoinHandle<()>>>,
    /// Nobody has begun to leave it.
    open: AtomicBool,
}

impl UcxFabric {
    /// Load UCX, open what its environment allows, and start the service thread, unless the program is to serve alone.
    pub fn new(options: Options) -> Result<Self> {
        let shared = Arc::new(Shared::new(options)?);
        let service = (shared.options.progress != Progress::Program).then(|| start(&shared)).transpose()?;
        let caps = caps(&shared.options, &shared.context);
        Ok(UcxFabric { shared, caps, service: Mutex::new(service), open: AtomicBool::new(true) })
    }

    /// What UCX may use, as `tcp/eth0`.
    pub fn resources(&self) -> &[String] {
        &self.shared.context.resources
    }

    /// The library's version.
    pub fn version(&self) -> (u32, u32, u32) {
        self.shared.context.ucx.version
    }
}

impl fmt::Debug for UcxFabric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UcxFabric").field("options", &self.shared.options).finish_non_exhaustive()
    }
}

impl Fabric for UcxFabric {
    fn name(&self) -> &'static str {
        "ucx"
    }

    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn address(&self) -> Vec<u8> {
        self.shared.address.clone()
    }

    unsafe fn furnish(&self, base: *mut u8, len: usize) -> Result<bool> {
        // SAFETY: as the caller says.
        unsafe { self.shared.memory.furnish(base, len) }
    }

    unsafe fn register(&self, segment: Segment) -> Result<Key> {
        // SAFETY: as the caller says.
        unsafe { self.shared.memory.register(segment) }
    }

    fn connect(&self, book: Arc<dyn AddressBook>) -> Result<()> {
        self.shared.open_book(book)
    }

    fn lane(&self) -> Result<Box<dyn Lane>> {
        Ok(Box::new(UcxLane::new(&self.shared)?))
    }

    fn fault(&self) -> Option<Error> {
        self.shared.fate.fault()
    }

    fn doze(&self, limit: Duration) -> Doze {
        doze::doze(&self.shared, limit).unwrap_or_else(|error| {
            self.shared.fate.fail(&error);
            Doze::Refused
        })
    }

    /// Lanes complete what they have under way and close their endpoints. Peers need no word of it: to lose a peer of
    /// which nothing is awaited is no fault. The service thread goes too: at the process's end UCX takes its own state
    /// apart, and a thread that were still in a worker would crash.
    fn part(&self) {
        if !self.open.swap(false, Ordering::AcqRel) {
            return;
        }
        let lanes = self.shared.lanes.take();
        let deadline = Instant::now() + PARTING;
        lanes.iter().for_each(|lane| lane.close(&self.shared, deadline));
        // Peers take what UCX still has for them, if they are there.
        while self.shared.target.owes() && Instant::now() < deadline {
            thread::sleep(Duration::from_micros(100));
        }
        self.shared.fate.close();
        self.shared.stop(mutex::lock(&self.service).take());
        self.shared.target.leave();
    }

    fn halt(&self) {
        self.open.store(false, Ordering::Release);
        self.shared.fate.close();
        self.shared.stop(mutex::lock(&self.service).take());
        // The process ends: nobody needs these locks any more, and whoever waits for one stays out of UCX.
        let lanes = self.shared.lanes.all();
        lanes.iter().for_each(|lane| mem::forget(lane.lock()));
        self.shared.target.shut();
    }
}

impl Drop for UcxFabric {
    /// Lanes complete what they have under way, for a moment at most. Then nobody touches the segments any more.
    fn drop(&mut self) {
        self.part();
        self.shared.target.close();
        self.shared.memory.close();
    }
}
