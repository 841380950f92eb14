//! An endpoint with its completion queue and the addresses of its peers.

use crate::{
    domain::Domain,
    object::{Object, check},
};
use ferrite_engine::{Arm, Error, Pe, Result};
use libfabric_sys::*;
use std::{
    ffi::{CStr, c_int, c_void},
    mem::MaybeUninit,
    os::fd::RawFd,
    ptr, slice,
};

/// Number of peers that an endpoint has room for at first.
const PEERS_EXPECTED: usize = 256;

/// An endpoint. Fields are dropped in declaration order: an object that is bound to others is closed first.
///
/// It may be closed before its queue and its counters ([`Endpoint::close`]).
///
/// Each endpoint has an address vector of its own, because providers have defects in shared ones. `shm` walks all endpoints of the vector
/// when it meets a new peer, even an endpoint that is half open. It also locks vector and endpoint in one order to insert an address, and
/// in the other order to read completions. `rxd` inserts the peers that it hears from under the lock of the endpoint alone. With a vector
/// for each endpoint, the thread that has exclusive use of the endpoint has exclusive use of its addresses too.
pub struct Endpoint {
    ep: Option<Object<fid_ep>>,
    /// Counts writes, if [`Needs::counter`] asks for it.
    pub counter: Option<Object<fid_cntr>>,
    /// Counts reads, beside `counter`. Its value is never read. But cxi counts fetching operations with delivery completion there, and from
    /// libfabric 2.3 on it does not check that the counter exists.
    reads: Option<Object<fid_cntr>>,
    pub queue: Object<fid_cq>,
    addresses: Object<fid_av>,
    /// Descriptor that is readable when there may be something to do, if it was asked for and the provider has one.
    pub wait_fd: Option<RawFd>,
}

/// Requirements of an endpoint.
#[derive(Clone, Copy, Debug)]
pub struct Needs {
    /// Number of completions that may wait to be read.
    pub depth: usize,
    /// Whether writes are counted.
    pub counter: bool,
    /// Whether a thread sleeps until something happens.
    pub wait: bool,
    /// Whether the endpoint sends and receives messages. `cxi` keeps 36 MiB ready for unexpected messages, at each endpoint that may
    /// receive any.
    pub messages: bool,
}

impl Endpoint {
    /// Open, bind and enable an endpoint.
    pub fn open(domain: &Domain, needs: Needs) -> Result<Self> {
        let library = &domain.library;
        let none = ptr::null_mut();
        let addresses = Self::addresses(domain)?;
        let info = domain.mute.as_ref().filter(|_| !needs.messages).unwrap_or(&domain.info);
        // SAFETY: the domain is open, `info` is one that the provider gave for it, and `place` is writable.
        let ep = Object::open(library, "opening an endpoint", |place| unsafe {
            fi_endpoint(domain.domain.as_ptr(), info.as_ptr(), place, none)
        })?;
        let queue = Self::queue(domain, needs)?;
        let counter = || needs.counter.then(|| Self::counter(domain)).transpose();
        let (counter, reads) = (counter()?, counter()?);
        // If a later step fails, dropping `made` closes the objects in the right order.
        let wait_fd = wait_fd(&queue);
        let made = Endpoint { ep: Some(ep), counter, reads, queue, addresses, wait_fd };
        let bind = |what: &str, object, flags| {
            // SAFETY: both are open, and of one domain.
            check(library, what, unsafe { fi_ep_bind(made.as_ptr(), object, flags) })
        };
        bind("binding the addresses to an endpoint", made.addresses.fid(), 0)?;
        // Receives always complete in the queue; sends do if a flag asks for it.
        bind("binding a queue to an endpoint", made.queue.fid(), FI_RECV)?;
        bind("binding a queue to an endpoint", made.queue.fid(), FI_TRANSMIT | FI_SELECTIVE_COMPLETION)?;
        for (counter, what) in [(&made.counter, FI_WRITE), (&made.reads, FI_READ)] {
            if let Some(counter) = counter {
                bind("binding a counter to an endpoint", counter.fid(), what)?;
            }
        }
        // SAFETY: the endpoint is bound to every object that it needs.
        let enable = || unsafe { fi_enable(made.as_ptr()) };
        let mut code = enable();
        // `shm` finds the file of a dead process with the same process ID. It reports the file as in use, but removes it, so the second
        // attempt succeeds.
        if -code == FI_EBUSY {
            code = enable();
        }
        check(library, "enabling an endpoint", code)?;
        Ok(made)
    }

    fn addresses(domain: &Domain) -> Result<Object<fid_av>> {
        // Only a hint. Some providers allocate room for this many peers at once, and few are ever used.
        let count = (domain.size as usize).min(PEERS_EXPECTED);
        let mut attr = fi_av_attr { type_: FI_AV_TABLE, count, ..Default::default() };
        // SAFETY: the domain is open; attributes are read during the call.
        Object::open(&domain.library, "opening an address vector", |place| unsafe {
            fi_av_open(domain.domain.as_ptr(), &raw mut attr, place, ptr::null_mut())
        })
    }

    fn queue(domain: &Domain, needs: Needs) -> Result<Object<fid_cq>> {
        let open = |wait_obj| {
            let mut attr = fi_cq_attr { format: FI_CQ_FORMAT_MSG, wait_obj, size: needs.depth, ..Default::default() };
            // SAFETY: the domain is open; attributes are read during the call.
            Object::open(&domain.library, "opening a completion queue", |place| unsafe {
                fi_cq_open(domain.domain.as_ptr(), &raw mut attr, place, ptr::null_mut())
            })
        };
        // FI_WAIT_POLLFD would spare the kernel an epoll set around the provider's own. It is not used: until some thread calls
        // `fi_cq_sread`, the list that libfabric's utility code returns lacks the watched descriptors and contains one that is always
        // readable.
        if needs.wait
            && let Ok(queue) = open(FI_WAIT_FD)
        {
            return Ok(queue);
        }
        open(FI_WAIT_NONE)
    }

