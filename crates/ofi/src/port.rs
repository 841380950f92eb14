//! A port: an endpoint, and the operations under way on it.
//!
//! All ports are alike, except that the service's port also has buffers in which messages of peers arrive, and answers these messages.
//!
//! # Contexts
//!
//! Each operation has a context, whose number identifies the operation. The first numbers are the tokens of the engine's calls. The others
//! belong to buffers that the port uses by itself, to receive messages and to send answers.

use crate::{
    buffers::{Buffers, Contexts},
    endpoint::Endpoint,
    local_memory::{Bounce, Local},
    messages::{self, JOB_BYTES, MESSAGE_BYTES_MAX, Service},
    peers::Peer,
    plan::BUFFER_BYTES,
    regions::Use,
    shared::Shared,
};
use ferrite_engine::{
    Arm, Class, Event, HEAD_BYTES_MAX, Location, Pe, PeerNumber, Port, PostError, Posted, Result, Token, Update,
};
use libfabric_sys::*;
use std::{ffi::c_void, os::fd::BorrowedFd, sync::Arc, time::Instant};

/// Number of small puts and messages that may be under way if the provider does not copy them.
pub const STAGED: usize = 128;
/// Maximum number of completions read at once.
pub const BATCH: usize = 16;

/// A call of the engine's that is under way.
#[derive(Clone, Copy)]
pub struct Call {
    /// Peer that the call goes to.
    pub peer: PeerNumber,
    /// Class of the call.
    pub class: Class,
    /// It has a [`Bounce`].
    pub has_bounce: bool,
}

/// A port (see the module). Fields are dropped in declaration order: the endpoint before the memory that it uses.
pub struct OfiPort {
    pub(crate) endpoint: Endpoint,
    pub(crate) contexts: Contexts,
    /// Calls, indexed by token.
    pub(crate) calls: Box<[Call]>,
    /// Bounces by token. They are apart from `calls`, because most calls have none.
    pub(crate) bounces: Box<[Bounce]>,
    pub(crate) buffers: Buffers,
    pub(crate) peers: Vec<Peer>,
    /// Number of writes posted so far, which the counter counts.
    pub(crate) writes: u64,
    /// Number of atomics under way.
    pub(crate) atomics: usize,
    /// Tokens of the writes whose completion only the counter shows, and the number of writes posted before the first of them.
    pub(crate) counted: Vec<Token>,
    pub(crate) before_counted: u64,
    pub(crate) service: Service,
    /// Place to compose messages that the provider copies.
    pub(crate) message: Box<[u8]>,
    pub(crate) shared: Arc<Shared>,
}

// SAFETY: a port contains pointers of two kinds. The engine promises that its pointers stay good until their calls are over, on any thread.
// The provider's pointers are used by one thread at a time.
unsafe impl Send for OfiPort {}

impl OfiPort {
    /// Create a port that receives messages in `receives` buffers.
    pub fn new(shared: Arc<Shared>, endpoint: Endpoint, receives: usize) -> Result<OfiPort> {
        let depth = shared.plan.limits.depth;
        let count = receives + STAGED;
        let mut buffers = Buffers::new(&shared, endpoint.as_ptr(), count, MESSAGE_BYTES_MAX)?;
        for _ in 0..receives {
            buffers.take();
        }
        Ok(OfiPort {
            endpoint,
            contexts: Contexts::new(depth + count),
            calls: vec![Call { peer: 0, class: Class::Message, has_bounce: false }; depth].into(),
            bounces: (0..depth).map(|_| Bounce::default()).collect(),
            buffers,
            peers: Vec::new(),
            writes: 0,
            atomics: 0,
            counted: Vec::new(),
            before_counted: 0,
            service: Service::new(receives),
            message: vec![0; MESSAGE_BYTES_MAX].into(),
            shared,
        })
    }

    /// Context of a call.
    #[inline]
    pub(crate) fn context(&self, token: Token) -> *mut c_void {
        self.contexts.at(token.0 as usize)
    }

    /// Context of an operation that uses a buffer and is no call of the engine's.
    #[inline]
    pub(crate) fn buffer_context(&self, buffer: u32) -> *mut c_void {
        self.contexts.at(self.calls.len() + buffer as usize)
    }

    /// Whether the counter must catch up with all writes before there are more. Only then does it show that a counted write is complete, and other
    /// threads may write more and more.
    #[inline]
    pub(crate) fn must_catch_up(&self) -> bool {
        !self.counted.is_empty() && self.writes - self.before_counted >= self.calls.len() as u64
    }

    /// Whether all answers are sent, all counted writes are complete, and all buffers but the receive buffers are free.
    fn is_idle(&self) -> bool {
        self.service.answers.is_empty() && self.counted.is_empty() && self.buffers.are_free_but(self.service.receives)
    }
}

impl Port for OfiPort {
    fn meet(&mut self, pe: Pe) -> Result<()> {
        self.peers.push(Peer::meet(&self.shared, &self.endpoint, pe)?);
        Ok(())
    }

