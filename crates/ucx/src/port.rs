//! A port: a stream of calls over one worker and its endpoints.

use crate::{
    inbox::{self, DATA, GET, Get, Inbox, MESSAGE, Trouble},
    peer::{Peer, Reach},
    slot::{COPY_BYTES_MAX, Slot},
    transport::Shared,
    worker::Worker,
};
use ferrite_engine::{Arm, Event, Location, Pe, PeerNumber, Port, PostError, Posted, Token};
use ferrite_fabric::{Error, Result};
use std::{mem, os::fd::BorrowedFd, ptr, rc::Rc, sync::Arc, time::Instant};
use ucx_sys::*;

/// Maximum number of calls under way.
pub const DEPTH: usize = 2048;
/// Up to this number of bytes an active message is one packet of any transport, so it does not overtake earlier ones.
pub const EAGER_BYTES_MAX: usize = 1024;

/// Maximum number of polls until requests have ended whose endpoints were closed at once. UCX needs a few.
const ENDING_POLLS_MAX: usize = 10_000;

/// A port (see the module). Fields are dropped in declaration order: the worker before the inbox that its callbacks use.
pub struct UcxPort {
    pub worker: Worker,
    inbox: Rc<Inbox>,
    peers: Vec<Peer>,
    shared: Arc<Shared>,
    /// Number of writes posted so far.
    writes: u64,
    /// Token of the last flush that was not complete at once, and the number of writes that it covers.
    flush: Option<(Token, u64)>,
    /// A flush was refused since then, because writes were under way.
    refused_flush: bool,
    /// Error of the worker that was not reported yet.
    failure: Option<Error>,
}

// SAFETY: only this port owns the `Rc` of the inbox; its worker's callbacks reach the inbox by a pointer, inside calls of the port. UCX's
// objects are for one caller at a time, on any thread.
unsafe impl Send for UcxPort {}

impl UcxPort {
    /// Make a port with a new worker, which receives messages and has no endpoints yet.
    pub fn new(shared: &Arc<Shared>) -> Result<Self> {
        let worker = Worker::new(&shared.context)?;
        let inbox = Rc::new(Inbox::new(&shared.context, &shared.target, worker.handle, DEPTH));
        // SAFETY: the inbox is dropped after the worker.
        unsafe {
            let argument = Rc::as_ptr(&inbox).cast_mut().cast();
            worker.listen(MESSAGE, Some(inbox::hear), argument)?;
            // Also if this PE's own gets are UCX's: on a host without an RDMA device a peer's are messages.
            worker.listen(GET, Some(inbox::hear_get), argument)?;
            worker.listen(DATA, Some(inbox::hear_data), argument)?;
        }
        let shared = Arc::clone(shared);
        Ok(UcxPort {
            worker,
            inbox,
            peers: Vec::new(),
            shared,
            writes: 0,
            flush: None,
            refused_flush: false,
            failure: None,
        })
    }

    fn table(&self) -> &Table {
        &self.shared.context.ucx.call
    }

    /// Translate a location of a peer's memory.
    #[inline]
    fn reach(&mut self, number: PeerNumber, at: Location) -> Result<Reach> {
        let peer = &mut self.peers[number as usize];
        match peer.known(at) {
            Some(reach) => Ok(reach),
            None => peer.learn(self.shared.book()?, at),
        }
    }

    /// Turn UCX's answer to a call into the result of posting it.
    #[inline]
    fn posted(&self, answer: ucs_status_ptr_t, slot: &Slot, bytes: usize) -> Result<Posted, PostError> {
        if is_request(answer) {
            self.inbox.begin();
            return Ok(Posted::Pending(bytes));
        }
        slot.end();
        match status_of(answer) {
            UCS_OK => Ok(Posted::Done(bytes)),
            UCS_ERR_NO_RESOURCE => Err(PostError::Busy),
            status => Err(self.failed(slot.peer(), status)),
        }
    }

