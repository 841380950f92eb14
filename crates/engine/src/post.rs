//! How an operation becomes calls of a port.
//!
//! [`PortState::post`] admits an operation, and `start` chooses its form: one message (`as_message`), an atomic of the NIC
//! (`as_nic_atomic`), or as many calls as the port wants (`in_calls`). If the port has no room for the first call, the whole operation is
//! refused. The rest of an operation that was begun waits. Until it has gone, other operations for the same peer are refused.

use crate::{
    Answers, Atomics, Class, Error, Flush, Location, PeerNumber, Port, PostError, Posted, Transport, Update,
    calls::{Call, Flight},
    ledger::{Entry, Fetch, Needs, Signal},
    message::{Asker, Request},
    port_state::{PortState, Standing},
    segments::WORD_BYTES,
};
use ferrite_fabric::{Op, Remote, Ticket};
use std::ptr;

/// The rest of an operation, which the port has not taken yet.
///
/// `local` leads to `len` bytes that stay valid until the ticket is local: memory of the caller of [`ferrite_fabric::Lane::post`], or
/// `_copy`. Only [`PortState::in_calls`], which is unsafe, makes one.
#[derive(Debug)]
pub struct Rest {
    pub ticket: u64,
    pub peer: PeerNumber,
    class: Class,
    /// The fence behind which it was posted.
    fence: u32,
    /// The source is free: all of it is copied, in however many calls.
    copied: bool,
    /// The operation is one message, so an answer to the message answers the operation.
    is_whole: bool,
    at: Location,
    local: *mut u8,
    len: usize,
    /// Memory that `local` points into, if the caller's memory is free already. Kept for that pointer alone.
    _copy: Option<Box<[u8]>>,
    /// A signal that follows.
    signal: Option<Signal>,
}

impl From<Remote> for Location {
    #[inline]
    fn from(at: Remote) -> Location {
        Location { segment: at.segment, offset: at.offset }
    }
}

impl Rest {
    /// Whether a signal follows.
    pub fn has_signal(&self) -> bool {
        self.signal.is_some()
    }

    /// Whether the bytes go to the peer, which may wait for them.
    pub fn goes_to_peer(&self) -> bool {
        self.class != Class::Read
    }
}

/// A part of an operation that the port has taken.
struct Taken {
    bytes: usize,
    /// It uses the caller's memory until its token comes back.
    holds_memory: bool,
    /// It is complete at the target when its token or its answer comes back.
    is_part: bool,
    /// The target answers it.
    is_answered: bool,
}

/// Number of bytes, out of `len` for this offset, that one message of at most `max` carries. The target stores each message separately, so
/// the next message begins at a word boundary: no reader may see a word half written.
#[inline]
fn message_bytes(offset: u64, len: usize, max: usize) -> usize {
    let beyond = (offset as usize).wrapping_add(max) % WORD_BYTES;
    if len <= max { len } else { max - if beyond < max { beyond } else { 0 } }
}

impl<T: Transport> PortState<T> {
    /// Start an operation.
    ///
    /// # Safety
    /// As [`ferrite_fabric::Lane::post`].
    #[inline]
    pub unsafe fn post(&mut self, op: &Op) -> Result<Ticket, PostError> {
        if self.standing != Standing::Open {
            return Err(PostError::Busy);
        }
        let number = self.peers.number(&mut self.port, op.target(), self.fences)?;
        if self.ledger.is_filling() {
            self.want_all();
            if !self.ledger.has_room() {
                return self.refuse_as_one_too_many(number);
            }
        }
        let peer = self.peers.at(number);
        if let Some(why) = peer.lost() {
            return Err(PostError::Lost(Error::new(why)));
        }
        peer.keep_answering(self.awaited.take_inquired());
        let was_quiet = peer.is_quiet();
        // SAFETY: as the caller says.
        let ticket = unsafe { self.start(number, op) }?;
        let is_first = self.peers.at(number).is_first_behind(self.fences);
        // A peer may wait for a flag: the first operation behind a fence or a quiet.
        if is_first || was_quiet || matches!(op, Op::PutSignal { .. }) {
            self.port.push();
        }
        Ok(ticket)
    }

