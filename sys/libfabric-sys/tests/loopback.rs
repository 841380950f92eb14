//! One-sided communication over the provider tcp, between two endpoints of this process.
#![cfg(bindings)]

use libfabric_sys::*;
use std::{
    ffi::{CStr, c_void},
    path::PathBuf,
    ptr,
    time::{Duration, Instant},
};

/// For hanging, not for slowness.
const PATIENCE: Duration = Duration::from_secs(60);

/// The library, or `None` with the reason printed. `FERRITE_LIBFABRIC` names another than the installed one.
fn library() -> Option<Libfabric> {
    #[expect(clippy::disallowed_methods, reason = "the one variable of this test")]
    let file = std::env::var_os("FERRITE_LIBFABRIC").map(PathBuf::from);
    match open(file.as_deref()) {
        Ok(library) => Some(library),
        Err(error @ (Error::NotBuilt { .. } | Error::Unopened { .. })) if file.is_none() => {
            println!("skipped: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// Panics with the library's own words.
#[track_caller]
fn good(library: &Libfabric, what: &str, result: isize) -> isize {
    assert!(result >= 0, "{what}: {}", library.strerror(result));
    result
}

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
        let result = (library.call.fi_getinfo)(API_VERSION, ptr::null(), ptr::null(), 0, ptr::null(), &raw mut list);
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

/// What `fi_getinfo` says first of one-sided endpoints of the provider tcp on the loopback interface.
fn tcp(library: &Libfabric) -> *mut fi_info {
    let hints = library.fi_allocinfo();
    assert!(!hints.is_null(), "no memory for hints");
    let mut info = ptr::null_mut();
    // SAFETY: `fi_allocinfo` fills in all attributes; the name is allocated as `fi_freeinfo` frees it.
    unsafe {
        (*hints).caps = FI_RMA | FI_ATOMIC;
        (*hints).mode = FI_CONTEXT | FI_CONTEXT2;
        (*(*hints).ep_attr).type_ = FI_EP_RDM;
        (*(*hints).domain_attr).mr_mode =
            FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
        (*(*hints).fabric_attr).prov_name = libc::strdup(c"tcp".as_ptr());
        let node = c"127.0.0.1".as_ptr();
        let result = (library.call.fi_getinfo)(API_VERSION, node, ptr::null(), FI_SOURCE, hints, &raw mut info);
        good(library, "fi_getinfo", result as isize);
        (library.call.fi_freeinfo)(hints);
    }
    info
}

/// An endpoint with its queue, its addresses, and a region of memory that peers may touch.
struct Side {
    library: Libfabric,
    ep: *mut fid_ep,
    av: *mut fid_av,
    cq: *mut fid_cq,
    mr: *mut fid_mr,
    memory: Box<[u64; 64]>,
}

impl Side {
    /// # Safety
    ///
    /// The domain is open, and of `info`.
    unsafe fn open(library: &Libfabric, domain: *mut fid_domain, info: *mut fi_info, key: u64) -> Self {
        let none = ptr::null_mut();
        let ok = |what: &str, result: i32| good(library, what, result as isize);
        let (mut ep, mut av, mut cq, mut mr) = (ptr::null_mut(), ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
        let mut memory = Box::new([0; 64]);
        let mut names = fi_av_attr { type_: FI_AV_TABLE, count: 2, ..Default::default() };
        let mut queue =
            fi_cq_attr { format: FI_CQ_FORMAT_CONTEXT, wait_obj: FI_WAIT_NONE, size: 64, ..Default::default() };
        let access = FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE;
        // SAFETY: objects are used as they are opened; the memory lives in a box until the region is closed.
        unsafe {
            ok("fi_av_open", fi_av_open(domain, &raw mut names, &raw mut av, none));
            ok("fi_cq_open", fi_cq_open(domain, &raw mut queue, &raw mut cq, none));
            ok("fi_endpoint", fi_endpoint(domain, info, &raw mut ep, none));
            ok("fi_ep_bind", fi_ep_bind(ep, &raw mut (*av).fid, 0));
            ok("fi_ep_bind", fi_ep_bind(ep, &raw mut (*cq).fid, FI_TRANSMIT | FI_RECV));
            ok("fi_enable", fi_enable(ep));
            let bytes = size_of_val(&*memory);
            let start = memory.as_mut_ptr().cast();
            ok("fi_mr_reg", fi_mr_reg(domain, start, bytes, access, 0, key, 0, &raw mut mr, none));
            if (*(*info).domain_attr).mr_mode & FI_MR_ENDPOINT != 0 {
                ok("fi_mr_bind", fi_mr_bind(mr, &raw mut (*ep).fid, 0));
                ok("fi_mr_enable", fi_mr_enable(mr));
            }
        }
        Self { library: library.clone(), ep, av, cq, mr, memory }
    }

    /// The handle of another side.
    fn meet(&self, other: &Side) -> fi_addr_t {
        let mut name = [0u8; 256];
        let mut len = name.len();
        let mut handle = FI_ADDR_UNSPEC;
        // SAFETY: both endpoints are open; the name has the room that its length says.
        unsafe {
            let start = name.as_mut_ptr().cast();
            good(&self.library, "fi_getname", fi_getname(&raw mut (*other.ep).fid, start, &raw mut len) as isize);
            let added = fi_av_insert(self.av, start, 1, &raw mut handle, 0, ptr::null_mut());
            assert_eq!(added, 1, "fi_av_insert");
        }
        handle
    }

    /// Entries that are read now; an error among them panics.
    fn read(&self) -> isize {
        let mut entry = fi_cq_entry::default();
        // SAFETY: the queue is open, its entries are of this format, and the one of an error has no room for details.
        let read = unsafe { fi_cq_read(self.cq, (&raw mut entry).cast(), 1) };
        if read == -(FI_EAVAIL as isize) {
            let mut error = fi_cq_err_entry::default();
            // SAFETY: as above.
            unsafe { fi_cq_readerr(self.cq, &raw mut error, 0) };
            panic!("an operation failed: {}", self.library.strerror(error.err as isize));
        }
        if read == -(FI_EAGAIN as isize) { 0 } else { good(&self.library, "fi_cq_read", read) }
    }

    /// Posts until there is room, then progresses both sides until it is complete.
    fn finish(&self, other: &Side, what: &str, mut post: impl FnMut() -> isize) {
        let start = Instant::now();
        let mut posted = false;
        loop {
            if !posted {
                let result = post();
                posted = result != -(FI_EAGAIN as isize);
                if posted {
                    good(&self.library, what, result);
                }
            }
            other.read();
            if self.read() > 0 {
                assert!(posted, "{what} completed before it was posted");
                return;
            }
            assert!(start.elapsed() < PATIENCE, "{what} does not complete");
            std::thread::sleep(Duration::from_micros(20));
        }
    }
}

impl Drop for Side {
    fn drop(&mut self) {
        // SAFETY: all are open, nothing is under way, and what is bound is closed after what it is bound to.
        unsafe {
            let objects =
                [&raw mut (*self.ep).fid, &raw mut (*self.mr).fid, &raw mut (*self.cq).fid, &raw mut (*self.av).fid];
            for object in objects {
                assert_eq!(fi_close(object), 0);
            }
        }
    }
}

/// Room for the provider while an operation is under way (`FI_CONTEXT2`).
type Context = fi_context2;

#[test]
fn a_put_a_get_and_an_atomic_reach_the_other_side() {
    let Some(library) = library() else { return };
    let none = ptr::null_mut();
    let info = tcp(&library);
    let (mut fabric, mut domain) = (ptr::null_mut(), ptr::null_mut());
    // SAFETY: objects are opened in order and closed in the reverse one; memory outlives what is posted on it, since
    // each operation is finished before the next.
    unsafe {
        good(&library, "fi_fabric", (library.call.fi_fabric)((*info).fabric_attr, &raw mut fabric, none) as isize);
        good(&library, "fi_domain", fi_domain(fabric, info, &raw mut domain, none) as isize);
        println!("progress of data: {}", headers::data_progress(&*(*info).domain_attr));
        let mut origin = Side::open(&library, domain, info, 17);
        let mut target = Side::open(&library, domain, info, 18);
        exercise(&mut origin, &mut target, info);
        drop(origin);
        drop(target);
        assert_eq!(fi_close(&raw mut (*domain).fid), 0);
        assert_eq!(fi_close(&raw mut (*fabric).fid), 0);
        (library.call.fi_freeinfo)(info);
    }
}

/// # Safety
///
/// Both sides are of the domain that `info` describes.
unsafe fn exercise(origin: &mut Side, target: &mut Side, info: *mut fi_info) {
    let peer = origin.meet(target);
    let (ours, theirs) = (origin.memory.as_mut_ptr(), target.memory.as_mut_ptr());
    let mut context = Context::default();
    let context: *mut c_void = (&raw mut context).cast();
    // SAFETY: both regions are open; words are within the 64 of each side, and nothing touches them meanwhile.
    unsafe {
        let virtual_address = (*(*info).domain_attr).mr_mode & FI_MR_VIRT_ADDR != 0;
        let remote = |word: u64| if virtual_address { theirs as u64 } else { 0 } + 8 * word;
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
