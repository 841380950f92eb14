//! State that UCX's callbacks of one worker use and leave: completed calls, lost endpoints, messages of peers.
//!
//! Callbacks run inside calls of the worker, under the engine's mutex of its port, while the port itself is borrowed. So callbacks reach
//! only the inbox. They leave their results in cells, until the port looks at them.
//!
//! A message is passed to the engine's target at once. UCX guarantees the endpoint of the reply during the handler, and owns it. So the
//! answer is sent from within the handler too, or when the data of a long message has arrived. It arrives as a message at the worker that
//! sent the request.

use crate::{
    context::Context,
    slot::{Slot, param},
};
use ferrite_engine::{ANSWER_BYTES, Answer, Begun, Incoming, Pe, Target, Token, segments::Refusal};
use std::{
    cell::{Cell, RefCell},
    ffi::c_void,
    ptr, slice,
    sync::Arc,
};
use ucx_sys::*;

mod gets;

pub use gets::{DATA, GET, Get, asked, hear_data, hear_get, request};
#[cfg(test)]
pub use gets::{REFUSED, data_head};

/// ID of Ferrite's active messages: requests and answers, which their heads distinguish.
pub const MESSAGE: u32 = 1;

/// A failure that a callback reports.
pub enum Trouble {
    /// UCX has given up this endpoint.
    Lost(ucp_ep_h, ucs_status_t),
    /// The call with this token failed.
    Failed(Token, ucs_status_t),
    /// This peer does not serve a get.
    Refused(Pe, Refusal),
    /// A reply failed though its connection may work: its peer waits for it, and nothing else tells the peer that it does not come.
    Unanswered(ucs_status_t),
}

/// Whether this process is the cause of a failure, not the connection.
pub fn is_failure_at_home(status: ucs_status_t) -> bool {
    matches!(
        status,
        UCS_ERR_NO_RESOURCE
            | UCS_ERR_NO_MEMORY
            | UCS_ERR_INVALID_PARAM
            | UCS_ERR_INVALID_ADDR
            | UCS_ERR_UNSUPPORTED
            | UCS_ERR_BUFFER_TOO_SMALL
            | UCS_ERR_EXCEEDS_LIMIT
    )
}

/// The inbox of a worker (see the module).
pub struct Inbox {
    context: Arc<Context>,
    target: Arc<Target>,
    worker: ucp_worker_h,
    slots: Box<[Slot]>,
    /// Tokens of completed calls.
    done: RefCell<Vec<Token>>,
    troubles: RefCell<Vec<Trouble>>,
    /// Number of UCX's requests under way: calls, answers, and data that is being fetched. It is below 0 where UCX finds a peer dead and calls
    /// the callback inside the call that makes the request, which is counted after that.
    under_way: Cell<isize>,
    /// Number of these requests that are writes.
    writes: Cell<usize>,
    /// No more answers are sent.
    is_closed: Cell<bool>,
    /// Answers that are not under way, kept for reuse.
    #[expect(clippy::vec_box, reason = "UCX reads an answer where it lies")]
    free_replies: RefCell<Vec<Box<Reply>>>,
}

/// An answer, which UCX reads until it is sent.
struct Reply {
    bytes: [u8; ANSWER_BYTES],
    inbox: *const Inbox,
}

/// A put whose data is being fetched.
struct Fetch {
    inbox: *const Inbox,
    incoming: Incoming,
    reply: ucp_ep_h,
}

impl Inbox {
    /// Inbox of a worker with at most `depth` calls under way.
    pub fn new(context: &Arc<Context>, target: &Arc<Target>, worker: ucp_worker_h, depth: usize) -> Inbox {
        Inbox {
            context: Arc::clone(context),
            target: Arc::clone(target),
            worker,
            slots: (0..depth as u32).map(|token| Slot::new(Token(token))).collect(),
            done: RefCell::default(),
            troubles: RefCell::default(),
            under_way: Cell::new(0),
            writes: Cell::new(0),
            is_closed: Cell::new(false),
            free_replies: RefCell::default(),
        }
    }

    /// The slot of a call.
    #[inline]
    pub fn slot(&self, token: Token) -> &Slot {
        &self.slots[token.0 as usize]
    }

    /// Pass the completed calls to `take`. Return their number.
    #[inline]
    pub fn take_done(&self, mut take: impl FnMut(Token)) -> usize {
        let mut done = self.done.borrow_mut();
        let count = done.len();
        done.drain(..).for_each(&mut take);
        count
    }

    /// Whether completed calls or failures wait for the port.
    pub fn has_news(&self) -> bool {
        !self.done.borrow().is_empty() || self.has_troubles()
    }

    /// Whether failures wait for the port.
    #[inline]
    pub fn has_troubles(&self) -> bool {
        !self.troubles.borrow().is_empty()
    }