    #[inline]
    unsafe fn send(
        &mut self,
        peer: PeerNumber,
        head: &[u8],
        data: *const u8,
        len: usize,
        token: Token,
    ) -> Result<Posted, PostError> {
        debug_assert!(head.len() <= HEAD_BYTES_MAX && len <= BUFFER_BYTES);
        let bytes = JOB_BYTES + head.len() + len;
        let (ep, handle) = (self.endpoint.as_ptr(), self.peers[peer as usize].handle);
        if bytes <= self.shared.plan.inject {
            let message = self.message.as_mut_ptr();
            // SAFETY: `message` has room for the longest message, and the caller promises that the data is readable. The endpoint is open
            // and used by this thread alone, and the bytes are copied during the call.
            let code = unsafe {
                messages::compose(&self.shared, message, head, data, len);
                fi_inject(ep, message.cast(), bytes, handle)
            };
            return if code == 0 { Ok(Posted::Done(len)) } else { Err(self.refused(code, peer)) };
        }
        let local = self.buffer(peer, bytes)?;
        // SAFETY: the buffer is free, and as large as the longest message; buffer and context are the provider's until the completion.
        let code = unsafe {
            messages::compose(&self.shared, local.at, head, data, len);
            messages::send(ep, &local, handle, self.context(token))
        };
        self.posted(code, Class::Message, peer, local, token).map(|_| Posted::Pending(len))
    }

    #[inline]
    unsafe fn read(
        &mut self,
        peer: PeerNumber,
        from: Location,
        to: *mut u8,
        len: usize,
        token: Token,
    ) -> Result<Posted, PostError> {
        let (spot, len) = self.spot(peer, from, len)?;
        let mut local = Local::plain(to, len);
        if self.shared.plan.local {
            // SAFETY: as the caller says.
            local = match unsafe { self.registered(to, len, Use::Local) } {
                Some(local) => local,
                // SAFETY: as the caller says.
                None => unsafe { self.copied_back(peer, to, len) }?,
            };
        }
        // SAFETY: the memory stays valid until the completion: the caller promises it, or the call holds a buffer. The context is the token's.
        let code = unsafe { self.transfer(Class::Read, peer, spot, &local, self.context(token), FI_COMPLETION) };
        self.posted(code, Class::Read, peer, local, token)
    }

    #[inline]
    unsafe fn write(
        &mut self,
        peer: PeerNumber,
        to: Location,
        from: *const u8,
        len: usize,
        copied: bool,
        token: Token,
    ) -> Result<Posted, PostError> {
        if self.must_catch_up() {
            return Err(PostError::Busy);
        }
        let (spot, len) = self.spot(peer, to, len)?;
        let plan = &self.shared.plan;
        let is_injected = copied && len <= plan.inject;
        let mut local = Local::plain(from.cast_mut(), len);
        if is_injected && plan.counts_writes {
            // SAFETY: as the caller says.
            return unsafe { self.count_put(peer, spot, &local, token) };
        }
        if !is_injected && (copied || plan.local) {
            // SAFETY: as the caller says.
            let registered = if copied { None } else { unsafe { self.registered(local.at, len, Use::Source) } };
            local = match registered {
                Some(local) => local,
                // SAFETY: as the caller says.
                None => unsafe { self.copy_of(peer, from, len) }?,
            };
        }
        let flags = FI_COMPLETION | FI_DELIVERY_COMPLETE | if is_injected { FI_INJECT } else { 0 };
        // SAFETY: injected memory is read during the call; other memory is kept until the completion, by the caller or by this call.
        let code = unsafe { self.transfer(Class::Write, peer, spot, &local, self.context(token), flags) };
        if code != 0 && !copied && self.is_sealed(code, from, len) {
            // SAFETY: as the caller says.
            return unsafe { self.write(peer, to, from, len.min(BUFFER_BYTES), true, token) };
        }
        let posted = self.posted(code, Class::Write, peer, local, token)?;
        self.writes += 1;
        Ok(posted)
    }

    unsafe fn atomic(&mut self, peer: PeerNumber, update: &Update, token: Token) -> Result<Posted, PostError> {
        // SAFETY: as the caller says.
        unsafe { self.update(peer, update, token) }
    }

    #[inline]
    fn poll(&mut self, events: &mut Vec<Event>) -> usize {
        let happened = self.harvest(events);
        if self.service.is_held_up() {
            events.extend(self.serve().err().map(Event::Failed));
        }
        happened
    }

    fn has_unsent(&self) -> bool {
        !self.service.answers.is_empty()
    }

    fn arm(&mut self) -> Arm {
        // It may take long until there is room for what is held up, and the queue does not show the counter's completions.
        if self.service.is_held_up() || !self.counted.is_empty() {
            return Arm::CannotArm;
        }
        self.endpoint.arm(&self.shared.domain)
    }

    fn fd(&self) -> Option<BorrowedFd<'_>> {
        // SAFETY: the queue that it belongs to is open as long as the endpoint.
        self.endpoint.wait_fd.map(|fd| unsafe { BorrowedFd::borrow_raw(fd) })
    }

    fn close(&mut self, orderly: bool, deadline: Instant, serve: &mut dyn FnMut()) {
        let mut events = Vec::new();
        while orderly && !self.is_idle() && Instant::now() < deadline {
            self.poll(&mut events);
            serve();
        }
        // Let the provider take in everything that has arrived, including its own messages, before the endpoint closes. Over verbs, rxm of
        // libfabric 1.17 crashed when it closed endpoints that were not read once more (one job in three, where answers were taken before
        // the queue).
        while self.poll(&mut events) > 0 && Instant::now() < deadline {}
        // Operations under way must not access the program's memory any more. The service starts no operation, and its endpoint closes after
        // the memory that peers reach through it.
        if !orderly && !self.shared.regions.are_reached_through(self.endpoint.as_ptr()) {
            self.endpoint.close();
        }
    }
}