    fn counter(domain: &Domain) -> Result<Object<fid_cntr>> {
        let mut attr = fi_cntr_attr { events: FI_CNTR_EVENTS_COMP, wait_obj: FI_WAIT_NONE, ..Default::default() };
        // SAFETY: as above.
        Object::open(&domain.library, "opening a completion counter", |place| unsafe {
            fi_cntr_open(domain.domain.as_ptr(), &raw mut attr, place, ptr::null_mut())
        })
    }

    /// Pointer to the endpoint, for libfabric's calls. Not used after [`Endpoint::close`].
    #[inline]
    pub fn as_ptr(&self) -> *mut fid_ep {
        debug_assert!(self.ep.is_some(), "the endpoint is closed");
        self.ep.as_ref().map_or(ptr::null_mut(), Object::as_ptr)
    }

    /// Close the endpoint. Its operations do not access memory any more. Its queue stays open.
    pub fn close(&mut self) {
        self.ep = None;
    }

    /// Insert the address of a peer. Return the handle that calls take. The caller has exclusive use of the endpoint.
    pub fn enter(&self, domain: &Domain, pe: Pe, address: &[u8]) -> Result<fi_addr_t> {
        let address = address.as_ptr().cast();
        let mut handle = FI_ADDR_UNSPEC;
        // SAFETY: the vector is open; the address has the provider's format, because the same provider made it.
        let added = unsafe { fi_av_insert(self.addresses.as_ptr(), address, 1, &raw mut handle, 0, ptr::null_mut()) };
        if added == 1 {
            return Ok(handle);
        }
        let why =
            if added < 0 { domain.library.strerror(added as isize) } else { "the provider refuses it".to_owned() };
        Err(Error::because(format!("inserting the address of {pe}"), why))
    }

    /// Whether a thread may sleep on [`wait_fd`](Self::wait_fd) now. The caller has exclusive use of the endpoint.
    pub fn arm(&self, domain: &Domain) -> Arm {
        // `fi_trywait` of `shm` crashes on a queue that has no descriptor.
        if self.wait_fd.is_none() {
            return Arm::CannotArm;
        }
        let mut objects = [self.queue.fid()];
        // SAFETY: fabric and queue are open.
        match unsafe { fi_trywait(domain.fabric.as_ptr(), objects.as_mut_ptr(), 1) } {
            0 => Arm::Armed,
            code if code == -FI_EAGAIN => Arm::Busy,
            // In this case it is unknown whether the descriptor would show an event.
            _ => Arm::CannotArm,
        }
    }
}

fn wait_fd(queue: &Object<fid_cq>) -> Option<RawFd> {
    let mut fd: RawFd = -1;
    // SAFETY: the queue is open; the answer is a descriptor, for which there is room.
    let code = unsafe { fi_control(queue.fid(), FI_GETWAIT as c_int, (&raw mut fd).cast()) };
    (code == 0 && fd >= 0).then_some(fd)
}

/// An operation that failed.
#[derive(Clone, Debug)]
pub struct Failed {
    /// Context of the operation; null if it had none.
    pub context: *mut c_void,
    /// libfabric's error number.
    pub error: c_int,
    /// libfabric's text, and the provider's text if it differs.
    pub why: String,
}

/// Read completions: at most as many as `into` has room for.
///
/// # Safety
/// The caller has exclusive use of the endpoint.
pub unsafe fn read<'a>(
    library: &Libfabric,
    queue: &Object<fid_cq>,
    into: &'a mut [MaybeUninit<fi_cq_msg_entry>],
) -> Result<&'a [fi_cq_msg_entry], Failed> {
    // SAFETY: the queue is open and of this format.
    let code = unsafe { fi_cq_read(queue.as_ptr(), into.as_mut_ptr().cast(), into.len()) };
    if code >= 0 {
        // SAFETY: the call has written `code` entries.
        return Ok(unsafe { slice::from_raw_parts(into.as_ptr().cast(), code as usize) });
    }
    if code == -(FI_EAGAIN as isize) {
        return Ok(&[]);
    }
    let mut error = fi_cq_err_entry::default();
    // SAFETY: the queue is open; the entry has no room for details.
    let read = unsafe { fi_cq_readerr(queue.as_ptr(), &raw mut error, 0) };
    if read < 1 {
        let why = library.strerror(if code == -(FI_EAVAIL as isize) { read } else { code });
        return Err(Failed { context: ptr::null_mut(), error: -code as c_int, why });
    }
    let mut text = [0; 256];
    // SAFETY: the error data belong to the entry; the call writes at most the length passed, so the last byte stays zero.
    let own = unsafe {
        let at = fi_cq_strerror(queue.as_ptr(), error.prov_errno, error.err_data, text.as_mut_ptr(), text.len() - 1);
        if at.is_null() { String::new() } else { CStr::from_ptr(at).to_string_lossy().into_owned() }
    };
    let mut why = library.strerror(error.err as isize);
    if !own.is_empty() && own != why {
        why = format!("{why} (the provider says: {own}, {})", error.prov_errno);
    }
    Err(Failed { context: error.op_context, error: error.err, why })
}