    /// Post an operation to the port, or as much of it as the port takes.
    ///
    /// # Safety
    /// As [`ferrite_fabric::Lane::post`].
    #[inline]
    unsafe fn start(&mut self, number: PeerNumber, op: &Op) -> Result<Ticket, PostError> {
        // SAFETY: as the caller says.
        unsafe {
            match *op {
                Op::Put { to, from, len }
                    if !self.limits.writes && (1..=self.limits.message_bytes_max).contains(&len) =>
                {
                    self.as_message(number, &Request::Put { at: to.into() }, from, len, Fetch::NOTHING)
                }
                Op::Put { to, from, len } => {
                    let class = if self.limits.writes { Class::Write } else { Class::Message };
                    self.in_calls(number, class, to.into(), from.cast_mut(), len, None)
                }
                Op::Get { from, to, len } => self.in_calls(number, Class::Read, from.into(), to, len, None),
                Op::Amo { at, width, op, operand, compare, fetch } => match self.limits.atomics {
                    Atomics::Target => {
                        let request = Request::Amo { at: at.into(), width, op, operand, compare };
                        self.as_message(number, &request, ptr::null(), 0, Fetch { to: fetch, width })
                    }
                    Atomics::Nic { .. } => {
                        let update = Update { at: at.into(), width, op, operand, compare, fetch, fenced: false };
                        self.as_nic_atomic(number, &update)
                    }
                },
                Op::PutSignal { to, from, len, signal, op, value } => {
                    if self.limits.atomics == Atomics::Target && len <= self.limits.message_bytes_max {
                        let request = Request::PutSignal { at: to.into(), signal: signal.into(), op, value };
                        return self.as_message(number, &request, from, len, Fetch::NOTHING);
                    }
                    let class = if self.limits.writes { Class::Write } else { Class::Message };
                    let (ticket, fence) = (self.ledger.next(), self.fences);
                    let signal = Signal { ticket, peer: number, fence, at: signal, op, value };
                    self.in_calls(number, class, to.into(), from.cast_mut(), len, Some(signal))
                }
            }
        }
    }

    /// Move bytes, and then raise a signal if there is one.
    ///
    /// # Safety
    /// The `len` bytes at `local` are the caller's memory of an operation, as for [`ferrite_fabric::Lane::post`].
    #[inline]
    unsafe fn in_calls(
        &mut self,
        number: PeerNumber,
        class: Class,
        at: Location,
        local: *mut u8,
        len: usize,
        signal: Option<Signal>,
    ) -> Result<Ticket, PostError> {
        self.admit(number, class, len)?;
        let ticket = self.ledger.next();
        let copied = class != Class::Read && len <= self.limits.copy_bytes_max;
        let fence = self.fences;
        let is_whole = class != Class::Message || len <= self.limits.message_bytes_max;
        let mut rest =
            Rest { ticket, peer: number, class, fence, copied, is_whole, at, local, len, _copy: None, signal };
        let mut entry = Entry::new(number, fence, is_whole, Fetch::NOTHING);
        if signal.is_some() {
            entry.begin_part();
        }
        if len > 0 {
            let taken = match self.next_call(&mut rest) {
                Err(PostError::Busy) => return self.refuse(number),
                taken => taken?,
            };
            self.note(&mut entry, class, &taken, len, ticket);
        }
        if signal.is_some() {
            // Operations fenced behind this operation are fenced behind its signal too.
            let class = self.signal_class();
            self.peers.at(number).begun(class, 8);
        }
        if rest.len > 0 {
            // One extra part keeps the operation open until the port has all of it.
            entry.begin_part();
            if !copied {
                entry.hold();
            }
            let issued = self.ledger.issue(entry);
            if copied {
                // SAFETY: the caller's memory is readable for the length of its put.
                let mut copy: Box<[u8]> = unsafe { std::slice::from_raw_parts(rest.local, rest.len) }.into();
                rest.local = copy.as_mut_ptr();
                rest._copy = Some(copy);
            }
            self.outgoing.add_rest(rest);
            return Ok(issued);
        }
        let issued = self.ledger.issue(entry);
        self.after_data(number, signal);
        self.send_signals()?;
        self.settle();
        Ok(issued)
    }

    /// Record in an operation's entry the part that the port has taken.
    #[inline]
    fn note(&mut self, entry: &mut Entry, class: Class, taken: &Taken, len: usize, ticket: u64) {
        let number = entry.peer;
        if taken.holds_memory {
            entry.hold();
        }
        if taken.is_part {
            entry.begin_part();
            self.peers.at(number).begun(class, len);
        }
        if taken.is_answered {
            entry.expect_answer();
            self.answers_due += 1;
        }
        match class {
            Class::Write if !taken.is_part && self.limits.flush == Flush::Call => {
                entry.needs(Needs::Flush);
                self.peers.write_posted(number, ticket, len);
            }
            Class::Message if !taken.is_answered => {
                entry.needs(Needs::Answer);
                self.peers.message_posted(number, ticket, len);
            }
            Class::Message => entry.covers &= self.is_in_order(len),
            Class::Write | Class::Read | Class::Atomic => {}
        }
        self.peers.at(number).sent(taken.bytes);
    }

