//! The way from a lane to a peer: an endpoint, and the keys of the peer's segments.

use crate::{
    context::{Context, NO_DATA},
    flush::Flush,
    key::{self, Extent},
    mapped::Mapped,
    message::{REQUEST, REQUEST_BYTES, Request},
    slot::Acknowledged,
    worker::Worker,
};
use ferrite_fabric::{AddressBook, Error, Pe, Remote, Result, SegmentId};
use std::{cell::Cell, ffi::c_void, ptr, rc::Rc, sync::Arc};
use ucx_sys::*;

/// Where a remote address leads.
#[derive(Clone, Copy)]
pub struct Reach {
    pub rkey: ucp_rkey_h,
    pub address: u64,
    /// So many bytes follow in the same extent.
    pub room: u64,
}

/// The tickets of the last operations at a peer, by how their end is known.
#[derive(Clone, Copy, Default)]
pub struct Marks {
    /// By a flush.
    pub flushed: u64,
    /// By an answer; each is one packet, so they arrive in their order.
    pub streamed: u64,
    /// By an answer.
    pub answered: u64,
}

impl Marks {
    /// Nothing was posted.
    pub fn is_nothing(self) -> bool {
        self.flushed == 0 && self.streamed == 0 && self.answered == 0
    }
}

struct Known {
    extent: Extent,
    rkey: ucp_rkey_h,
}

/// What UCX says of the loss of a peer.
struct Loss {
    status: Cell<Option<ucs_status_t>>,
    /// That somebody was lost.
    trouble: Rc<Cell<bool>>,
}

/// A peer as a lane sees it.
pub struct Peer {
    pub pe: Pe,
    pub ep: ucp_ep_h,
    context: Arc<Context>,
    loss: Rc<Loss>,
    segments: Vec<Vec<Known>>,
    /// Operations posted so far.
    pub last: Marks,
    /// Those before the last fence that still have to be waited for.
    pub before: Marks,
    /// The fence that `before` belongs to.
    pub fence: u64,
    /// Something was put since the last flush.
    pub dirty: bool,
    /// So many puts since the last flush was started.
    pub unflushed: usize,
    /// So often an operation had to wait for a flush, since the last of this endpoint alone.
    pub refused: u32,
    /// A flush of this endpoint alone, for who waits for this peer while another takes its time.
    pub flush: Rc<Flush>,
    /// What that will complete, while it goes on; and up to which ticket all that was put here is there by the last one.
    pub aim: Option<u64>,
    pub flushed: u64,
    /// Which packets it has carried out.
    pub acknowledged: Rc<Acknowledged>,
    /// The last packet that an answer was asked for.
    pub asked: u64,
    /// There are packets after that, and the stream knows it.
    pub unasked: bool,
    /// There is only one.
    pub alone: bool,
    /// Packets have been asked about one by one, so the next one is to be answered without a question.
    pub answers_each: bool,
    question: Rc<Question>,
}

/// What UCX reads while a question is being sent.
struct Question {
    head: Cell<[u8; REQUEST_BYTES]>,
    sending: Cell<bool>,
    release: unsafe extern "C" fn(*mut c_void),
}

impl Peer {
    /// Make an endpoint. It connects as operations are posted, so nothing waits here.
    pub fn new(worker: &Worker, pe: Pe, address: &[u8], trouble: &Rc<Cell<bool>>) -> Result<Self> {
        let context = Arc::clone(&worker.context);
        let loss = Rc::new(Loss { status: Cell::new(None), trouble: Rc::clone(trouble) });
        let mask =
            UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE | UCP_EP_PARAM_FIELD_ERR_HANDLER;
        let params = ucp_ep_params_t {
            field_mask: mask.into(),
            address: address.as_ptr().cast(),
            err_mode: if context.watches() { UCP_ERR_HANDLING_MODE_PEER } else { UCP_ERR_HANDLING_MODE_NONE },
            err_handler: ucp_err_handler_t { cb: Some(lose), arg: Rc::as_ptr(&loss).cast_mut().cast() },
            ..Default::default()
        };
        let mut ep = ptr::null_mut();
        // SAFETY: the worker is open; the address is one of a worker; the handler's argument outlives the endpoint.
        let status = unsafe { (context.ucx.call.ucp_ep_create)(worker.handle, &raw const params, &raw mut ep) };
        context.check(&format!("{pe} cannot be reached over {}", context.resources.join(" ")), status)?;
        let release = context.ucx.call.ucp_request_free;
        Ok(Peer {
            pe,
            ep,
            context,
            loss,
            segments: Vec::new(),
            last: Marks::default(),
            before: Marks::default(),
            fence: 0,
            dirty: false,
            unflushed: 0,
            refused: 0,
            flush: Rc::new(Flush::new(release)),
            aim: None,
            flushed: 0,
            acknowledged: Rc::default(),
            asked: 0,
            unasked: false,
            alone: false,
            answers_each: false,
            question: Rc::new(Question { head: Cell::new([0; REQUEST_BYTES]), sending: Cell::new(false), release }),
        })
    }

    /// Why the peer is lost, if it is.
    pub fn lost(&self) -> Option<ucs_status_t> {
        self.loss.status.get()
    }

