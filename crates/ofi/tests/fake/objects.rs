//! Objects: open, bind, enable and close.

use super::{Ep, Mr, VNIS, data, owned, waking, world};
use libfabric_sys::*;
use std::ffi::{c_int, c_void};

/// Number of an object, which is stored as its context.
///
/// # Safety
/// The object belongs to this library.
pub unsafe fn number<T>(object: *mut T) -> usize {
    // SAFETY: the caller's promise.
    unsafe { (*object.cast::<fid>()).context as usize }
}

/// Make an object, and give it a number.
fn make<T>(object: T) -> (*mut T, usize) {
    let number = world(|world| world.number());
    let object = owned(object);
    // SAFETY: each object starts with its `fid`.
    unsafe { (*object.cast::<fid>()).context = number as *mut c_void };
    (object, number)
}

fn base(bind: Option<unsafe extern "C" fn(*mut fid, *mut fid, u64) -> c_int>) -> fid {
    let ops =
        fi_ops { size: size_of::<fi_ops>(), close: Some(close), bind, control: Some(control), ..Default::default() };
    fid { ops: owned(ops), ..Default::default() }
}

/// Close an object. Only memory regions are removed; other objects stay until the test ends. As with real providers, an object that is
/// bound to an endpoint must be closed after the endpoint.
unsafe extern "C" fn close(object: *mut fid) -> c_int {
    // SAFETY: it is an object of ours.
    let number = unsafe { number(object) };
    world(|world| {
        if world.mrs.contains_key(&number) {
            let used = world.eps.values().any(|ep| ep.flying.iter().any(|flying| flying.desc == number));
            world.rule(!used, "a region is closed after the operations that use it");
            world.mrs.remove(&number);
        }
        if let Some(ep) = world.eps.get_mut(&number) {
            ep.closed = true;
            ep.flying.clear();
            ep.receives.clear();
        }
        let bound = world.eps.values().any(|ep| !ep.closed && [ep.cq, ep.counter, ep.reads].contains(&number));
        world.rule(!bound, "what is bound to an endpoint is closed after it");
        if bound { -FI_EBUSY } else { 0 }
    })
}

unsafe extern "C" fn control(object: *mut fid, command: c_int, arg: *mut c_void) -> c_int {
    // SAFETY: it is an object of ours.
    let number = unsafe { number(object) };
    if command == FI_GETWAIT as c_int {
        // SAFETY: the caller's promise.
        return unsafe { waking::tell(number, arg) };
    }
    if command != FI_ENABLE as c_int {
        return -FI_ENOSYS;
    }
    world(|world| {
        let enabled = world.eps.values().filter(|ep| ep.enabled).count();
        if let Some(ep) = world.eps.get_mut(&number) {
            if enabled >= world.profile.endpoints {
                return -FI_ENOMEM;
            }
            let ready = ep.known_peers && ep.cq != 0;
            ep.enabled = true;
            world.rule(ready, "an endpoint is enabled after it was bound to addresses and queue");
        } else if let Some(mr) = world.mrs.get_mut(&number) {
            let (bound, enabled) = (mr.ep, mr.enabled);
            mr.enabled = true;
            let ready = bound.and_then(|ep| world.eps.get(&ep)).is_some_and(|ep| ep.enabled);
            world.rule(ready && !enabled, "a region is bound to an endpoint that is enabled, and enabled once");
        }
        0
    })
}

unsafe extern "C" fn bind_ep(object: *mut fid, other: *mut fid, flags: u64) -> c_int {
    // SAFETY: they are objects of ours.
    let (ep, cq) = unsafe { (number(object), number(other)) };
    world(|world| {
        let (is_queue, is_counter) = (world.cqs.contains_key(&cq), world.counters.contains_key(&cq));
        let Some(ep) = world.eps.get_mut(&ep) else { return -FI_EINVAL };
        let enabled = ep.enabled;
        match (is_queue, is_counter) {
            (true, _) => {
                ep.cq = cq;
                ep.selective |=
                    flags & (FI_TRANSMIT | FI_SELECTIVE_COMPLETION) == FI_TRANSMIT | FI_SELECTIVE_COMPLETION;
            }
            (_, true) if flags & FI_READ != 0 => ep.reads = cq,
            (_, true) => ep.counter = cq,
            _ => ep.known_peers = true,
        }
        world.rule(!enabled, "an endpoint is bound before it is enabled");
        0
    })
}