    /// Post as much of a transfer to the port as one call takes.
    #[inline]
    fn next_call(&mut self, rest: &mut Rest) -> Result<Taken, PostError> {
        let taken = match rest.class {
            Class::Message => self.next_message(rest)?,
            class => {
                let token = self.calls.token().ok_or(PostError::Busy)?;
                // SAFETY: the caller of `post` keeps its memory valid until its ticket is local, which is after the call; a copy lives as
                // long as the rest, and the port copies it.
                let posted = unsafe {
                    match class {
                        Class::Read => self.port.read(rest.peer, rest.at, rest.local, rest.len, token)?,
                        Class::Write => {
                            self.port.write(rest.peer, rest.at, rest.local, rest.len, rest.copied, token)?
                        }
                        Class::Message | Class::Atomic => unreachable!("{class:?} is posted otherwise"),
                    }
                };
                let bytes = posted.bytes();
                let is_pending = matches!(posted, Posted::Pending(_));
                let holds_memory = is_pending && !rest.copied;
                let is_part = is_pending && (class == Class::Read || self.limits.flush == Flush::Done);
                if is_pending {
                    let Rest { ticket, fence, .. } = *rest;
                    let call = match (is_part, holds_memory) {
                        (true, _) => Call::Part { ticket, class, fence, holds_memory },
                        (false, true) => Call::Source { ticket },
                        (false, false) => Call::Own,
                    };
                    self.calls.begin(token, Flight { call, peer: rest.peer });
                }
                Taken { bytes, holds_memory, is_part, is_answered: false }
            }
        };
        rest.at = rest.at.beyond(taken.bytes);
        rest.local = rest.local.wrapping_add(taken.bytes);
        rest.len -= taken.bytes;
        Ok(taken)
    }

    /// The same as [`PortState::next_call`], for puts that are messages.
    fn next_message(&mut self, rest: &mut Rest) -> Result<Taken, PostError> {
        let Rest { ticket, peer, is_whole, at, local, .. } = *rest;
        let bytes = message_bytes(at.offset, rest.len, self.limits.message_bytes_max);
        let wants_answer = self.wants_answer(peer, bytes, false, is_whole);
        let request = Request::Put { at };
        // SAFETY: as in `next_call`.
        let holds_memory =
            unsafe { self.send_message(peer, ticket, wants_answer, is_whole, &request, local, bytes, !rest.copied) }?;
        Ok(Taken { bytes, holds_memory, is_part: wants_answer, is_answered: wants_answer })
    }

    /// Whether a message with `len` bytes of data is executed in order with other messages.
    #[inline]
    fn is_in_order(&self, len: usize) -> bool {
        self.limits.orders.keep(Class::Message, Class::Message, len)
    }

    /// Whether the target must answer this message by itself. If an operation is several messages, an answer to any but the last would come
    /// too early.
    #[inline]
    fn wants_answer(&mut self, number: PeerNumber, len: usize, fetches: bool, is_whole: bool) -> bool {
        fetches
            || self.limits.answers == Answers::Each
            || !self.is_in_order(len)
            || is_whole && self.peers.at(number).answers_next()
    }

    /// Send a message. Returns whether it still uses the caller's memory.
    ///
    /// # Safety
    /// `data` is readable for `len` bytes until the ticket is local, or only during the call if the port copies it.
    #[inline]
    pub unsafe fn send_message(
        &mut self,
        number: PeerNumber,
        ticket: u64,
        wants_answer: bool,
        covers: bool,
        request: &Request,
        data: *const u8,
        len: usize,
        from_caller: bool,
    ) -> Result<bool, PostError> {
        let token = self.calls.token().ok_or(PostError::Busy)?;
        let head = request.encode(Asker { pe: self.me.0, lane: self.number, ticket, wants_answer });
        // SAFETY: as the caller says.
        let posted = unsafe { self.port.send(number, head.bytes(), data, len, token) }?;
        let holds_memory = from_caller && len > self.limits.copy_bytes_max && matches!(posted, Posted::Pending(_));
        if let Posted::Pending(_) = posted {
            let call = if holds_memory { Call::Source { ticket } } else { Call::Own };
            self.calls.begin(token, Flight { call, peer: number });
        }
        if wants_answer && covers && self.is_in_order(len) {
            // Its answer covers all earlier messages.
            self.peers.at(number).answer_requested(ticket);
        }
        Ok(holds_memory)
    }