    /// Where a place of the peer's memory is, if its key is here.
    #[inline]
    pub fn known(&self, at: Remote) -> Option<Reach> {
        let extents = self.segments.get(usize::from(at.segment.0))?;
        let behind = extents.partition_point(|known| known.extent.offset <= at.offset);
        let known = &extents[behind.checked_sub(1)?];
        let inside = at.offset - known.extent.offset;
        let room = known.extent.len.checked_sub(inside).filter(|room| *room > 0)?;
        Some(Reach { rkey: known.rkey, address: known.extent.address + inside, room })
    }

    /// The same where it is not: look the key up (again: the segment may have grown).
    #[cold]
    pub fn learn(&mut self, book: &dyn AddressBook, at: Remote, mapped: Option<&Mapped>) -> Result<Reach> {
        let index = usize::from(at.segment.0);
        let extents = key::decode(&book.key(self.pe, at.segment)?.0)?;
        if self.segments.len() <= index {
            self.segments.resize_with(index + 1, Vec::new);
        }
        for extent in extents.into_iter().skip(self.segments[index].len()) {
            let mut rkey = ptr::null_mut();
            // SAFETY: the endpoint is open; the key is one that its owner packed.
            let status = unsafe {
                (self.context.ucx.call.ucp_ep_rkey_unpack)(self.ep, extent.packed.as_ptr().cast(), &raw mut rkey)
            };
            self.context.check(&format!("using a key of {}", self.pe), status)?;
            if let Some(mapped) = mapped.filter(|_| at.segment == SegmentId::HEAP) {
                match self.context.mapped(rkey, extent.address) {
                    // SAFETY: UCX says that all of the key's memory is mapped there.
                    Some(here) => unsafe { mapped.add(self.pe, extent.offset, extent.len, here) },
                    None => mapped.give_up(self.pe),
                }
            }
            self.segments[index].push(Known { extent, rkey });
        }
        self.known(at).ok_or_else(|| {
            let SegmentId(segment) = at.segment;
            Error::new(format!("{} has registered no byte {} of segment {segment}", self.pe, at.offset))
        })
    }

    /// Ask which packets it has carried out, unless it was asked; gives whether it has been now.
    pub fn ask(&mut self) -> Result<bool, ucs_status_t> {
        if self.asked >= self.last.streamed {
            return Ok(true);
        }
        if let Some(status) = self.lost() {
            return Err(status);
        }
        if self.question.sending.replace(true) {
            return Ok(false);
        }
        let head = Request::Ask.encode(self.last.streamed, true);
        self.question.head.set(head.bytes());
        let mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_FLAGS;
        let param = ucp_request_param_t {
            op_attr_mask: mask,
            flags: UCP_AM_SEND_FLAG_REPLY | UCP_AM_SEND_FLAG_EAGER,
            cb: ucp_request_param_t__bindgen_ty_1 { send: Some(asked) },
            user_data: Rc::as_ptr(&self.question).cast_mut().cast(),
            ..Default::default()
        };
        let bytes = self.question.head.as_ptr().cast_const().cast();
        // SAFETY: the endpoint is open; the head stays as it is while it is being sent, and as long as the peer.
        let sent = unsafe { self.context.send(self.ep, REQUEST, (bytes, head.len()), NO_DATA, param) };
        if !is_request(sent) {
            self.question.sending.set(false);
        }
        match status_of(sent) {
            UCS_OK | UCS_INPROGRESS => {
                self.answers_each = self.alone;
                self.asked = self.last.streamed;
                Ok(true)
            }
            UCS_ERR_NO_RESOURCE => Ok(false),
            status => Err(status),
        }
    }

    /// Begin to close the endpoint: when all has arrived, or at once. Gives what UCX answers.
    pub fn close(&self, orderly: bool) -> ucs_status_ptr_t {
        let mut param = ucp_request_param_t::default();
        if !orderly && self.context.watches() {
            // Without error handling UCX knows no other way than the orderly one.
            param.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
            param.flags = UCP_EP_CLOSE_FLAG_FORCE;
        }
        // SAFETY: the endpoint is open, and used no more.
        unsafe { (self.context.ucx.call.ucp_ep_close_nbx)(self.ep, &raw const param) }
    }

    /// Give the keys back.
    pub fn forget_keys(&mut self) {
        for known in self.segments.drain(..).flatten() {
            // SAFETY: no operation is under way with it.
            unsafe { (self.context.ucx.call.ucp_rkey_destroy)(known.rkey) };
        }
    }
}

/// UCX calls this when the way to a peer broke.
unsafe extern "C" fn lose(loss: *mut c_void, _ep: ucp_ep_h, status: ucs_status_t) {
    // SAFETY: the argument is the peer's, which outlives its endpoint.
    let loss = unsafe { &*loss.cast::<Loss>() };
    loss.status.set(Some(status));
    loss.trouble.set(true);
}

/// UCX calls this when a question was sent.
unsafe extern "C" fn asked(request: *mut c_void, _status: ucs_status_t, question: *mut c_void) {
    // SAFETY: the argument is the peer's, which outlives its worker; a request is given back once, here. A question that
    // was not sent is one to a peer that is lost.
    unsafe {
        let question = &*question.cast::<Question>();
        question.sending.set(false);
        (question.release)(request);
    }
}