    /// Ask a peer for bytes of its memory by a message.
    ///
    /// # Safety
    /// As [`Port::read`].
    unsafe fn ask(
        &mut self,
        peer: PeerNumber,
        from: Location,
        to: *mut u8,
        len: usize,
        token: Token,
    ) -> Result<Posted, PostError> {
        let slot = self.inbox.slot(token);
        let request = inbox::request(token, from, len);
        let pe = self.peers[peer as usize].pe;
        slot.begin_get(Get { pe, from, to, len, is_asked: false, has_arrived: false });
        let param = slot.param_of_get(&self.inbox, peer, UCP_AM_SEND_FLAG_REPLY | UCP_AM_SEND_FLAG_EAGER);
        let ep = self.peers[peer as usize].ep;
        let head = slot.bytes();
        // SAFETY: the slot has room for the request, which stays until the call is over.
        let answer = unsafe {
            head.copy_from_nonoverlapping(request.as_ptr(), request.len());
            let send = self.table().ucp_am_send_nbx;
            send(ep, GET, head.cast_const().cast(), request.len(), ptr::null(), 0, &raw const param)
        };
        match status_of(answer) {
            _ if is_request(answer) => self.inbox.begin(),
            UCS_OK => self.inbox.asked(slot, UCS_OK),
            status => {
                slot.end_get();
                let is_busy = status == UCS_ERR_NO_RESOURCE;
                return Err(if is_busy { PostError::Busy } else { self.failed(peer, status) });
            }
        }
        Ok(Posted::Pending(len))
    }

    /// Why a call to a peer has failed.
    #[cold]
    fn failed(&self, number: PeerNumber, status: ucs_status_t) -> PostError {
        if !inbox::is_failure_at_home(status) {
            return PostError::Lost(self.lost(number, status));
        }
        let pe = self.peers[number as usize].pe;
        let why = self.shared.context.ucx.status_string(status);
        PostError::Failed(Error::because(format!("a call to {pe} has failed"), why))
    }

    #[cold]
    fn lost(&self, number: PeerNumber, status: ucs_status_t) -> Error {
        let pe = self.peers[number as usize].pe;
        Error::because(format!("the connection to {pe} is lost"), self.shared.context.ucx.status_string(status))
    }

    /// Address of the bytes that UCX may read for a call: the source itself, or a copy. UCX registers a NIC's sources with the right to
    /// write (`ib_md`), which constants do not allow. UCX copies short sources, and does not register them.
    ///
    /// # Safety
    /// `from` is readable for `len` bytes.
    #[inline]
    unsafe fn readable(&self, from: *const u8, len: usize, slot: &Slot) -> *const u8 {
        let shared = &self.shared;
        if len <= EAGER_BYTES_MAX || shared.context.is_software || shared.sources.are_writable(from, len) {
            return from;
        }
        // SAFETY: as the caller says.
        unsafe { slot.keep_copy(from, len) }
    }

    /// Report to the engine the failures since the last report.
    #[cold]
    fn tell_troubles(&mut self, events: &mut Vec<Event>) {
        for trouble in self.inbox.take_troubles() {
            match trouble {
                Trouble::Failed(token, status) => {
                    events.extend(match self.failed(self.inbox.slot(token).peer(), status) {
                        PostError::Lost(error) => Some(Event::CallLost(token, error)),
                        PostError::Failed(error) => Some(Event::Failed(error)),
                        PostError::Busy => None,
                    });
                }
                Trouble::Refused(pe, why) => {
                    events.push(Event::Failed(Error::new(format!("{pe} refused an operation: {why}"))));
                }
                Trouble::Unanswered(status) => {
                    let why = self.shared.context.ucx.status_string(status);
                    events.push(Event::Failed(Error::because("a peer waits for an answer that UCX cannot send", why)));
                }
                Trouble::Lost(ep, status) => {
                    if let Some(number) = self.peers.iter().position(|peer| peer.ep == ep) {
                        self.peers[number].lost = Some(status);
                        let why = Error::new(self.shared.context.ucx.status_string(status));
                        events.push(Event::Lost(number as PeerNumber, why));
                    }
                }
            }
        }
        events.extend(self.failure.take().map(Event::Failed));
    }

    /// Make progress until no request is under way. Those of endpoints that were closed at once end as UCX discards their connections. If
    /// requests are left, leak the worker, with everything that its callbacks could reach. Most are fetches and replies that a peer holds up.
    /// Their endpoints are UCX's own: UCX 1.20 may have destroyed them, so they are not closed here.
    fn end_requests(&self) {
        self.inbox.close();
        for _ in 0..ENDING_POLLS_MAX {
            self.worker.progress();
            if self.inbox.under_way() == 0 {
                return;
            }
        }
        tracing::debug!(requests = self.inbox.under_way(), "a worker of UCX is leaked");
        self.worker.leak();
        mem::forget(Rc::clone(&self.inbox));
    }

