//! State of a lane's peers: operations under way to each, and operations that a fence holds back.
//!
//! # Fences
//!
//! A fence increments a counter. It costs nothing until an operation is posted for a peer to which something is under way. The first
//! operation after the fence moves all of that peer's counts to *before*. An operation may start if the port keeps it behind everything
//! that is still counted there, or if everything from before the fence is visible at the peer.

use crate::{
    Class, Limits, Pe, PeerNumber, Port, Result,
    acks::{AckState, Acks},
    ledger::Visible,
};
use std::{collections::HashMap, mem};

/// Calls under way, and messages whose answer is due, by class.
type Counts = [u32; Class::ALL.len()];

#[derive(Debug)]
pub struct Peer {
    pe: Pe,
    /// Operations under way that were posted since the last fence, and before it.
    since: Counts,
    before: Counts,
    /// Length of the longest operation since nothing was under way, and the bytes of all operations since then.
    longest: usize,
    bytes: usize,
    /// The lane's last fence that was seen here.
    fence: u32,
    /// Fence behind which an operation was posted last.
    posted_behind: u32,
    /// Answers that cover messages, and flushes that cover writes.
    answers: Acks,
    flushes: Acks,
    /// The peer is in the list of peers to be asked, or to be flushed, when a thread waits.
    is_to_ask: bool,
    is_to_flush: bool,
    /// Number of messages since the last one that is answered or was asked about.
    uncovered_messages: u32,
    /// The last request covered one message alone, so the next message shall be answered without a request.
    answers_next: bool,
    /// The error that reported the loss of the connection, if it is lost.
    lost: Option<String>,
}

impl Peer {
    fn new(pe: Pe, fence: u32) -> Peer {
        Peer {
            pe,
            since: [0; 4],
            before: [0; 4],
            longest: 0,
            bytes: 0,
            fence,
            posted_behind: fence,
            answers: Acks::default(),
            flushes: Acks::default(),
            is_to_ask: false,
            is_to_flush: false,
            uncovered_messages: 0,
            answers_next: false,
            lost: None,
        }
    }

    #[inline]
    pub fn pe(&self) -> Pe {
        self.pe
    }

    /// Bytes of the operations since nothing was under way.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The error that reported the loss of the connection, if it is lost.
    #[inline]
    pub fn lost(&self) -> Option<&str> {
        self.lost.as_deref()
    }

    /// Whether everything posted for the peer is complete there.
    #[inline]
    pub fn is_quiet(&self) -> bool {
        self.has_nothing_due() && self.answers.is_idle() && self.flushes.is_idle()
    }

    /// Whether no call is under way, and no answer that a message asked for is due.
    #[inline]
    fn has_nothing_due(&self) -> bool {
        self.since == [0; 4] && self.before == [0; 4]
    }

    /// Number of operations, and of parts of operations, that are under way.
    pub fn under_way(&self) -> usize {
        self.since.iter().chain(&self.before).map(|&count| count as usize).sum()
    }

    /// Whether the peer owes an answer or the end of a call.
    pub fn owes(&self) -> bool {
        self.is_missed(u64::MAX)
    }

    /// Whether the peer owes something to a program that waits for all tickets below `awaited`: then its loss is a fault.
    pub fn is_missed(&self, awaited: u64) -> bool {
        !self.has_nothing_due() || self.answers.is_missed(awaited) || self.flushes.is_missed(u64::MAX)
    }

    /// Record a post behind the lane's fence number `fence`. Returns whether it is the first one.
    #[inline]
    pub fn is_first_behind(&mut self, fence: u32) -> bool {
        mem::replace(&mut self.posted_behind, fence) != fence
    }

    /// State of the answers.
    #[inline]
    pub fn answers(&self) -> AckState {
        self.answers.state()
    }

    /// State of the flushes.
    #[inline]
    pub fn flushes(&self) -> AckState {
        self.flushes.state()
    }

    /// Ticket up to which a request posted now covers messages.
    #[inline]
    pub fn messages_upto(&self) -> u64 {
        self.answers.posted()
    }

    /// Ticket up to which a flush posted now covers writes.
    #[inline]
    pub fn writes_upto(&self) -> u64 {
        self.flushes.posted()
    }

    /// A message is posted whose answer covers everything up to its ticket.
    #[inline]
    pub fn answer_requested(&mut self, upto: u64) {
        self.answers.request(upto);
        self.uncovered_messages = 0;
    }

    /// A request is posted for an answer that covers all messages. If it was for the sake of one message alone, the next message asks for
    /// an answer by itself.
    pub fn asked(&mut self) {
        self.answers_next = self.uncovered_messages == 1;
        self.answer_requested(self.answers.posted());
    }

    /// The peer has answered, and executed all messages up to this ticket.
    #[inline]
    pub fn answered(&mut self, upto: u64) {
        self.answers.receive(upto);
    }

