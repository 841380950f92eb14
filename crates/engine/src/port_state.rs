//! A port with the operations that are under way on it.
//!
//! `post` starts operations, `completion` ends them.

use crate::{
    Arm, Class, Error, Event, Limits, Mistake, Pe, PeerNumber, Port, PostError, Token, Transport,
    ledger::{Ledger, Signal},
    message::Answer,
    peers::Peers,
    post::Rest,
    watchdog::Watchdog,
};
use std::collections::VecDeque;

/// Kind of the call that a token names.
#[derive(Clone, Copy, Debug)]
pub enum Call {
    /// Part of an operation, and the fence behind which it was posted.
    Part { ticket: u64, class: Class, fence: u32, holds_memory: bool },
    /// A call that uses the caller's memory. Its completion implies nothing about the target.
    Source { ticket: u64 },
    /// A flush: writes up to ticket `upto` become visible.
    Flush { upto: u64 },
    /// A call whose completion only frees its token.
    Own,
}

/// A call under way.
#[derive(Clone, Copy, Debug)]
pub struct Flight {
    pub call: Call,
    pub peer: PeerNumber,
}

/// A port with the operations that are under way on it. All of it is behind the mutex of a [`SharedPort`](crate::shared_port::SharedPort).
pub struct PortState<T: Transport> {
    pub port: T::Port,
    pub limits: Limits,
    /// This PE, and the number of this port among its lanes. Requests name both.
    pub me: Pe,
    pub number: u32,
    /// Calls by token, and the tokens that are free.
    pub flights: Box<[Flight]>,
    pub free: Vec<u32>,
    pub ledger: Ledger,
    pub peers: Peers,
    /// Number of fences so far.
    pub fences: u32,
    /// Rests of operations that the port has taken in part: at most one for each peer. Nothing else is posted for that peer meanwhile.
    pub backlog: VecDeque<Rest>,
    /// Signals whose data is not known to be visible, and signals that the port had no room for.
    pub held_signals: Vec<Signal>,
    pub signals: VecDeque<Signal>,
    /// Messages whose answer is due.
    pub answers_due: usize,
    /// Peers with messages that only a later answer covers, and peers with writes that need a flush. No request or flush is posted for them
    /// yet.
    pub to_ask: Vec<PeerNumber>,
    pub to_flush: Vec<PeerNumber>,
    /// Peers among these for which a thread waits, but the port had no room for the request or flush.
    pub wanted: Vec<PeerNumber>,
    /// True if a thread has asked since the last post which operations are complete at targets.
    pub inquired: bool,
    /// The program waits for all tickets below this one; losing their peer is a fault. Later tickets were only probed for a sign of life.
    pub awaited: u64,
    /// True if a thread waits for operations posted here; otherwise it waits for what peers do.
    pub is_awaited: bool,
    pub watchdog: Watchdog,
    /// Peer for which the port has refused an operation since the last poll. The port must then be polled even if nothing is under way.
    pub refused: Option<PeerNumber>,
    pub events: Vec<Event>,
    /// Peers that the port has lost. They are reported after their last answers are taken in.
    pub losses: Vec<(PeerNumber, Error)>,
    pub answers: Vec<Answer>,
    /// The fabric has ended: nothing is under way any more, and nothing is posted.
    pub closed: bool,
}

// SAFETY: the pointers in it come from callers, who keep them valid for any thread until their tickets complete; and a port may be used by
// any thread.
unsafe impl<T: Transport> Send for PortState<T> {}

impl<T: Transport> PortState<T> {
    /// A port with nothing under way.
    pub fn new(port: T::Port, limits: &Limits, me: Pe, number: u32) -> Self {
        let none = Flight { call: Call::Own, peer: 0 };
        PortState {
            port,
            limits: *limits,
            me,
            number,
            flights: vec![none; limits.depth].into(),
            free: (0..limits.depth as u32).rev().collect(),
            ledger: Ledger::default(),
            peers: Peers::default(),
            fences: 0,
            backlog: VecDeque::new(),
            held_signals: Vec::new(),
            signals: VecDeque::new(),
            answers_due: 0,
            to_ask: Vec::new(),
            to_flush: Vec::new(),
            wanted: Vec::new(),
            inquired: false,
            awaited: 0,
            is_awaited: false,
            watchdog: Watchdog::default(),
            refused: None,
            events: Vec::new(),
            losses: Vec::new(),
            answers: Vec::new(),
            closed: false,
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
        self.ledger.is_empty() && self.free.len() == self.flights.len()
    }

    /// True if a posted operation has not left completely, or if an answer is due that comes without a request. The end of the fabric does
    /// not wait for messages that need a request: the peer may be gone, and received them before it left.
    pub fn is_unfinished(&self) -> bool {
        let has_left = self.backlog.is_empty() && self.signals.is_empty() && self.held_signals.is_empty();
        !has_left || self.free.len() < self.flights.len() || self.answers_due > 0 || self.port.has_unsent()
    }

    /// True if no thread polls while the program computes. Then an operation is not local before the port has all of it.
    #[inline]
    pub fn is_alone(&self) -> bool {
        !self.limits.needs_polling
    }

    /// True if earlier posts have left something that must still go to the port.
    #[inline]
    pub fn has_rest(&self) -> bool {
        !self.backlog.is_empty() || !self.signals.is_empty() || !self.wanted.is_empty()
    }

    /// Post to the port what earlier posts have left.
    pub fn go_on(&mut self) -> Result<(), Error> {
        self.want_again();
        match self.send_rest() {
            Err(PostError::Failed(error)) => Err(error),
            _ => Ok(()),
        }
    }

    /// The token of the next call, if one is free.
    #[inline]
    pub fn token(&self) -> Option<Token> {
        self.free.last().copied().map(Token)
    }

    /// The call of the token that [`PortState::token`] gave is under way.
    #[inline]
    pub fn began(&mut self, token: Token, flight: Flight) {
        if T::MISTAKE != Some(Mistake::ReusesTokens) {
            self.free.pop();
        }
        self.flights[token.0 as usize] = flight;
    }

    /// Whether a thread may sleep until something happens on this port. The port was just polled, and had nothing.
    pub fn arm(&mut self) -> Arm {
        // It may take long until there is room for the operations that are held up.
        if self.has_rest() { Arm::CannotArm } else { self.port.arm() }
    }
}
