//! State of a lane's peers: operations under way to each, and operations that a fence holds back.
//!
//! # Fences
//!
//! A fence increments a counter. It costs nothing until an operation is posted for a peer to which something is under way. The first
//! operation after the fence moves all of that peer's counts to *before*. An operation may start if the port keeps it behind everything
//! that is still counted there, or if everything from before the fence is visible at the peer.

use crate::{Class, Limits, Pe, PeerNumber, Port, Result, ledger::Visible};
use std::collections::HashMap;

/// Calls under way, and messages whose answer is due, by class.
type Counts = [u32; Class::ALL.len()];

#[derive(Debug)]
pub struct Peer {
    pub pe: Pe,
    /// Operations under way that were posted since the last fence, and before it.
    since: Counts,
    before: Counts,
    /// Length of the longest operation since nothing was under way, and the bytes of all operations since then.
    longest: usize,
    pub bytes: usize,
    /// The lane's last fence that was seen here.
    fence: u32,
    /// Fence behind which an operation was posted last; a different number if there was none.
    posted_behind: u32,
    /// The tickets of the last message that only a later answer will cover, and of the last write that needs a flush.
    pub unanswered: u64,
    pub unflushed: u64,
    /// The same two tickets as they were at the fence.
    unanswered_before: u64,
    unflushed_before: u64,
    /// Known progress of the peer.
    pub visible: Visible,
    /// Ticket up to which the peer was last asked for an answer, and ticket up to which a flush under way completes writes.
    pub asked: u64,
    pub flushing: Option<u64>,
    /// The peer is in the list of peers to be asked, or to be flushed, when a thread waits.
    pub is_to_ask: bool,
    pub is_to_flush: bool,
    /// Number of messages since the last one that is answered or was asked about.
    pub uncovered_messages: u32,
    /// The last request covered one message alone, so the next message shall be answered without a request.
    pub answers_next: bool,
    /// Why the connection to the peer is broken, if it is.
    pub lost: Option<String>,
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
            posted_behind: fence.wrapping_sub(1),
            unanswered: 0,
            unflushed: 0,
            unanswered_before: 0,
            unflushed_before: 0,
            visible: Visible::default(),
            asked: 0,
            flushing: None,
            is_to_ask: false,
            is_to_flush: false,
            uncovered_messages: 0,
            answers_next: false,
            lost: None,
        }
    }

    /// Whether everything posted for the peer is complete there.
    #[inline]
    pub fn is_quiet(&self) -> bool {
        self.has_nothing_due() && self.unanswered <= self.visible.answered && self.unflushed <= self.visible.flushed
    }

    /// Whether no call is under way, and no answer that a message asked for is due.
    #[inline]
    fn has_nothing_due(&self) -> bool {
        self.since == [0; 4] && self.before == [0; 4]
    }

    /// Whether the peer owes an answer or the end of a call.
    pub fn owes(&self) -> bool {
        self.is_missed(u64::MAX)
    }

    /// Whether the peer owes something to a program that waits for all tickets below `awaited`: then its loss is a fault.
    pub fn is_missed(&self, awaited: u64) -> bool {
        let asked = self.asked.min(self.unanswered);
        !self.has_nothing_due() || self.visible.answered < asked && asked < awaited || self.flushing.is_some()
    }

    /// Record a post behind the lane's fence number `fence`. Returns whether it is the first one: a flag is, and a peer may wait for it.
    #[inline]
    pub fn is_first_behind(&mut self, fence: u32) -> bool {
        std::mem::replace(&mut self.posted_behind, fence) != fence
    }

    /// Whether an operation may start that is posted behind the lane's fence number `fence`.
    #[inline]
    pub fn may_start(&mut self, fence: u32, limits: &Limits, class: Class, len: usize) -> bool {
        if self.fence != fence {
            self.fence = fence;
            for (before, since) in self.before.iter_mut().zip(&mut self.since) {
                *before += std::mem::take(since);
            }
            (self.unanswered_before, self.unflushed_before) = (self.unanswered, self.unflushed);
        }
        let len = len.max(self.longest);
        let keeps = |before| limits.orders.keep(before, class, len);
        Class::ALL.iter().all(|&before| self.before[before as usize] == 0 || keeps(before))
            && (self.unanswered_before <= self.visible.answered || keeps(Class::Message))
            && (self.unflushed_before <= self.visible.flushed || keeps(Class::Write))
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

    /// Record the end of an operation of this class that was posted behind fence number `fence`.
    #[inline]
    pub fn ended(&mut self, class: Class, fence: u32) {
        let counts = if fence == self.fence { &mut self.since } else { &mut self.before };
        let count = &mut counts[class as usize];
        debug_assert!(*count > 0, "what ends has begun");
        *count = count.saturating_sub(1);
    }
}

/// The peers of a lane.
#[derive(Debug, Default)]
pub struct Peers {
    all: Vec<Peer>,
    numbers: HashMap<Pe, PeerNumber>,
    /// The peer that was used last.
    recent: PeerNumber,
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
        self.all.get(number as usize).map(|peer| peer.visible).unwrap_or_default()
    }

    pub fn all(&self) -> &[Peer] {
        &self.all
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
    fn a_fence_holds_back_what_the_port_would_not() {
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
    fn who_was_only_asked_for_a_sign_of_life_is_not_missed() {
        let mut peer = Peer::new(Pe(1), 0);
        (peer.unanswered, peer.asked, peer.visible.answered) = (9, 9, 3);
        assert!(peer.owes() && peer.is_missed(10), "the program waits for all up to 9");
        assert!(!peer.is_missed(9), "it had waited for all before 9");
        peer.visible.answered = 9;
        assert!(!peer.owes() && !peer.is_missed(10));
    }

    #[test]
    fn what_was_asked_of_nobody_is_held_back_by_tickets() {
        let none = limits(Orders::default());
        let mut peer = Peer::new(Pe(1), 0);
        (peer.unanswered, peer.unflushed) = (3, 4);
        assert!(!peer.may_start(1, &none, Class::Read, 8) && !peer.owes());
        peer.visible = Visible { answered: 3, flushed: 3 };
        assert!(!peer.may_start(1, &none, Class::Read, 8));
        peer.visible.flushed = 4;
        assert!(peer.may_start(1, &none, Class::Read, 8) && peer.is_quiet());
        let all = limits(Orders::ALL);
        peer.unanswered = 9;
        assert!(peer.may_start(2, &all, Class::Read, 8), "the port keeps that order");
    }
}
