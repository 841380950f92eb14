//! A lane's worker, its endpoints, and the operations that are under way on them.
//!
//! # How operations travel
//!
//! Puts and gets are UCX's own. A put with signal is an active message, and so is an atomic unless the library is to
//! execute it ([`Atomics`](crate::By)): the target's processor does them and answers.
//!
//! # When they are complete
//!
//! `window` counts requests and answers. Active messages of one packet arrive in their order, so the answer to one is that
//! to all before it, and none is asked for before somebody wants to know (`Peer::ask`): a flag that a peer waits for
//! costs one message. Whoever wants to know of each by itself gets an answer to each without asking. What UCX put is complete
//! at its target when a flush says so: of the one endpoint if one is concerned, of the worker if more are. A flush is started
//! when somebody asks for it.
//!
//! # Why a fence orders
//!
//! UCX orders the puts of a worker around `ucp_worker_fence`. It does not order a put, which a NIC may carry out,
//! and an active message, which a processor does. So after a fence the first operation at a PE waits (`Busy`)
//! until what went before it there is complete: puts by a flush, the rest by its answer. Only a put after a put need not
//! wait, and only where UCX's fence is free: from UCX 1.14 on it may be a blocking flush by itself.

use crate::{
    Options,
    context::Context,
    flush::Flush,
    hold::Hold,
    peer::{Marks, Peer, Reach},
    post::{self, Done, Post},
    shared::Shared,
    slot::Failure,
    window::{self, Window},
    worker::Worker,
};
use ferrite_fabric::{Busy, Error, Op, Pe, Quiet, Remote, Result, Silence, Stage, Ticket};
use std::{cell::Cell, collections::HashMap, rc::Rc, sync::Arc, time::Instant};
use ucx_sys::*;

mod quiet;

/// So many puts to a peer wait for a flush before one is started without being asked for: UCX takes them without end.
const UNFLUSHED_MAX: usize = 1024;

/// From so many bytes on an operation may take longer than a peer may be silent.
const LONG_BYTES_MIN: usize = 1 << 20;

/// While its own operations are not waited for, a stream's worker is asked at one turn in so many.
const OWN_TURN: usize = 16;

/// So often an operation is refused for a flush that goes on, before its peer is flushed by itself.
const REFUSED_MAX: u32 = 256;

/// How the end of an operation is known.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// By a flush.
    Flush,
    /// By the target's answer; it is one packet, and arrives in the order of its like.
    Stream,
    /// By its request, or by the target's answer.
    Answer,
}

/// Operations on a worker. See above.
pub struct Stream {
    pub worker: Worker,
    pub window: Rc<Window>,
    pub peers: Vec<Peer>,
    numbers: HashMap<Pe, usize>,
    recent: usize,
    flush: Rc<Flush>,
    /// Peers whose endpoints are being flushed by themselves.
    asides: Vec<usize>,
    /// What a flush that goes on will complete, or the last one has.
    covered: u64,
    /// Everything put up to this ticket is at its target.
    pub flushed: u64,
    /// Peers to which something was put since the last flush.
    dirty: Vec<usize>,
    /// Peers that have not been asked about the last packet.
    unasked: Vec<usize>,
    fences: u64,
    /// A peer was lost.
    trouble: Rc<Cell<bool>>,
    turns: usize,
    silence: Silence,
    /// What was complete when the silence was last looked at.
    news: (u64, u64, u64),
    /// The last operation that may be under way for long without a word of it.
    long: u64,
    /// Somebody waits for what was posted.
    wanted: bool,
    /// Somebody wanted to know what has arrived since the last post.
    inquired: bool,
    /// What is not to be touched directly, where that can be.
    pub hold: Option<Arc<Hold>>,
}

// SAFETY: the clones of what is counted without atomics are the stream's own and its worker's handlers', all used under the
// mutex around the stream. The pointers in it are UCX's, for one caller at a time.
unsafe impl Send for Stream {}

