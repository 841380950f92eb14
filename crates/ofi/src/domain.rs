//! The access to one NIC: what all endpoints of a PE share.

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

/// Bytes of an endpoint's address, at most.
const NAME_BYTES_MAX: usize = 512;

/// An open domain. Fields are dropped in their order.
pub struct Domain {
    /// Counts local registrations: their keys differ.
    pub locals: AtomicU64,
    /// The domain.
    pub domain: Object<fid_domain>,
    /// Its fabric.
    pub fabric: Object<fid_fabric>,
    /// What it was opened with.
    pub info: Info,
    /// The same for endpoints without messages, where those may be all that is needed.
    pub mute: Option<Info>,
    /// The same, read.
    pub offer: Offer,
    /// How many PEs there are.
    pub size: u32,
    /// The library.
    pub library: Libfabric,
}

/// All offers, judged; and the one that is chosen.
type Judged = (Vec<Candidate>, Option<(Offer, Info)>);

fn offers(library: &Libfabric, options: &Options) -> Result<Judged> {
    let whole = Wants { caps: FI_MSG, ..Wants::default() };
    let mut all = list(library, Wants { delivery: true, ..whole })?;
    // What does not suit is asked for as well, for the reasons.
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

/// What libfabric offers on this machine, judged.
pub fn survey(library: &Libfabric, options: &Options) -> Result<Vec<Candidate>> {
    offers(library, options).map(|(candidates, _)| candidates)
}

/// The same offer with atomics, where they may be the NIC's; and what endpoints without messages are opened with, if there is that.
fn with_atomics(library: &Libfabric, offer: Offer, info: Info) -> (Offer, Info, Option<Info>) {
    if !plan::may_have_atomics(&offer) {
        return (offer, info, None);
    }
    let same = |caps| {
        let (provider, domain) = (Some(&*offer.name), Some(&*offer.domain));
        let found = list(library, Wants { caps, delivery: true, provider, domain }).unwrap_or_default();
        found.into_iter().find(|(other, _)| other.fabric == offer.fabric)
    };
    for caps in [FI_ATOMIC | FI_FENCE, FI_ATOMIC] {
        if let Some((better, whole)) = same(caps | FI_MSG) {
            return (better, whole, same(caps).map(|(_, mute)| mute));
        }
    }
    (offer, info, None)
}

impl Domain {
    /// Open what suits best.
    pub fn open(library: Libfabric, options: &Options) -> Result<Self> {
        let (candidates, chosen) = offers(&library, options)?;
        for candidate in &candidates {
            tracing::debug!("libfabric: {candidate}");
        }
        let (offer, info) = chosen.ok_or_else(|| Error::new(select_provider::nothing(&candidates, options)))?;
        let (offer, info, mute) = with_atomics(&library, offer, info);
        let none = ptr::null_mut();
        let at = |what: &str| format!("{what} {} on {}", offer.name, offer.domain);
        // SAFETY: the attributes live in `info`, objects are used as they are opened, and the places are ours.
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

    /// What peers know an endpoint by: the provider, for they must all have the same, and its address.
    pub fn name(&self, ep: *mut fid_ep) -> Result<Vec<u8>> {
        let mut name = vec![0; NAME_BYTES_MAX];
        let mut len = name.len();
        // SAFETY: the endpoint is open; the name has the room that its length says.
        let code = unsafe { fi_getname(ep.cast(), name.as_mut_ptr().cast(), &raw mut len) };
        check(&self.library, "asking an endpoint for its address", code)?;
        name.truncate(len);
        let provider = self.offer.name.as_bytes();
        Ok([&[provider.len() as u8], provider, &name].concat())
    }

    /// The address in what a peer is known by, if it is of the same provider.
    pub fn address<'a>(&self, pe: Pe, name: &'a [u8]) -> Result<&'a [u8]> {
        let wrong = || Error::new(format!("the address of {pe} is not one of libfabric"));
        let (&len, rest) = name.split_first().ok_or_else(wrong)?;
        let (provider, address) = rest.split_at_checked(usize::from(len)).ok_or_else(wrong)?;
        if provider != self.offer.name.as_bytes() {
            let (theirs, ours) = (String::from_utf8_lossy(provider), &self.offer.name);
            return Err(Error::new(format!(
                "{pe} uses libfabric's {theirs} and this PE {ours}: ask for one that all nodes have"
            )));
        }
        Ok(address)
    }
}
