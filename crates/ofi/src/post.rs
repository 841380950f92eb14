//! How an operation becomes calls of libfabric.
//!
//! An operation is cut where an extent ends and where the provider's longest message does. If the provider has no room
//! for the first piece the operation is refused as a whole; the rest of one that was begun waits in the backlog.

use crate::{
    extents::Spot,
    lane::{Flight, Landing, State},
    ledger::{Old, Parts, Signal},
    nic::Update,
    object::Object,
    plan::{Atomics, Class, STAGED_BYTES_MAX, Told},
    regions::{self, Use},
    service,
    shared::Shared,
    wire::{self, Asker, INLINE_BYTES_MAX, Request},
};
use ferrite_fabric::{Busy, Error, Op, Remote, Result, SignalOp, Ticket, Width};
use libfabric_sys::*;
use std::{ffi::c_void, ptr};

/// What is left of an operation on memory.
#[derive(Debug)]
pub struct Piece {
    ticket: u64,
    peer: u32,
    class: Class,
    remote: Remote,
    local: *mut u8,
    len: usize,
    /// A put of which the caller needs no more memory once it is posted: all of it is copied, in however many pieces.
    small: bool,
    /// What `local` points into, if the caller's memory is no more.
    kept: Option<Box<[u8]>>,
    /// A signal that the provider may hold back behind the last piece.
    signal: Option<Signal>,
}

impl Piece {
    /// Make what is left independent of the caller's memory.
    fn keep(&mut self) {
        // SAFETY: the caller's memory is readable for the length of its put.
        let bytes: Box<[u8]> = unsafe { std::slice::from_raw_parts(self.local, self.len) }.into();
        self.local = bytes.as_ptr().cast_mut();
        self.kept = Some(bytes);
    }
}

/// What became of an attempt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    /// The provider has it, and has copied what it needs.
    Copied,
    /// The provider has it.
    Lent,
    /// There is no room.
    Again,
}

/// Local memory as a call wants it.
pub(crate) struct Lent {
    pub at: *mut u8,
    pub desc: *mut c_void,
    pub staged: Option<u32>,
    pub region: Option<Object<fid_mr>>,
}

impl Lent {
    /// As it is: copied during the call, or used by a provider that wants nothing registered.
    fn plain(at: *mut u8) -> Self {
        Lent { at, desc: ptr::null_mut(), staged: None, region: None }
    }
}

impl State {
    /// Start an operation.
    ///
    /// # Safety
    /// As [`ferrite_fabric::Lane::post`].
    #[inline]
    pub unsafe fn post(&mut self, shared: &Shared, op: &Op) -> Result<Result<Ticket, Busy>> {
        if !self.backlog.is_empty() || !self.ledger.has_room() {
            self.refused = true;
            return Ok(Err(Busy));
        }
        match *op {
            Op::Put { to, from, len } => self.memory(shared, Class::Write, to, from.cast_mut(), len, None),
            Op::Get { from, to, len } => self.memory(shared, Class::Read, from, to, len, None),
            Op::Amo { at, width, op, operand, compare, fetch } => match shared.plan.atomics {
                Atomics::Target => {
                    let request = Request::Amo { at: at.into(), width, op, operand, compare };
                    self.ask(shared, at, &request, Old::of(fetch, width))
                }
                Atomics::Nic => {
                    let operands = [operand, compare];
                    self.atomic(shared, &Update { at, width, op, operands, fetch })
                }
            },
            Op::PutSignal { to, from, len, signal, op, value } => {
                if shared.plan.atomics == Atomics::Target && len <= INLINE_BYTES_MAX {
                    let from = if len == 0 { ptr::NonNull::dangling().as_ptr() } else { from.cast_mut() };
                    // SAFETY: the caller's memory is readable for its length.
                    let data = unsafe { std::slice::from_raw_parts(from, len) };
                    let request = Request::Signal { to: to.into(), data, signal: signal.into(), op, value };
                    return self.ask(shared, to, &request, Old::NOWHERE);
                }
                let signal = (signal, op, value);
                self.memory(shared, Class::Write, to, from.cast_mut(), len, Some(signal))
            }
        }
    }

    /// The number of a peer, if something of this class may go there now.
    #[inline]
    pub(crate) fn admit(&mut self, shared: &Shared, at: Remote, class: Class, len: usize) -> Result<Result<u32, Busy>> {
        let peer = self.peers.number(shared, &self.endpoint, at.pe)?;
        let admitted = self.peers.at(peer).admits(self.fences, &shared.plan.orders, class, len);
        Ok(if admitted { Ok(peer) } else { Err(Busy) })
    }

