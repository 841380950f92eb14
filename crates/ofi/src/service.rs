//! The target side: the endpoint that peers know, whose memory they reach, and which takes requests for what only a
//! processor can do.
//!
//! Messages arrive in buffers that wait for them. A request is executed at once and its reply queued; a reply goes to
//! the lane that asked. Whoever has the service's mutex does this: the program when it is inside the library, else
//! the thread. Nothing here waits: what the provider has no room for stays in the queue.

use crate::{
    buffers::{Buffers, Contexts},
    endpoint::{self, Done, Endpoint, Failed},
    shared::{Access, Shared},
    wire::{self, MESSAGE_BYTES_MAX, Message, REPLY_BYTES, Reply, Request},
};
use ferrite_fabric::{
    Error, Pe, Result,
    segments::{self, Refusal},
    tick::Rest,
};
use libfabric_sys::*;
use std::{
    collections::{HashMap, VecDeque},
    ffi::c_void,
    mem::MaybeUninit,
    os::fd::RawFd,
};

/// Buffers that wait for messages.
const RECEIVES: usize = 128;
/// Replies that may be under way where the provider does not copy them.
const SENDS: usize = 64;
/// Completions read at once.
const BATCH: usize = 16;

/// See above. Fields are dropped in their order: the endpoint before the memory that it uses.
pub struct Service {
    endpoint: Endpoint,
    contexts: Contexts,
    buffers: Buffers,
    /// Buffers that the provider did not take back yet.
    idle: Vec<u32>,
    /// Buffers of replies under way, free.
    sends: Vec<u32>,
    handles: HashMap<Pe, fi_addr_t>,
    replies: VecDeque<(u32, [u8; REPLY_BYTES])>,
    inject: usize,
}

impl Service {
    /// Completions that may wait to be read.
    pub const DEPTH: usize = RECEIVES + SENDS;

    /// Offer all buffers, if anybody will ask.
    pub fn new(access: Access<'_>, endpoint: Endpoint) -> Result<Self> {
        let buffers = Buffers::new(access, endpoint.as_ptr(), RECEIVES + SENDS, MESSAGE_BYTES_MAX)?;
        Ok(Service {
            endpoint,
            contexts: Contexts::new(RECEIVES + SENDS),
            buffers,
            idle: if access.plan.has_requests() { (0..RECEIVES as u32).collect() } else { Vec::new() },
            sends: (RECEIVES as u32..(RECEIVES + SENDS) as u32).collect(),
            handles: HashMap::new(),
            replies: VecDeque::new(),
            inject: access.plan.inject,
        })
    }

    /// The endpoint.
    pub fn endpoint(&self) -> *mut fid_ep {
        self.endpoint.as_ptr()
    }

    /// A descriptor that is readable when there may be something to do.
    pub fn wait_fd(&self) -> Option<RawFd> {
        self.endpoint.wait_fd
    }

    /// Nobody waits for a reply that has not gone.
    pub fn is_quiet(&self) -> bool {
        self.replies.is_empty() && self.sends.len() == SENDS
    }

    /// Something waits for the provider to have room for it.
    pub fn is_held_up(&self) -> bool {
        !self.replies.is_empty() || !self.idle.is_empty()
    }

    /// Whether a thread may sleep on that descriptor now.
    pub fn rest(&self, shared: &Shared) -> Rest {
        // Whoever makes room for what is held up may take long.
        if self.is_held_up() { Rest::Uneasy } else { self.endpoint.rest(&shared.domain) }
    }

    /// Do what there is to do; gives the number of things that happened.
    pub fn serve(&mut self, shared: &Shared) -> usize {
        let mut entries = [const { MaybeUninit::uninit() }; BATCH];
        // SAFETY: the service is ours alone while its mutex is held.
        let read = unsafe { endpoint::read(&shared.domain.library, &self.endpoint.queue, &mut entries) };
        let entries = read.unwrap_or_else(|failed| {
            self.failed(shared, &failed);
            &[]
        });
        for entry in entries {
            self.completed(shared, Done::from(entry));
        }
        self.offer(shared);
        self.answer(shared);
        entries.len()
    }

    fn completed(&mut self, shared: &Shared, done: Done) {
        let Some(number) = self.contexts.number(done.context) else { return };
        if number >= RECEIVES {
            self.sends.push(number as u32);
            return;
        }
        let at = self.buffers.at(number as u32);
        // SAFETY: the provider wrote so many bytes to this buffer, and gave it back.
        let bytes = unsafe { std::slice::from_raw_parts(at, done.len.min(MESSAGE_BYTES_MAX)) };
        match wire::read(shared.options.job, bytes) {
            Some(Message::Request(asker, request)) => {
                let outcome = execute(shared, &request).map_err(wire::refusal);
                let (from, wire::Asker { pe, lane, ticket }) = (shared.options.me.0, asker);
                let reply = Reply { from, lane, ticket, outcome };
                self.replies.push_back((pe, wire::reply(shared.options.job, &reply)));
            }
            Some(Message::Reply(reply)) => match shared.lanes.get(reply.lane as usize) {
                Some(lane) => lane.receive(reply),
                None => tracing::debug!(?reply, "a reply to a lane that is no more"),
            },
            None => tracing::warn!(me = %shared.options.me, "a message of {} bytes is not of this job", done.len),
        }
        self.idle.push(number as u32);
    }

