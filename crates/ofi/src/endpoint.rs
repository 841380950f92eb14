//! An endpoint with the queue of its completions and the addresses of its peers.

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

/// Peers that an endpoint has room for at first.
const PEERS_EXPECTED: usize = 256;

/// An endpoint. Fields are dropped in their order: what is bound to others goes first.
///
/// The addresses are its own. Of a vector that endpoints share, `shm` walks the endpoints when it meets a new peer, also
/// one that is half open; locks vector and endpoint in one order where an address is entered, and in the other where
/// completions are read; and `rxd` enters peers that it hears from under the lock of the endpoint alone. So whoever has
/// the endpoint to himself has its addresses too.
pub struct Endpoint {
    ep: Object<fid_ep>,
    /// Counts writes, where asked for.
    pub counter: Option<Object<fid_cntr>>,
    /// Counts reads, beside that one. Nobody asks it, but cxi counts there what fetches and is to be delivered, and from libfabric 2.3 on
    /// does not look whether there is one.
    reads: Option<Object<fid_cntr>>,
    /// Tells of completions.
    pub queue: Object<fid_cq>,
    addresses: Object<fid_av>,
    /// Readable when there may be something to do, where asked for and the provider has it.
    pub wait_fd: Option<RawFd>,
}

/// What an endpoint needs.
#[derive(Clone, Copy, Debug)]
pub struct Needs {
    /// Completions that may wait to be read.
    pub depth: usize,
    /// Count the writes.
    pub counter: bool,
    /// A thread sleeps until something happens.
    pub wait: bool,
    /// Messages come and go. `cxi` keeps 36 MiB ready for those that come unexpected, at each endpoint that may receive any.
    pub messages: bool,
}

impl Endpoint {
    /// Open, bind and enable one.
    pub fn open(domain: &Domain, needs: Needs) -> Result<Self> {
        let library = &domain.library;
        let none = ptr::null_mut();
        let addresses = Self::addresses(domain)?;
        let info = domain.mute.as_ref().filter(|_| !needs.messages).unwrap_or(&domain.info);
        // SAFETY: the domain is open, `info` is one that the provider gave for it, and the place is ours.
        let ep = Object::open(library, "opening an endpoint", |place| unsafe {
            fi_endpoint(domain.domain.as_ptr(), info.as_ptr(), place, none)
        })?;
        let queue = Self::queue(domain, needs)?;
        let counter = || needs.counter.then(|| Self::counter(domain)).transpose();
        let (counter, reads) = (counter()?, counter()?);
        // From here on they close in the right order, should the rest fail.
        let wait_fd = wait_fd(&queue);
        let made = Endpoint { ep, counter, reads, queue, addresses, wait_fd };
        let bind = |what: &str, object, flags| {
            // SAFETY: both are open, and of one domain.
            check(library, what, unsafe { fi_ep_bind(made.ep.as_ptr(), object, flags) })
        };
        bind("binding the addresses to an endpoint", made.addresses.fid(), 0)?;
        // What is received always completes; what is sent, if a flag asks for it.
        bind("binding a queue to an endpoint", made.queue.fid(), FI_RECV)?;
        bind("binding a queue to an endpoint", made.queue.fid(), FI_TRANSMIT | FI_SELECTIVE_COMPLETION)?;
        for (counter, what) in [(&made.counter, FI_WRITE), (&made.reads, FI_READ)] {
            if let Some(counter) = counter {
                bind("binding a counter to an endpoint", counter.fid(), what)?;
            }
        }
        // SAFETY: it is bound to all that it needs.
        let enable = || unsafe { fi_enable(made.ep.as_ptr()) };
        let mut code = enable();
        // `shm` finds the file of a dead process of our number, takes it for one in use, and removes it all the same.
        if -code == FI_EBUSY {
            code = enable();
        }
        check(library, "enabling an endpoint", code)?;
        Ok(made)
    }

