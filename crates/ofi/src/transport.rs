//! Access to libfabric: an open domain, the service's endpoint, and as many ports as the engine opens.

use crate::{
    Options,
    atomics::has_every_atomic,
    domain::Domain,
    endpoint::{Endpoint, Needs},
    plan,
    port::{BATCH, OfiPort, STAGED},
    regions::Regions,
    shared::Shared,
};
use ferrite_engine::{Atomics, Error, Limits, Links, Result, Segment, Sources, Surroundings, Transport};
use ferrite_fabric::{About, AddressBook, Key};
use ferrite_os::mutex;
use libfabric_sys::Libfabric;
use std::sync::{Arc, Mutex, OnceLock};

/// Number of the service's buffers that receive messages.
const RECEIVES: usize = 128;

/// The transport over libfabric (see the module).
pub struct OfiTransport {
    /// The service's endpoint, until it becomes a port.
    service: Mutex<Option<Endpoint>>,
    shared: Arc<Shared>,
    address: Vec<u8>,
    /// Threads of the program sleep on the ports of lanes.
    lanes_wake: bool,
}

impl OfiTransport {
    /// Open the best offer of a library.
    pub fn open(library: Libfabric, options: &Options, surroundings: &Surroundings) -> Result<OfiTransport> {
        let domain = Domain::open(library, options)?;
        let may_have_atomics = options.nic_atomics && plan::may_have_atomics(&domain.offer);
        let wakes = surroundings.sleeps && !may_have_atomics && plan::wakes(&domain.offer);
        let open = |messages| {
            let needs = Needs { depth: RECEIVES + STAGED + BATCH, counter: false, wait: wakes, messages };
            Endpoint::open(&domain, needs)
        };
        let mut service = open(!may_have_atomics)?;
        let plan = plan::plan(&domain.offer, has_every_atomic(domain.offer.caps, service.as_ptr()), options);
        if may_have_atomics && plan.has_messages() {
            service = open(true)?;
        }
        let address = domain.name(service.as_ptr())?;
        let shared = Shared {
            regions: Regions::new(service.as_ptr()),
            domain,
            plan,
            target: Arc::clone(&surroundings.target),
            job: options.job.to_le_bytes(),
            sources: Sources::default(),
            book: OnceLock::new(),
        };
        let transport = OfiTransport {
            service: Mutex::new(Some(service)),
            shared: Arc::new(shared),
            address,
            // If PEs have cores of their own, no thread sleeps on these ports, and the means to be woken are not set up.
            lanes_wake: wakes && options.crowded,
        };
        tracing::debug!(me = %options.me, plan = %transport.shared.plan, "{}", transport.describe());
        Ok(transport)
    }

    /// Name of the provider.
    pub(crate) fn provider(&self) -> &str {
        &self.shared.domain.offer.name
    }

    /// Name of the NIC, and of its network.
    pub(crate) fn place(&self) -> (&str, &str) {
        let offer = &self.shared.domain.offer;
        (&offer.domain, &offer.fabric)
    }

    /// Describe in a line which provider is used, and how.
    pub fn describe(&self) -> String {
        let Shared { domain, plan, .. } = &*self.shared;
        let (major, minor) = domain.library.version();
        let atomics = if plan.limits.atomics == Atomics::Target { "the target's processor" } else { "the NIC" };
        let progress = if plan.limits.needs_polling { "processors" } else { "hardware" };
        let offer = &domain.offer;
        format!(
            "libfabric {major}.{minor}, {} on {} ({}); atomics by {atomics}; progress by {progress}",
            offer.name, offer.domain, offer.fabric
        )
    }
}

impl Transport for OfiTransport {
    type Port = OfiPort;

    fn name(&self) -> &'static str {
        "libfabric"
    }

    fn full_name(&self) -> String {
        format!("libfabric's {}", self.shared.domain.offer.name)
    }

    fn about(&self) -> About {
        let Shared { domain, plan, .. } = &*self.shared;
        let (major, minor) = domain.library.version();
        About {
            by: format!("libfabric {major}.{minor}, {}", domain.offer.name),
            devices: vec![domain.offer.domain.clone()],
            endpoints_max: Some(plan.endpoints),
        }
    }

    fn limits(&self) -> &Limits {
        &self.shared.plan.limits
    }

    fn address(&self) -> Vec<u8> {
        self.address.clone()
    }

    unsafe fn register(&self, segment: Segment) -> Result<Key> {
        // SAFETY: as the caller says: the regions are closed by `close`.
        unsafe { self.shared.regions.register(&self.shared, segment) }
    }

    fn connect(&self, book: Arc<dyn AddressBook>) -> Result<()> {
        self.shared.book.set(book).map_err(|_| Error::new("the fabric has an address book already"))
    }

    fn service(&self) -> Result<OfiPort> {
        let endpoint = mutex::lock(&self.service).take().ok_or_else(|| Error::new("there is one service port"))?;
        let receives = if self.shared.plan.has_messages() { RECEIVES } else { 0 };
        OfiPort::new(Arc::clone(&self.shared), endpoint, receives)
    }

    fn open(&self) -> Result<OfiPort> {
        let plan = &self.shared.plan;
        let needs = Needs {
            depth: plan.limits.depth + BATCH,
            counter: plan.counts_writes,
            wait: self.lanes_wake && !plan.counts_writes,
            messages: plan.has_messages(),
        };
        OfiPort::new(Arc::clone(&self.shared), Endpoint::open(&self.shared.domain, needs)?, 0)
    }

    fn ports_max(&self) -> usize {
        self.shared.plan.endpoints
    }

    fn links(&self) -> Links {
        Links::named(&[&self.shared.domain.offer.domain])
    }

    /// Regions close before the endpoint that they are bound to.
    fn close(&self) {
        self.shared.regions.close();
    }
}