    fn failed(&mut self, shared: &Shared, failed: &Failed) {
        match self.contexts.number(failed.context) {
            // A message that was cut off, or a receive that a lost connection took along: the buffer is ours again.
            Some(number) if number < RECEIVES && failed.error != FI_ECANCELED => {
                tracing::warn!(me = %shared.options.me, "a message was not received: {}", failed.why);
                self.idle.push(number as u32);
            }
            Some(number) if number < RECEIVES => {}
            _ => shared.fate.fail(&Error::new(format!("a reply could not be delivered: {}", failed.why))),
        }
    }

    /// Give buffers to the provider.
    fn offer(&mut self, shared: &Shared) {
        while let Some(&number) = self.idle.last() {
            let (context, at) = (self.contexts.at(number as usize), self.buffers.at(number));
            // SAFETY: buffer and context are the provider's until the message has come.
            let code = unsafe {
                let (ep, desc) = (self.endpoint.as_ptr(), self.buffers.desc());
                fi_recv(ep, at.cast(), MESSAGE_BYTES_MAX, desc, FI_ADDR_UNSPEC, context)
            };
            if code == -(FI_EAGAIN as isize) {
                return;
            }
            if code < 0 {
                let why = shared.domain.library.strerror(code);
                return shared.fate.fail(&Error::because("waiting for messages", why));
            }
            self.idle.pop();
        }
    }

    /// Send what is queued, as far as there is room.
    fn answer(&mut self, shared: &Shared) {
        // A peer may be connected, and ask, before this PE is.
        if !shared.is_connected() {
            return;
        }
        while let Some(&(pe, reply)) = self.replies.front() {
            let pe = Pe(pe);
            let sent = match self.handle(shared, pe) {
                Ok(handle) => self.send(handle, &reply),
                Err(error) => return shared.fate.fail(&error),
            };
            if sent == -(FI_EAGAIN as isize) {
                return;
            }
            if sent < 0 {
                let why = shared.domain.library.strerror(sent);
                return shared.fate.fail(&Error::because(format!("replying to {pe}"), why));
            }
            self.replies.pop_front();
        }
    }

    fn handle(&mut self, shared: &Shared, pe: Pe) -> Result<fi_addr_t> {
        if let Some(&handle) = self.handles.get(&pe) {
            return Ok(handle);
        }
        let handle = shared.enter(&self.endpoint, pe)?;
        self.handles.insert(pe, handle);
        Ok(handle)
    }

    fn send(&mut self, to: fi_addr_t, reply: &[u8; REPLY_BYTES]) -> isize {
        let ep = self.endpoint.as_ptr();
        if REPLY_BYTES <= self.inject {
            // SAFETY: the endpoint is open, and the bytes are copied during the call.
            return unsafe { fi_inject(ep, reply.as_ptr().cast(), REPLY_BYTES, to) };
        }
        let Some(&number) = self.sends.last() else { return -(FI_EAGAIN as isize) };
        let at = self.buffers.at(number);
        // SAFETY: the buffer is free, and large enough.
        unsafe { at.copy_from_nonoverlapping(reply.as_ptr(), REPLY_BYTES) };
        // SAFETY: buffer and context are the provider's until the completion.
        let code = unsafe { send(ep, at, REPLY_BYTES, self.buffers.desc(), to, self.contexts.at(number as usize)) };
        if code == 0 {
            self.sends.pop();
        }
        code
    }
}

/// Send a message that completes in the queue.
///
/// # Safety
/// The endpoint is the caller's alone; the bytes and the context stay until the completion.
pub unsafe fn send(
    ep: *mut fid_ep,
    at: *mut u8,
    len: usize,
    desc: *mut c_void,
    to: fi_addr_t,
    context: *mut c_void,
) -> isize {
    let piece = libc::iovec { iov_base: at.cast(), iov_len: len };
    let mut desc = desc;
    let message = fi_msg { msg_iov: &raw const piece, desc: &raw mut desc, iov_count: 1, addr: to, context, data: 0 };
    // SAFETY: the description is read during the call; the rest is the caller's promise.
    unsafe { fi_sendmsg(ep, &raw const message, FI_COMPLETION) }
}

fn execute(shared: &Shared, request: &Request<'_>) -> Result<u64, Refusal> {
    match *request {
        Request::Amo { at, width, op, operand, compare } => shared.memory.amo(at, width, op, operand, compare),
        Request::Signal { to, data, signal, op, value } => {
            // Nothing is touched unless both are as they should be.
            shared.memory.signal(signal)?;
            let place = shared.memory.place(to, data.len() as u64)?;
            // SAFETY: the place was checked to lie in a segment, which stays mapped while the fabric lives; the bytes are a
            // message's, so they do not overlap.
            unsafe { segments::store(place, data.as_ptr(), data.len()) };
            shared.memory.raise(signal, op, value)
        }
    }
}
