//! How an operation becomes calls of libfabric.
//!
//! An operation is cut where an extent ends and where the provider's longest message does. If the provider has no room
//! for the first piece the operation is refused as a whole; the rest of one that was begun waits in the backlog, and what
//! is posted for the same peer is refused until that has gone.

use crate::{
    extents::Spot,
    lane::{Flight, Landing, Load, State},
    ledger::{Old, Parts, Signal},
    lend::Lent,
    nic::Update,
    plan::{Atomics, Class, STAGED_BYTES_MAX, Told},
    service,
    shared::Shared,
    wire::{self, Asker, INLINE_BYTES_MAX, Request},
};
use ferrite_fabric::{Busy, Error, Op, Remote, Result, SignalOp, Ticket, Width, locked};
use libfabric_sys::*;
use std::{ffi::c_void, ptr};

/// An operation on memory, or what is left of it.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    ticket: u64,
    peer: u32,
    class: Class,
    /// A put of which the caller needs no more memory once it is posted: all of it is copied, in however many pieces.
    small: bool,
    remote: Remote,
    local: *mut u8,
    len: usize,
}

/// What is left of an operation that the provider has not taken as a whole.
#[derive(Debug)]
pub struct Rest {
    piece: Piece,
    /// What `local` points into, if the caller's memory is no more. Held for that alone.
    _kept: Option<Vec<u8>>,
    /// A signal that the provider may hold back behind the last piece.
    signal: Option<Signal>,
}

impl Rest {
    fn new(mut piece: Piece, signal: Option<Signal>) -> Self {
        let mut kept = None;
        if piece.small {
            // SAFETY: the caller's memory is readable for the length of its put.
            let mut bytes = unsafe { std::slice::from_raw_parts(piece.local, piece.len) }.to_vec();
            piece.local = bytes.as_mut_ptr();
            kept = Some(bytes);
        }
        Rest { piece, _kept: kept, signal }
    }