unsafe extern "C" fn bind_mr(object: *mut fid, other: *mut fid, _: u64) -> c_int {
    // SAFETY: they are objects of ours.
    let (mr, ep) = unsafe { (number(object), number(other)) };
    world(|world| {
        if let Some(mr) = world.mrs.get_mut(&mr) {
            mr.ep = Some(ep);
        }
    });
    0
}

pub unsafe extern "C" fn fi_fabric(_: *mut fi_fabric_attr, fabric: *mut *mut fid_fabric, _: *mut c_void) -> c_int {
    let ops = fi_ops_fabric {
        size: size_of::<fi_ops_fabric>(),
        domain: Some(open_domain),
        trywait: Some(waking::try_wait),
        ..Default::default()
    };
    let (object, _) = make(fid_fabric { fid: base(None), ops: owned(ops), api_version: version(1, 18) });
    // SAFETY: the place is the caller's.
    unsafe { fabric.write(object) };
    0
}

/// The VNI of a domain: from its key, or the first one from the launcher. Without a VNI cxi opens no domain (-FI_ENOSYS).
///
/// # Safety
/// The description is whole, and its key is null or cxi's.
unsafe fn vni(info: *const fi_info) -> Option<u16> {
    // SAFETY: the caller's promise.
    let key = unsafe { (*(*info).domain_attr).auth_key };
    if key.is_null() {
        return VNIS.with_borrow(|vnis| vnis.first().copied());
    }
    // SAFETY: cxi's key has 32 bits of service before the VNI.
    Some(unsafe { key.add(4).cast::<u16>().read_unaligned() })
}

unsafe extern "C" fn open_domain(
    _: *mut fid_fabric,
    info: *mut fi_info,
    domain: *mut *mut fid_domain,
    _: *mut c_void,
) -> c_int {
    // SAFETY: the caller's description.
    let vni = unsafe { vni(info) };
    if world(|world| world.profile.needs_vni) && vni.is_none() {
        return -FI_ENOSYS;
    }
    let ops = fi_ops_domain {
        size: size_of::<fi_ops_domain>(),
        av_open: Some(open_av),
        cq_open: Some(open_cq),
        endpoint: Some(open_ep),
        cntr_open: Some(open_cntr),
        ..Default::default()
    };
    let mr = fi_ops_mr { size: size_of::<fi_ops_mr>(), reg: Some(register), ..Default::default() };
    let (object, number) = make(fid_domain { fid: base(None), ops: owned(ops), mr: owned(mr) });
    world(|world| world.vnis.insert(number, vni.unwrap_or_default()));
    // SAFETY: the place is the caller's.
    unsafe { domain.write(object) };
    0
}

unsafe extern "C" fn open_av(_: *mut fid_domain, _: *mut fi_av_attr, av: *mut *mut fid_av, _: *mut c_void) -> c_int {
    let ops = fi_ops_av { size: size_of::<fi_ops_av>(), insert: Some(insert), ..Default::default() };
    let (object, _) = make(fid_av { fid: base(None), ops: owned(ops) });
    // SAFETY: the place is the caller's.
    unsafe { av.write(object) };
    0
}

/// Addresses and handles are numbers of endpoints.
unsafe extern "C" fn insert(
    _: *mut fid_av,
    address: *const c_void,
    count: usize,
    handle: *mut fi_addr_t,
    _: u64,
    _: *mut c_void,
) -> c_int {
    assert_eq!(count, 1, "addresses are entered one by one");
    // SAFETY: `name` wrote the address; the place is the caller's.
    unsafe { handle.write(address.cast::<u64>().read_unaligned()) };
    1
}

unsafe extern "C" fn name(object: *mut fid, address: *mut c_void, len: *mut usize) -> c_int {
    // SAFETY: only endpoints have names; the caller has checked the room.
    unsafe {
        assert!(*len >= 8);
        address.cast::<u64>().write_unaligned(number(object) as u64);
        len.write(8);
    }
    0
}