impl Stream {
    /// A new worker without endpoints.
    pub fn new(context: &Arc<Context>, hold: Option<Arc<Hold>>) -> Result<Self> {
        let worker = Worker::new(context)?;
        let release = context.ucx.call.ucp_request_free;
        let window = Rc::new(Window::new(release));
        // SAFETY: the stream drops its worker before its window.
        unsafe { worker.listen(crate::message::ANSWER, Some(window::hear), Rc::as_ptr(&window).cast_mut().cast()) }?;
        let flush = Rc::new(Flush::new(release));
        Ok(Stream {
            worker,
            window,
            peers: Vec::new(),
            numbers: HashMap::new(),
            recent: 0,
            flush,
            asides: Vec::new(),
            covered: 0,
            flushed: 0,
            dirty: Vec::new(),
            unasked: Vec::new(),
            fences: 0,
            trouble: Rc::default(),
            turns: 0,
            silence: Silence::default(),
            news: (0, 0, 0),
            long: 0,
            wanted: false,
            inquired: false,
            hold,
        })
    }

    /// Start an operation.
    ///
    /// # Safety
    /// As [`Lane::post`](ferrite_fabric::Lane::post).
    pub unsafe fn post(&mut self, shared: &Shared, op: &Op) -> Result<Result<Ticket, Busy>> {
        let (pe, end) = (op.target(), post::end(op, shared));
        let number = self.number(shared, pe)?;
        if self.must_wait(number, end) {
            self.wanted = true;
            return Ok(Err(Busy));
        }
        if end == End::Flush && self.peers[number].unflushed >= UNFLUSHED_MAX {
            self.start_flush();
            if self.peers[number].unflushed >= UNFLUSHED_MAX {
                self.start_aside(number);
            }
            if self.peers[number].unflushed >= UNFLUSHED_MAX {
                self.wanted = true;
                return Ok(Err(Busy));
            }
        }
        self.peers[number].answers_each &= std::mem::take(&mut self.inquired);
        let window = Rc::clone(&self.window);
        if window.wants_news() {
            self.ask();
        }
        let slot = if window.is_crowded() && self.owes(number) { None } else { window.next(pe) };
        let Some(slot) = slot else {
            self.wanted = true;
            self.ask();
            return Ok(Err(Busy));
        };
        // SAFETY: as the caller says.
        match unsafe { Post { stream: self, shared, number, slot }.give(op) }? {
            Done::Busy => Ok(Err(Busy)),
            Done::Posted => {
                let ticket = self.issue(number, end);
                if op.bytes() >= LONG_BYTES_MIN {
                    self.long = ticket.0;
                }
                Ok(Ok(ticket))
            }
        }
    }

    #[inline]
    pub fn number(&mut self, shared: &Shared, pe: Pe) -> Result<usize> {
        match self.peers.get(self.recent) {
            Some(peer) if peer.pe == pe => {}
            _ => self.recent = self.find(shared, pe)?,
        }
        match self.peers[self.recent].lost() {
            Some(status) => Err(self.lost(pe, status)),
            None => Ok(self.recent),
        }
    }

    fn find(&mut self, shared: &Shared, pe: Pe) -> Result<usize> {
        if let Some(&number) = self.numbers.get(&pe) {
            return Ok(number);
        }
        let peer = Peer::new(&self.worker, pe, &shared.book()?.address(pe)?, &self.trouble)?;
        tracing::debug!(me = %shared.options.me, %pe, "an endpoint");
        shared.occasions.renew();
        self.peers.push(peer);
        self.numbers.insert(pe, self.peers.len() - 1);
        Ok(self.peers.len() - 1)
    }

    /// Where a place at a peer is.
    #[inline]
    pub fn reach(&mut self, shared: &Shared, number: usize, at: Remote) -> Result<Reach> {
        let peer = &mut self.peers[number];
        match peer.known(at) {
            Some(reach) => Ok(reach),
            None => peer.learn(&**shared.book()?, at, shared.mapped.as_ref()),
        }
    }

    #[inline]
    fn issue(&mut self, number: usize, end: End) -> Ticket {
        let ticket = self.window.issue();
        let peer = &mut self.peers[number];
        match end {
            End::Answer => peer.last.answered = ticket.0,
            End::Stream => {
                peer.last.streamed = ticket.0;
                peer.alone = !peer.unasked;
                if !peer.unasked && peer.asked < ticket.0 {
                    peer.unasked = true;
                    self.unasked.push(number);
                }
            }
            End::Flush => {
                peer.last.flushed = ticket.0;
                peer.unflushed += 1;
                if !peer.dirty {
                    peer.dirty = true;
                    self.dirty.push(number);
                }
            }
        }
        ticket
    }