    fn memory(
        &mut self,
        shared: &Shared,
        class: Class,
        remote: Remote,
        local: *mut u8,
        len: usize,
        signal: Option<(Remote, SignalOp, u64)>,
    ) -> Result<Result<Ticket, Busy>> {
        let peer = match self.admit(shared, remote, class, len)? {
            Ok(peer) => peer,
            Err(Busy) => return Ok(Err(Busy)),
        };
        let signal = signal.map(|(at, op, value)| Signal { peer, at, op, value });
        let ticket = self.ledger.next();
        let small = class == Class::Write && len <= shared.plan.inject.max(STAGED_BYTES_MAX);
        let mut piece = Piece { ticket, peer, class, remote, local, len, small, kept: None, signal: None };
        let first = if len == 0 { Step::Copied } else { self.step(shared, &mut piece)? };
        if first == Step::Again {
            self.refused = true;
            return Ok(Err(Busy));
        }
        let pieces = u32::from(len > 0) + u32::from(piece.len > 0);
        let local = small || (first == Step::Copied && piece.len == 0);
        let mut parts = Parts { signal, ..Parts::of(pieces + u32::from(signal.is_some()), local) };
        if let Some(signal) = signal {
            // Whatever is fenced behind this operation is behind its signal too.
            self.peers.at(peer).opened(signal_class(shared), 8);
            if len == 0 || shared.plan.fenced {
                parts.signal = None;
                if piece.len == 0 {
                    self.signals.push_back((ticket, signal));
                } else {
                    piece.signal = Some(signal);
                }
            }
        }
        let issued = self.ledger.issue(parts);
        if piece.len > 0 {
            if small {
                piece.keep();
            }
            self.backlog.push_back(piece);
        }
        self.send_rest(shared)?;
        Ok(Ok(issued))
    }

    /// Send what earlier calls left behind, as far as there is room.
    pub fn send_rest(&mut self, shared: &Shared) -> Result<()> {
        while let Some(mut piece) = self.backlog.pop_front() {
            let step = self.step(shared, &mut piece)?;
            if step == Step::Again {
                self.refused = true;
                self.backlog.push_front(piece);
                break;
            }
            if piece.len > 0 {
                self.ledger.add_part(piece.ticket);
                self.backlog.push_front(piece);
            } else if let Some(signal) = piece.signal {
                self.signals.push_back((piece.ticket, signal));
            }
        }
        while let Some(&(ticket, signal)) = self.signals.front() {
            if self.signal(shared, ticket, &signal)? == Step::Again {
                self.refused = true;
                break;
            }
            self.signals.pop_front();
        }
        Ok(())
    }

    /// Hand as much of a piece to the provider as one call takes.
    #[inline]
    fn step(&mut self, shared: &Shared, piece: &mut Piece) -> Result<Step> {
        let plan = &shared.plan;
        let spot = self.peers.spot(shared, piece.peer, piece.remote)?;
        let mut len = piece.len.min(usize::try_from(spot.room).unwrap_or(usize::MAX)).min(plan.message_max);
        let step = match piece.class {
            Class::Read => self.read(shared, piece, spot, len)?,
            _ if piece.small && len <= plan.inject && plan.told == Told::Counter => {
                self.count_write(shared, piece, spot, len)?
            }
            _ => self.write(shared, piece, spot, &mut len)?,
        };
        if step == Step::Again {
            return Ok(step);
        }
        self.peers.at(piece.peer).opened(piece.class, len);
        piece.remote.offset += len as u64;
        piece.local = piece.local.wrapping_add(len);
        piece.len -= len;
        Ok(step)
    }

    /// Inject a small put that only a counter tells of.
    fn count_write(&mut self, shared: &Shared, piece: &Piece, spot: Spot, len: usize) -> Result<Step> {
        let lent = Lent::plain(piece.local);
        // Not `fi_inject_write`: cxi counts that when the target's NIC has it, not when it is in memory. Without
        // FI_COMPLETION nobody comes back to the context.
        let code = self.call(piece, spot, len, &lent, ptr::null_mut(), FI_INJECT | FI_DELIVERY_COMPLETE);
        if code != 0 {
            return self.refused(shared, code, piece.peer);
        }
        self.writes += 1;
        self.counted.push((piece.ticket, piece.peer));
        self.accepted(Step::Copied)
    }