    /// Wait until the requests in `closing` are complete, or until `deadline`.
    fn await_all(&self, mut closing: Vec<ucs_status_ptr_t>, deadline: Instant, serve: &mut dyn FnMut()) {
        let call = self.table();
        loop {
            closing.retain(|request| {
                // SAFETY: the request was not freed yet, and is freed here when it is complete.
                unsafe {
                    let goes_on = (call.ucp_request_check_status)(*request) == UCS_INPROGRESS;
                    if !goes_on {
                        (call.ucp_request_free)(*request);
                    }
                    goes_on
                }
            });
            if closing.is_empty() || Instant::now() > deadline {
                break;
            }
            self.worker.progress();
            serve();
        }
        if !closing.is_empty() {
            tracing::debug!(endpoints = closing.len(), "closing timed out");
        }
        for request in closing {
            // SAFETY: the request is freed once. UCX ends it with the worker, and requires that it was freed before.
            unsafe { (call.ucp_request_free)(request) };
        }
    }
}

impl Port for UcxPort {
    fn meet(&mut self, pe: Pe) -> Result<()> {
        let address = self.shared.book()?.address(pe)?;
        // SAFETY: the inbox is dropped after the worker, and the endpoints end with the worker.
        self.peers.push(unsafe { Peer::new(&self.worker, pe, &address, Rc::as_ptr(&self.inbox)) }?);
        tracing::debug!(me = %self.shared.target.me(), %pe, "an endpoint");
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
        let slot = self.inbox.slot(token);
        let bytes = slot.bytes();
        // SAFETY: the slot has room for a head and for small data behind it; the data is readable, as the caller says.
        let (head_len, data, data_len) = unsafe {
            bytes.copy_from_nonoverlapping(head.as_ptr(), head.len());
            if len > COPY_BYTES_MAX {
                (head.len(), self.readable(data, len, slot), len)
            } else {
                // Without data, `data` may be an invalid address.
                if len > 0 {
                    bytes.add(head.len()).copy_from_nonoverlapping(data, len);
                }
                (head.len() + len, ptr::null(), 0)
            }
        };
        let eager = if len <= EAGER_BYTES_MAX { UCP_AM_SEND_FLAG_EAGER } else { 0 };
        let param = slot.param(&self.inbox, peer, UCP_AM_SEND_FLAG_REPLY | eager);
        let ep = self.peers[peer as usize].ep;
        // SAFETY: head and data stay until the call is over.
        let answer = unsafe {
            let send = self.table().ucp_am_send_nbx;
            send(ep, MESSAGE, bytes.cast_const().cast(), head_len, data.cast(), data_len, &raw const param)
        };
        self.posted(answer, slot, len)
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
        let Reach { rkey, address, room } = self.reach(peer, from)?;
        let bytes = room.min(len as u64) as usize;
        if self.shared.context.gets_by_message {
            // SAFETY: as the caller says.
            return unsafe { self.ask(peer, from, to, bytes, token) };
        }
        let slot = self.inbox.slot(token);
        let param = slot.param(&self.inbox, peer, 0);
        let ep = self.peers[peer as usize].ep;
        // SAFETY: `to` is writable, as the caller says; the key belongs to the address.
        let answer = unsafe { (self.table().ucp_get_nbx)(ep, to.cast(), bytes, address, rkey, &raw const param) };
        self.posted(answer, slot, bytes)
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
        // The flush would never begin while another thread writes more and more.
        if self.refused_flush && self.inbox.writes_under_way() > 0 {
            return Err(PostError::Busy);
        }
        self.refused_flush = false;
        let Reach { rkey, address, room } = self.reach(peer, to)?;
        let bytes = room.min(len as u64) as usize;
        let slot = self.inbox.slot(token);
        // SAFETY: `from` is readable, as the caller says; data to be copied is short, and the slot has room for it.
        let from = unsafe {
            if copied {
                slot.bytes().copy_from_nonoverlapping(from, bytes);
                slot.bytes().cast_const()
            } else {
                self.readable(from, bytes, slot)
            }
        };
        let param = slot.param(&self.inbox, peer, 0);
        let ep = self.peers[peer as usize].ep;
        // SAFETY: the source stays until the call is over; the key belongs to the address.
        let answer = unsafe { (self.table().ucp_put_nbx)(ep, from.cast(), bytes, address, rkey, &raw const param) };
        let posted = self.posted(answer, slot, bytes)?;
        if let Posted::Pending(_) = posted {
            self.inbox.begin_write(slot);
        }
        self.writes += 1;
        Ok(posted)
    }

