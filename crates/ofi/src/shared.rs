//! What a transport and its ports share.

use crate::{domain::Domain, endpoint::Endpoint, plan::Plan, regions::Regions};
use ferrite_engine::{Error, Pe, Result, Sources, Target};
use ferrite_fabric::AddressBook;
use libfabric_sys::fi_addr_t;
use std::sync::{Arc, OnceLock};

/// See above. Fields are dropped in their order: memory before what it belongs to.
pub struct Shared {
    /// What peers reach.
    pub regions: Regions,
    /// The NIC.
    pub domain: Domain,
    /// How it is used.
    pub plan: Plan,
    /// What peers' messages do here.
    pub target: Arc<Target>,
    /// What tells this job's messages from strays, as it travels.
    pub job: [u8; 8],
    /// What of the program's memory a provider can map for itself.
    pub sources: Sources,
    /// Where peers are found, once that is known.
    pub book: OnceLock<Arc<dyn AddressBook>>,
}

impl Shared {
    /// Addresses and keys of peers.
    pub fn book(&self) -> Result<&Arc<dyn AddressBook>> {
        self.book.get().ok_or_else(|| Error::new("no address book: connect comes before operations"))
    }

    /// Enter the address of a peer at an endpoint, which is the caller's alone.
    pub fn enter(&self, endpoint: &Endpoint, pe: Pe) -> Result<fi_addr_t> {
        let name = self.book()?.address(pe)?;
        endpoint.enter(&self.domain, pe, self.domain.address(pe, &name)?)
    }
}
