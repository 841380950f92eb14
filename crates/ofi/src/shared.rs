//! What the lanes, the progress thread and the fabric itself share.

use crate::{
    Options,
    domain::Domain,
    endpoint::{Endpoint, Needs},
    lane::Core,
    plan::{self, Plan, Told, Waker},
    regions::Regions,
    service::Service,
    sockets::Sockets,
};
use ferrite_fabric::{
    AddressBook, Bell, Error, Fate, Key, Links, Pe, Pool, Result, Segment, mutex, segments::Segments, sources::Sources,
    tick::Visits,
};
use libfabric_sys::*;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, atomic::AtomicBool};

/// Domain and plan, which always go together.
#[derive(Clone, Copy)]
pub struct Access<'a> {
    /// The NIC.
    pub domain: &'a Domain,
    /// How it is used.
    pub plan: &'a Plan,
}

/// The state of a fabric. Fields are dropped in their order: memory and endpoints before what they belong to.
pub struct Shared {
    /// What peers reach.
    pub regions: Regions,
    /// The endpoints of lanes, by their numbers.
    pub lanes: Pool<Core>,
    service: Mutex<Service>,
    /// The NIC.
    pub domain: Domain,
    /// How it is used.
    pub plan: Plan,
    /// What was wished.
    pub options: Options,
    /// The same memory, for the processor.
    pub memory: Segments,
    /// Where peers find our service.
    pub address: Vec<u8>,
    /// What of the program's memory a provider can map for itself.
    pub sources: Sources,
    /// Wakes the thread.
    pub bell: Bell,
    /// What the thread sleeps on.
    pub waker: Waker,
    /// What the provider moves data through, where it does so by TCP.
    pub sockets: Sockets,
    /// The interface of the NIC, if it has one.
    pub links: Links,
    pub visits: Visits,
    /// The thread shall end.
    pub stopping: AtomicBool,
    pub fate: Fate,
    book: OnceLock<Arc<dyn AddressBook>>,
}

/// Whether the provider says that it has every atomic that OpenSHMEM needs.
fn has_every_atomic(offer_caps: u64, ep: *mut fid_ep) -> bool {
    if offer_caps & FI_ATOMIC == 0 {
        return false;
    }
    let plain = [FI_ATOMIC_WRITE, FI_SUM, FI_BAND, FI_BOR, FI_BXOR];
    let fetching = [FI_ATOMIC_READ, FI_ATOMIC_WRITE, FI_SUM, FI_BAND, FI_BOR, FI_BXOR];
    [FI_UINT32, FI_UINT64].into_iter().all(|kind| {
        let mut count = 0;
        // SAFETY: the endpoint is open; the count has room.
        unsafe {
            plain.iter().all(|&op| fi_atomicvalid(ep, kind, op, &raw mut count) == 0 && count > 0)
                && fetching.iter().all(|&op| fi_fetch_atomicvalid(ep, kind, op, &raw mut count) == 0 && count > 0)
                && fi_compare_atomicvalid(ep, kind, FI_CSWAP, &raw mut count) == 0
                && count > 0
        }
    })
}

/// Where peers reach this PE.
struct Door {
    endpoint: Endpoint,
    address: Vec<u8>,
    sockets: Sockets,
}

