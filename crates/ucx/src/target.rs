//! The target side: a worker that serves peers, whoever drives it.
//!
//! Puts and gets that no NIC carries out are served by UCX inside the worker's progress; requests to the processor by
//! `hear`, also inside it. So everything here happens under one mutex, on the service thread or on a thread of the
//! program that is inside the library. Answers are sent from within the handler: UCX promises the reply's endpoint
//! for that long, and owns it.

use crate::{
    context::{Context, NO_DATA},
    memory::Memory,
    message::{ANSWER, ANSWER_BYTES, Outcome, Place, REQUEST, Request, answer},
    worker::Worker,
};
use ferrite_fabric::{
    Result, SignalOp, mutex,
    segments::{self, Refusal},
    tick::Rest,
};
use std::{
    cell::{Cell, RefCell},
    ffi::c_void,
    mem,
    os::fd::OwnedFd,
    rc::Rc,
    slice,
    sync::{Arc, Mutex},
};
use ucx_sys::*;

/// So many rounds of progress before the service thread looks around.
const ROUNDS_MAX: usize = 256;

/// The target's worker behind its mutex.
pub struct Target {
    inner: Mutex<Option<Inner>>,
    /// See [`Context::wakes`].
    events: Option<Arc<OwnedFd>>,
}

struct Inner {
    worker: Worker,
    /// The program ends, and UCX is about to take itself apart.
    left: bool,
    // Dropped after the worker that calls it.
    server: Rc<Server>,
}

// SAFETY: both clones of the server are here, in the worker's handler and beside it, and used under the mutex.
unsafe impl Send for Inner {}

/// What the handler works with.
struct Server {
    context: Arc<Context>,
    memory: Arc<Memory>,
    worker: ucp_worker_h,
    /// Answers that are not on their way, to be used again.
    #[expect(clippy::vec_box, reason = "UCX reads an answer where it lies")]
    rested: RefCell<Vec<Box<Answer>>>,
    /// Data that is coming, and answers that UCX has yet to send.
    under_way: Cell<usize>,
}

/// An answer that UCX reads until it is sent.
struct Answer {
    bytes: [u8; ANSWER_BYTES],
    server: *const Server,
}

/// A put whose data is on its way.
struct Coming {
    server: *const Server,
    reply: ucp_ep_h,
    ticket: u64,
    signal: Option<(Place, SignalOp, u64)>,
}

impl Target {
    /// A worker that serves `memory`.
    pub fn new(context: &Arc<Context>, memory: &Arc<Memory>) -> Result<Self> {
        let worker = Worker::new(context)?;
        let server = Rc::new(Server {
            context: Arc::clone(context),
            memory: Arc::clone(memory),
            worker: worker.handle,
            rested: RefCell::default(),
            under_way: Cell::new(0),
        });
        // SAFETY: the server is dropped after the worker.
        unsafe { worker.listen(REQUEST, Some(hear), Rc::as_ptr(&server).cast_mut().cast()) }?;
        let events = worker.events();
        Ok(Target { inner: Mutex::new(Some(Inner { worker, left: false, server })), events })
    }

    /// Where peers find it.
    pub fn address(&self) -> Result<Vec<u8>> {
        let inner = mutex::lock(&self.inner);
        inner.as_ref().map_or(Ok(Vec::new()), |inner| inner.worker.address())
    }

    /// Serve, if nobody else is doing so.
    #[inline]
    pub fn serve(&self) -> usize {
        let Some(inner) = mutex::try_lock(&self.inner) else { return 0 };
        inner.as_ref().map_or(0, |inner| inner.worker.progress())
    }

    /// One attempt to rest, so that the next event shows at [`events`](Self::events).
    ///
    /// It is uneasy while UCX has something for a peer that does not take it, be it because it is gone.
    pub fn rest(&self) -> Result<Rest> {
        let inner = mutex::lock(&self.inner);
        let inner = inner.as_ref().filter(|inner| !inner.left);
        inner.map_or(Ok(Rest::Uneasy), |inner| inner.worker.rest())
    }

    /// Serve until nothing is left, for a while; gives what came of the last attempt to rest.
    pub fn settle(&self) -> Result<Rest> {
        let mut rest = Rest::Uneasy;
        for _ in 0..ROUNDS_MAX {
            rest = self.rest()?;
            // Uneasy is one that may be armed the next time; but not where there are no events.
            if rest == Rest::Armed || (rest == Rest::Uneasy && self.events.is_none()) {
                break;
            }
        }
        Ok(rest)
    }