    /// Whom it is for.
    pub fn peer(&self) -> u32 {
        self.piece.peer
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

impl State {
    /// Start an operation.
    ///
    /// # Safety
    /// As [`ferrite_fabric::Lane::post`].
    #[inline]
    pub unsafe fn post(&mut self, shared: &Shared, op: &Op) -> Result<Result<Ticket, Busy>> {
        if !self.ledger.has_room() {
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

    /// The number of a peer, if something of this class may go there now: not before the rest of what was begun.
    #[inline]
    pub(crate) fn admit(&mut self, shared: &Shared, at: Remote, class: Class, len: usize) -> Result<Result<u32, Busy>> {
        let peer = self.peers.number(shared, &self.endpoint, at.pe)?;
        let clear = self.backlog.iter().all(|rest| rest.peer() != peer)
            && self.signals.iter().all(|(_, signal)| signal.peer != peer)
            && self.has_room_for(shared, peer);
        let admitted = clear && self.peers.at(peer).admits(self.fences, &shared.plan.orders, class, len);
        Ok(if admitted { Ok(peer) } else { Err(Busy) })
    }

    /// Whether a peer may take of what is scarce here: flights, buffers, and places for requests. A quarter is kept for peers to which
    /// nothing is under way, so that no peer that has stopped holds up all others.
    #[inline]
    fn has_room_for(&mut self, shared: &Shared, peer: u32) -> bool {
        let requests = (self.asked as usize) < shared.plan.depth - shared.plan.depth / 4;
        self.has_many_flights() && requests && self.buffers.has_many() || self.peers.at(peer).is_quiet()
    }

    /// More than a quarter of the flights is free.
    #[inline]
    fn has_many_flights(&self) -> bool {
        self.free.len() > self.flights.len() / 4
    }

    #[inline]
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
        let small = class == Class::Write && len <= shared.plan.inject.max(STAGED_BYTES_MAX);
        let mut piece = Piece { ticket: self.ledger.next(), peer, class, small, remote, local, len };
        let first = if len == 0 { Step::Copied } else { self.step(shared, &mut piece)? };
        if first == Step::Again {
            self.refused = true;
            return Ok(Err(Busy));
        }
        let local = small || (first == Step::Copied && piece.len == 0);
        let issued = if piece.len == 0 && len > 0 && signal.is_none() {
            self.ledger.issue(Parts::of(1, local))
        } else {
            let signal = signal.map(|(at, op, value)| Signal { peer, at, op, value });
            self.memory_in_parts(shared, piece, len > 0, local, signal)
        };
        if self.has_rest() {
            self.send_rest(shared)?;
        }
        Ok(Ok(issued))
    }

    /// Enter an operation that is more than one call of the provider, or none: of which `piece` is left, that a signal follows, or
    /// of no bytes. `begun`: the provider has a part already.
    #[inline(never)]
    fn memory_in_parts(
        &mut self,
        shared: &Shared,
        piece: Piece,
        begun: bool,
        local: bool,
        signal: Option<Signal>,
    ) -> Ticket {
        let Piece { ticket, peer, len: left, .. } = piece;
        let mut parts = Parts::of(u32::from(begun) + u32::from(left > 0) + u32::from(signal.is_some()), local);
        let mut behind = None;
        if let Some(signal) = signal {
            // Whatever is fenced behind this operation is behind its signal too.
            self.peers.at(peer).opened(signal_class(shared), 8);
            if begun && !shared.plan.fenced {
                parts.signal = Some(Box::new(signal));
            } else if left == 0 {
                self.signals.push_back((ticket, signal));
            } else {
                behind = Some(signal);
            }
        }
        let issued = self.ledger.issue(parts);
        if left > 0 {
            self.backlog.push_back(Rest::new(piece, behind));
        }
        issued
    }

    /// Earlier calls left something behind.
    #[inline]
    pub fn has_rest(&self) -> bool {
        !self.backlog.is_empty() || !self.signals.is_empty()
    }

    /// Send it, as far as there is room: to each peer in its turn, whatever others take. Some flights are left for what comes
    /// beside, and for peers to which nothing else is under way.
    pub fn send_rest(&mut self, shared: &Shared) -> Result<()> {
        let mut hopeful = self.backlog.len();
        while hopeful > 0
            && let Some(mut rest) = self.backlog.pop_front()
        {
            let may = self.has_many_flights() || self.peers.at(rest.peer()).is_quiet();
            let step = if may { self.step(shared, &mut rest.piece)? } else { Step::Again };
            let Piece { ticket, len: left, .. } = rest.piece;
            if step == Step::Again {
                self.refused = true;
                self.backlog.push_back(rest);
                hopeful -= 1;
            } else if left > 0 {
                self.ledger.add_part(ticket);
                self.backlog.push_back(rest);
            } else {
                hopeful -= 1;
                self.signals.extend(rest.signal.map(|signal| (ticket, signal)));
            }
        }
        for _ in 0..self.signals.len() {
            let Some((ticket, signal)) = self.signals.pop_front() else { break };
            if self.signal(shared, ticket, &signal)? == Step::Again {
                self.refused = true;
                self.signals.push_back((ticket, signal));
            }
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
            Class::Read => self.read(shared, piece, spot, &mut len)?,
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
        // Not `fi_inject_write`: cxi counts that when the target's NIC has it, not when it is in memory. Without
        // FI_COMPLETION nobody comes back to the context.
        let flags = FI_INJECT | FI_DELIVERY_COMPLETE;
        let code = self.call(piece, spot, len, Lent::plain(piece.local), ptr::null_mut(), flags);
        if code != 0 {
            return self.refused(shared, code, piece.peer);
        }
        self.writes += 1;
        self.counted.push((piece.ticket, piece.peer));
        self.accepted(Step::Copied)
    }

    /// Write `len` bytes, or less where memory cannot be lent: then `len` says how many.
    #[inline]
    fn write(&mut self, shared: &Shared, piece: &Piece, spot: Spot, len: &mut usize) -> Result<Step> {
        let Some(&number) = self.free.last() else { return Ok(Step::Again) };
        let inject = piece.small && *len <= shared.plan.inject;
        let (mut lent, mut load) = (Lent::plain(piece.local), None);
        if !inject && (piece.small || shared.plan.local) {
            let Some(source) = self.lend_source(shared, piece.local, len, piece.small) else { return Ok(Step::Again) };
            (lent, load) = source;
        }
        let copied = inject || load.as_ref().is_some_and(|load| load.staged.is_some());
        let flags = FI_COMPLETION | FI_DELIVERY_COMPLETE | if inject { FI_INJECT } else { 0 };
        let code = self.call(piece, spot, *len, lent, self.contexts.at(number as usize), flags);
        if code != 0 && !copied && is_sealed(shared, code, piece.local, *len) {
            return self.write_copy(shared, piece, spot, len);
        }
        let step = if copied { Step::Copied } else { Step::Lent };
        self.posted(shared, code, number, Flight::of(piece), load, step)
    }

    /// Write the first of what the provider does not read where it is.
    #[cold]
    fn write_copy(&mut self, shared: &Shared, piece: &Piece, spot: Spot, len: &mut usize) -> Result<Step> {
        let Some(&number) = self.free.last() else { return Ok(Step::Again) };
        *len = (*len).min(STAGED_BYTES_MAX);
        let Some((lent, load)) = self.lend_source(shared, piece.local, len, true) else { return Ok(Step::Again) };
        let flags = FI_COMPLETION | FI_DELIVERY_COMPLETE;
        let code = self.call(piece, spot, *len, lent, self.contexts.at(number as usize), flags);
        self.posted(shared, code, number, Flight::of(piece), load, Step::Copied)
    }

    /// Read `len` bytes, or less where memory cannot be lent: then `len` says how many.
    #[inline]
    fn read(&mut self, shared: &Shared, piece: &Piece, spot: Spot, len: &mut usize) -> Result<Step> {
        let Some(&number) = self.free.last() else { return Ok(Step::Again) };
        let (mut lent, mut load) = (Lent::plain(piece.local), None);
        if shared.plan.local {
            let Some(landing) = self.lend_landing(shared, piece.local, len) else { return Ok(Step::Again) };
            (lent, load) = landing;
        }
        let code = self.call(piece, spot, *len, lent, self.contexts.at(number as usize), FI_COMPLETION);
        self.posted(shared, code, number, Flight::of(piece), load, Step::Lent)
    }

    #[inline]
    fn call(&mut self, piece: &Piece, spot: Spot, len: usize, lent: Lent, context: *mut c_void, flags: u64) -> isize {
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
    #[inline]
    pub(crate) fn posted(
        &mut self,
        shared: &Shared,
        code: isize,
        number: u32,
        flight: Flight,
        load: Option<Load>,
        step: Step,
    ) -> Result<Step> {
        if code != 0 {
            if let Some(staged) = load.and_then(|load| load.staged) {
                self.buffers.give(staged);
            }
            return self.refused(shared, code, flight.peer);
        }
        self.free.pop();
        self.flights[number as usize] = Flight { loaded: load.is_some(), ..flight };
        let mut fetches = false;
        if let Some(load) = load {
            fetches = matches!(load.landing, Landing::Word(..));
            self.loads[number as usize] = load;
        }
        self.writes += u64::from(matches!(flight.class, Some(Class::Write | Class::Atomic)) && !fetches);
        self.accepted(step)
    }

    /// The provider has taken something.
    #[inline]
    fn accepted(&mut self, step: Step) -> Result<Step> {
        if self.denied {
            self.denied = false;
            self.silence.end();
        }
        Ok(step)
    }

    /// No room, or an error.
    #[cold]
    fn refused(&mut self, shared: &Shared, code: isize, peer: u32) -> Result<Step> {
        if code == -(FI_EAGAIN as isize) {
            self.awaited = peer;
            self.denied = true;
            return Ok(Step::Again);
        }
        let pe = self.peers.at(peer).pe;
        let why = shared.domain.library.strerror(code);
        let name = &shared.domain.offer.name;
        let error = Error::because(format!("libfabric's {name} refuses an operation for {pe}"), why);
        // The buffers behind a connection are locked when a peer is first used.
        let wants_memory = code == -(libc::ENOMEM as isize) && locked::limit().is_some();
        Err(if wants_memory { locked::cured(error) } else { error })
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
        let Some((staged, Lent { at, desc })) = self.buffer() else { return Ok(Step::Again) };
        // SAFETY: the buffer is free, and as large as the longest message; buffer and context are the provider's until
        // the completion.
        let code = unsafe {
            at.copy_from_nonoverlapping(self.message.as_ptr(), len);
            service::send(ep, at, len, desc, handle, self.contexts.at(number as usize))
        };
        let load = Load { staged: Some(staged), ..Load::default() };
        // Its completion only frees the buffer: the operation is complete with the reply.
        self.posted(shared, code, number, Flight { peer, ..Flight::default() }, Some(load), Step::Copied)
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

impl Flight {
    #[inline]
    fn of(piece: &Piece) -> Self {
        Flight { ticket: piece.ticket, peer: piece.peer, class: Some(piece.class), ..Flight::default() }
    }
}

fn signal_class(shared: &Shared) -> Class {
    match shared.plan.atomics {
        Atomics::Target => Class::Request,
        Atomics::Nic => Class::Atomic,
    }
}

/// Whether a write was refused because its source may only be read: libfabric's cxi maps sources for writing too before 2.2.
#[cold]
fn is_sealed(shared: &Shared, code: isize, from: *const u8, len: usize) -> bool {
    code != -(FI_EAGAIN as isize) && !shared.plan.local && !shared.sources.are_writable(from, len)
}
