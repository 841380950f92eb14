//! The version of the loaded library, and its providers.
#![cfg(bindings)]

mod support;

use libfabric_sys::*;
use std::{ffi::CStr, ptr};
use support::{good, library};

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
