//! The [`Fabric`] over any transport.

use crate::{
    Arm, Error, Event, Pe, Port, Result, Segment, Surroundings, Target, Transport,
    bell::{Bell, sleep_on},
    doorbell::Doorbell,
    health::Health,
    lane::EngineLane,
    links::Links,
    polls::ProgramPolls,
    pool::Pool,
    service,
    shared_port::{SharedPort, owned},
    timing,
};
use ferrite_fabric::{About, AddressBook, Alarm, Caps, Doze, Fabric, Key, Lane, Progress, SegmentId, Words};
use ferrite_os::{
    guarded_fd::{Closed, GuardedFd},
    mutex, threads,
};
use std::{
    fmt, mem,
    os::fd::BorrowedFd,
    sync::{
        Arc, Mutex, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// Options of one PE's engine.
#[derive(Clone, Debug)]
pub struct Options {
    /// The number of this PE.
    pub me: Pe,
    /// Number of PEs in the job.
    pub size: u32,
    /// A number that all PEs of the job share and no other job has. It is no secret.
    pub job: u64,
    /// Which threads make progress.
    pub progress: Progress,
    /// All PEs are on this host: the engine listens on loopback only.
    pub one_host: bool,
    /// PEs share cores: a thread that waits should sleep, so that its peers run.
    pub crowded: bool,
    /// Time without any sign of life after which a peer that owes something counts as lost. With `None` the engine waits for ever, for a
    /// job whose PEs may be stopped.
    pub silence: Option<Duration>,
}

/// State that the lanes, the service thread and the fabric itself share.
pub struct Shared<T: Transport> {
    pub options: Options,
    /// The ports of lanes.
    pub ports: Pool<SharedPort<T>>,
    service: Mutex<Service<T>>,
    service_fd: Option<GuardedFd>,
    pub transport: T,
    /// Executes peers' messages at this PE.
    pub target: Arc<Target>,
    /// The interfaces that carry the data.
    pub links: Links,
    /// Whether the fabric works.
    pub health: Health,
    /// Wakes the service thread.
    pub bell: Bell,
    /// Lets peers wake the service thread, if there is one.
    pub doorbell: Option<Doorbell>,
    /// The program's polls.
    pub polls: ProgramPolls,
    /// Set to end the service thread.
    pub stopping: AtomicBool,
    /// Addresses at which peers are rung.
    bells: OnceLock<Cards>,
}

/// The port that peers know.
struct Service<T: Transport> {
    port: T::Port,
    events: Vec<Event>,
    closed: bool,
}

impl<T: Transport> Shared<T> {
    /// Receive and answer requests, unless another thread is doing so.
    #[inline]
    pub fn serve(&self) -> usize {
        self.try_serve().unwrap_or(0)
    }

    /// Receive and answer requests. Returns `None` if another thread is doing so.
    #[inline]
    pub fn try_serve(&self) -> Option<usize> {
        let served = mutex::try_lock(&self.service)?.serve(self);
        // A thread that sleeps on an event taken here would sleep on.
        if served > 0 {
            self.rouse();
        }
        Some(served)
    }

    /// Wake the service thread if it is parked, because work was left for it, or because an event was taken that would have woken it.
    #[inline]
    pub fn rouse(&self) {
        if let Err(closed) = self.bell.rouse() {
            self.health.fail(&Error::new(closed.to_string()));
        }
    }

    /// Check that the descriptors that stay open across calls of the program are still the library's. The error names one that is not.
    fn descriptors(&self) -> Result<(), Closed> {
        self.bell.check()?;
        self.doorbell.iter().try_for_each(Doorbell::check)?;
        self.service_fd.iter().try_for_each(|fd| fd.get().map(drop))?;
        self.ports.all().iter().filter_map(|port| port.guarded()).try_for_each(|fd| fd.get().map(drop))?;
        self.transport.descriptors()
    }

    /// Whether the library still has its descriptors. If not, the fabric fails, because awaited events cannot come.
    pub fn has_descriptors(&self) -> bool {
        self.descriptors().inspect_err(|closed| self.health.fail(&Error::new(closed.to_string()))).is_ok()
    }

    /// Try once to arm the service port, so that a thread may sleep on it. It is armed only if nothing happened.
    pub fn arm_service(&self) -> Arm {
        let mut service = mutex::lock(&self.service);
        match service.serve(self) {
            _ if service.closed => Arm::CannotArm,
            0 if service.port.has_unsent() => Arm::CannotArm,
            0 => service.port.arm(),
            _ => Arm::Busy,
        }
    }

    /// Descriptor on which a thread sleeps while the service port is armed.
    pub fn service_fd(&self) -> Option<BorrowedFd<'_>> {
        self.service_fd.as_ref().and_then(GuardedFd::file)
    }

    /// Send queued data on all ports.
    pub fn push(&self) {
        if let Some(mut service) = mutex::try_lock(&self.service) {
            service.port.push();
        }
        self.ports.all().iter().for_each(|port| port.push());
    }

    /// Whether this PE owes its peers something that has not left.
    fn owes(&self) -> bool {
        mutex::lock(&self.service).port.has_unsent() || self.ports.all().iter().any(|port| port.is_unfinished())
    }

    /// Let the transport do the work that belongs to no port. Returns when to do so again.
    pub fn tend(&self) -> Option<Instant> {
        let mut events = Vec::new();
        let next = self.transport.tend(&mut events);
        self.note(&mut events);
        next
    }

    /// Wake a peer's service thread.
    #[cold]
    pub fn ring(&self, pe: Pe) {
        if let (Some(doorbell), Some(bells)) = (&self.doorbell, self.bells.get()) {
            doorbell.ring(pe, bells);
        }
    }

    fn note(&self, events: &mut Vec<Event>) {
        for event in events.drain(..) {
            match event {
                Event::Failed(error) => self.health.fail(&error),
                Event::Lost(..) => {}
                Event::Done(token) | Event::CallLost(token, _) => {
                    tracing::warn!(token = token.0, "the service port ended a call that it had not started")
                }
            }
        }
    }
}

impl<T: Transport> Service<T> {
    #[inline]
    fn serve(&mut self, shared: &Shared<T>) -> usize {
        if self.closed {
            return 0;
        }
        let served = self.port.poll(&mut self.events);
        if !self.events.is_empty() {
            let mut events = mem::take(&mut self.events);
            shared.note(&mut events);
            self.events = events;
        }
        served
    }
}

/// The card of this PE, which peers read: the addresses of its doorbell and of its transport.
fn encode_card(doorbell: &[u8], transport: &[u8]) -> Vec<u8> {
    [&(doorbell.len() as u16).to_le_bytes(), doorbell, transport].concat()
}

fn decode_card(card: &[u8]) -> Option<(&[u8], &[u8])> {
    let (len, rest) = card.split_first_chunk::<2>()?;
    rest.split_at_checked(usize::from(u16::from_le_bytes(*len)))
}

/// An address book of one half of each card.
struct Cards {
    book: Arc<dyn AddressBook>,
    /// True for the half of the doorbell, false for the half of the transport.
    of_doorbell: bool,
}

impl AddressBook for Cards {
    fn address(&self, pe: Pe) -> Result<Vec<u8>> {
        let card = self.book.address(pe)?;
        let (doorbell, transport) =
            decode_card(&card).ok_or_else(|| Error::new(format!("the address of {pe} is cut short")))?;
        Ok(if self.of_doorbell { doorbell } else { transport }.to_vec())
    }

    fn key(&self, pe: Pe, segment: SegmentId) -> Result<Key> {
        self.book.key(pe, segment)
    }
}

/// One PE's side of the fabric.
pub struct Engine<T: Transport> {
    shared: Arc<Shared<T>>,
    caps: Caps,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl<T: Transport> Engine<T> {
    /// Open a transport, and start the service thread if one is needed.
    pub fn open(mut options: Options, open: impl FnOnce(&Surroundings) -> Result<T>) -> Result<Self> {
        let target = Arc::new(Target::new(options.me, options.size));
        let sleeps = options.progress.sleeps(options.crowded);
        let transport = open(&Surroundings { target: Arc::clone(&target), sleeps })?;
        let limits = *transport.limits();
        let has_thread = match options.progress {
            Progress::Needed => limits.needs_polling,
            Progress::Thread => true,
            Progress::Program => transport.tending_fd().is_some(),
        };
        if limits.needs_polling && !has_thread {
            // A peer that computes is as silent as one that is lost.
            options.silence = None;
        }
        let port = transport.service()?;
        let service_fd = owned(port.fd())?;
        let doorbell = has_thread.then(|| Doorbell::open(options.job, options.one_host)).transpose()?;
        let shared = Arc::new(Shared {
            ports: Pool::default(),
            service: Mutex::new(Service { port, events: Vec::new(), closed: false }),
            service_fd,
            links: transport.links(),
            health: Health::new(options.me),
            target,
            transport,
            options,
            bell: Bell::new()?,
            doorbell,
            polls: ProgramPolls::default(),
            stopping: AtomicBool::new(false),
            bells: OnceLock::new(),
        });
        let caps = Caps {
            inject_bytes_max: limits.copy_bytes_max,
            needs_target_progress: limits.needs_polling && !has_thread,
            nic_atomics: limits.atomics != crate::Atomics::Target,
            drives_nic: limits.drives_nic,
        };
        let engine = Engine { shared, caps, thread: Mutex::default() };
        if has_thread {
            let shared = Arc::clone(&engine.shared);
            let name = format!("ferrite-{}", engine.name());
            let thread = threads::start(thread::Builder::new(), &name, move || service::run(&shared))
                .map_err(|e| Error::because("starting the service thread", e))?;
            *mutex::lock(&engine.thread) = Some(thread);
        }
        Ok(engine)
    }

    /// The transport below.
    pub fn transport(&self) -> &T {
        &self.shared.transport
    }

    /// End the service thread: a provider's library destroys its own state at the end of the process, and no thread may be inside it then.
    fn stop(&self) {
        self.shared.stopping.store(true, Ordering::Release);
        let rung = self.shared.bell.ring();
        let thread = mutex::lock(&self.thread).take();
        // A thread that sleeps on a closed bell is not in the transport, and stays out of it when it wakes. One that is awake sees `stopping`
        // before it serves again.
        if let Some(thread) = thread.filter(|_| rung.is_ok()) {
            let _ = thread.join();
        }
    }
}

impl<T: Transport> fmt::Debug for Engine<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine").field("over", &self.shared.transport.full_name()).finish_non_exhaustive()
    }
}