    /// Post an operation that is one message.
    ///
    /// # Safety
    /// The `len` bytes at `data`, and the word at `fetch`, are the caller's memory of an operation, as for [`ferrite_fabric::Lane::post`].
    #[inline]
    unsafe fn as_message(
        &mut self,
        number: PeerNumber,
        request: &Request,
        data: *const u8,
        len: usize,
        fetch: Fetch,
    ) -> Result<Ticket, PostError> {
        self.admit(number, Class::Message, len)?;
        let ticket = self.ledger.next();
        let fetches = !fetch.to.is_null();
        let wants_answer = self.wants_answer(number, len, fetches, true);
        // SAFETY: as the caller says.
        let sent = unsafe { self.send_message(number, ticket, wants_answer, true, request, data, len, true) };
        let holds_memory = match sent {
            Err(PostError::Busy) => return self.refuse(number),
            sent => sent?,
        };
        let mut entry = Entry::new(number, self.fences, true, fetch);
        if fetches {
            entry.hold();
        }
        let taken = Taken { bytes: len, holds_memory, is_part: wants_answer, is_answered: wants_answer };
        self.note(&mut entry, Class::Message, &taken, len, ticket);
        Ok(self.ledger.issue(entry))
    }

    /// Post an atomic that the NIC executes.
    ///
    /// # Safety
    /// As for [`PortState::start_atomic`].
    unsafe fn as_nic_atomic(&mut self, number: PeerNumber, update: &Update) -> Result<Ticket, PostError> {
        self.admit(number, Class::Atomic, 8)?;
        let ticket = self.ledger.next();
        let (fence, fetches) = (self.fences, !update.fetch.is_null());
        // SAFETY: as the caller says.
        let is_pending = match unsafe { self.start_atomic(number, ticket, fence, update) } {
            Err(PostError::Busy) => return self.refuse(number),
            pending => pending?,
        };
        if is_pending {
            self.peers.at(number).begun(Class::Atomic, 8);
        }
        let mut entry = Entry::new(number, fence, true, Fetch::NOTHING);
        if is_pending {
            entry.begin_part();
            if fetches {
                entry.hold();
            }
        }
        let issued = self.ledger.issue(entry);
        if !is_pending {
            self.settle();
        }
        Ok(issued)
    }

    /// Have the NIC start an atomic. Returns whether it is under way.
    ///
    /// # Safety
    /// The word at `update.fetch`, unless null, is writable until the ticket is local.
    pub unsafe fn start_atomic(
        &mut self,
        number: PeerNumber,
        ticket: u64,
        fence: u32,
        update: &Update,
    ) -> Result<bool, PostError> {
        let token = self.calls.token().ok_or(PostError::Busy)?;
        // SAFETY: as the caller says; the ticket is not local before the call is over.
        let posted = unsafe { self.port.atomic(number, update, token) }?;
        let is_pending = matches!(posted, Posted::Pending(_));
        if is_pending {
            let holds_memory = !update.fetch.is_null();
            let call = Call::Part { ticket, class: Class::Atomic, fence, holds_memory };
            self.calls.begin(token, Flight { call, peer: number });
        }
        Ok(is_pending)
    }

    /// Post the backlog as far as the port has room: for each peer in turn, however much the others take. Some tokens stay free for
    /// operations posted meanwhile, and for peers to which nothing else is under way.
    pub fn send_rest(&mut self) -> Result<(), PostError> {
        let mut hopeful = self.outgoing.rests();
        while hopeful > 0
            && let Some(mut rest) = self.outgoing.next_rest()
        {
            let may = self.has_room_for(rest.peer);
            let taken = if may { self.next_call(&mut rest) } else { Err(PostError::Busy) };
            match taken {
                Err(PostError::Busy) => {
                    self.outgoing.add_rest(rest);
                    hopeful -= 1;
                }
                Err(error) => return Err(self.note_loss(rest.peer, error)),
                Ok(taken) => {
                    if self.enter_rest(&rest, &taken) {
                        hopeful -= 1;
                    } else {
                        self.outgoing.add_rest(rest);
                    }
                }
            }
        }
        self.send_signals()
    }

    /// Record the part of a rest that the port has taken. Returns whether nothing is left of it.
    fn enter_rest(&mut self, rest: &Rest, taken: &Taken) -> bool {
        let Rest { ticket, peer, class, len: left, copied, signal, .. } = *rest;
        let Some(mut entry) = self.ledger.entry(ticket).copied() else { return true };
        // The order that the port keeps depends on the length that it was asked for, however much it has taken (`rails`).
        self.note(&mut entry, class, taken, taken.bytes + left, ticket);
        if left == 0 {
            entry.end_part();
            if !copied {
                entry.release();
            }
        }
        if let Some(known) = self.ledger.entry(ticket) {
            *known = entry;
        }
        if left > 0 {
            return false;
        }
        self.after_data(peer, signal);
        self.settle();
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_one_put_meet_where_words_do() {
        for (offset, len, max, bytes) in [
            (0, 64, 64, 64),
            (3, 64, 64, 64),
            (3, 65, 64, 61),
            (8, 65, 64, 64),
            (7, 9, 8, 1),
            (6, 9, 4, 2),
            (5, 9, 1, 1),
        ] {
            assert_eq!(message_bytes(offset, len, max), bytes, "{len} bytes at {offset}");
        }
    }
}