    /// Serve for a while; gives whether peers are still owed something that UCX has. Where it can be armed, UCX says so.
    pub fn owes(&self) -> bool {
        let is_under_way = || mutex::lock(&self.inner).as_ref().is_some_and(|inner| inner.server.under_way.get() > 0);
        match self.settle() {
            Ok(Rest::Armed) | Err(_) => false,
            Ok(Rest::Busy) => true,
            Ok(Rest::Uneasy) => self.events.is_some() || is_under_way(),
        }
    }

    /// The descriptor of its events.
    pub fn events(&self) -> Option<Arc<OwnedFd>> {
        self.events.clone()
    }

    /// Nobody rests any more: a thread of the program that waits on must not be in UCX when the process ends.
    pub fn leave(&self) {
        mutex::lock(&self.inner).iter_mut().for_each(|inner| inner.left = true);
    }

    /// Nobody enters the worker any more: the process ends.
    pub fn shut(&self) {
        mem::forget(mutex::lock(&self.inner));
    }

    /// Nobody is served any more.
    pub fn close(&self) {
        mutex::lock(&self.inner).take();
    }
}

impl Server {
    fn handle(&self, head: &[u8], data: *mut c_void, len: usize, param: &ucp_am_recv_param_t) {
        let reply = param.reply_ep;
        let Some((request, ticket, wanted, behind)) = Request::decode(head) else {
            return tracing::warn!("an active message that is no request");
        };
        let (data, len) = match behind {
            [] => (data, len),
            _ if comes_later(param) || len > 0 => return tracing::warn!("a request with data in two places"),
            _ => (behind.as_ptr().cast_mut().cast(), behind.len()),
        };
        if param.recv_attr & UCP_AM_RECV_ATTR_FIELD_REPLY_EP as u64 == 0 {
            return tracing::warn!("a request that nobody wants the answer of");
        }
        let outcome = match request {
            Request::Amo { at, width, op, operand, compare } => {
                self.memory.segments.amo(at, width, op, operand, compare)
            }
            Request::Ask => Ok(0),
            Request::Put { at } => match self.take(at, None, data, len, param, ticket) {
                Some(outcome) => outcome,
                None => return,
            },
            Request::PutSignal { at, signal, op, value } => {
                match self.take(at, Some((signal, op, value)), data, len, param, ticket) {
                    Some(outcome) => outcome,
                    None => return,
                }
            }
        };
        // One packet is answered when somebody asks, or wants what it fetched; what cannot be done is always said.
        if wanted || outcome.is_err() {
            self.answer(reply, ticket, outcome.map_or(Outcome::Refused, Outcome::Done));
        }
    }

    /// Put a message's data where it belongs, then raise its signal. There is no outcome yet where the data is on its way.
    fn take(
        &self,
        at: Place,
        signal: Option<(Place, SignalOp, u64)>,
        data: *mut c_void,
        len: usize,
        param: &ucp_am_recv_param_t,
        ticket: u64,
    ) -> Option<Result<u64, Refusal>> {
        let ready = signal.map_or(Ok(()), |(word, ..)| self.memory.segments.signal(word));
        let to = match ready.and_then(|()| self.memory.segments.place(at, len as u64)) {
            Ok(to) => to,
            Err(refusal) => return Some(Err(refusal)),
        };
        if comes_later(param) {
            let coming = Coming { server: self, reply: param.reply_ep, ticket, signal };
            // SAFETY: `to` was just checked for `len` bytes; `data` is the descriptor of the message being handled.
            unsafe { self.fetch(to, data, len, coming) };
            return None;
        }
        // SAFETY: `to` was just checked for `len` bytes, which UCX has laid out at `data`.
        unsafe { segments::store(to, data.cast::<u8>(), len) };
        Some(self.raise(signal))
    }

    /// So many more are under way.
    fn count(&self, more: isize) {
        self.under_way.set(self.under_way.get().wrapping_add_signed(more));
    }

    fn raise(&self, signal: Option<(Place, SignalOp, u64)>) -> Result<u64, Refusal> {
        signal.map_or(Ok(0), |(word, op, value)| self.memory.segments.raise(word, op, value))
    }

