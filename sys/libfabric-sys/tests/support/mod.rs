//! Two endpoints of one process, connected by the provider tcp. Each test program uses a part of this.
#![allow(dead_code, reason = "compiled into each test program")]

use libfabric_sys::*;
use std::{
    path::PathBuf,
    ptr,
    time::{Duration, Instant},
};

/// For hanging, not for slowness.
const PATIENCE: Duration = Duration::from_secs(60);

/// The library, or `None` with the reason printed. `FERRITE_LIBFABRIC` names another than the installed one.
pub fn library() -> Option<Libfabric> {
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
pub fn good(library: &Libfabric, what: &str, result: isize) -> isize {
    assert!(result >= 0, "{what}: {}", library.strerror(result));
    result
}

/// The first result of `fi_getinfo` for one-sided endpoints of the provider tcp on the loopback interface.
pub fn tcp(library: &Libfabric) -> *mut fi_info {
    let hints = library.fi_allocinfo();
    assert!(!hints.is_null(), "no memory for hints");
    let mut info = ptr::null_mut();
    // SAFETY: `fi_allocinfo` fills in all attributes; the name is allocated as `fi_freeinfo` frees it.
    unsafe {
        (*hints).caps = FI_MSG | FI_RMA | FI_ATOMIC;
        (*hints).mode = FI_CONTEXT | FI_CONTEXT2;
        (*(*hints).ep_attr).type_ = FI_EP_RDM;
        (*(*hints).domain_attr).mr_mode =
            FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
        (*(*hints).fabric_attr).prov_name = libc::strdup(c"tcp".as_ptr());
        let node = c"127.0.0.1".as_ptr();
        let result =
            (library.call.fi_getinfo)(library.api_version(), node, ptr::null(), FI_SOURCE, hints, &raw mut info);
        good(library, "fi_getinfo", result as isize);
        (library.call.fi_freeinfo)(hints);
    }
    info
}

/// An endpoint with its queue, its addresses, and a region of memory that peers may touch.
pub struct Side {
    pub library: Libfabric,
    pub ep: *mut fid_ep,
    pub av: *mut fid_av,
    cq: *mut fid_cq,
    pub cntr: *mut fid_cntr,
    pub mr: *mut fid_mr,
    pub memory: Box<[u64; 64]>,
}

impl Side {
    /// # Safety
    ///
    /// The domain is open, and of `info`.
    pub unsafe fn open(library: &Libfabric, domain: *mut fid_domain, info: *mut fi_info, key: u64) -> Self {
        let none = ptr::null_mut();
        let ok = |what: &str, result: i32| good(library, what, result as isize);
        let (mut ep, mut av, mut cq) = (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
        let (mut cntr, mut mr) = (ptr::null_mut(), ptr::null_mut());
        let mut memory = Box::new([0; 64]);
        let mut names = fi_av_attr { type_: FI_AV_TABLE, count: 2, ..Default::default() };
        let mut queue =
            fi_cq_attr { format: FI_CQ_FORMAT_DATA, wait_obj: FI_WAIT_NONE, size: 64, ..Default::default() };
        let mut counter = fi_cntr_attr { events: FI_CNTR_EVENTS_COMP, wait_obj: FI_WAIT_NONE, ..Default::default() };
        let access = FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE;
        // SAFETY: objects are used as they are opened; the memory lives in a box until the region is closed.
        unsafe {
            ok("fi_av_open", fi_av_open(domain, &raw mut names, &raw mut av, none));
            ok("fi_cq_open", fi_cq_open(domain, &raw mut queue, &raw mut cq, none));
            ok("fi_cntr_open", fi_cntr_open(domain, &raw mut counter, &raw mut cntr, none));
            ok("fi_endpoint", fi_endpoint(domain, info, &raw mut ep, none));
            ok("fi_ep_bind", fi_ep_bind(ep, &raw mut (*av).fid, 0));
            ok("fi_ep_bind", fi_ep_bind(ep, &raw mut (*cq).fid, FI_TRANSMIT | FI_RECV));
            ok("fi_ep_bind", fi_ep_bind(ep, &raw mut (*cntr).fid, FI_READ | FI_WRITE));
            ok("fi_enable", fi_enable(ep));
            let bytes = size_of_val(&*memory);
            let start = memory.as_mut_ptr().cast();
            ok("fi_mr_reg", fi_mr_reg(domain, start, bytes, access, 0, key, 0, &raw mut mr, none));
            if (*(*info).domain_attr).mr_mode & FI_MR_ENDPOINT != 0 {
                ok("fi_mr_bind", fi_mr_bind(mr, &raw mut (*ep).fid, 0));
                ok("fi_mr_enable", fi_mr_enable(mr));
            }
        }
        Self { library: library.clone(), ep, av, cq, cntr, mr, memory }
    }

    /// The handle of another side.
    pub fn meet(&self, other: &Side) -> fi_addr_t {
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

    /// The next completion, if there is one; an error panics.
    pub fn read(&self) -> Option<fi_cq_data_entry> {
        let mut entry = fi_cq_data_entry::default();
        // SAFETY: the queue is open, its entries are of this format, and the one of an error has no room for details.
        let read = unsafe { fi_cq_read(self.cq, (&raw mut entry).cast(), 1) };
        if read == -(FI_EAVAIL as isize) {
            let mut error = fi_cq_err_entry::default();
            // SAFETY: as above.
            unsafe { fi_cq_readerr(self.cq, &raw mut error, 0) };
            panic!("an operation failed: {}", self.library.strerror(error.err as isize));
        }
        if read == -(FI_EAGAIN as isize) {
            return None;
        }
        good(&self.library, "fi_cq_read", read);
        Some(entry)
    }

    /// Posts, again as long as there is no room.
    pub fn post(&self, other: &Side, what: &str, mut post: impl FnMut() -> isize) {
        until(what, || {
            let result = post();
            if result != -(FI_EAGAIN as isize) {
                good(&self.library, what, result);
                return Some(());
            }
            assert!(self.read().is_none() && other.read().is_none(), "{what}: a completion of something else");
            None
        });
    }

    /// Posts, then progresses both sides until it is complete.
    pub fn finish(&self, other: &Side, what: &str, post: impl FnMut() -> isize) {
        self.post(other, what, post);
        until(what, || {
            assert!(other.read().is_none(), "{what}: a completion at the target");
            self.read()
        });
    }
}

/// Asks until there is an answer.
pub fn until<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(start.elapsed() < PATIENCE, "{what} does not complete");
        std::thread::sleep(Duration::from_micros(20));
    }
}

impl Drop for Side {
    fn drop(&mut self) {
        // SAFETY: all are open, nothing is under way, and what is bound is closed after what it is bound to.
        unsafe {
            for object in [&raw mut (*self.ep).fid, &raw mut (*self.mr).fid, &raw mut (*self.cntr).fid] {
                close(object);
            }
            for object in [&raw mut (*self.cq).fid, &raw mut (*self.av).fid] {
                close(object);
            }
        }
    }
}

/// Two sides of one domain, which lives as long as they do.
pub struct Pair {
    pub origin: Option<Side>,
    pub target: Option<Side>,
    pub info: *mut fi_info,
    library: Libfabric,
    fabric: *mut fid_fabric,
    pub domain: *mut fid_domain,
}

impl Pair {
    pub fn open(library: &Libfabric) -> Self {
        let none = ptr::null_mut();
        let info = tcp(library);
        let (mut fabric, mut domain) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: objects are used as they are opened.
        let (origin, target) = unsafe {
            good(library, "fi_fabric", (library.call.fi_fabric)((*info).fabric_attr, &raw mut fabric, none) as isize);
            good(library, "fi_domain", fi_domain(fabric, info, &raw mut domain, none) as isize);
            (Side::open(library, domain, info, 17), Side::open(library, domain, info, 18))
        };
        Self { origin: Some(origin), target: Some(target), info, library: library.clone(), fabric, domain }
    }

    /// Both sides, and how the first names word 0 of the second.
    pub fn sides(&mut self) -> (&mut Side, &mut Side, u64) {
        // SAFETY: the list is freed when the pair is dropped.
        let mode = unsafe { (*(*self.info).domain_attr).mr_mode };
        let (origin, target) = (self.origin.as_mut().unwrap(), self.target.as_mut().unwrap());
        let base = if mode & FI_MR_VIRT_ADDR != 0 { target.memory.as_ptr() as u64 } else { 0 };
        (origin, target, base)
    }
}

impl Drop for Pair {
    fn drop(&mut self) {
        (self.origin, self.target) = (None, None);
        // SAFETY: all that was opened in the domain is closed.
        unsafe {
            close(&raw mut (*self.domain).fid);
            close(&raw mut (*self.fabric).fid);
            (self.library.call.fi_freeinfo)(self.info);
        }
    }
}

/// Closes what nothing uses; a test that fails already needs no second failure.
///
/// # Safety
///
/// The object is open, and used no more.
unsafe fn close(object: *mut fid) {
    // SAFETY: the caller's promise.
    let closed = unsafe { fi_close(object) };
    assert!(closed == 0 || std::thread::panicking(), "fi_close: {closed}");
}