    /// Write `len` bytes, or less where memory cannot be lent: then `len` says how many.
    fn write(&mut self, shared: &Shared, piece: &Piece, spot: Spot, len: &mut usize) -> Result<Step> {
        let Some(&number) = self.free.last() else { return Ok(Step::Again) };
        let inject = piece.small && *len <= shared.plan.inject;
        let lent = if inject {
            Some(Lent::plain(piece.local))
        } else if piece.small {
            self.stage(piece.local, *len)
        } else {
            match self.lend(shared, piece.local, *len, Use::Source) {
                Ok(lent) => Some(lent),
                // Memory that may only be read is refused where providers ask for more rights than they need.
                Err(error) => {
                    tracing::debug!(me = %shared.options.me, "a put is copied, for {error}");
                    *len = (*len).min(STAGED_BYTES_MAX);
                    self.stage(piece.local, *len)
                }
            }
        };
        let Some(lent) = lent else { return Ok(Step::Again) };
        let copied = inject || lent.staged.is_some();
        let flags = FI_COMPLETION | FI_DELIVERY_COMPLETE | if inject { FI_INJECT } else { 0 };
        let context = self.contexts.at(number as usize);
        let code = self.call(piece, spot, *len, &lent, context, flags);
        let flight = Flight { ticket: piece.ticket, peer: piece.peer, class: Some(Class::Write), ..Flight::default() };
        let step = if copied { Step::Copied } else { Step::Lent };
        self.posted(shared, code, number, lent, flight, step)
    }

    fn read(&mut self, shared: &Shared, piece: &Piece, spot: Spot, len: usize) -> Result<Step> {
        let Some(&number) = self.free.last() else { return Ok(Step::Again) };
        let mut landing = Landing::None;
        let known = shared.plan.local && shared.regions.desc(piece.local, len).is_some();
        let lent = if shared.plan.local && !known && len <= STAGED_BYTES_MAX {
            let Some(staged) = self.buffers.take() else { return Ok(Step::Again) };
            landing = Landing::Bytes(piece.local, len);
            Lent { at: self.buffers.at(staged), desc: self.buffers.desc(), staged: Some(staged), region: None }
        } else {
            self.lend(shared, piece.local, len, Use::Local)?
        };
        let context = self.contexts.at(number as usize);
        let code = self.call(piece, spot, len, &lent, context, FI_COMPLETION);
        let (ticket, peer) = (piece.ticket, piece.peer);
        let flight = Flight { ticket, peer, class: Some(Class::Read), landing, ..Flight::default() };
        self.posted(shared, code, number, lent, flight, Step::Lent)
    }

    /// A copy, if there is a buffer for it.
    fn stage(&mut self, from: *const u8, len: usize) -> Option<Lent> {
        let staged = self.buffers.take()?;
        let at = self.buffers.at(staged);
        // SAFETY: the buffer is free and large enough; the memory of a put is readable for its length.
        unsafe { at.copy_from_nonoverlapping(from, len) };
        Some(Lent { at, desc: self.buffers.desc(), staged: Some(staged), region: None })
    }

    /// The caller's memory, registered if it must be.
    fn lend(&self, shared: &Shared, at: *mut u8, len: usize, for_what: Use) -> Result<Lent> {
        let mut lent = Lent::plain(at);
        if shared.plan.local {
            if let Some(desc) = shared.regions.desc(at, len) {
                lent.desc = desc;
            } else {
                let ep = self.endpoint.as_ptr();
                // SAFETY: the memory stays until the ticket completes, and the region is closed before that.
                let region = unsafe { regions::open(shared.access(), ep, at, len, for_what) }?;
                // SAFETY: the region is open.
                lent.desc = unsafe { fi_mr_desc(region.as_ptr()) };
                lent.region = Some(region);
            }
        }
        Ok(lent)
    }

    fn call(&mut self, piece: &Piece, spot: Spot, len: usize, lent: &Lent, context: *mut c_void, flags: u64) -> isize {
        let local = libc::iovec { iov_base: lent.at.cast(), iov_len: len };
        let remote = fi_rma_iov { addr: spot.at, len, key: spot.key };
        let mut desc = lent.desc;
        let message = fi_msg_rma {
            msg_iov: &raw const local,
            desc: &raw mut desc,
            iov_count: 1,
            addr: self.peers.at(piece.peer).handle,
            rma_iov: &raw const remote,
            rma_iov_count: 1,
            context,
            data: 0,
        };
        let ep = self.endpoint.as_ptr();
        // SAFETY: the endpoint is open and ours; the description is read during the call; local memory is good until
        // the completion, by the caller's promise or because it is ours or copied; so is the context, if there is one.
        unsafe {
            match piece.class {
                Class::Read => fi_readmsg(ep, &raw const message, flags),
                _ => fi_writemsg(ep, &raw const message, flags),
            }
        }
    }

    /// Note what the provider has taken, which makes it `step`, or give back what it has not.
    pub(crate) fn posted(
        &mut self,
        shared: &Shared,
        code: isize,
        number: u32,
        lent: Lent,
        flight: Flight,
        step: Step,
    ) -> Result<Step> {
        if code == 0 {
            self.free.pop();
            let fetches = matches!(flight.landing, Landing::Word(..));
            self.writes += u64::from(matches!(flight.class, Some(Class::Write | Class::Atomic)) && !fetches);
            self.flights[number as usize] = Flight { staged: lent.staged, region: lent.region, ..flight };
            return self.accepted(step);
        }
        if let Some(staged) = lent.staged {
            self.buffers.give(staged);
        }
        self.refused(shared, code, flight.peer)
    }

