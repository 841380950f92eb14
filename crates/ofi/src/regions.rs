//! Registration of memory: for peers, and, if the provider requires it, for operations of this PE.

use crate::{
    extents::{EXTENTS_MAX, Reach, chosen_key, local_key, random_key},
    object::{Object, check, registered},
    shared::Shared,
};
use ferrite_engine::{Error, Result, Segment};
use ferrite_fabric::Key;
use ferrite_os::mutex;
use libfabric_sys::*;
use std::{
    collections::HashMap,
    ffi::c_void,
    ptr,
    sync::{Mutex, PoisonError, RwLock, atomic::Ordering},
};

/// Purpose of a registration.
#[derive(Clone, Copy, Debug)]
pub enum Use {
    /// Peers reach the memory, with this key if Ferrite may choose it.
    Remote(u64),
    /// Operations of this PE read and write the memory.
    Local,
    /// Operations of this PE read the memory. It may be read-only.
    Source,
}

/// Register `len` bytes for `ep`.
///
/// # Safety
/// The memory stays mapped until the region is closed.
pub unsafe fn open(
    shared: &Shared,
    ep: *mut fid_ep,
    base: *mut u8,
    len: usize,
    for_what: Use,
) -> Result<Object<fid_mr>> {
    let library = &shared.domain.library;
    let local = || local_key(shared.domain.locals.fetch_add(1, Ordering::Relaxed));
    let (flags, key) = match for_what {
        Use::Remote(key) => (FI_REMOTE_READ | FI_REMOTE_WRITE | FI_READ | FI_WRITE, key),
        Use::Local => (FI_SEND | FI_RECV | FI_READ | FI_WRITE, local()),
        Use::Source => (FI_SEND | FI_WRITE, local()),
    };
    let mut region = ptr::null_mut();
    // SAFETY: the domain is open; the memory is mapped, by the caller's promise.
    let code = unsafe {
        let domain = shared.domain.domain.as_ptr();
        fi_mr_reg(domain, base.cast(), len, flags, 0, key, 0, &raw mut region, ptr::null_mut())
    };
    registered(library, len, code)?;
    let region = Object::of("registering memory", region)?;
    if shared.plan.bound {
        // SAFETY: region and endpoint are open, and of one domain.
        let bound = unsafe { fi_mr_bind(region.as_ptr(), &raw mut (*ep).fid, 0) };
        check(library, "binding memory to an endpoint", bound)?;
        // SAFETY: as above.
        check(library, "enabling registered memory", unsafe { fi_mr_enable(region.as_ptr()) })?;
    }
    Ok(region)
}

/// A segment that peers reach.
#[derive(Default)]
struct Reached {
    reach: Reach,
    regions: Vec<Object<fid_mr>>,
}

/// A registered piece of a segment, which local operations may use in place.
struct Known {
    start: usize,
    end: usize,
    desc: *mut c_void,
}

/// All memory that peers may reach.
pub struct Regions {
    /// Endpoint through which peers reach the memory.
    ep: *mut fid_ep,
    known: RwLock<Vec<Known>>,
    reached: Mutex<HashMap<u8, Reached>>,
}

// SAFETY: descriptors and the endpoint are only values here: they are passed to calls, and never dereferenced.
unsafe impl Send for Regions {}
// SAFETY: as above.
unsafe impl Sync for Regions {}

impl Regions {
    /// Start without any registration for `ep`, which stays open until [`Regions::close`].
    pub fn new(ep: *mut fid_ep) -> Regions {
        Regions { ep, known: RwLock::default(), reached: Mutex::default() }
    }

    /// Register a segment, or its growth. Return the key with which peers reach all of it.
    ///
    /// # Safety
    /// The segment stays mapped until [`Regions::close`]. It has neither moved nor shrunk since it was last registered.
    pub unsafe fn register(&self, shared: &Shared, segment: Segment) -> Result<Key> {
        let plan = &shared.plan;
        let mut reached = mutex::lock(&self.reached);
        let Reached { reach, regions } = reached.entry(segment.id.0).or_default();
        reach.base = plan.addressed.then_some(segment.base as u64);
        let old = reach.len();
        let number = reach.extents.len();
        if number >= EXTENTS_MAX {
            return Err(Error::new(format!("segment {} has grown {EXTENTS_MAX} times, the limit", segment.id.0)));
        }
        let more = segment.len - old as usize;
        if more > 0 {
            let wish = if plan.random_keys { random_key()? } else { chosen_key(segment.id, number) };
            let start = segment.base.wrapping_add(old as usize);
            // SAFETY: as the caller promises.
            let region = unsafe { open(shared, self.ep, start, more, Use::Remote(wish)) }?;
            // SAFETY: the region is open.
            let (key, desc) = unsafe { (fi_mr_key(region.as_ptr()), fi_mr_desc(region.as_ptr())) };
            if !plan.provider_keys && key != wish {
                return Err(Error::new("the provider did not use the requested key"));
            }
            // A registration that is bound to the service's endpoint cannot be used with the endpoints of lanes.
            if plan.local && !plan.bound {
                let known = Known { start: start as usize, end: start as usize + more, desc };
                self.known.write().unwrap_or_else(PoisonError::into_inner).push(known);
            }
            reach.push(more as u64, key);
            regions.push(region);
        }
        Ok(Key(reach.encode(plan.provider_keys || plan.random_keys)))
    }

    /// Whether peers reach the memory through this endpoint.
    pub fn are_reached_through(&self, ep: *mut fid_ep) -> bool {
        self.ep == ep
    }

    /// Descriptor of local memory, if all of it is registered for peers anyway.
    pub fn desc(&self, at: *const u8, len: usize) -> Option<*mut c_void> {
        let (start, end) = (at as usize, at as usize + len);
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.iter().find(|known| known.start <= start && end <= known.end).map(|known| known.desc)
    }

    /// Close all registrations: peers reach no memory from here on.
    pub fn close(&self) {
        self.known.write().unwrap_or_else(PoisonError::into_inner).clear();
        mutex::lock(&self.reached).clear();
    }
}
