//! `fi_info`: queries of libfabric's offers.

use crate::offer::Offer;
use ferrite_engine::{Error, Result};
use libfabric_sys::*;
use std::{ffi::CString, ptr};

/// Registration modes that a provider may ask for: this crate supports all of them.
pub const MR_MODES: libc::c_int = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
/// Modes apart from memory registration that a provider may ask for. FI_ASYNC_IOV, which `opx` always asks for (`fi_opx_fillinfo` in
/// prov/opx/src/fi_opx_init.c), concerns vectors with more than one entry (fi_getinfo(3)); all vectors of this crate have one.
pub const MODES: u64 = FI_CONTEXT | FI_CONTEXT2 | FI_ASYNC_IOV;

/// An owned `fi_info`.
pub struct Info {
    raw: *mut fi_info,
    free: unsafe extern "C" fn(*mut fi_info),
}

// SAFETY: any thread may read the structure, and none changes it until its only owner frees it.
unsafe impl Send for Info {}
// SAFETY: as above.
unsafe impl Sync for Info {}

impl Info {
    /// Pointer to the structure, valid as long as this object.
    pub fn as_ptr(&self) -> *mut fi_info {
        self.raw
    }
}

impl Info {
    /// Set the key with which a domain is opened, instead of one that the provider finds. The bytes are the provider's structure.
    pub fn set_auth_key(&mut self, key: &[u8]) -> Result<()> {
        // SAFETY: a call that allocates memory.
        let copy = unsafe { libc::malloc(key.len()) }.cast::<u8>();
        if copy.is_null() {
            return Err(Error::new("there is no memory for the key of a domain"));
        }
        // SAFETY: the copy has room for the key, and is freed with the structure by the C library's `free`, as the old one is here. All
        // attributes of an `Info` exist, and `self` is borrowed mutably.
        unsafe {
            ptr::copy_nonoverlapping(key.as_ptr(), copy, key.len());
            let domain = &mut *(*self.raw).domain_attr;
            libc::free(domain.auth_key.cast());
            (domain.auth_key, domain.auth_key_size) = (copy, key.len());
        }
        Ok(())
    }
}

impl Drop for Info {
    fn drop(&mut self) {
        // SAFETY: `fi_dupinfo` or `fi_allocinfo` made it, and it has no other owner.
        unsafe { (self.free)(self.raw) }
    }
}

/// Criteria for a query.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wants<'a> {
    /// Capabilities beyond one-sided operations.
    pub caps: u64,
    /// Only offers that can report when data has been delivered.
    pub delivery: bool,
    /// Only this provider.
    pub provider: Option<&'a str>,
    /// Only this domain.
    pub domain: Option<&'a str>,
}

/// List all offers that match `wants`, in libfabric's order and without duplicates.
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
    // SAFETY: `fi_allocinfo` filled in all attributes, and nothing else refers to them yet.
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

/// Add an offer, unless one of the same provider, NIC and network is there already.
pub fn add(found: &mut Vec<(Offer, Info)>, offer: Offer, info: Info) {
    if !found.iter().any(|(known, _)| known.is_same(&offer)) {
        found.push((offer, info));
    }
}

/// List every offer, suitable or not.
pub fn list_all(library: &Libfabric) -> Result<Vec<(Offer, Info)>> {
    ask(library, ptr::null(), true)
}

fn ask(library: &Libfabric, hints: *const fi_info, delivery: bool) -> Result<Vec<(Offer, Info)>> {
    let mut list = ptr::null_mut();
    let call = &library.call;
    // SAFETY: hints are null or complete; `list` has room for the result.
    let code = unsafe { (call.fi_getinfo)(library.api_version(), ptr::null(), ptr::null(), 0, hints, &raw mut list) };
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
        // SAFETY: `next` is an element of the list, which is freed only below; this function owns the copy.
        let copy = unsafe { (call.fi_dupinfo)(next) };
        if !copy.is_null() {
            let info = Info { raw: copy, free: call.fi_freeinfo };
            add(&mut found, Offer::of(&info, delivery), info);
        }
        // SAFETY: as above.
        next = unsafe { (*next).next };
    }
    // SAFETY: the list came from this library and is freed once; the elements that are kept are copies.
    unsafe { (call.fi_freeinfo)(list) };
    Ok(found)
}