    pub fn take_troubles(&self) -> Vec<Trouble> {
        self.troubles.take()
    }

    /// Number of UCX's requests under way.
    pub fn under_way(&self) -> usize {
        self.under_way.get().try_into().unwrap_or_default()
    }

    /// Answer no more messages: the endpoints are about to be closed.
    pub fn close(&self) {
        self.is_closed.set(true);
    }

    /// Count a request as under way.
    #[inline]
    pub fn begin(&self) {
        self.under_way.set(self.under_way.get() + 1);
    }

    /// Number of writes under way. UCX may not have passed them to any transport yet.
    pub fn writes_under_way(&self) -> usize {
        self.writes.get()
    }

    /// Note that the call of this slot is a write, and is under way.
    #[inline]
    pub fn begin_write(&self, slot: &Slot) {
        slot.begin_write();
        self.writes.set(self.writes.get() + 1);
    }

    /// Free a request, which is no longer under way. The callbacks call this once for each request.
    ///
    /// # Safety
    /// The request was not freed yet.
    pub unsafe fn free(&self, request: *mut c_void) {
        self.under_way.set(self.under_way.get() - 1);
        // SAFETY: as the caller says.
        unsafe { (self.context.ucx.call.ucp_request_free)(request) };
    }

    /// Note the end of a call. After a failure it is unknown whether the call took effect.
    pub fn end(&self, slot: &Slot, status: ucs_status_t) {
        self.writes.set(self.writes.get() - usize::from(slot.end_write()));
        if status != UCS_OK {
            // The failure of a flush is a fault, so the tokens of the flushes that joined it do not come back.
            drop(slot.end());
            return self.troubles.borrow_mut().push(Trouble::Failed(slot.token(), status));
        }
        let mut done = self.done.borrow_mut();
        done.push(slot.token());
        done.extend(slot.end());
    }

    fn handle(&self, head: &[u8], data: *mut c_void, len: usize, param: &ucp_am_recv_param_t) {
        let answer = if param.recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV as u64 == 0 {
            // SAFETY: UCX has placed `len` bytes there, for the duration of this call.
            let data = unsafe { bytes_of(data, len) };
            self.target.receive(head, data)
        } else {
            self.target.begin(head, len).map(|begun| match begun {
                // Without a reply endpoint the sender could not learn that the put was carried out.
                Begun::Data(_) if reply_of(param).is_none() => None,
                Begun::Data(incoming) => {
                    // SAFETY: the target has checked the destination for `len` bytes; `data` is the handled message's descriptor.
                    unsafe { self.fetch(data, len, Fetch { inbox: self, incoming, reply: param.reply_ep }) };
                    None
                }
                Begun::Over(answer) => answer,
                Begun::Refused(_, answer) => Some(answer),
            })
        };
        match answer {
            Ok(None) => {}
            Ok(Some(answer)) => match reply_of(param) {
                Some(reply) => self.answer(reply, &answer),
                None => tracing::warn!(%answer, "a request has no reply endpoint, so its answer is not sent"),
            },
            Err(why) => self.target.drop_message(why),
        }
    }

    /// Make UCX fetch the data of a long message to its destination.
    ///
    /// # Safety
    /// The destination is writable for `len` bytes while the fabric lives; `descriptor` belongs to the message being handled.
    unsafe fn fetch(&self, descriptor: *mut c_void, len: usize, fetch: Fetch) {
        let to = fetch.incoming.to.cast();
        let fetch = Box::into_raw(Box::new(fetch));
        let param = param(ucp_request_param_t__bindgen_ty_1 { recv_am: Some(fetched) }, fetch.cast());
        // SAFETY: the worker is the one whose handler runs; the rest as the caller says. The box is freed once: by the callback, or here if
        // there will be no callback.
        unsafe {
            let call = self.context.ucx.call.ucp_am_recv_data_nbx;
            let answer = call(self.worker, descriptor, to, len, &raw const param);
            if is_request(answer) {
                self.begin();
            } else {
                self.arrived(&Box::from_raw(fetch), status_of(answer));
            }
        }
    }

    fn arrived(&self, fetch: &Fetch, status: ucs_status_t) {
        if status != UCS_OK {
            tracing::warn!("the data of a put did not arrive: {}", self.context.ucx.status_string(status));
        }
        // If the connection is lost, the reply endpoint may be lost with it, so no answer is sent.
        if (status == UCS_OK || is_failure_at_home(status))
            && let Some(answer) = self.target.finish(&fetch.incoming, status == UCS_OK)
        {
            self.answer(fetch.reply, &answer);
        }
    }

