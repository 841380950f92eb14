//! Operations, or parts of them, that this PE has posted and the port has not taken yet; signals; and requests to peers.

use crate::{PeerNumber, ledger::Signal, post::Rest};
use ferrite_fabric::Ticket;
use std::{collections::VecDeque, mem};

/// Operations, or parts of operations, that must still go to the port.
#[derive(Debug, Default)]
pub struct Outgoing {
    /// Rests of operations that the port has taken in part: at most one for each peer. Nothing else is posted for that peer meanwhile.
    backlog: VecDeque<Rest>,
    /// Signals whose data is not known to be visible.
    held_signals: Vec<Signal>,
    /// Signals that may go, in order.
    signals: VecDeque<Signal>,
    /// Peers for which a thread waits, but the port had no room for the request or the flush.
    wanted: Vec<PeerNumber>,
}

impl Outgoing {
    /// Whether all posted operations have left completely.
    pub fn has_left(&self) -> bool {
        self.backlog.is_empty() && self.signals.is_empty() && self.held_signals.is_empty()
    }

    /// Whether a peer waits for something of the operations up to this ticket, which has not left yet.
    pub fn keeps_back(&self, Ticket(upto): Ticket) -> bool {
        self.backlog.iter().any(|rest| rest.goes_to_peer() && rest.ticket <= upto)
            || self.signals.iter().chain(&self.held_signals).any(|signal| signal.ticket <= upto)
    }

    /// Whether something may go as soon as the port has room.
    #[inline]
    pub fn has_ready(&self) -> bool {
        !self.backlog.is_empty() || !self.signals.is_empty() || !self.wanted.is_empty()
    }

    /// Whether an operation posted behind fence number `fence` overtakes nothing of this peer. It may overtake a held signal that no fence
    /// separates it from.
    #[inline]
    pub fn lets_pass(&self, number: PeerNumber, fence: u32) -> bool {
        !self.has_rest(number)
            && self.signals.iter().all(|signal| signal.peer != number)
            && self.held_signals.iter().all(|signal| signal.peer != number || signal.fence == fence)
    }

    /// Number of signals that the port has not taken yet.
    pub fn unsent_signals(&self) -> usize {
        let behind_rests = self.backlog.iter().filter(|rest| rest.has_signal()).count();
        behind_rests + self.held_signals.len() + self.signals.len()
    }

    /// Peers for which something waits for room.
    pub fn held_up(&self) -> impl Iterator<Item = PeerNumber> + '_ {
        self.backlog.iter().map(|rest| rest.peer).chain(self.wanted.iter().copied())
    }

    /// Whether an operation for this peer has left in part only.
    #[inline]
    pub fn has_rest(&self, number: PeerNumber) -> bool {
        self.backlog.iter().any(|rest| rest.peer == number)
    }

    pub fn rests(&self) -> usize {
        self.backlog.len()
    }

    /// Take the rest whose turn it is.
    pub fn next_rest(&mut self) -> Option<Rest> {
        self.backlog.pop_front()
    }

    /// Queue a rest behind the others.
    pub fn add_rest(&mut self, rest: Rest) {
        debug_assert!(!self.has_rest(rest.peer), "one rest for each peer: {rest:?}");
        self.backlog.push_back(rest);
    }

    /// Number of signals that may go.
    #[inline]
    pub fn ready_signals(&self) -> usize {
        self.signals.len()
    }

    /// Take the signal whose turn it is.
    pub fn next_signal(&mut self) -> Option<Signal> {
        self.signals.pop_front()
    }

    /// Queue a signal that may go.
    pub fn add_signal(&mut self, signal: Signal) {
        self.signals.push_back(signal);
    }

    /// Keep a signal until its data is visible.
    pub fn hold_signal(&mut self, signal: Signal) {
        self.held_signals.push(signal);
    }

    /// Release the held signals for which `is_visible` says that their data is.
    #[inline]
    pub fn release_signals(&mut self, mut is_visible: impl FnMut(&Signal) -> bool) {
        if self.held_signals.is_empty() {
            return;
        }
        let signals = &mut self.signals;
        self.held_signals.retain(|signal| {
            let is_visible = is_visible(signal);
            if is_visible {
                signals.push_back(*signal);
            }
            !is_visible
        });
    }

    /// A thread waits for this peer, but the port had no room for the request or the flush.
    pub fn add_wanted(&mut self, number: PeerNumber) {
        if !self.wanted.contains(&number) {
            self.wanted.push(number);
        }
    }

    /// Take the peers for which a thread waits.
    pub fn take_wanted(&mut self) -> Vec<PeerNumber> {
        mem::take(&mut self.wanted)
    }
}
