//! The bare program: one endpoint, one queue, nothing between it and libfabric.

use crate::live::Side;
use libfabric_sys::*;
use std::{
    ffi::{CString, c_void},
    path::PathBuf,
    ptr,
    sync::atomic::AtomicU64,
};

const WORDS: usize = 64;

/// `FERRITE_LIBFABRIC` names another library than the installed one.
pub fn library() -> Option<PathBuf> {
    #[expect(clippy::disallowed_methods, reason = "the one variable of this program")]
    std::env::var_os("FERRITE_LIBFABRIC").map(PathBuf::from)
}

/// Objects are left to the end of the process.
pub struct Raw {
    ep: *mut fid_ep,
    av: *mut fid_av,
    cq: *mut fid_cq,
    words: Box<[AtomicU64; WORDS]>,
    desc: *mut c_void,
    key: u64,
    base: u64,
    peer: fi_addr_t,
    there: (u64, u64),
    context: Box<fi_context2>,
}

fn good(code: i32) {
    assert!(code >= 0, "libfabric: error {code}");
}

/// What the provider offers first, on the domain that was asked for.
///
/// # Safety
/// The list stays for ever.
unsafe fn info(library: &Libfabric, provider: &str, domain: Option<&str>) -> *mut fi_info {
    let hints = library.fi_allocinfo();
    let mut list = ptr::null_mut();
    let text = |text: &str| CString::new(text).expect("no zeros").into_raw();
    // SAFETY: `fi_allocinfo` fills in all attributes; neither hints nor texts are ever freed.
    unsafe {
        (*hints).caps = FI_MSG | FI_RMA;
        (*hints).mode = FI_CONTEXT | FI_CONTEXT2;
        (*(*hints).ep_attr).type_ = FI_EP_RDM;
        (*(*hints).domain_attr).mr_mode =
            FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
        (*(*hints).domain_attr).threading = FI_THREAD_DOMAIN;
        (*(*hints).tx_attr).op_flags = FI_DELIVERY_COMPLETE;
        (*(*hints).fabric_attr).prov_name = text(provider);
        if let Some(domain) = domain {
            (*(*hints).domain_attr).name = text(domain);
        }
        let get = library.call.fi_getinfo;
        good(get(API_VERSION, ptr::null(), ptr::null(), 0, hints, &raw mut list));
    }
    list
}

impl Raw {
    pub fn new(provider: &str, domain: Option<&str>) -> Self {
        let library = open(library().as_deref()).expect("libfabric is there");
        let words = Box::new([const { AtomicU64::new(0) }; WORDS]);
        let none = ptr::null_mut();
        let (mut fabric, mut dom, mut ep) = (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
        let (mut av, mut cq, mut mr) = (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
        let mut names = fi_av_attr { type_: FI_AV_TABLE, count: 2, ..Default::default() };
        let mut queue =
            fi_cq_attr { format: FI_CQ_FORMAT_CONTEXT, wait_obj: FI_WAIT_NONE, size: 64, ..Default::default() };
        let access = FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE;
        // SAFETY: objects are used as they are opened, and stay open; the words stay as long as this.
        unsafe {
            let info = info(&library, provider, domain);
            good((library.call.fi_fabric)((*info).fabric_attr, &raw mut fabric, none));
            good(fi_domain(fabric, info, &raw mut dom, none));
            good(fi_av_open(dom, &raw mut names, &raw mut av, none));
            good(fi_cq_open(dom, &raw mut queue, &raw mut cq, none));
            good(fi_endpoint(dom, info, &raw mut ep, none));
            good(fi_ep_bind(ep, &raw mut (*av).fid, 0));
            good(fi_ep_bind(ep, &raw mut (*cq).fid, FI_TRANSMIT | FI_RECV));
            good(fi_enable(ep));
            good(fi_mr_reg(dom, words.as_ptr().cast(), 8 * WORDS, access, 0, 1, 0, &raw mut mr, none));
            let mode = (*(*info).domain_attr).mr_mode;
            if mode & FI_MR_ENDPOINT != 0 {
                good(fi_mr_bind(mr, &raw mut (*ep).fid, 0));
                good(fi_mr_enable(mr));
            }
            let base = if mode & FI_MR_VIRT_ADDR != 0 { words.as_ptr() as u64 } else { 0 };
            let (desc, key) = (fi_mr_desc(mr), fi_mr_key(mr));
            let context = Box::default();
            Raw { ep, av, cq, words, desc, key, base, peer: FI_ADDR_UNSPEC, there: (0, 0), context }
        }
    }

    fn finish(&mut self, mut post: impl FnMut(&mut Self, *mut c_void) -> isize) {
        let context: *mut c_void = (&raw mut *self.context).cast();
        loop {
            let code = post(self, context);
            if code == 0 {
                break;
            }
            assert_eq!(code, -(FI_EAGAIN as isize));
            self.progress();
        }
        let mut read = 0;
        while read == 0 {
            read = self.read();
        }
        assert_eq!(read, 1, "libfabric: error {read}");
    }

    fn read(&mut self) -> isize {
        let mut entry = fi_cq_entry::default();
        // SAFETY: the queue is open, and of this format.
        let read = unsafe { fi_cq_read(self.cq, (&raw mut entry).cast(), 1) };
        if read == -(FI_EAGAIN as isize) { 0 } else { read }
    }
}

impl Side for Raw {
    fn card(&self) -> Vec<u8> {
        let mut name = vec![0; 512];
        let mut len = name.len();
        // SAFETY: the endpoint is open, and the name has that room.
        good(unsafe { fi_getname(self.ep.cast(), name.as_mut_ptr().cast(), &raw mut len) });
        [&self.key.to_le_bytes()[..], &self.base.to_le_bytes(), &name[..len]].concat()
    }

    fn meet(&mut self, card: &[u8]) {
        let word = |at: usize| u64::from_le_bytes(card[at..at + 8].try_into().expect("eight bytes"));
        self.there = (word(0), word(8));
        let name = card[16..].as_ptr().cast();
        // SAFETY: the name is one of the provider's.
        let added = unsafe { fi_av_insert(self.av, name, 1, &raw mut self.peer, 0, ptr::null_mut()) };
        assert_eq!(added, 1);
    }

    fn put(&mut self, word: usize) {
        let (key, base) = self.there;
        // SAFETY: words live as long as this, and the operation is waited for.
        self.finish(|s, context| unsafe {
            fi_write(s.ep, s.words.as_ptr().cast(), 8, s.desc, s.peer, base + 8 * word as u64, key, context)
        });
    }

    fn get(&mut self, word: usize) {
        let (key, base) = self.there;
        // SAFETY: as above.
        self.finish(|s, context| unsafe {
            let to = s.words.as_ptr().cast_mut().cast();
            fi_read(s.ep, to, 8, s.desc, s.peer, base + 8 * word as u64, key, context)
        });
    }

    fn stop(&mut self, word: usize) {
        let (key, base) = self.there;
        let context = (&raw mut *self.context).cast();
        let at = base + 8 * word as u64;
        // SAFETY: the word stays as long as the process.
        unsafe { fi_write(self.ep, self.words.as_ptr().cast(), 8, self.desc, self.peer, at, key, context) };
    }

    fn progress(&mut self) {
        self.read();
    }

    fn word(&self, index: usize) -> &AtomicU64 {
        &self.words[index]
    }
}