    /// A flush of all writes is posted.
    pub fn flush_posted(&mut self) {
        debug_assert_eq!(self.flushes.state(), AckState::Sent, "one flush at a time, of something: {self:?}");
        self.flushes.request(self.flushes.posted());
    }

    /// A flush is complete: writes up to this ticket are visible.
    pub fn flushed(&mut self, upto: u64) {
        debug_assert!(upto > self.flushes.received(), "a flush of {upto} ends once: {self:?}");
        self.flushes.receive(upto);
    }

    /// Whether the next message asks for an answer by itself. It does so only if a thread has asked for progress since the last post.
    #[inline]
    pub fn keep_answering(&mut self, has_inquired: bool) {
        self.answers_next &= has_inquired;
    }

    #[inline]
    pub fn answers_next(&self) -> bool {
        self.answers_next
    }

    /// Whether an operation may start that is posted behind the lane's fence number `fence`.
    #[inline]
    pub fn may_start(&mut self, fence: u32, limits: &Limits, class: Class, len: usize) -> bool {
        if self.fence != fence {
            self.fence = fence;
            for (before, since) in self.before.iter_mut().zip(&mut self.since) {
                *before += mem::take(since);
            }
            self.answers.fence();
            self.flushes.fence();
        }
        let len = len.max(self.longest);
        let keeps = |before| limits.orders.keep(before, class, len);
        Class::ALL.iter().all(|&before| self.before[before as usize] == 0 || keeps(before))
            && (self.answers.is_fence_passed() || keeps(Class::Message))
            && (self.flushes.is_fence_passed() || keeps(Class::Write))
    }

    /// Count an operation of this class as under way, posted behind the fence that was seen here last.
    #[inline]
    pub fn begun(&mut self, class: Class, len: usize) {
        self.posted(len);
        self.since[class as usize] += 1;
    }

    /// Record the length of a posted operation. This is enough if only a later answer or a flush completes it; other operations are counted
    /// besides ([`Peer::begun`]).
    #[inline]
    pub fn posted(&mut self, len: usize) {
        if self.is_quiet() {
            (self.longest, self.bytes) = (0, 0);
        }
        self.longest = self.longest.max(len);
    }

    /// The port has taken bytes of an operation.
    #[inline]
    pub fn sent(&mut self, bytes: usize) {
        self.bytes = self.bytes.saturating_add(bytes);
    }

    /// Record the end of an operation of this class that was posted behind fence number `fence`.
    #[inline]
    pub fn ended(&mut self, class: Class, fence: u32) {
        let counts = if fence == self.fence { &mut self.since } else { &mut self.before };
        let count = &mut counts[class as usize];
        debug_assert!(*count > 0, "an operation ends once: {class:?} behind fence {fence}");
        *count -= 1;
    }
}

/// The peers of a lane.
#[derive(Debug, Default)]
pub struct Peers {
    all: Vec<Peer>,
    numbers: HashMap<Pe, PeerNumber>,
    /// The peer that was used last.
    recent: PeerNumber,
    /// Peers with messages that only a later answer covers, and peers with writes that need a flush. No request or flush is posted for them
    /// yet, unless one was posted for this peer alone.
    to_ask: Vec<PeerNumber>,
    to_flush: Vec<PeerNumber>,
}

impl Peers {
    /// The number of a PE. If the PE is new, `port` meets it now.
    #[inline]
    pub fn number(&mut self, port: &mut impl Port, pe: Pe, fence: u32) -> Result<PeerNumber> {
        match self.all.get(self.recent as usize) {
            Some(peer) if peer.pe == pe => {}
            _ => self.recent = self.find(port, pe, fence)?,
        }
        Ok(self.recent)
    }

    fn find(&mut self, port: &mut impl Port, pe: Pe, fence: u32) -> Result<PeerNumber> {
        if let Some(&number) = self.numbers.get(&pe) {
            return Ok(number);
        }
        port.meet(pe)?;
        let number = self.all.len() as PeerNumber;
        self.all.push(Peer::new(pe, fence));
        self.numbers.insert(pe, number);
        Ok(number)
    }

    /// The number of a PE that was met before.
    #[inline]
    pub fn known(&self, pe: Pe) -> Option<PeerNumber> {
        match self.all.get(self.recent as usize) {
            Some(peer) if peer.pe == pe => Some(self.recent),
            _ => self.numbers.get(&pe).copied(),
        }
    }

    #[inline]
    pub fn at(&mut self, number: PeerNumber) -> &mut Peer {
        &mut self.all[number as usize]
    }

    /// Known progress of a peer.
    #[inline]
    pub fn visible(&self, number: PeerNumber) -> Visible {
        let visible = |peer: &Peer| Visible { answered: peer.answers.received(), flushed: peer.flushes.received() };
        self.all.get(number as usize).map(visible).unwrap_or_default()
    }

    pub fn all(&self) -> &[Peer] {
        &self.all
    }

