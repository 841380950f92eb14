//! Access to one NIC, shared by all endpoints of a PE.

use crate::{
    Candidate, Options,
    info::{Info, Wants, add, list, list_all},
    object::{Object, check},
    offer::Offer,
    plan, select_provider,
};
use ferrite_engine::{Error, Pe, Result};
use libfabric_sys::*;
use std::{ptr, sync::atomic::AtomicU64};

/// The provider that takes keys of Slingshot.
const SLINGSHOT: &str = "cxi";
/// Maximum length of an endpoint's address, in bytes.
const NAME_BYTES_MAX: usize = 512;

/// An open domain. Fields are dropped in declaration order.
pub struct Domain {
    /// Number of local registrations so far; it makes their keys distinct.
    pub locals: AtomicU64,
    /// libfabric's domain object.
    pub domain: Object<fid_domain>,
    /// The fabric that the domain belongs to.
    pub fabric: Object<fid_fabric>,
    /// The `fi_info` that the domain was opened with.
    pub info: Info,
    /// The same for endpoints without messages, if the NIC may execute the atomics: then such endpoints may be all that is needed.
    pub mute: Option<Info>,
    /// `info` as plain values.
    pub offer: Offer,
    /// Number of PEs in the job.
    pub size: u32,
    /// The library, opened at run time.
    pub library: Libfabric,
}

/// All offers with their verdicts, and the chosen one.
type Judged = (Vec<Candidate>, Option<(Offer, Info)>);

fn offers(library: &Libfabric, options: &Options) -> Result<Judged> {
    let whole = Wants { caps: FI_MSG, ..Wants::default() };
    let mut all = list(library, Wants { delivery: true, ..whole })?;
    // List the unsuitable offers too, so that each is reported with the reason against it.
    for (offer, info) in list(library, whole)? {
        add(&mut all, Offer { delivery: false, ..offer }, info);
    }
    let judge = |all: &[(Offer, Info)]| {
        let offers: Vec<Offer> = all.iter().map(|(offer, _)| offer.clone()).collect();
        select_provider::select(&offers, options)
    };
    let (candidates, chosen) = judge(&all);
    if let Some(chosen) = chosen {
        return Ok((candidates, Some(all.swap_remove(chosen))));
    }
    for (offer, info) in list_all(library)? {
        add(&mut all, offer, info);
    }
    Ok((judge(&all).0, None))
}

/// List libfabric's offers on this machine, each with its verdict.
pub fn survey(library: &Libfabric, options: &Options) -> Result<Vec<Candidate>> {
    offers(library, options).map(|(candidates, _)| candidates)
}

/// Ask for the same offer as it will be used: with atomics, if the NIC may execute them, or without a path inside this host, if none is
/// needed. Also return the `fi_info` for endpoints without messages, if the provider has one.
fn refine(library: &Libfabric, options: &Options, offer: Offer, info: Info) -> (Offer, Info, Option<Info>) {
    let same = |caps| {
        let (provider, domain) = (Some(&*offer.name), Some(&*offer.domain));
        let found = list(library, Wants { caps, delivery: true, provider, domain }).unwrap_or_default();
        found.into_iter().find(|(other, _)| other.fabric == offer.fabric)
    };
    if options.maps_host && plan::opens_shared_memory(&offer) {
        let (offer, info) = same(FI_MSG | FI_REMOTE_COMM).unwrap_or((offer, info));
        return (offer, info, None);
    }
    if !(options.nic_atomics && plan::may_have_atomics(&offer)) {
        return (offer, info, None);
    }
    for caps in [FI_ATOMIC | FI_FENCE, FI_ATOMIC] {
        if let Some((better, whole)) = same(caps | FI_MSG) {
            return (better, whole, same(caps).map(|(_, mute)| mute));
        }
    }
    (offer, info, None)
}

impl Domain {
    /// Open the best offer.
    pub fn open(library: Libfabric, options: &Options) -> Result<Self> {
        let (candidates, chosen) = offers(&library, options)?;
        for candidate in &candidates {
            tracing::debug!("libfabric: {candidate}");
        }
        let (offer, info) = chosen.ok_or_else(|| Error::new(select_provider::nothing(&candidates, options)))?;
        let (offer, mut info, mute) = refine(&library, options, offer, info);
        if let Some(key) = options.slingshot.key(&offer.domain).filter(|_| offer.core() == SLINGSHOT) {
            // Endpoints inherit the key of their domain.
            info.set_auth_key(&key.bytes())?;
        }
        let none = ptr::null_mut();
        let at = |what: &str| format!("{what} {} on {}", offer.name, offer.domain);
        // SAFETY: the attributes live as long as `info`; each object is open when a later call uses it; `place` is writable.
        let fabric = Object::open(&library, &at("opening libfabric's"), |place| unsafe {
            (library.call.fi_fabric)((*info.as_ptr()).fabric_attr, place, none)
        })?;
        // SAFETY: as above.
        let domain = Object::open(&library, &at("opening the domain of"), |place| unsafe {
            fi_domain(fabric.as_ptr(), info.as_ptr(), place, none)
        })?;
        let locals = AtomicU64::new(0);
        Ok(Domain { locals, domain, fabric, info, mute, offer, size: options.size, library })
    }

    /// Name by which peers know an endpoint: the provider's name, because all PEs must use the same provider, and the endpoint's address.
    pub fn name(&self, ep: *mut fid_ep) -> Result<Vec<u8>> {
        let mut name = vec![0; NAME_BYTES_MAX];
        let mut len = name.len();
        // SAFETY: the endpoint is open; `name` has room for `len` bytes.
        let code = unsafe { fi_getname(ep.cast(), name.as_mut_ptr().cast(), &raw mut len) };
        check(&self.library, "asking an endpoint for its address", code)?;
        name.truncate(len);
        let provider = self.offer.name.as_bytes();
        Ok([&[provider.len() as u8], provider, &name].concat())
    }

    /// Extract the address from the name by which a peer is known. Fails if the peer uses another provider.
    pub fn address<'a>(&self, pe: Pe, name: &'a [u8]) -> Result<&'a [u8]> {
        let wrong = || Error::new(format!("the address of {pe} is not a libfabric address"));
        let (&len, rest) = name.split_first().ok_or_else(wrong)?;
        let (provider, address) = rest.split_at_checked(usize::from(len)).ok_or_else(wrong)?;
        if provider != self.offer.name.as_bytes() {
            let (theirs, ours) = (String::from_utf8_lossy(provider), &self.offer.name);
            return Err(Error::new(format!(
                "{pe} uses libfabric's {theirs} and this PE {ours}: set SHMEM_OFI_PROVIDER to one that all hosts have"
            )));
        }
        Ok(address)
    }
}