    fn addresses(domain: &Domain) -> Result<Object<fid_av>> {
        // A hint: some make room at once for so many, and few are ever asked for.
        let count = (domain.size as usize).min(PEERS_EXPECTED);
        let mut attr = fi_av_attr { type_: FI_AV_TABLE, count, ..Default::default() };
        // SAFETY: the domain is open; attributes are read during the call.
        Object::open(&domain.library, "opening the addresses of an endpoint", |place| unsafe {
            fi_av_open(domain.domain.as_ptr(), &raw mut attr, place, ptr::null_mut())
        })
    }

    fn queue(domain: &Domain, needs: Needs) -> Result<Object<fid_cq>> {
        let open = |wait_obj| {
            let mut attr = fi_cq_attr { format: FI_CQ_FORMAT_MSG, wait_obj, size: needs.depth, ..Default::default() };
            // SAFETY: the domain is open; attributes are read during the call.
            Object::open(&domain.library, "opening a queue of completions", |place| unsafe {
                fi_cq_open(domain.domain.as_ptr(), &raw mut attr, place, ptr::null_mut())
            })
        };
        // Not FI_WAIT_POLLFD, which would spare the kernel an epoll set around the provider's own: the list that libfabric's
        // utilities then give holds nothing that is watched, and one that is always readable, until somebody calls `fi_cq_sread`.
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
        Object::open(&domain.library, "opening a counter of completions", |place| unsafe {
            fi_cntr_open(domain.domain.as_ptr(), &raw mut attr, place, ptr::null_mut())
        })
    }

    /// What calls take.
    #[inline]
    pub fn as_ptr(&self) -> *mut fid_ep {
        self.ep.as_ptr()
    }

    /// Enter the address of a peer; gives the handle that calls take. The endpoint is the caller's alone.
    pub fn enter(&self, domain: &Domain, pe: Pe, address: &[u8]) -> Result<fi_addr_t> {
        let address = address.as_ptr().cast();
        let mut handle = FI_ADDR_UNSPEC;
        // SAFETY: the vector is open; the address is of the provider's format, for it is the provider's own.
        let added = unsafe { fi_av_insert(self.addresses.as_ptr(), address, 1, &raw mut handle, 0, ptr::null_mut()) };
        if added == 1 {
            return Ok(handle);
        }
        let why =
            if added < 0 { domain.library.strerror(added as isize) } else { "the provider refuses it".to_owned() };
        Err(Error::because(format!("entering the address of {pe}"), why))
    }

    /// Whether a thread may sleep on [`wait_fd`](Self::wait_fd) now. The endpoint is the caller's alone.
    pub fn arm(&self, domain: &Domain) -> Arm {
        // `shm` crashes when it is asked about a queue that has none.
        if self.wait_fd.is_none() {
            return Arm::CannotArm;
        }
        let mut objects = [self.queue.fid()];
        // SAFETY: fabric and queue are open.
        match unsafe { fi_trywait(domain.fabric.as_ptr(), objects.as_mut_ptr(), 1) } {
            0 => Arm::Armed,
            code if code == -FI_EAGAIN => Arm::Busy,
            // Nobody knows then whether the descriptor would show it.
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
    /// Its context; null if it had none.
    pub context: *mut c_void,
    /// libfabric's number.
    pub error: c_int,
    /// Its text, and the provider's.
    pub why: String,
}

/// Read what has completed, at most as much as there is room for.
///
/// # Safety
/// The caller has the endpoint to itself.
pub unsafe fn read<'a>(
    library: &Libfabric,
    queue: &Object<fid_cq>,
    into: &'a mut [MaybeUninit<fi_cq_msg_entry>],
) -> Result<&'a [fi_cq_msg_entry], Failed> {
    // SAFETY: the queue is open and of this format.
    let code = unsafe { fi_cq_read(queue.as_ptr(), into.as_mut_ptr().cast(), into.len()) };
    if code >= 0 {
        // SAFETY: so many entries were written.
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
    // SAFETY: details are those of the entry; the buffer has the room that is said, and stays zero at its end.
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
