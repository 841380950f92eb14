//! Access of a process to UCX.

use crate::{
    Options, Survey,
    context::Context,
    memlock_check,
    memory::Memory,
    port::{DEPTH, EAGER_BYTES_MAX, UcxPort},
    slot::COPY_BYTES_MAX,
};
use ferrite_engine::{
    Answers, Atomics, Engine, Flush, Limits, Links, Orders, Segment, Sources, Surroundings, Target, Transport,
};
use ferrite_fabric::{About, AddressBook, Error, Fabric, Key, Result};
use ferrite_os::mutex;
use std::{
    fmt,
    sync::{Arc, Mutex, OnceLock},
    time::Duration,
};

/// Maximum number of workers for lanes. A worker is expensive: it has connections to every peer that it has reached, with their queues and
/// buffers.
const PORTS_MAX: usize = 16;

/// Report UCX's version on this machine, and the transports and devices that it may use.
pub fn survey(options: &Options) -> Result<Survey> {
    let context = Context::new(options, options.progress.sleeps(options.crowded))?;
    Ok(Survey {
        version: context.ucx.version,
        file: context.ucx.file.clone(),
        resources: context.resources.clone(),
        drives_nic: !context.is_software,
    })
}

/// Load UCX, and open a fabric over the transports that UCX's environment allows.
pub fn open(options: Options) -> Result<Box<dyn Fabric>> {
    let Options { me, size, job, progress, one_host, crowded, silence, .. } = options;
    let engine = ferrite_engine::Options { me, size, job, progress, one_host, crowded, silence };
    let engine = Engine::open(engine, |surroundings: &Surroundings| UcxTransport::new(options, surroundings))?;
    Ok(Box::new(engine))
}

/// State that ports share.
pub struct Shared {
    pub target: Arc<Target>,
    /// Which of the program's memory UCX can register.
    pub sources: Sources,
    pub context: Arc<Context>,
    book: OnceLock<Arc<dyn AddressBook>>,
}

impl Shared {
    /// Address book of the peers.
    pub fn book(&self) -> Result<&dyn AddressBook> {
        self.book
            .get()
            .map(|book| &**book)
            .ok_or_else(|| Error::new("no address book: connect comes before operations"))
    }
}

/// The transport over UCX. Fields are dropped in declaration order: a worker before memory, memory before the context.
pub struct UcxTransport {
    /// The service's port, until the engine takes it.
    service: Mutex<Option<UcxPort>>,
    memory: Memory,
    shared: Arc<Shared>,
    limits: Limits,
    address: Vec<u8>,
    links: Links,
}

impl UcxTransport {
    /// Open UCX; nothing is connected yet.
    pub fn new(options: Options, surroundings: &Surroundings) -> Result<Self> {
        let context = Arc::new(Context::new(&options, surroundings.sleeps)?);
        memlock_check::check(&context)?;
        let (major, minor, release) = context.ucx.version;
        tracing::debug!(me = %options.me, resources = context.resources.join(", "), "UCX {major}.{minor}.{release}");
        let shared = Arc::new(Shared {
            target: Arc::clone(&surroundings.target),
            sources: Sources::default(),
            context: Arc::clone(&context),
            book: OnceLock::new(),
        });
        let service = UcxPort::new(&shared)?;
        Ok(UcxTransport {
            address: service.worker.address()?,
            service: Mutex::new(Some(service)),
            memory: Memory::new(&context),
            limits: limits(&context, options.writes),
            shared,
            links: options.links,
        })
    }
}

/// Limits of the ports. If only processors move data, puts are not writes: UCX would make a message of each write, and answer each.
fn limits(context: &Context, writes: Option<bool>) -> Limits {
    Limits {
        depth: DEPTH,
        copy_bytes_max: COPY_BYTES_MAX,
        message_bytes_max: usize::MAX,
        writes: writes.unwrap_or(!context.is_software),
        // UCX does not order a put, which a NIC may execute, and an active message, which a processor executes. It orders puts among each
        // other only by a fence, which may be a blocking flush (from 1.14 on).
        orders: Orders { message_message: EAGER_BYTES_MAX, ..Orders::default() },
        atomics: Atomics::Target,
        flush: Flush::Call,
        answers: Answers::Asked,
        answers_come_to_service: false,
        needs_polling: true,
        sleeps_long: true,
        drives_nic: !context.is_software,
    }
}

impl fmt::Debug for UcxTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UcxTransport").field("resources", &self.shared.context.resources).finish_non_exhaustive()
    }
}

impl Transport for UcxTransport {
    type Port = UcxPort;

    fn name(&self) -> &'static str {
        "ucx"
    }

    fn about(&self) -> About {
        let (major, minor, release) = self.shared.context.ucx.version;
        About {
            by: format!("UCX {major}.{minor}.{release}"),
            devices: self.shared.context.resources.clone(),
            endpoints_max: Some(PORTS_MAX),
        }
    }

    fn limits(&self) -> &Limits {
        &self.limits
    }

    fn address(&self) -> Vec<u8> {
        self.address.clone()
    }

    unsafe fn register(&self, segment: Segment) -> Result<Key> {
        // SAFETY: as the caller says.
        unsafe { self.memory.register(segment) }
    }

    fn connect(&self, book: Arc<dyn AddressBook>) -> Result<()> {
        self.shared.book.set(book).map_err(|_| Error::new("the fabric has an address book already"))
    }

    fn service(&self) -> Result<UcxPort> {
        mutex::lock(&self.service).take().ok_or_else(|| Error::new("the service's port was taken before"))
    }

    fn open(&self) -> Result<UcxPort> {
        UcxPort::new(&self.shared)
    }

    fn ports_max(&self) -> usize {
        PORTS_MAX
    }

    fn links(&self) -> Links {
        self.links.clone()
    }

    fn parting_time(&self) -> Duration {
        Duration::from_secs(3)
    }

    fn close(&self) {
        self.memory.close();
    }
}