impl Shared {
    /// Open the service's endpoint in a domain.
    pub fn new(mut options: Options, domain: Domain) -> Result<Self> {
        let offer = &domain.offer;
        let may_have_atomics = plan::may_have_atomics(offer);
        let sleeps = options.progress.sleeps(options.crowded) && !may_have_atomics;
        let open = |messages, waker| {
            let needs =
                Needs { depth: Service::DEPTH, counter: false, wait: sleeps && waker == Waker::Queue, messages };
            let endpoint = Endpoint::open(&domain, needs)?;
            let address = domain.name(endpoint.as_ptr())?;
            let sockets = Sockets::new(plan::has_sockets(offer), domain.address(options.me, &address)?);
            Ok::<_, Error>(Door { endpoint, address, sockets })
        };
        let mut waker = plan::waker(offer, domain.library.version(), options.crowded);
        let mut door = open(!may_have_atomics, waker)?;
        if waker == Waker::Sockets && !door.sockets.are_found() {
            tracing::debug!("the system does not list this process's sockets");
            waker = Waker::Queue;
            door = open(!may_have_atomics, waker)?;
        }
        let every = has_every_atomic(domain.offer.caps, door.endpoint.as_ptr());
        let plan = plan::plan(&domain.offer, every, options.progress);
        if may_have_atomics && plan.has_requests() {
            door = open(true, waker)?;
        }
        let Door { endpoint, address, sockets } = door;
        if plan.is_served_by_program() {
            // A peer that computes is as silent as one that is lost.
            options.silence = None;
        }
        let bell = Bell::new()?;
        let service = Service::new(Access { domain: &domain, plan: &plan }, endpoint)?;
        let (version, offer) = (domain.library.version(), &domain.offer);
        let links = Links::named(&[&offer.domain]);
        tracing::debug!(me = %options.me, ?version, provider = offer.name, domain = offer.domain, ?plan, "libfabric");
        Ok(Shared {
            regions: Regions::default(),
            lanes: Pool::default(),
            service: Mutex::new(service),
            domain,
            plan,
            fate: Fate::new(options.me),
            options,
            memory: Segments::default(),
            address,
            sources: Sources::default(),
            bell,
            waker,
            sockets,
            links,
            visits: Visits::default(),
            stopping: AtomicBool::new(false),
            book: OnceLock::new(),
        })
    }

    /// Domain and plan.
    #[inline]
    pub fn access(&self) -> Access<'_> {
        Access { domain: &self.domain, plan: &self.plan }
    }

    /// Let peers reach a segment.
    ///
    /// # Safety
    /// The segment stays mapped until the regions are closed.
    pub unsafe fn register(&self, segment: Segment) -> Result<Key> {
        let service = self.service();
        // SAFETY: the caller's promise.
        let key = unsafe { self.regions.register(self.access(), service.endpoint(), segment) }?;
        self.memory.register(segment)?;
        Ok(key)
    }

    /// Addresses and keys of peers.
    pub fn book(&self) -> Result<&Arc<dyn AddressBook>> {
        self.book.get().ok_or_else(|| Error::new("no address book: connect comes before operations"))
    }

    /// There is a book.
    pub fn is_connected(&self) -> bool {
        self.book.get().is_some()
    }

    /// Take the book.
    pub fn keep(&self, book: Arc<dyn AddressBook>) -> Result<()> {
        self.book.set(book).map_err(|_| Error::new("the fabric has an address book already"))
    }

    /// Enter the address of a peer at an endpoint, which is the caller's alone.
    pub fn enter(&self, endpoint: &Endpoint, pe: Pe) -> Result<fi_addr_t> {
        let name = self.book()?.address(pe)?;
        let address = self.domain.address(pe, &name)?;
        self.sockets.meet(address);
        endpoint.enter(&self.domain, pe, address)
    }

    /// The endpoint of a new lane.
    pub fn join_lane(&self) -> Result<Arc<Core>> {
        self.lanes.join(self.plan.endpoints, |number| Core::new(self.access(), number as u32, self.may_doze()))
    }

    /// Whether threads that wait sleep on the queues of the service and of all lanes. Not where a counter tells what no queue does.
    pub fn may_doze(&self) -> bool {
        self.options.crowded && self.plan.told == Told::Queue && self.waker == Waker::Queue
    }

    /// The service, when it is free.
    pub fn service(&self) -> MutexGuard<'_, Service> {
        mutex::lock(&self.service)
    }

    /// Take and answer requests, unless somebody else is at it.
    #[inline]
    pub fn serve(&self) -> usize {
        let served = mutex::try_lock(&self.service).map_or(0, |mut service| service.serve(self));
        // What peers read and write completes nothing here, and what the provider has taken of it shows at no socket any more.
        if served > 0 || self.waker == Waker::Sockets {
            self.bell.rouse();
        }
        served
    }
}