unsafe extern "C" fn open_cq(_: *mut fid_domain, attr: *mut fi_cq_attr, cq: *mut *mut fid_cq, _: *mut c_void) -> c_int {
    // SAFETY: the attributes are the caller's.
    let is_to_wake = match unsafe { (*attr).wait_obj } {
        FI_WAIT_NONE => false,
        FI_WAIT_FD if world(|world| world.profile.wakes) => true,
        _ => return -FI_ENOSYS,
    };
    let ops = fi_ops_cq {
        size: size_of::<fi_ops_cq>(),
        read: Some(data::read_queue),
        readerr: Some(data::read_error),
        ..Default::default()
    };
    let (object, number) = make(fid_cq { fid: base(None), ops: owned(ops) });
    world(|world| {
        world.cqs.insert(number, Default::default());
        if is_to_wake {
            world.hang_bell(number);
        }
    });
    // SAFETY: the place is the caller's.
    unsafe { cq.write(object) };
    0
}

unsafe extern "C" fn open_cntr(
    _: *mut fid_domain,
    _: *mut fi_cntr_attr,
    cntr: *mut *mut fid_cntr,
    _: *mut c_void,
) -> c_int {
    let ops = fi_ops_cntr { size: size_of::<fi_ops_cntr>(), read: Some(data::read_counter), ..Default::default() };
    let (object, number) = make(fid_cntr { fid: base(None), ops: owned(ops) });
    world(|world| world.counters.insert(number, 0));
    // SAFETY: the place is the caller's.
    unsafe { cntr.write(object) };
    0
}

unsafe extern "C" fn open_ep(
    domain: *mut fid_domain,
    info: *mut fi_info,
    ep: *mut *mut fid_ep,
    _: *mut c_void,
) -> c_int {
    // SAFETY: the domain is one of these, and the description whole.
    let (domain, has_messages) = unsafe { (number(domain), (*info).caps & FI_MSG != 0) };
    let cm = fi_ops_cm { size: size_of::<fi_ops_cm>(), getname: Some(name), ..Default::default() };
    let object = fid_ep {
        fid: base(Some(bind_ep)),
        ops: owned(fi_ops_ep::default()),
        cm: owned(cm),
        msg: owned(data::messages()),
        rma: owned(data::memory()),
        atomic: owned(data::atomics()),
        ..Default::default()
    };
    let (object, number) = make(object);
    world(|world| {
        *world.seen.entry(if has_messages { "with messages" } else { "without messages" }).or_default() += 1;
        world.eps.insert(number, Ep { domain, has_messages, ..Ep::default() });
    });
    // SAFETY: the place is the caller's.
    unsafe { ep.write(object) };
    0
}

unsafe extern "C" fn register(
    domain: *mut fid,
    base_: *const c_void,
    len: usize,
    access: u64,
    _: u64,
    wish: u64,
    _: u64,
    mr: *mut *mut fid_mr,
    _: *mut c_void,
) -> c_int {
    // SAFETY: the domain is one of these.
    let domain = unsafe { number(domain) };
    let profile = world(|world| world.profile.clone());
    if len > profile.lockable {
        return -FI_ENOMEM;
    }
    let (object, number) = make(fid_mr { fid: base(Some(bind_mr)), ..Default::default() });
    // A key that the caller could not have guessed.
    let key = if profile.mr_mode & FI_MR_PROV_KEY != 0 { 0xa5a5_0000 + number as u64 * 7 } else { wish };
    let desc = if profile.mr_mode & FI_MR_LOCAL != 0 { number as *mut c_void } else { std::ptr::null_mut() };
    // SAFETY: no other code has the pointer yet.
    unsafe { ((*object).mem_desc, (*object).key) = (desc, key) };
    world(|world| {
        let taken = world.mrs.values().any(|other| other.domain == domain && other.key == key);
        world.rule(!taken, "no two regions of a domain have one key");
        let enabled = profile.mr_mode & FI_MR_ENDPOINT == 0;
        world.mrs.insert(number, Mr { base: base_ as usize, len, key, access, domain, ep: None, enabled });
    });
    // SAFETY: the place is the caller's.
    unsafe { mr.write(object) };
    0
}
