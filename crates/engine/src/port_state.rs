//! A port with the operations that are under way on it.
//!
//! `post` starts operations, `completion` ends them.

use crate::{
    Arm, Error, Event, Limits, Pe, PeerNumber, Port, PostError, Transport,
    awaited::Awaited,
    calls::{Call, Calls},
    ledger::Ledger,
    message::Answer,
    outgoing::Outgoing,
    peers::{Peer, Peers},
    watchdog::Watchdog,
};
use ferrite_fabric::Ticket;

/// A port with the operations that are under way on it. All of it is behind the mutex of a [`SharedPort`](crate::shared_port::SharedPort).
pub struct PortState<T: Transport> {
    pub port: T::Port,
    pub limits: Limits,
    /// This PE, and the number of this port among its lanes. Requests name both.
    pub me: Pe,
    pub number: u32,
    /// Number of fences so far.
    pub fences: u32,
    /// Operations under way, by ticket; the calls that carry them, by token; and both by peer.
    pub ledger: Ledger,
    pub calls: Calls,
    pub peers: Peers,
    /// Messages whose answer is due.
    pub answers_due: usize,
    /// Posted operations that the port has not taken yet.
    pub outgoing: Outgoing,
    /// Peer for which the port has refused an operation since the last poll. The port must then be polled even if nothing is under way.
    pub refused: Option<PeerNumber>,
    /// The waits of threads, and the time since the last event.
    pub awaited: Awaited,
    pub watchdog: Watchdog,
    /// Events of a poll.
    pub events: Vec<Event>,
    pub answers: Vec<Answer>,
    /// Peers that the port has lost, with the errors to report. They are reported after their last answers are taken in.
    pub losses: Vec<(PeerNumber, Error)>,
    /// The peer whose loss is a fault.
    pub lost_peer: Option<Pe>,
    pub standing: Standing,
}

/// Whether a port still takes part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
    Open,
    /// The fabric has ended in order: everything is complete.
    Closed,
    /// The fabric has ended without it: operations that were under way never complete, and the port does not touch their memory.
    Abandoned,
}

// SAFETY: the pointers in it come from callers, who keep them valid for any thread until their tickets complete; and a port may be used by
// any thread.
unsafe impl<T: Transport> Send for PortState<T> {}

impl<T: Transport> PortState<T> {
    /// A port with nothing under way.
    pub fn new(port: T::Port, limits: &Limits, me: Pe, number: u32) -> Self {
        PortState {
            port,
            limits: *limits,
            me,
            number,
            fences: 0,
            ledger: Ledger::default(),
            calls: Calls::new(limits.depth),
            peers: Peers::default(),
            answers_due: 0,
            outgoing: Outgoing::default(),
            refused: None,
            awaited: Awaited::default(),
            watchdog: Watchdog::default(),
            events: Vec::new(),
            answers: Vec::new(),
            losses: Vec::new(),
            lost_peer: None,
            standing: Standing::Open,
        }
    }

    /// True if nothing is under way, not even a message of which only the answer is missing: layers that retransmit do so only while they
    /// are polled.
    #[inline]
    pub fn is_idle(&self) -> bool {
        self.has_nothing_under_way() && self.refused.is_none() && !self.port.has_unsent()
    }

    /// No operation is under way.
    #[inline]
    pub fn has_nothing_under_way(&self) -> bool {
        self.ledger.is_empty() && self.calls.is_empty()
    }

    /// True if a posted operation has not left completely, or if an answer is due that comes without a request. The end of the fabric does
    /// not wait for messages that need a request: the peer may be gone, and received them before it left.
    pub fn is_unfinished(&self) -> bool {
        !self.outgoing.has_left() || !self.calls.is_empty() || self.answers_due > 0 || self.port.has_unsent()
    }

    /// Check that the operations counted as under way, over all peers, are the parts, answers and signals that the port still awaits. Only
    /// in debug builds.
    pub fn check(&self) {
        if cfg!(debug_assertions) {
            let by_peer: usize = self.peers.all().iter().map(Peer::under_way).sum();
            let parts = self.calls.under_way().filter(|flight| matches!(flight.call, Call::Part { .. })).count();
            let (answers, signals) = (self.answers_due, self.outgoing.unsent_signals());
            assert_eq!(by_peer, parts + answers + signals, "{parts} calls, {answers} answers, {signals} signals");
        }
    }

    /// Whether something of the operations up to `upto` waits for a poll by the program, since no thread polls while the program computes.
    pub fn keeps_back(&self, upto: Ticket) -> bool {
        !self.limits.needs_polling && self.standing == Standing::Open && self.outgoing.keeps_back(upto)
    }

    /// Post to the port what earlier posts have left.
    pub fn go_on(&mut self) -> Result<(), Error> {
        self.want_again();
        match self.send_rest() {
            Err(PostError::Failed(error) | PostError::Lost(error)) => Err(error),
            _ => Ok(()),
        }
    }

    /// Keep the peer whose loss has made a call fail.
    #[cold]
    pub fn note_loss(&mut self, number: PeerNumber, error: PostError) -> PostError {
        if let PostError::Lost(_) = error {
            self.lost_peer = self.lost_peer.or(Some(self.peers.at(number).pe()));
        }
        error
    }

    /// Whether a thread may sleep until something happens on this port. The port was just polled, and had nothing.
    pub fn arm(&mut self) -> Arm {
        // It may take long until there is room for the operations that are held up.
        if self.outgoing.has_ready() { Arm::CannotArm } else { self.port.arm() }
    }
}
