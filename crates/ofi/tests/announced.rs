//! Providers that are not here: the suite of all providers over a libfabric that announces their modes and holds
//! this crate to the rules that follow from them.
#![cfg(bindings)]

mod fake;

use fake::{Profile, library, world};
use ferrite_fabric::{Fabric, Pe, Segment, SegmentId, conformance};
use ferrite_ofi::{OfiFabric, Options};
use libfabric_sys::*;
use std::collections::HashMap;

const ATOMIC: u64 = FI_MSG | FI_RMA | FI_ATOMIC | FI_FENCE;
const CXI: i32 = FI_MR_ENDPOINT | FI_MR_ALLOCATED | FI_MR_PROV_KEY;

fn options(me: Pe, size: u32) -> Options {
    Options::new(me, size, 99)
}

/// The suite with two PEs; gives how often each kind of call was made.
fn check(profile: Profile, nic_atomics: bool) -> HashMap<&'static str, u64> {
    let (library, _guard) = library(profile);
    conformance::threads(2, &|me, size| {
        let fabric = OfiFabric::with(library.clone(), options(me, size)).unwrap();
        assert_eq!(fabric.caps().nic_atomics, nic_atomics, "{fabric:?}");
        Box::new(fabric) as Box<dyn Fabric>
    });
    world(|world| {
        assert!(world.broken.is_empty(), "broken: {:#?}", world.broken);
        world.seen.clone()
    })
}

#[test]
fn slingshot() {
    let seen = check(
        Profile {
            name: "cxi",
            caps: ATOMIC,
            mr_mode: CXI,
            inject: 192,
            orders: 0,
            hardware: true,
            ..Profile::default()
        },
        true,
    );
    for call in ["inject_write", "atomic", "fetch", "compare", "fenced", "write", "read"] {
        assert!(seen.contains_key(call), "{call}: {seen:?}");
    }
    assert!(!seen.contains_key("inject") && !seen.contains_key("send"), "no requests: {seen:?}");
}

#[test]
fn slingshot_without_fences() {
    let caps = ATOMIC & !FI_FENCE;
    let seen =
        check(Profile { name: "cxi", caps, mr_mode: CXI, orders: 0, hardware: true, ..Profile::default() }, true);
    assert!(!seen.contains_key("fenced") && seen.contains_key("atomic"), "{seen:?}");
}

#[test]
fn slingshot_without_atomics() {
    let caps = FI_MSG | FI_RMA;
    let seen = check(Profile { name: "cxi", caps, mr_mode: CXI, ..Profile::default() }, false);
    assert!(seen.contains_key("inject") && !seen.contains_key("atomic"), "{seen:?}");
}

#[test]
fn verbs() {
    let mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
    check(Profile { mr_mode, ..Profile::default() }, false);
}

#[test]
fn efa_copies_nothing() {
    let mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
    let seen = check(Profile { name: "efa", mr_mode, inject: 0, ..Profile::default() }, false);
    assert!(seen.contains_key("send") && !seen.contains_key("inject"), "{seen:?}");
}

#[test]
fn psm3_lets_us_choose_keys() {
    check(Profile { name: "psm3", caps: ATOMIC, inject: 64, ..Profile::default() }, false);
}

#[test]
fn everything_at_once() {
    let mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
    let profile =
        Profile { mr_mode, inject: 16, orders: 0, message_max: 5000, depth: 8, refuse: 3, ..Profile::default() };
    check(profile, false);
}

#[test]
fn a_storm_of_refusals() {
    check(Profile { refuse: 2, depth: 8, ..Profile::default() }, false);
}

#[test]
fn one_that_cannot_tell_of_delivery_is_refused() {
    let (library, _guard) = library(Profile { delivery: false, ..Profile::default() });
    let error = OfiFabric::with(library, options(Pe(0), 2)).unwrap_err().to_string();
    assert!(error.contains("verbs;ofi_rxm on fake0") && error.contains("FI_DELIVERY_COMPLETE"), "{error}");
}

#[test]
fn a_limit_of_locked_memory_is_explained() {
    let (library, _guard) = library(Profile { lockable: 1 << 20, ..Profile::default() });
    let fabric = OfiFabric::with(library, options(Pe(0), 1)).unwrap();
    let mut words = vec![0_u64; 1 << 18];
    let segment = Segment { id: SegmentId::HEAP, base: words.as_mut_ptr().cast(), len: 2 << 20 };
    // SAFETY: the fabric ends before the words.
    let error = unsafe { fabric.register(segment) }.unwrap_err().to_string();
    assert!(error.contains("2097152 bytes") && error.contains("ulimit -l"), "{error}");
}