    fn answer(&self, reply: ucp_ep_h, answer: &Answer) {
        if self.is_closed.get() {
            return;
        }
        let mut reply_box = self.reply();
        reply_box.bytes = answer.encode();
        // SAFETY: the endpoint belongs to the message being answered, and there are no data.
        unsafe { self.send_reply(reply, MESSAGE, reply_box, ANSWER_BYTES, (ptr::null(), 0)) };
    }

    /// UCX has not sent a reply. If the connection is broken, the peer is gone, or sees that too.
    #[cold]
    pub fn not_sent(&self, status: ucs_status_t) {
        tracing::debug!("an answer was not sent: {}", self.context.ucx.status_string(status));
        if is_failure_at_home(status) {
            self.troubles.borrow_mut().push(Trouble::Unanswered(status));
        }
    }

    /// A reply that is not under way.
    fn reply(&self) -> Box<Reply> {
        let free = self.free_replies.borrow_mut().pop();
        free.unwrap_or_else(|| Box::new(Reply { bytes: [0; ANSWER_BYTES], inbox: self }))
    }

    /// Send a reply, of which the first `head_len` bytes are the head, with data.
    ///
    /// # Safety
    /// The endpoint belongs to the message being handled. The data stay readable while the fabric lives.
    unsafe fn send_reply(
        &self,
        to: ucp_ep_h,
        id: u32,
        reply: Box<Reply>,
        head_len: usize,
        (data, len): (*const u8, usize),
    ) {
        let reply = Box::into_raw(reply);
        let param = param(ucp_request_param_t__bindgen_ty_1 { send: Some(answered) }, reply.cast());
        // SAFETY: as the caller says. The box is taken back once: by the callback, or here if there will be no callback.
        unsafe {
            let (call, head) = (self.context.ucx.call.ucp_am_send_nbx, (&raw const (*reply).bytes).cast());
            let sent = call(to, id, head, head_len, data.cast(), len, &raw const param);
            if is_request(sent) {
                return self.begin();
            }
            if is_err(sent) {
                self.not_sent(status_of(sent));
            }
            self.free_replies.borrow_mut().push(Box::from_raw(reply));
        }
    }
}

/// The head or the data of a message, as UCX passes them to a callback. No bytes may have a null pointer.
///
/// # Safety
/// There are `len` bytes at `at`, as long as the result is used.
unsafe fn bytes_of<'a>(at: *const c_void, len: usize) -> &'a [u8] {
    // SAFETY: the caller's promise.
    if len == 0 { &[] } else { unsafe { slice::from_raw_parts(at.cast::<u8>(), len) } }
}

/// Reply endpoint of a message: the way back to its sender.
fn reply_of(param: &ucp_am_recv_param_t) -> Option<ucp_ep_h> {
    (param.recv_attr & UCP_AM_RECV_ATTR_FIELD_REPLY_EP as u64 != 0).then_some(param.reply_ep)
}

/// UCX calls this when a message has arrived.
pub unsafe extern "C" fn hear(
    inbox: *mut c_void,
    head: *const c_void,
    head_len: usize,
    data: *mut c_void,
    len: usize,
    param: *const ucp_am_recv_param_t,
) -> ucs_status_t {
    // SAFETY: the argument is the inbox of this worker; head and data are as long as UCX says, during this call.
    unsafe {
        let head = bytes_of(head, head_len);
        (*inbox.cast::<Inbox>()).handle(head, data, len, &*param);
    }
    UCS_OK
}

/// UCX calls this when the data of a long message has arrived.
unsafe extern "C" fn fetched(request: *mut c_void, status: ucs_status_t, _len: usize, fetch: *mut c_void) {
    // SAFETY: the argument was given with the call; its inbox belongs to the calling worker.
    unsafe {
        let fetch = Box::from_raw(fetch.cast::<Fetch>());
        let inbox = &*fetch.inbox;
        inbox.free(request);
        inbox.arrived(&fetch, status);
    }
}

/// UCX calls this when it has sent an answer, or has failed to.
unsafe extern "C" fn answered(request: *mut c_void, status: ucs_status_t, reply: *mut c_void) {
    // SAFETY: the argument was given with the call; its inbox belongs to the calling worker.
    unsafe {
        let reply = Box::from_raw(reply.cast::<Reply>());
        let inbox = &*reply.inbox;
        inbox.free(request);
        if status != UCS_OK {
            inbox.not_sent(status);
        }
        inbox.free_replies.borrow_mut().push(reply);
    }
}

/// UCX calls this when an endpoint has failed.
pub unsafe extern "C" fn lose(inbox: *mut c_void, ep: ucp_ep_h, status: ucs_status_t) {
    // SAFETY: the argument is the inbox of the endpoint's worker.
    let inbox = unsafe { &*inbox.cast::<Inbox>() };
    inbox.troubles.borrow_mut().push(Trouble::Lost(ep, status));
}