    /// Order what follows behind what was posted.
    pub fn fence(&mut self) -> Result<()> {
        self.fences += 1;
        self.hold_back();
        let context = &self.worker.context;
        if context.has_free_fence() && (!self.dirty.is_empty() || self.flush.running.get()) {
            // SAFETY: the worker is open, and this is its one caller.
            let status = unsafe { (context.ucx.call.ucp_worker_fence)(self.worker.handle) };
            context.check("a fence of UCX", status)?;
        }
        Ok(())
    }

    /// Whether something before the last fence stands in the way of an operation at a peer.
    #[inline]
    fn must_wait(&mut self, number: usize, end: End) -> bool {
        let peer = &mut self.peers[number];
        if peer.fence != self.fences {
            peer.fence = self.fences;
            peer.before = peer.last;
        }
        let before = peer.before;
        if before.is_nothing() {
            return false;
        }
        self.settle();
        let free = self.worker.context.has_free_fence();
        if before.flushed > self.flushed_at(number) && !(end == End::Flush && free) {
            // One flush serves all that follow a fence; unless another peer takes its time.
            let alone = self.minds_endpoints();
            if self.dirty.len() > 1 || !alone {
                self.start_flush();
            }
            let is_covered = self.flush.running.get() && self.covered >= before.flushed;
            if alone && (!is_covered || self.peers[number].refused >= REFUSED_MAX) {
                self.start_aside(number);
            }
            self.settle();
            if before.flushed > self.flushed_at(number) {
                let peer = &mut self.peers[number];
                peer.refused = peer.refused.saturating_add(1);
                return true;
            }
        }
        let peer = &self.peers[number];
        let answered = self.window.is_done_at(peer.pe, before.answered);
        let streamed = before.streamed <= self.window.done().max(peer.acknowledged.upto());
        if !answered || !streamed && end != End::Stream {
            // What is answered is done when all before it is, also the packets that nobody has asked about yet.
            self.ask();
            return true;
        }
        if before.flushed <= self.flushed_at(number) && streamed {
            self.peers[number].before = Marks::default();
        }
        false
    }

    /// Whether somebody has waited for what was posted since this was last asked: else it is the target's worker that matters.
    pub fn take_wanted(&mut self) -> bool {
        std::mem::take(&mut self.wanted)
    }

    /// Move what can be moved.
    ///
    /// A program waits for its own operations, which are `wanted`, or for those of others, which come to the target's worker;
    /// asking a worker may cost as much as a system call, so the one that is waited for is asked more often.
    pub fn progress(&mut self, wanted: bool) -> usize {
        self.turns = self.turns.wrapping_add(1);
        if !wanted && !self.turns.is_multiple_of(OWN_TURN) || self.is_idle() {
            return 0;
        }
        // Twice: what surrounds a look costs a part of the look.
        let happened = match self.worker.progress() {
            0 => self.worker.progress(),
            happened => happened,
        };
        // Even then: UCX gives 0 where all that happened is that a flush came to its end.
        self.settle();
        happened
    }

    /// Move what the library has kept, though nobody waits for it here.
    pub fn push(&mut self) {
        self.worker.progress();
        self.settle();
    }

    #[inline]
    fn is_idle(&self) -> bool {
        self.window.done() == self.window.issued() && self.dirty.is_empty() && !self.is_flushing()
    }

    /// Why nothing more can be promised, if so: an operation failed, or a peer was lost of which something is awaited. What
    /// nobody has asked about may have arrived: a peer that has everything may go.
    #[inline]
    pub fn failure(&mut self) -> Option<Error> {
        let sound = !self.window.has_failed() && self.flush_failure().is_none() && !self.trouble.get();
        if sound { None } else { self.find_failure() }
    }

