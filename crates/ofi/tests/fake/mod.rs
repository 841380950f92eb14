//! A fake libfabric: its table of functions, over memory of this process, with the modes of the provider that a test announces. It keeps
//! only promises that the provider makes: operations complete in any order, late, and after refusals. It records each rule that the caller
//! breaks.

mod data;
mod objects;
mod waking;

use ferrite_os::mutex;
use libfabric_sys::*;
use std::{
    cell::RefCell,
    collections::{HashMap, HashSet, VecDeque},
    ffi::{CStr, CString, c_char, c_int, c_void},
    os::fd::RawFd,
    ptr,
    sync::{Mutex, MutexGuard},
    time::Duration,
};

/// Registration modes that callers ask for by hints. The modes from before libfabric 1.5 and FI_MR_HMEM are announced whatever the hints
/// contain.
const HINTED: c_int = FI_MR_LOCAL
    | FI_MR_RAW
    | FI_MR_VIRT_ADDR
    | FI_MR_ALLOCATED
    | FI_MR_PROV_KEY
    | FI_MR_MMU_NOTIFY
    | FI_MR_RMA_EVENT
    | FI_MR_ENDPOINT;

thread_local! {
    /// The value of SLINGSHOT_VNIS for a PE that is a thread.
    pub static VNIS: RefCell<Vec<u16>> = const { RefCell::new(Vec::new()) };
}

/// The attributes that a provider announces.
#[derive(Clone, Debug)]
pub struct Profile {
    pub name: &'static str,
    /// Version of the library.
    pub version: (u32, u32),
    pub caps: u64,
    /// Modes apart from registration.
    pub mode: u64,
    pub mr_mode: c_int,
    /// Number of counters of a domain.
    pub counters: usize,
    /// Endpoints need a VNI, as on Slingshot. It comes from the domain's key, or from the launcher of the thread.
    pub needs_vni: bool,
    pub inject: usize,
    pub delivery: bool,
    pub orders: u64,
    pub message_max: usize,
    pub depth: usize,
    /// Every n-th call is refused with FI_EAGAIN; with 0, none is.
    pub refuse: u64,
    /// Operations are executed without calls of the program.
    pub hardware: bool,
    /// Its queues have a descriptor, which wakes sleeping threads.
    pub wakes: bool,
    /// Bytes of local memory that can be registered. Registering more fails for lack of memory.
    pub lockable: usize,
    /// Maximum number of enabled endpoints.
    pub endpoints: usize,
    /// It maps the source of a write by itself, for writing too.
    pub maps_for_writing: bool,
}

impl Default for Profile {
    fn default() -> Self {
        Profile {
            name: "verbs;ofi_rxm",
            version: (2, 0),
            caps: FI_MSG | FI_RMA,
            mode: FI_CONTEXT2,
            mr_mode: 0,
            counters: 0,
            needs_vni: false,
            inject: 64,
            delivery: true,
            orders: FI_ORDER_SAS,
            message_max: 1 << 30,
            depth: 64,
            refuse: 0,
            hardware: false,
            wakes: false,
            lockable: usize::MAX,
            endpoints: usize::MAX,
            maps_for_writing: false,
        }
    }
}

/// An operation under way.
pub struct Flying {
    pub what: What,
    pub to: usize,
    pub addr: u64,
    pub key: u64,
    pub context: usize,
    pub flags: u64,
    /// Address of the word for the result, and its size.
    pub size: usize,
    /// Region of the local memory.
    pub desc: usize,
}

pub enum What {
    Write { from: usize, len: usize, copy: Option<Vec<u8>> },
    Read { to: usize, len: usize },
    Send(Vec<u8>),
    Atomic { op: fi_op, operand: u64, compare: u64, result: usize },
}

#[derive(Default)]
pub struct Ep {
    pub enabled: bool,
    pub closed: bool,
    pub known_peers: bool,
    pub domain: usize,
    pub cq: usize,
    pub selective: bool,
    pub has_messages: bool,
    pub counter: usize,
    pub reads: usize,
    pub flying: Vec<Flying>,
    pub receives: VecDeque<(usize, usize, usize)>,
}