    /// Have UCX bring the data of a long message to where it belongs.
    ///
    /// # Safety
    /// `to` is writable for `len` bytes while the fabric lives; `descriptor` is that of the handler's message.
    unsafe fn fetch(&self, to: *mut u8, descriptor: *mut c_void, len: usize, coming: Coming) {
        let coming = Box::into_raw(Box::new(coming));
        let param = ucp_request_param_t {
            op_attr_mask: UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_MEMORY_TYPE,
            cb: ucp_request_param_t__bindgen_ty_1 { recv_am: Some(came) },
            user_data: coming.cast(),
            memory_type: UCS_MEMORY_TYPE_HOST,
            ..Default::default()
        };
        // SAFETY: the worker is the one whose handler runs; the rest as the caller says. What comes is given back once:
        // by the callback, or here where there will be none.
        unsafe {
            let (call, worker) = (&self.context.ucx.call, self.worker);
            let answer = (call.ucp_am_recv_data_nbx)(worker, descriptor, to.cast(), len, &raw const param);
            if is_request(answer) {
                self.count(1);
            } else {
                self.arrived(*Box::from_raw(coming), status_of(answer));
            }
        }
    }

    fn arrived(&self, coming: Coming, status: ucs_status_t) {
        let outcome = if status == UCS_OK {
            self.raise(coming.signal).map_or(Outcome::Refused, Outcome::Done)
        } else {
            tracing::warn!("the data of a put did not arrive: {}", self.context.ucx.status_string(status));
            // The way back may have gone with the way here: then nobody is there to be told.
            if matches!(status, UCS_ERR_CONNECTION_RESET | UCS_ERR_ENDPOINT_TIMEOUT | UCS_ERR_CANCELED) {
                return;
            }
            Outcome::Lost
        };
        self.answer(coming.reply, coming.ticket, outcome);
    }

    fn answer(&self, reply: ucp_ep_h, ticket: u64, outcome: Outcome) {
        let rested = self.rested.borrow_mut().pop();
        let mut answer_box = rested.unwrap_or_else(|| Box::new(Answer { bytes: [0; ANSWER_BYTES], server: self }));
        answer_box.bytes = answer(ticket, outcome);
        let answer = Box::into_raw(answer_box);
        let param = ucp_request_param_t {
            op_attr_mask: UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_MEMORY_TYPE,
            cb: ucp_request_param_t__bindgen_ty_1 { send: Some(returned) },
            user_data: answer.cast(),
            memory_type: UCS_MEMORY_TYPE_HOST,
            ..Default::default()
        };
        // SAFETY: the endpoint is the one of the message being handled; the answer lives until it is given back, by the
        // callback, or here where there will be none.
        unsafe {
            let head = (&raw const (*answer).bytes).cast();
            let sent = self.context.send(reply, ANSWER, (head, ANSWER_BYTES), NO_DATA, param);
            if is_err(sent) {
                let why = self.context.ucx.status_string(status_of(sent));
                tracing::warn!("an answer could not be sent: {why}");
            }
            if is_request(sent) {
                self.count(1);
            } else {
                self.rested.borrow_mut().push(Box::from_raw(answer));
            }
        }
    }
}

/// Whether a message's data is still at its sender.
fn comes_later(param: &ucp_am_recv_param_t) -> bool {
    param.recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV as u64 != 0
}

/// UCX calls this when a request of a peer has come.
unsafe extern "C" fn hear(
    server: *mut c_void,
    head: *const c_void,
    head_len: usize,
    data: *mut c_void,
    len: usize,
    param: *const ucp_am_recv_param_t,
) -> ucs_status_t {
    // SAFETY: the argument is the server of this worker; head and data are as long as UCX says, during this call.
    unsafe {
        let head = if head_len == 0 { &[] } else { slice::from_raw_parts(head.cast::<u8>(), head_len) };
        (*server.cast::<Server>()).handle(head, data, len, &*param);
    }
    UCS_OK
}

/// UCX calls this when the data of a long message has come.
unsafe extern "C" fn came(request: *mut c_void, status: ucs_status_t, _len: usize, coming: *mut c_void) {
    // SAFETY: the argument was given with the call, and the server is of the worker that calls.
    unsafe {
        let coming = *Box::from_raw(coming.cast::<Coming>());
        let server = &*coming.server;
        server.count(-1);
        server.arrived(coming, status);
        (server.context.ucx.call.ucp_request_free)(request);
    }
}

/// UCX calls this when it has sent an answer.
unsafe extern "C" fn returned(request: *mut c_void, _status: ucs_status_t, answer: *mut c_void) {
    // SAFETY: the argument was given with the call, and the server is of the worker that calls. An answer that was not
    // sent is one to a peer that is gone.
    unsafe {
        let answer = Box::from_raw(answer.cast::<Answer>());
        let server = &*answer.server;
        server.count(-1);
        server.rested.borrow_mut().push(answer);
        (server.context.ucx.call.ucp_request_free)(request);
    }
}