    /// Flush the whole worker. If a NIC writes with relaxed ordering, which UCX chooses by the processor, the flush of one endpoint does
    /// not imply that the data written there is visible: data written later may be seen before. Only a flush of the worker makes the NIC
    /// order what follows (`fence_beat` in UCX's `rc` and `dc`). A flush that is under way covers other peers too, if nothing was written
    /// since it began.
    ///
    /// The flush is refused until UCX has passed all writes to its transports. If the transports have nothing under way, UCX lets the
    /// worker's flush overtake writes that still wait for room (`ucp_worker_flush_check`), as between the processes of a host.
    fn flush(&mut self, peer: PeerNumber, token: Token) -> Result<Posted, PostError> {
        // A flush would succeed for a peer that is lost. So losses are reported to the engine first.
        self.refused_flush = self.inbox.writes_under_way() > 0;
        if self.refused_flush || self.inbox.has_troubles() {
            return Err(PostError::Busy);
        }
        if let Some(status) = self.peers[peer as usize].lost {
            return Err(PostError::Lost(self.lost(peer, status)));
        }
        if let Some((running, writes)) = self.flush
            && writes == self.writes
            && self.inbox.slot(running).join_flush(token)
        {
            return Ok(Posted::Pending(0));
        }
        let slot = self.inbox.slot(token);
        let param = slot.param(&self.inbox, peer, 0);
        // SAFETY: the worker is open.
        let answer = unsafe { (self.table().ucp_worker_flush_nbx)(self.worker.handle, &raw const param) };
        let posted = self.posted(answer, slot, 0)?;
        if let Posted::Pending(_) = posted {
            slot.begin_flush();
            self.flush = Some((token, self.writes));
        }
        Ok(posted)
    }

    #[inline]
    fn poll(&mut self, events: &mut Vec<Event>) -> usize {
        let happened = self.worker.progress();
        // Report losses first: a flush of the worker also succeeds for peers that were lost meanwhile.
        if self.inbox.has_troubles() || self.failure.is_some() {
            self.tell_troubles(events);
        }
        // UCX returns 0 if the only event is the completion of a flush.
        happened.max(self.inbox.take_done(|token| events.push(Event::Done(token))))
    }

    /// UCX sends data that it has kept, and data that a transport had no room for, when its worker makes progress.
    fn push(&mut self) {
        self.worker.progress();
    }

    /// The descriptor also shows room for data that UCX has yet to send.
    fn arm(&mut self) -> Arm {
        if self.inbox.has_news() || self.failure.is_some() {
            return Arm::Busy;
        }
        let arm = self.worker.arm().unwrap_or_else(|error| {
            self.failure = Some(error);
            Arm::Busy
        });
        if self.inbox.has_news() { Arm::Busy } else { arm }
    }

    fn fd(&self) -> Option<BorrowedFd<'_>> {
        self.worker.events()
    }

    /// Closing an endpoint at once aborts its operations under way. So an orderly close does this only to the endpoints of lost peers:
    /// other peers may still wait for the last messages from this PE.
    fn close(&mut self, orderly: bool, deadline: Instant, serve: &mut dyn FnMut()) {
        while orderly && self.inbox.under_way() > 0 && Instant::now() < deadline {
            self.worker.progress();
            serve();
        }
        self.tell_troubles(&mut Vec::new());
        // Destroy keys before their endpoints, but not before the operations that use them are complete.
        if orderly && self.inbox.under_way() == 0 {
            self.peers.iter_mut().for_each(Peer::forget_keys);
        }
        let answers = self.peers.iter().map(|peer| peer.close(orderly && peer.lost.is_none()));
        let closing = answers.filter(|answer| is_request(*answer)).collect();
        self.await_all(closing, deadline, serve);
        self.end_requests();
        self.peers.iter_mut().for_each(Peer::forget_keys);
    }
}

#[cfg(test)]
#[path = "port_tests.rs"]
mod tests;