impl<T: Transport> Fabric for Engine<T> {
    fn name(&self) -> &'static str {
        self.shared.transport.name()
    }

    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn about(&self) -> About {
        self.shared.transport.about()
    }

    fn address(&self) -> Vec<u8> {
        let doorbell = self.shared.doorbell.as_ref().map(Doorbell::address).unwrap_or_default();
        encode_card(&doorbell, &self.shared.transport.address())
    }

    unsafe fn register(&self, segment: Segment) -> Result<Key> {
        self.shared.target.segments.reach_of(&segment)?;
        // SAFETY: as the caller says: the transport is closed when this is dropped.
        let key = unsafe { self.shared.transport.register(segment) }?;
        self.shared.target.segments.register(segment)?;
        Ok(key)
    }

    fn serve(&self, id: SegmentId, words: Arc<dyn Words>) -> Result<()> {
        if self.caps.nic_atomics {
            return Err(Error::new("the NIC executes all atomics; set SHMEM_ATOMICS=processor"));
        }
        self.shared.target.segments.serve(id, words)
    }

    fn connect(&self, book: Arc<dyn AddressBook>) -> Result<()> {
        let half = |of_doorbell| Cards { book: Arc::clone(&book), of_doorbell };
        if self.shared.bells.set(half(true)).is_err() {
            return Err(Error::new("the fabric has an address book already"));
        }
        self.shared.transport.connect(Arc::new(half(false)))
    }

    fn lane(&self) -> Result<Box<dyn Lane>> {
        Ok(Box::new(EngineLane::new(&self.shared)?))
    }

    fn fault(&self) -> Option<Error> {
        self.shared.health.fault()
    }

    fn closed_by_program(&self) -> Option<Error> {
        self.shared.descriptors().err().map(|closed| Error::new(closed.to_string()))
    }

    /// Sleep on all ports at which the awaited event may appear: the service port, and ports with something under way.
    fn doze(&self, limit: Duration) -> Doze {
        let shared = &self.shared;
        // The program is here. The service thread must stay away: an event that it took would not wake this sleeper.
        shared.polls.count();
        let mut awaited: Vec<BorrowedFd<'_>> = Vec::new();
        match (shared.arm_service(), shared.service_fd()) {
            (Arm::Armed, Some(fd)) => awaited.push(fd),
            (arm, _) => {
                shared.rouse();
                return without_sleep(arm);
            }
        }
        let ports = shared.ports.all();
        for port in &ports {
            match (port.arm(shared), port.fd()) {
                (None, _) => {}
                (Some(Arm::Armed), Some(fd)) => awaited.push(fd),
                (Some(arm), _) => return without_sleep(arm),
            }
        }
        if sleep_on(awaited, Some(limit)) { Doze::Woken } else { Doze::Through }
    }

    /// Send everything that was posted, and notify peers of the end.
    fn part(&self) {
        let shared = &self.shared;
        if shared.stopping.load(Ordering::Acquire) {
            return;
        }
        let deadline = Instant::now() + shared.transport.parting_time();
        shared.has_descriptors();
        let is_sound = || shared.health.is_sound();
        let serve = || {
            shared.serve();
            shared.ports.all().iter().for_each(|port| _ = port.attend(shared));
        };
        while is_sound() && shared.owes() && Instant::now() < deadline {
            serve();
        }
        let sound = is_sound();
        shared.health.close();
        while sound && !shared.transport.part() && Instant::now() < deadline {
            serve();
            thread::sleep(timing::PARTING_PAUSE);
        }
        self.stop();
        for port in shared.ports.take() {
            port.close(sound, deadline, &mut || _ = shared.serve());
        }
        let mut service = mutex::lock(&shared.service);
        service.port.close(sound, deadline, &mut || {});
        service.closed = true;
    }

    fn lost_peer(&self) -> Option<Pe> {
        self.shared.health.lost_peer()
    }

    fn alarm(&self) -> Alarm {
        let shared = Arc::downgrade(&self.shared);
        Box::new(move |why| {
            if let Some(shared) = shared.upgrade() {
                shared.health.fail(why);
                shared.transport.give_up();
            }
        })
    }

    fn abandon(&self, why: &Error) {
        // An unsound fabric is closed without a word to its peers.
        self.shared.health.fail(why);
        self.part();
    }

    fn halt(&self) {
        self.shared.health.close();
        self.stop();
        // The process ends: no thread needs these locks any more, and a thread that waits for one stays out of the library.
        self.shared.ports.all().iter().for_each(|port| port.shut());
        mem::forget(mutex::lock(&self.shared.service));
    }
}

/// Why there is no sleep.
fn without_sleep(arm: Arm) -> Doze {
    if arm == Arm::Busy { Doze::Busy } else { Doze::Refused }
}

impl<T: Transport> Drop for Engine<T> {
    /// After this, peers may go, and no peer reaches the segments any more.
    fn drop(&mut self) {
        self.part();
        self.shared.transport.close();
    }
}
