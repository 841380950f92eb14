//! A port with the operations that are under way on it.
//!
//! `post` says how operations begin, `completion` how they end.

use crate::{
    Arm, Class, Error, Event, Limits, Mistake, Pe, PeerNumber, Port, PostError, Token, Transport,
    ledger::{Ledger, Signal},
    message::Answer,
    peers::Peers,
    post::Rest,
    watchdog::Watchdog,
};
use std::collections::VecDeque;

/// What a token stands for.
#[derive(Clone, Copy, Debug)]
pub enum Call {
    /// Part of an operation, and the fence behind which it was posted.
    Part { ticket: u64, class: Class, fence: u32, holds_memory: bool },
    /// What uses the caller's memory, and tells nothing about the target.
    Source { ticket: u64 },
    /// What was written up to a ticket becomes visible.
    Flush { upto: u64 },
    /// A message of ours alone.
    Own,
}

/// A call under way.
#[derive(Clone, Copy, Debug)]
pub struct Flight {
    /// What it is.
    pub call: Call,
    /// To whom.
    pub peer: PeerNumber,
}

/// See the module. Everything in it is behind the mutex of a [`SharedPort`](crate::shared_port::SharedPort).
pub struct PortState<T: Transport> {
    pub port: T::Port,
    pub limits: Limits,
    /// This PE, and the number of this port among its lanes: what answers name.
    pub me: Pe,
    pub number: u32,
    /// Calls by token, and the tokens that are free.
    pub flights: Box<[Flight]>,
    pub free: Vec<u32>,
    pub ledger: Ledger,
    pub peers: Peers,
    /// Fences so far.
    pub fences: u32,
    /// The rest of operations that the port has not taken whole: one for a peer at most, and nothing else is posted for that meanwhile.
    pub backlog: VecDeque<Rest>,
    /// Signals whose data is not known to be visible, and those that the port had no room for.
    pub held_signals: Vec<Signal>,
    pub signals: VecDeque<Signal>,
    /// Messages whose answer is due.
    pub answers_due: usize,
    /// Peers with messages that only a later answer covers, and with writes that need a flush: nobody has asked, or flushed, yet.
    pub to_ask: Vec<PeerNumber>,
    pub to_flush: Vec<PeerNumber>,
    /// Of these, peers for which somebody waits, and the port had no room.
    pub wanted: Vec<PeerNumber>,
    /// Somebody has asked since the last post what is complete at targets.
    pub inquired: bool,
    /// The program has asked whether what has a ticket below this one is complete at targets; of the rest only a sign of life was asked.
    pub awaited: u64,
    /// Somebody waits for what was posted here; else for what peers do.
    pub is_awaited: bool,
    pub watchdog: Watchdog,
    /// The port has refused something for this peer since it was polled last: it must be polled though nothing is under way.
    pub refused: Option<PeerNumber>,
    pub events: Vec<Event>,
    /// Peers that the port has lost, until their last answers are taken in.
    pub losses: Vec<(PeerNumber, Error)>,
    pub answers: Vec<Answer>,
    /// The fabric has ended: nothing is under way any more, and nothing is posted.
    pub closed: bool,
}

// SAFETY: the pointers in it are the caller's, promised to be good until their tickets complete, by whatever thread; and a port may be
// used by any thread.
unsafe impl<T: Transport> Send for PortState<T> {}

impl<T: Transport> PortState<T> {
    /// Nothing is under way.
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

    /// Nothing is under way, not even a message whose answer is all that is waited for: layers that repeat what is lost do so only
    /// while they are polled.
    #[inline]
    pub fn is_idle(&self) -> bool {
        self.has_nothing_under_way() && self.refused.is_none() && !self.port.has_unsent()
    }

    /// No operation is under way.
    #[inline]
    pub fn has_nothing_under_way(&self) -> bool {
        self.ledger.is_empty() && self.free.len() == self.flights.len()
    }

    /// Something posted has not left whole, or an answer is due that comes by itself. What only a question would tell of is not waited
    /// for at the end: the peer may be gone, and had it before.
    pub fn is_unfinished(&self) -> bool {
        let has_left = self.backlog.is_empty() && self.signals.is_empty() && self.held_signals.is_empty();
        !has_left || self.free.len() < self.flights.len() || self.answers_due > 0 || self.port.has_unsent()
    }

    /// Nobody polls while the program computes. So an operation is not over for the program before the port has all of it.
    #[inline]
    pub fn is_alone(&self) -> bool {
        !self.limits.needs_polling
    }

    /// Earlier posts have left something to be given to the port.
    #[inline]
    pub fn has_rest(&self) -> bool {
        !self.backlog.is_empty() || !self.signals.is_empty() || !self.wanted.is_empty()
    }

    /// Give the port what earlier posts have left.
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
        // Whoever makes room for what is held up may take long.
        if self.has_rest() { Arm::CannotArm } else { self.port.arm() }
    }
}