pub struct Mr {
    pub base: usize,
    pub len: usize,
    pub key: u64,
    pub access: u64,
    pub domain: usize,
    pub ep: Option<usize>,
    pub enabled: bool,
}

#[derive(Default)]
pub struct World {
    pub profile: Profile,
    pub eps: HashMap<usize, Ep>,
    pub mrs: HashMap<usize, Mr>,
    pub vnis: HashMap<usize, u16>,
    pub cqs: HashMap<usize, VecDeque<fi_cq_msg_entry>>,
    pub errors: HashMap<usize, VecDeque<(usize, c_int)>>,
    pub counters: HashMap<usize, u64>,
    pub bells: HashMap<usize, RawFd>,
    /// Queues whose reader found nothing to do and was not woken since.
    pub asleep: HashSet<usize>,
    /// Descriptors show no event, as if an awake thread had consumed it before the sleeper woke.
    pub muffled: bool,
    pub made: usize,
    /// Number of bytes of reads and writes that each domain has carried.
    pub carried: HashMap<usize, usize>,
    /// Version of the interface and capabilities of each query with hints.
    pub asked: Vec<(u32, u64)>,
    pub calls: u64,
    /// Number of this world among the worlds of the process.
    pub age: u64,
    pub noise: u64,
    /// Rules that were broken.
    pub broken: Vec<String>,
    /// Number of calls of each kind.
    pub seen: HashMap<&'static str, u64>,
}

// SAFETY: pointers in queues are values here.
unsafe impl Send for World {}

static WORLD: Mutex<Option<World>> = Mutex::new(None);
static ONE_TEST: Mutex<()> = Mutex::new(());

fn world<T>(with: impl FnOnce(&mut World) -> T) -> T {
    let mut world = mutex::lock(&WORLD);
    with(world.get_or_insert_default())
}

impl World {
    pub fn rule(&mut self, kept: bool, rule: &str) {
        if !kept && !self.broken.iter().any(|known| known == rule) {
            self.broken.push(rule.to_owned());
        }
    }

    pub fn draw(&mut self, below: usize) -> usize {
        self.noise ^= self.noise << 13;
        self.noise ^= self.noise >> 7;
        self.noise ^= self.noise << 17;
        self.noise as usize % below
    }

    /// Whether this call is one of those that are refused.
    pub fn refuses(&mut self) -> bool {
        self.calls += 1;
        self.profile.refuse > 0 && self.calls.is_multiple_of(self.profile.refuse)
    }

    /// Execute operations like hardware, as long as this world exists.
    fn work(&mut self, age: u64) -> bool {
        if self.age != age {
            return false;
        }
        let eps: Vec<usize> = self.eps.keys().copied().collect();
        for ep in eps {
            data::execute(self, ep);
        }
        true
    }

    pub fn number(&mut self) -> usize {
        self.made += 1;
        self.made
    }
}

/// A test's turn with the world. Another test makes a world of its own as soon as this is dropped, so the world is read through it.
pub struct Turn {
    _one: MutexGuard<'static, ()>,
}

impl Turn {
    #[expect(clippy::unused_self, reason = "only the test that has the turn may look at the world")]
    pub fn world<T>(&self, with: impl FnOnce(&mut World) -> T) -> T {
        world(with)
    }
}

/// The library, with a provider of this profile, until the turn is dropped.
pub fn library(profile: Profile) -> (Libfabric, Turn) {
    let turn = Turn { _one: mutex::lock(&ONE_TEST) };
    let number = version(profile.version.0, profile.version.1);
    let (hardware, age) = (profile.hardware, world(|world| world.age + 1));
    *mutex::lock(&WORLD) = Some(World { profile, age, noise: 0x2545_f491_4f6c_dd1d, ..World::default() });
    if hardware {
        let mine = world(|world| world.age);
        std::thread::spawn(move || {
            while world(|world| world.work(mine)) {
                std::thread::sleep(Duration::from_micros(20));
            }
        });
    }
    let call = Table {
        fi_version,
        fi_getinfo,
        fi_freeinfo,
        fi_dupinfo,
        fi_fabric: objects::fi_fabric,
        fi_strerror,
        fi_tostr_r,
    };
    (Libfabric { call, version: number, file: "fake".into() }, turn)
}

