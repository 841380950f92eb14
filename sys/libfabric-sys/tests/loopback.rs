//! One-sided communication over the provider tcp, between two endpoints of this process.
#![cfg(bindings)]

mod support;

use libfabric_sys::*;
use std::{
    ffi::{CStr, c_void},
    ptr,
};
use support::{Pair, good, library};

#[test]
fn the_version_is_one_of_those_accepted() {
    let Some(library) = library() else { return };
    let (major, minor) = library.version();
    println!("libfabric {major}.{minor} from {}", library.file.display());
    assert!((1, 17) <= (major, minor) && major <= 2, "{major}.{minor}");
    assert!(library.file.is_absolute(), "{}", library.file.display());
    assert_eq!(library.strerror(-(FI_EAGAIN as isize)), library.strerror(FI_EAGAIN as isize));
}

#[test]
fn providers_are_listed() {
    let Some(library) = library() else { return };
    let mut names = Vec::new();
    // SAFETY: no hints are allowed; the list is walked to its end and then freed.
    unsafe {
        let mut list = ptr::null_mut();
        let result =
            (library.call.fi_getinfo)(library.api_version(), ptr::null(), ptr::null(), 0, ptr::null(), &raw mut list);
        good(&library, "fi_getinfo", result as isize);
        let mut info = list;
        while !info.is_null() {
            names.push(CStr::from_ptr((*(*info).fabric_attr).prov_name).to_string_lossy().into_owned());
            info = (*info).next;
        }
        (library.call.fi_freeinfo)(list);
    }
    names.sort();
    names.dedup();
    println!("providers: {}", names.join(", "));
    assert!(names.iter().any(|n| n.starts_with("tcp")), "{names:?}");
}

#[test]
fn a_put_a_get_and_atomics_reach_the_other_side() {
    let Some(library) = library() else { return };
    let mut pair = Pair::open(&library);
    // SAFETY: the attributes live as long as the pair.
    println!("progress of data: {}", headers::data_progress(unsafe { &*(*pair.info).domain_attr }));
    let (origin, target, base) = pair.sides();
    let peer = origin.meet(target);
    let (ours, theirs) = (origin.memory.as_mut_ptr(), target.memory.as_mut_ptr());
    // Room for the provider while an operation is under way.
    let mut context = fi_context2::default();
    let context: *mut c_void = (&raw mut context).cast();
    let remote = |word: u64| base + 8 * word;
    // SAFETY: both regions are open; words are within the 64 of each side, and nothing touches them meanwhile.
    unsafe {
        let local = |word: usize| ours.add(word).cast::<c_void>();
        let (desc, key, ep) = (fi_mr_desc(origin.mr), fi_mr_key(target.mr), origin.ep);

        ours.write(0x0123_4567_89ab_cdef);
        origin.finish(target, "fi_write", || fi_write(ep, local(0), 8, desc, peer, remote(3), key, context));
        // A read behind a write of the same endpoint finds the write done: it is answered by the same target.
        origin.finish(target, "fi_read", || fi_read(ep, local(1), 8, desc, peer, remote(3), key, context));
        assert_eq!(ours.add(1).read(), 0x0123_4567_89ab_cdef, "what was got is not what was put");
        assert_eq!(theirs.add(3).read(), 0x0123_4567_89ab_cdef, "what was put did not arrive");
        assert_eq!((theirs.add(2).read(), theirs.add(4).read()), (0, 0), "the put touched its neighbours");

        let mut count = 0;
        let valid = fi_fetch_atomicvalid(ep, FI_UINT64, FI_SUM, &raw mut count);
        assert_eq!(valid, 0, "fi_fetch_atomicvalid: {}", origin.library.strerror(valid as isize));
        theirs.add(5).write(40);
        ours.add(2).write(2);
        origin.finish(target, "fi_fetch_atomic", || {
            fi_fetch_atomic(ep, local(2), 1, desc, local(3), desc, peer, remote(5), key, FI_UINT64, FI_SUM, context)
        });
        assert_eq!((ours.add(3).read(), theirs.add(5).read()), (40, 42), "fetched and left");

        ours.add(4).write(42);
        ours.add(5).write(7);
        origin.finish(target, "fi_compare_atomic", || {
            let (compare, result) = (local(4), local(6));
            fi_compare_atomic(
                ep,
                local(5),
                1,
                desc,
                compare,
                desc,
                result,
                desc,
                peer,
                remote(5),
                key,
                FI_UINT64,
                FI_CSWAP,
                context,
            )
        });
        assert_eq!((ours.add(6).read(), theirs.add(5).read()), (42, 7), "compared and left");
    }
}
