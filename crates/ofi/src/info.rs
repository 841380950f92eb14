//! `fi_info`: asking libfabric what there is.

use crate::offer::Offer;
use ferrite_engine::{Error, Result};
use libfabric_sys::*;
use std::{ffi::CString, ptr};

/// What must be asked of memory is asked of us: all of these can be obeyed.
pub const MR_MODES: libc::c_int = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
/// And what is asked apart from memory.
pub const MODES: u64 = FI_CONTEXT | FI_CONTEXT2;

/// An `fi_info` of our own.
pub struct Info {
    raw: *mut fi_info,
    free: unsafe extern "C" fn(*mut fi_info),
}

// SAFETY: the structure is read by everybody and changed by nobody until its only owner frees it.
unsafe impl Send for Info {}
// SAFETY: as above.
unsafe impl Sync for Info {}

impl Info {
    /// The structure, which stays as long as this.
    pub fn as_ptr(&self) -> *mut fi_info {
        self.raw
    }
}

impl Drop for Info {
    fn drop(&mut self) {
        // SAFETY: it was made by `fi_dupinfo`, and nobody else has it.
        unsafe { (self.free)(self.raw) }
    }
}

/// What is asked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wants<'a> {
    /// Capabilities beyond one-sided operations.
    pub caps: u64,
    /// Only those that can tell when data has been delivered.
    pub delivery: bool,
    /// Only this provider.
    pub provider: Option<&'a str>,
    /// Only this domain.
    pub domain: Option<&'a str>,
}

/// All that libfabric has for `wants`, in its order, without repetitions.
pub fn list(library: &Libfabric, wants: Wants<'_>) -> Result<Vec<(Offer, Info)>> {
    let hints = library.fi_allocinfo();
    if hints.is_null() {
        return Err(Error::new("libfabric has no memory for a question"));
    }
    let hints = Info { raw: hints, free: library.call.fi_freeinfo };
    let owned = |text: Option<&str>| {
        let text = text.and_then(|text| CString::new(text).ok());
        // SAFETY: the copy is freed with the hints, by the same allocator.
        text.map_or(ptr::null_mut(), |text| unsafe { libc::strdup(text.as_ptr()) })
    };
    // SAFETY: `fi_allocinfo` filled in all attributes, and nobody else has them yet.
    unsafe {
        let raw = &mut *hints.raw;
        raw.caps = FI_RMA | wants.caps;
        raw.mode = MODES;
        (*raw.ep_attr).type_ = FI_EP_RDM;
        (*raw.domain_attr).mr_mode = MR_MODES;
        (*raw.domain_attr).threading = FI_THREAD_SAFE;
        (*raw.domain_attr).resource_mgmt = FI_RM_ENABLED;
        (*raw.domain_attr).name = owned(wants.domain);
        (*raw.fabric_attr).prov_name = owned(wants.provider);
        if wants.delivery {
            (*raw.tx_attr).op_flags = FI_DELIVERY_COMPLETE;
        }
    }
    ask(library, hints.raw, wants.delivery)
}

/// Add an offer to others, unless it is there.
pub fn add(found: &mut Vec<(Offer, Info)>, offer: Offer, info: Info) {
    if !found.iter().any(|(known, _)| known.is_same(&offer)) {
        found.push((offer, info));
    }
}

/// Everything that there is, whether it suits or not.
pub fn list_all(library: &Libfabric) -> Result<Vec<(Offer, Info)>> {
    ask(library, ptr::null(), true)
}

fn ask(library: &Libfabric, hints: *const fi_info, delivery: bool) -> Result<Vec<(Offer, Info)>> {
    let mut list = ptr::null_mut();
    let call = &library.call;
    // SAFETY: hints are null or whole; the list is written where there is room for it.
    let code = unsafe { (call.fi_getinfo)(API_VERSION, ptr::null(), ptr::null(), 0, hints, &raw mut list) };
    if code == -FI_ENODATA {
        return Ok(Vec::new());
    }
    if code != 0 {
        let why = library.strerror(code as isize);
        return Err(Error::because("asking libfabric for its providers", why));
    }
    let mut found: Vec<(Offer, Info)> = Vec::new();
    let mut next = list;
    while !next.is_null() {
        // SAFETY: `next` is an element of the list, which is freed only below; the copy is ours.
        let copy = unsafe { (call.fi_dupinfo)(next) };
        if !copy.is_null() {
            let info = Info { raw: copy, free: call.fi_freeinfo };
            add(&mut found, Offer::of(&info, delivery), info);
        }
        // SAFETY: as above.
        next = unsafe { (*next).next };
    }
    // SAFETY: the list came from this library and is freed once; what we keep are copies.
    unsafe { (call.fi_freeinfo)(list) };
    Ok(found)
}