unsafe extern "C" fn fi_version() -> u32 {
    version(2, 0)
}

unsafe extern "C" fn fi_tostr_r(_: *mut c_char, _: usize, _: *const c_void, _: fi_type) -> *mut c_char {
    ptr::null_mut()
}

unsafe extern "C" fn fi_strerror(error: c_int) -> *const c_char {
    // SAFETY: any number has a text, which stays.
    unsafe { libc::strerror(error) }
}

fn owned<T>(value: T) -> *mut T {
    Box::into_raw(Box::new(value))
}

/// Copy a text or a structure; a null pointer gives an empty one. Memory is never freed, since tests are short.
unsafe extern "C" fn fi_dupinfo(info: *const fi_info) -> *mut fi_info {
    // SAFETY: null, or whole, by the interface's contract.
    unsafe {
        if info.is_null() {
            return owned(fi_info {
                tx_attr: owned(fi_tx_attr::default()),
                rx_attr: owned(fi_rx_attr::default()),
                ep_attr: owned(fi_ep_attr::default()),
                domain_attr: owned(fi_domain_attr::default()),
                fabric_attr: owned(fi_fabric_attr::default()),
                ..Default::default()
            });
        }
        let copy = owned(ptr::read(info));
        (*copy).tx_attr = owned(ptr::read((*info).tx_attr));
        (*copy).ep_attr = owned(ptr::read((*info).ep_attr));
        (*copy).domain_attr = owned(ptr::read((*info).domain_attr));
        (*copy).fabric_attr = owned(ptr::read((*info).fabric_attr));
        (*copy).next = ptr::null_mut();
        copy
    }
}

unsafe extern "C" fn fi_freeinfo(_: *mut fi_info) {}

unsafe extern "C" fn fi_getinfo(
    api: u32,
    _: *const c_char,
    _: *const c_char,
    _: u64,
    hints: *const fi_info,
    list: *mut *mut fi_info,
) -> c_int {
    let profile = world(|world| world.profile.clone());
    let mut caps = profile.caps;
    let text = |text: &str| CString::new(text).unwrap_or_default().into_raw();
    // SAFETY: hints are null or whole; the answer is made here.
    unsafe {
        if api > version(profile.version.0, profile.version.1) {
            return -FI_ENOSYS;
        }
        if !hints.is_null() {
            world(|world| world.asked.push((api, (*hints).caps)));
            let (domain, name) = (&*(*hints).domain_attr, (*(*hints).fabric_attr).prov_name);
            let wishes_delivery = (*(*hints).tx_attr).op_flags & FI_DELIVERY_COMPLETE != 0;
            if (*hints).caps & !profile.caps != 0
                || (wishes_delivery && !profile.delivery)
                || profile.mr_mode & HINTED & !domain.mr_mode != 0
                || (!name.is_null() && CStr::from_ptr(name).to_bytes() != profile.name.as_bytes())
            {
                return -FI_ENODATA;
            }
            caps = (*hints).caps;
        }
        let info = fi_dupinfo(ptr::null());
        (*info).caps = caps;
        (*info).mode = profile.mode;
        let tx = &mut *(*info).tx_attr;
        (tx.inject_size, tx.size, tx.msg_order) = (profile.inject, profile.depth, profile.orders);
        let ep = &mut *(*info).ep_attr;
        (ep.type_, ep.max_msg_size) = (FI_EP_RDM, profile.message_max);
        (ep.max_order_waw_size, ep.max_order_raw_size) = (usize::MAX, usize::MAX);
        let domain = &mut *(*info).domain_attr;
        (domain.name, domain.mr_mode, domain.mr_key_size) =
            (text(if profile.needs_vni { "cxi0" } else { "fake0" }), profile.mr_mode, 8);
        (domain.ep_cnt, domain.max_ep_tx_ctx, domain.cntr_cnt) = (1 << 10, 1, profile.counters);
        let fabric = &mut *(*info).fabric_attr;
        (fabric.prov_name, fabric.name) = (text(profile.name), text("fake"));
        list.write(info);
    }
    0
}