    /// The provider has taken something.
    fn accepted(&mut self, step: Step) -> Result<Step> {
        if self.denied {
            self.denied = false;
            self.silence.end();
        }
        Ok(step)
    }

    /// No room, or an error.
    fn refused(&mut self, shared: &Shared, code: isize, peer: u32) -> Result<Step> {
        if code == -(FI_EAGAIN as isize) {
            self.awaited = peer;
            self.denied = true;
            return Ok(Step::Again);
        }
        let pe = self.peers.at(peer).pe;
        let why = shared.domain.library.strerror(code);
        let name = &shared.domain.offer.name;
        Err(Error::because(format!("libfabric's {name} refuses an operation for {pe}"), why))
    }

    /// Ask a target's processor for something.
    fn ask(&mut self, shared: &Shared, at: Remote, request: &Request<'_>, fetch: Old) -> Result<Result<Ticket, Busy>> {
        // A target has only so many buffers, and layers that repeat messages only so much patience.
        if self.asked as usize >= shared.plan.depth {
            return Ok(Err(Busy));
        }
        let peer = match self.admit(shared, at, Class::Request, 0)? {
            Ok(peer) => peer,
            Err(Busy) => return Ok(Err(Busy)),
        };
        if self.request(shared, peer, self.ledger.next(), request)? == Step::Again {
            self.refused = true;
            return Ok(Err(Busy));
        }
        self.asked += 1;
        self.awaited = peer;
        self.silence.end();
        self.peers.at(peer).opened(Class::Request, 0);
        Ok(Ok(self.ledger.issue(Parts { fetch, asked: Some(peer), ..Parts::of(1, fetch.to.is_null()) })))
    }

    fn request(&mut self, shared: &Shared, peer: u32, ticket: u64, request: &Request<'_>) -> Result<Step> {
        let asker = Asker { pe: shared.options.me.0, lane: self.number, ticket };
        wire::request(shared.options.job, asker, request, &mut self.message);
        let (ep, handle, len) = (self.endpoint.as_ptr(), self.peers.at(peer).handle, self.message.len());
        if len <= shared.plan.inject {
            // SAFETY: the endpoint is open and ours; the bytes are copied during the call.
            let code = unsafe { fi_inject(ep, self.message.as_ptr().cast(), len, handle) };
            return if code == 0 { self.accepted(Step::Copied) } else { self.refused(shared, code, peer) };
        }
        let Some(&number) = self.free.last() else { return Ok(Step::Again) };
        let Some(staged) = self.buffers.take() else { return Ok(Step::Again) };
        let (at, desc) = (self.buffers.at(staged), self.buffers.desc());
        // SAFETY: the buffer is free, and as large as the longest message; buffer and context are the provider's until
        // the completion.
        let code = unsafe {
            at.copy_from_nonoverlapping(self.message.as_ptr(), len);
            service::send(ep, at, len, desc, handle, self.contexts.at(number as usize))
        };
        let lent = Lent { at, desc, staged: Some(staged), region: None };
        // Its completion only frees the buffer: the operation is complete with the reply.
        self.posted(shared, code, number, lent, Flight { peer, ..Flight::default() }, Step::Copied)
    }

    /// Send a signal whose data has arrived, or is behind a fence of the provider.
    fn signal(&mut self, shared: &Shared, ticket: u64, signal: &Signal) -> Result<Step> {
        let op = signal.op.into();
        match shared.plan.atomics {
            Atomics::Target => {
                let (at, width, operand) = (signal.at.into(), Width::W64, signal.value);
                let request = Request::Amo { at, width, op, operand, compare: 0 };
                let step = self.request(shared, signal.peer, ticket, &request)?;
                if step != Step::Again {
                    self.ledger.ask(ticket, signal.peer);
                    self.asked += 1;
                }
                Ok(step)
            }
            Atomics::Nic => {
                let fence = if shared.plan.fenced { FI_FENCE } else { 0 };
                let (at, width, operands) = (signal.at, Width::W64, [signal.value, 0]);
                let update = Update { at, width, op, operands, fetch: ptr::null_mut() };
                self.update(shared, ticket, signal.peer, &update, fence)
            }
        }
    }
}

fn signal_class(shared: &Shared) -> Class {
    match shared.plan.atomics {
        Atomics::Target => Class::Request,
        Atomics::Nic => Class::Atomic,
    }
}
