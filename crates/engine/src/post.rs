//! How an operation becomes calls of a port.
//!
//! An operation is cut into as many calls as the port wants. If the port has no room for the first call, the whole operation is refused.
//! The rest of an operation that was begun waits in the backlog. Until it has gone, other operations for the same peer are refused.

use crate::{
    Answers, Atomics, Class, Error, Flush, Location, PeerNumber, Port, PostError, Posted, Transport, Update,
    ledger::{Entry, Fetch, Needs, Signal},
    message::{Asker, Request},
    port_state::{Call, Flight, PortState},
    segments::WORD_BYTES,
};
use ferrite_fabric::{Op, Remote, Ticket};
use std::{mem, ptr};

/// The rest of an operation, which the port has not taken yet.
#[derive(Debug)]
pub struct Rest {
    ticket: u64,
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
        if self.closed {
            return Err(PostError::Busy);
        }
        let number = self.peers.number(&mut self.port, op.target(), self.fences)?;
        if self.ledger.is_filling() {
            self.want_all();
            if !self.ledger.has_room() {
                return self.refuse(number);
            }
        }
        let peer = self.peers.at(number);
        if let Some(why) = &peer.lost {
            return Err(PostError::Failed(Error::new(format!("the way to {} is lost: {why}", peer.pe))));
        }
        peer.answers_next &= mem::take(&mut self.inquired);
        // SAFETY: as the caller says.
        let ticket = unsafe { self.begin(number, op) }?;
        if self.peers.at(number).is_first_behind(self.fences) || matches!(op, Op::PutSignal { .. }) {
            self.port.push();
        }
        Ok(ticket)
    }

    /// Post an operation to the port, or as much of it as the port takes.
    ///
    /// # Safety
    /// As [`ferrite_fabric::Lane::post`].
    #[inline]
    unsafe fn begin(&mut self, number: PeerNumber, op: &Op) -> Result<Ticket, PostError> {
        match *op {
            Op::Put { to, from, len } => {
                let class = if self.limits.writes { Class::Write } else { Class::Message };
                self.transfer(number, class, to.into(), from.cast_mut(), len, None)
            }
            Op::Get { from, to, len } => self.transfer(number, Class::Read, from.into(), to, len, None),
            Op::Amo { at, width, op, operand, compare, fetch } => match self.limits.atomics {
                Atomics::Target => {
                    let request = Request::Amo { at: at.into(), width, op, operand, compare };
                    self.message(number, &request, ptr::null(), 0, Fetch { to: fetch, width })
                }
                Atomics::Nic { .. } => {
                    let update = Update { at: at.into(), width, op, operand, compare, fetch, fenced: false };
                    self.nic_atomic(number, &update)
                }
            },
            Op::PutSignal { to, from, len, signal, op, value } => {
                if self.limits.atomics == Atomics::Target && len <= self.limits.message_bytes_max {
                    let request = Request::PutSignal { at: to.into(), signal: signal.into(), op, value };
                    return self.message(number, &request, from, len, Fetch::NOTHING);
                }
                let class = if self.limits.writes { Class::Write } else { Class::Message };
                let (ticket, fence) = (self.ledger.next(), self.fences);
                let signal = Signal { ticket, peer: number, fence, at: signal, op, value };
                self.transfer(number, class, to.into(), from.cast_mut(), len, Some(signal))
            }
        }
    }

    /// Move bytes, and then raise a signal if there is one.
    #[inline]
    fn transfer(
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
        let mut entry = Entry {
            parts: u32::from(signal.is_some()),
            answers: 0,
            local: u32::from(signal.is_some() && self.is_alone()),
            peer: number,
            fence,
            needs: Needs::Nothing,
            covers: is_whole,
            fetch: Fetch::NOTHING,
        };
        if len > 0 {
            let taken = match self.step(&mut rest) {
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
            entry.parts += 1;
            entry.local += u32::from(!copied || self.is_alone());
            let issued = self.ledger.issue(entry);
            if copied {
                // SAFETY: the caller's memory is readable for the length of its put.
                let mut copy: Box<[u8]> = unsafe { std::slice::from_raw_parts(rest.local, rest.len) }.into();
                rest.local = copy.as_mut_ptr();
                rest._copy = Some(copy);
            }
            self.backlog.push_back(rest);
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
        entry.local += u32::from(taken.holds_memory);
        entry.parts += u32::from(taken.is_part);
        entry.answers += u32::from(taken.is_answered);
        let in_order = self.is_in_order(len);
        let peer = self.peers.at(entry.peer);
        if taken.is_part {
            peer.begun(class, len);
            self.answers_due += usize::from(taken.is_answered);
        }
        match class {
            Class::Write if !taken.is_part && self.limits.flush == Flush::Call => {
                peer.posted(len);
                (entry.needs, peer.unflushed) = (Needs::Flush, ticket);
                if !mem::replace(&mut peer.is_to_flush, true) {
                    self.to_flush.push(entry.peer);
                }
            }
            Class::Message if !taken.is_answered => {
                peer.posted(len);
                (entry.needs, peer.unanswered) = (Needs::Answer, ticket);
                peer.uncovered_messages += 1;
                if !mem::replace(&mut peer.is_to_ask, true) {
                    self.to_ask.push(entry.peer);
                }
            }
            Class::Message => entry.covers &= in_order,
            _ => {}
        }
        peer.bytes = peer.bytes.saturating_add(taken.bytes);
    }

    /// Post as much of a transfer to the port as one call takes.
    #[inline]
    fn step(&mut self, rest: &mut Rest) -> Result<Taken, PostError> {
        let taken = match rest.class {
            Class::Message => self.step_message(rest)?,
            class => {
                let token = self.token().ok_or(PostError::Busy)?;
                // SAFETY: the caller of `post` keeps its memory valid until its ticket is local, which is after the call; a copy lives as
                // long as the rest, and the port copies it.
                let posted = unsafe {
                    match class {
                        Class::Read => self.port.read(rest.peer, rest.at, rest.local, rest.len, token)?,
                        _ => self.port.write(rest.peer, rest.at, rest.local, rest.len, rest.copied, token)?,
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
                    self.began(token, Flight { call, peer: rest.peer });
                }
                Taken { bytes, holds_memory, is_part, is_answered: false }
            }
        };
        rest.at = rest.at.beyond(taken.bytes);
        rest.local = rest.local.wrapping_add(taken.bytes);
        rest.len -= taken.bytes;
        Ok(taken)
    }

    /// The same as [`PortState::step`], for puts that are messages.
    fn step_message(&mut self, rest: &mut Rest) -> Result<Taken, PostError> {
        let Rest { ticket, peer, is_whole, at, local, .. } = *rest;
        let bytes = message_bytes(at.offset, rest.len, self.limits.message_bytes_max);
        let wants_answer = self.wants_answer(peer, bytes, false, is_whole);
        let request = Request::Put { at };
        // SAFETY: as in `step`.
        let holds_memory =
            unsafe { self.send(peer, ticket, wants_answer, is_whole, &request, local, bytes, !rest.copied) }?;
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
            || is_whole && self.peers.at(number).answers_next
    }

    /// Send a message. Returns whether it still uses the caller's memory.
    ///
    /// # Safety
    /// `data` is readable for `len` bytes until the ticket is local, or only during the call if the port copies it.
    #[inline]
    pub unsafe fn send(
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
        let token = self.token().ok_or(PostError::Busy)?;
        let head = request.encode(Asker { pe: self.me.0, lane: self.number, ticket, wants_answer });
        // SAFETY: as the caller says.
        let posted = unsafe { self.port.send(number, head.bytes(), data, len, token) }?;
        let holds_memory = from_caller && len > self.limits.copy_bytes_max && matches!(posted, Posted::Pending(_));
        if let Posted::Pending(_) = posted {
            let call = if holds_memory { Call::Source { ticket } } else { Call::Own };
            self.began(token, Flight { call, peer: number });
        }
        if wants_answer && covers && self.is_in_order(len) {
            // Its answer covers all earlier messages.
            let peer = self.peers.at(number);
            (peer.asked, peer.uncovered_messages) = (peer.asked.max(ticket), 0);
        }
        Ok(holds_memory)
    }

    /// Post an operation that is one message.
    #[inline]
    fn message(
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
        // SAFETY: the caller of `post` keeps the data valid until the ticket is local.
        let sent = unsafe { self.send(number, ticket, wants_answer, true, request, data, len, true) };
        let holds_memory = match sent {
            Err(PostError::Busy) => return self.refuse(number),
            sent => sent?,
        };
        let mut entry = Entry {
            parts: 0,
            answers: 0,
            local: u32::from(fetches),
            peer: number,
            fence: self.fences,
            needs: Needs::Nothing,
            covers: true,
            fetch,
        };
        let taken = Taken { bytes: len, holds_memory, is_part: wants_answer, is_answered: wants_answer };
        self.note(&mut entry, Class::Message, &taken, len, ticket);
        Ok(self.ledger.issue(entry))
    }

    /// Post an atomic that the NIC executes.
    fn nic_atomic(&mut self, number: PeerNumber, update: &Update) -> Result<Ticket, PostError> {
        self.admit(number, Class::Atomic, 8)?;
        let ticket = self.ledger.next();
        let (fence, fetches) = (self.fences, !update.fetch.is_null());
        let is_pending = match self.start_atomic(number, ticket, fence, update) {
            Err(PostError::Busy) => return self.refuse(number),
            pending => pending?,
        };
        if is_pending {
            self.peers.at(number).begun(Class::Atomic, 8);
        }
        let entry = Entry {
            parts: u32::from(is_pending),
            answers: 0,
            local: u32::from(is_pending && fetches),
            peer: number,
            fence,
            needs: Needs::Nothing,
            covers: true,
            fetch: Fetch::NOTHING,
        };
        let issued = self.ledger.issue(entry);
        if !is_pending {
            self.settle();
        }
        Ok(issued)
    }

    pub fn start_atomic(
        &mut self,
        number: PeerNumber,
        ticket: u64,
        fence: u32,
        update: &Update,
    ) -> Result<bool, PostError> {
        let token = self.token().ok_or(PostError::Busy)?;
        // SAFETY: the caller of `post` keeps the destination of the old value valid until the ticket is local.
        let posted = unsafe { self.port.atomic(number, update, token) }?;
        let is_pending = matches!(posted, Posted::Pending(_));
        if is_pending {
            let holds_memory = !update.fetch.is_null();
            let call = Call::Part { ticket, class: Class::Atomic, fence, holds_memory };
            self.began(token, Flight { call, peer: number });
        }
        Ok(is_pending)
    }

    /// Post the backlog as far as the port has room: for each peer in turn, however much the others take. Some tokens stay free for
    /// operations posted meanwhile, and for peers to which nothing else is under way.
    pub fn send_rest(&mut self) -> Result<(), PostError> {
        let mut hopeful = self.backlog.len();
        while hopeful > 0
            && let Some(mut rest) = self.backlog.pop_front()
        {
            let may = self.has_room_for(rest.peer);
            let taken = if may { self.step(&mut rest) } else { Err(PostError::Busy) };
            match taken {
                Err(PostError::Busy) => {
                    self.backlog.push_back(rest);
                    hopeful -= 1;
                }
                Err(error) => return Err(error),
                Ok(taken) => {
                    if self.enter_rest(&rest, &taken) {
                        hopeful -= 1;
                    } else {
                        self.backlog.push_back(rest);
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
        self.note(&mut entry, class, taken, taken.bytes, ticket);
        if left == 0 {
            entry.parts -= 1;
            entry.local -= u32::from(!copied || self.is_alone());
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