    #[cold]
    #[inline(never)]
    fn find_failure(&mut self) -> Option<Error> {
        let (failed, flush) = (self.window.failure(), self.flush_failure());
        self.settle();
        let under_way = |(number, peer): &(usize, &Peer)| {
            let flushed = peer.last.flushed <= self.flushed_at(*number);
            let flushing = !flushed && (!peer.dirty || peer.aim.is_some());
            let answered = self.window.is_done_at(peer.pe, peer.last.answered);
            flushing || !answered || peer.asked > peer.acknowledged.upto()
        };
        let lost = self.peers.iter().enumerate().filter(under_way).find_map(|(_, peer)| Some((peer.pe, peer.lost()?)));
        if let Some((pe, status)) = lost {
            return Some(self.lost(pe, status));
        }
        // A peer that was lost when nothing was wanted of it is none.
        self.trouble.set(failed.is_some() || flush.is_some());
        match failed {
            Some(Failure::Status(pe, status)) => Some(self.lost(pe, status)),
            Some(Failure::Refused(pe)) => Some(Error::new(format!("{pe} refused an operation: it has no such memory"))),
            Some(Failure::Lost(pe)) => Some(Error::new(format!("{pe} did not get the data of a put with signal"))),
            None => flush.map(|status| self.error("completing what was put", status)),
        }
    }

    /// Why nothing will come any more, if nothing has happened now and for too long.
    #[inline]
    pub fn watch(&mut self, options: &Options, happened: usize) -> Option<Error> {
        if self.is_idle() || self.moves(happened) {
            self.silence.end();
            return None;
        }
        match self.silence.look(options.silence, &options.links) {
            Quiet::Short => None,
            // Of what nobody waits for nobody would hear that it was lost: so ask.
            Quiet::Long => {
                self.reached(Stage::Remote);
                // Each by itself, for one may hide behind another's silence.
                for number in 0..self.peers.len() {
                    if !self.is_flushed(number) {
                        self.start_aside(number);
                    }
                }
                None
            }
            Quiet::Lost(why) => {
                let silent = (0..self.peers.len()).find(|&number| self.owes(number));
                let whom = silent.map_or("a peer".to_owned(), |number| self.peers[number].pe.to_string());
                Some(Error::new(format!("{whom} counts as lost over UCX: {why}")))
            }
        }
    }

    /// Whether there is news since this was last asked. UCX counts its own visits to peers, also to those that do not answer: only
    /// for what is long they have to do.
    fn moves(&mut self, happened: usize) -> bool {
        let done = self.window.done();
        let news = (done, self.flushed, self.window.reached(Stage::Local));
        std::mem::replace(&mut self.news, news) != news || (happened > 0 && done < self.long)
    }

    /// Close the endpoints, serving others meanwhile, and give everything back: until `deadline`, whatever peers do.
    ///
    /// Closing takes along what is under way: where there is no reason to give all up, only the ways to peers that are lost are
    /// closed at once, for others may still wait for the last words from here.
    pub fn part(mut self, sound: bool, deadline: Instant, serve: impl Fn()) {
        let context = Arc::clone(&self.worker.context);
        if sound && self.is_quiet() {
            self.peers.iter_mut().for_each(Peer::forget_keys);
        }
        let ways = self.peers.iter().map(|peer| peer.close(sound && peer.lost().is_none()));
        let mut closing: Vec<_> = ways.filter(|answer| is_request(*answer)).collect();
        loop {
            closing.retain(|request| {
                // SAFETY: the request was not given back yet, and is when it is done.
                unsafe {
                    let goes_on = (context.ucx.call.ucp_request_check_status)(*request) == UCS_INPROGRESS;
                    if !goes_on {
                        (context.ucx.call.ucp_request_free)(*request);
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
            tracing::debug!(endpoints = closing.len(), "closing did not come to an end in time");
        }
        for request in closing {
            // SAFETY: given back once. UCX ends it with the worker, and insists that nobody wants to hear of it.
            unsafe { (context.ucx.call.ucp_request_free)(request) };
        }
        self.peers.iter_mut().for_each(Peer::forget_keys);
    }

    fn lost(&self, pe: Pe, status: ucs_status_t) -> Error {
        self.error(&format!("the way to {pe} is lost"), status)
    }

    fn error(&self, what: &str, status: ucs_status_t) -> Error {
        Error::because(what, self.worker.context.ucx.status_string(status))
    }
}
