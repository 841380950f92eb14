//! State that a transport and its ports share.

use crate::{domain::Domain, endpoint::Endpoint, plan::Plan, regions::Regions};
use ferrite_engine::{Error, Pe, Result, Sources, Target};
use ferrite_fabric::AddressBook;
use libfabric_sys::fi_addr_t;
use std::sync::{Arc, OnceLock};

/// The shared state. Fields are dropped in declaration order: registered memory before the domain that it belongs to.
pub struct Shared {
    /// Memory that peers reach.
    pub regions: Regions,
    /// The open domain: the NIC.
    pub domain: Domain,
    /// How the provider is used.
    pub plan: Plan,
    /// Executes the messages of peers.
    pub target: Arc<Target>,
    /// The job's number as it is sent, which distinguishes this job's messages from strays.
    pub job: [u8; 8],
    /// Which of the program's memory may be written: a provider may be unable to map the rest by itself.
    pub sources: Sources,
    /// Addresses and keys of peers; set by `connect`.
    pub book: OnceLock<Arc<dyn AddressBook>>,
}

impl Shared {
    /// The address book of peers. It is an error to ask before `connect`.
    pub fn book(&self) -> Result<&Arc<dyn AddressBook>> {
        self.book.get().ok_or_else(|| Error::new("no address book: connect comes before operations"))
    }

    /// Insert the address of a peer at an endpoint. The caller has exclusive use of the endpoint.
    pub fn enter(&self, endpoint: &Endpoint, pe: Pe) -> Result<fi_addr_t> {
        let name = self.book()?.address(pe)?;
        endpoint.enter(&self.domain, pe, self.domain.address(pe, &name)?)
    }
}