    /// A message is posted that only a later answer covers.
    #[inline]
    pub fn message_posted(&mut self, number: PeerNumber, ticket: u64, len: usize) {
        let peer = &mut self.all[number as usize];
        peer.posted(len);
        peer.answers.post(ticket);
        peer.uncovered_messages += 1;
        self.list_to_ask(number);
    }

    /// A write is posted that a later flush makes visible.
    #[inline]
    pub fn write_posted(&mut self, number: PeerNumber, ticket: u64, len: usize) {
        let peer = &mut self.all[number as usize];
        peer.posted(len);
        peer.flushes.post(ticket);
        self.list_to_flush(number);
    }

    /// Put a peer into the list of peers to be asked.
    #[inline]
    pub fn list_to_ask(&mut self, number: PeerNumber) {
        if !mem::replace(&mut self.all[number as usize].is_to_ask, true) {
            self.to_ask.push(number);
        }
    }

    /// Put a peer into the list of peers to be flushed.
    #[inline]
    pub fn list_to_flush(&mut self, number: PeerNumber) {
        if !mem::replace(&mut self.all[number as usize].is_to_flush, true) {
            self.to_flush.push(number);
        }
    }

    /// Take the list of peers to be asked.
    pub fn take_to_ask(&mut self) -> Vec<PeerNumber> {
        let listed = mem::take(&mut self.to_ask);
        listed.iter().for_each(|&number| self.all[number as usize].is_to_ask = false);
        listed
    }

    /// Take the list of peers to be flushed.
    pub fn take_to_flush(&mut self) -> Vec<PeerNumber> {
        let listed = mem::take(&mut self.to_flush);
        listed.iter().for_each(|&number| self.all[number as usize].is_to_flush = false);
        listed
    }

    /// The connection to a peer is broken. A request that no thread waits for yet is forgotten: a thread that waits later asks again, and
    /// gets the loss reported.
    pub fn lose(&mut self, number: PeerNumber, awaited: u64, why: String) -> &Peer {
        let peer = &mut self.all[number as usize];
        peer.lost = Some(why);
        if !peer.is_missed(awaited) && peer.answers.state() == AckState::Asked {
            peer.answers.forget_request();
            self.list_to_ask(number);
        }
        &self.all[number as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Answers, Atomics, Flush, Orders};

    fn limits(orders: Orders) -> Limits {
        Limits {
            depth: 4,
            copy_bytes_max: 8,
            message_bytes_max: 64,
            writes: true,
            orders,
            atomics: Atomics::Target,
            flush: Flush::Done,
            answers: Answers::Each,
            answers_come_to_service: false,
            needs_polling: true,
            sleeps_long: true,
            drives_nic: false,
        }
    }

    #[test]
    fn fence_holds_back_operations_that_the_port_may_reorder() {
        let some = limits(Orders { write_write: 100, ..Orders::default() });
        let mut peer = Peer::new(Pe(1), 0);
        peer.begun(Class::Write, 50);
        assert!(peer.may_start(0, &some, Class::Message, 8), "there is no fence");
        assert!(peer.may_start(1, &some, Class::Write, 100));
        assert!(!peer.may_start(1, &some, Class::Write, 101), "it is too long");
        assert!(!peer.may_start(1, &some, Class::Message, 8));
        peer.begun(Class::Write, 8);
        peer.ended(Class::Write, 1);
        assert!(!peer.may_start(1, &some, Class::Message, 8), "what came after the fence is no part of it");
        peer.ended(Class::Write, 0);
        assert!(peer.may_start(1, &some, Class::Message, 8) && peer.is_quiet());
    }

    #[test]
    fn probed_peer_is_not_missed() {
        let mut peer = Peer::new(Pe(1), 0);
        peer.answers.post(9);
        assert!(!peer.owes(), "nothing was asked");
        peer.asked();
        assert!(peer.owes() && peer.is_missed(10), "the program waits for all up to 9");
        assert!(!peer.is_missed(9), "it had waited for all before 9");
        peer.answered(9);
        assert!(!peer.owes() && !peer.is_missed(10));
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "an operation ends once")]
    fn an_operation_does_not_end_twice() {
        let mut peer = Peer::new(Pe(1), 0);
        peer.begun(Class::Write, 8);
        peer.ended(Class::Write, 0);
        peer.ended(Class::Write, 0);
    }

    #[test]
    fn unordered_operation_waits_for_answered_and_flushed_tickets() {
        let none = limits(Orders::default());
        let mut peer = Peer::new(Pe(1), 0);
        peer.answers.post(3);
        peer.flushes.post(4);
        assert!(!peer.may_start(1, &none, Class::Read, 8) && !peer.owes());
        peer.asked();
        peer.answered(3);
        assert!(!peer.may_start(1, &none, Class::Read, 8));
        peer.flush_posted();
        peer.flushed(4);
        assert!(peer.may_start(1, &none, Class::Read, 8) && peer.is_quiet());
        let all = limits(Orders::ALL);
        peer.answers.post(9);
        assert!(peer.may_start(2, &all, Class::Read, 8), "the port keeps that order");
    }
}
