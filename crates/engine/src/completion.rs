//! How operations end: events of the port, answers of peers, and requests to peers when a thread waits.

use crate::{
    Class, Error, Event, Mistake, Pe, PeerNumber, Port, PostError, Posted, Token, Transport,
    ledger::Visible,
    message::{Answer, Asker, Outcome, Request},
    peers::Peer,
    port_state::{Call, Flight, PortState},
};
use ferrite_fabric::{Stage, Ticket};
use std::{mem, ptr};

impl<T: Transport> PortState<T> {
    /// Poll the port and record the calls that ended. Returns the number of things that happened, or the error that makes the fabric fail.
    #[inline]
    pub fn poll(&mut self) -> Result<usize, Error> {
        let happened = self.port.poll(&mut self.events);
        if self.events.is_empty() {
            return Ok(happened);
        }
        let mut events = mem::take(&mut self.events);
        let mut result = Ok(happened);
        for event in events.drain(..) {
            match event {
                Event::Done(token) => self.done(token),
                Event::Lost(number, why) => self.losses.push((number, why)),
                Event::Failed(error) => result = result.and(Err(error)),
            }
        }
        self.events = events;
        self.settle();
        result
    }

    #[inline]
    fn done(&mut self, token: Token) {
        let Flight { call, peer } = self.flights[token.0 as usize];
        if T::MISTAKE != Some(Mistake::ReusesTokens) {
            self.free.push(token.0);
        }
        match call {
            Call::Part { ticket, class, fence, holds_memory } => {
                self.part_done(ticket, peer, class, fence, holds_memory);
                if T::MISTAKE == Some(Mistake::CountsTwice) {
                    self.part_done(ticket, peer, class, fence, holds_memory);
                }
            }
            Call::Source { ticket } => {
                if let Some(entry) = self.ledger.entry(ticket) {
                    entry.local = entry.local.saturating_sub(1);
                }
            }
            Call::Flush { upto } => {
                let peer = self.peers.at(peer);
                peer.visible.flushed = peer.visible.flushed.max(upto);
                peer.flushing = None;
            }
            Call::Own => {}
        }
    }

    /// Record that a part of an operation is complete at its target.
    #[inline]
    pub fn part_done(&mut self, ticket: u64, peer: PeerNumber, class: Class, fence: u32, held_memory: bool) {
        self.peers.at(peer).ended(class, fence);
        if let Some(entry) = self.ledger.entry(ticket) {
            entry.parts = entry.parts.saturating_sub(1);
            entry.local = entry.local.saturating_sub(u32::from(held_memory));
        }
    }

    /// Report the peers whose connection is broken. Called after their last answers are taken in, which may have arrived at another port.
    #[cold]
    pub fn mourn(&mut self) -> Result<(), Error> {
        let losses = mem::take(&mut self.losses);
        let faults: Vec<Error> = losses.iter().filter_map(|(number, why)| self.lost(*number, why)).collect();
        faults.into_iter().next().map_or(Ok(()), Err)
    }

    /// Record that the connection to a peer is broken. Returns a fault if something is awaited from that peer.
    fn lost(&mut self, number: PeerNumber, why: &Error) -> Option<Error> {
        let peer = self.peers.at(number);
        peer.lost = Some(why.to_string());
        let (pe, owes) = (peer.pe, peer.is_missed(self.awaited));
        if !owes && peer.unanswered > peer.visible.answered && !peer.is_to_ask {
            // The peer was only asked for a sign of life. A thread that waits for it later finds it in the list, and gets the loss
            // reported.
            (peer.asked, peer.is_to_ask) = (peer.visible.answered, true);
            self.to_ask.push(number);
        }
        let is_begun = self.backlog.iter().any(|rest| rest.peer == number);
        // Without a fault, a thread that waits until a source is free would wait for ever.
        let holds_source = self.flights.iter().zip(0..).any(|(flight, token)| {
            flight.peer == number && matches!(flight.call, Call::Source { .. }) && !self.free.contains(&token)
        });
        (owes || is_begun || holds_source).then(|| Error::new(format!("the way to {pe} is lost: {why}")))
    }

    /// Record answers of peers.
    pub fn answered(&mut self, answers: &[Answer]) -> Result<(), Error> {
        for answer in answers {
            self.answer(answer)?;
        }
        self.settle();
        Ok(())
    }

    #[inline]
    fn answer(&mut self, answer: &Answer) -> Result<(), Error> {
        let Answer { from, ticket, outcome, is_of_ask, .. } = *answer;
        let Some(number) = self.peers.known(Pe(from)) else {
            tracing::warn!(?answer, "an answer of a PE that was asked for nothing");
            return Ok(());
        };
        // A put may ask for no answer, but a refusal is sent in any case.
        if let Some(why) = outcome.refusal() {
            return Err(Error::new(format!("PE {from} refused an operation: {why}")));
        }
        let mut covers = is_of_ask;
        if !is_of_ask {
            let entry = self.ledger.entry(ticket).filter(|entry| entry.peer == number && entry.answers > 0);
            let Some(entry) = entry else {
                tracing::warn!(?answer, "an answer to what was not asked");
                return Ok(());
            };
            covers = entry.covers;
            entry.answers -= 1;
            let (fence, fetch) = (entry.fence, entry.fetch);
            let fetches = !fetch.to.is_null();
            if let Outcome::Done(value) = outcome
                && fetches
            {
                // SAFETY: the operation is not complete, so its caller keeps the destination valid.
                unsafe { fetch.width.write(fetch.to, value) };
            }
            self.answers_due -= 1;
            self.part_done(ticket, number, Class::Message, fence, fetches);
        }
        let peer = self.peers.at(number);
        // An answer that was never asked for covers nothing.
        if covers && ticket <= peer.asked {
            peer.visible.answered = peer.visible.answered.max(ticket);
        }
        Ok(())
    }

    /// Remove the operations that are complete.
    #[inline]
    pub fn settle(&mut self) {
        if !self.held_signals.is_empty() {
            self.release_signals();
        }
        let peers = &self.peers;
        self.ledger.settle(|number| {
            if T::MISTAKE == Some(Mistake::QuietForgetsAPeer) && number == 1 {
                return Visible { answered: u64::MAX, flushed: u64::MAX };
            }
            peers.visible(number)
        });
    }

    /// Return the ticket up to which all have come to `stage`. A call with `Stage::Remote` makes the port ask peers.
    pub fn reached(&mut self, stage: Stage) -> Ticket {
        if self.closed {
            return Ticket(u64::MAX);
        }
        if stage == Stage::Remote && !self.ledger.is_empty() {
            self.inquired = true;
            self.awaited = self.ledger.next();
            self.want_all();
        }
        let reached = self.ledger.reached(stage);
        self.is_awaited |= reached.0 + 1 < self.ledger.next();
        reached
    }

    /// Whether this operation no longer needs the caller's memory.
    #[inline]
    pub fn is_local(&mut self, ticket: Ticket) -> bool {
        let is_local = self.closed || self.ledger.is_local(ticket);
        self.is_awaited |= !is_local;
        is_local
    }

    /// Whether everything posted for a PE is complete there.
    pub fn is_quiet_at(&mut self, pe: Pe) -> bool {
        let Some(number) = self.peers.known(pe).filter(|_| !self.closed) else { return true };
        let has_rest = self.backlog.iter().any(|rest| rest.peer == number);
        if self.peers.at(number).is_quiet() && !has_rest {
            return true;
        }
        self.inquired = true;
        self.awaited = self.ledger.next();
        self.is_awaited = true;
        self.want(number);
        false
    }

    /// For all peers, post the requests and flushes that are not posted yet.
    pub fn want_all(&mut self) {
        self.want_of(|_| true);
    }

    /// Post the requests and flushes that are not posted yet only to learn whether peers are alive; no thread waits for the answers. Lost
    /// peers are skipped: such a peer may have left in order, after it received everything that was sent to it.
    pub fn want_sign_of_life(&mut self) {
        self.want_of(|peer| peer.lost.is_none());
    }

    fn want_of(&mut self, whom: impl Fn(&Peer) -> bool) {
        for number in mem::take(&mut self.to_ask) {
            if !whom(self.peers.at(number)) || !self.ask(number) {
                self.to_ask.push(number);
            }
        }
        for number in mem::take(&mut self.to_flush) {
            if !whom(self.peers.at(number)) || !self.flush(number) {
                self.to_flush.push(number);
            }
        }
    }

    /// Post the request and the flush for one peer. If the port has no room, they are retried without another call.
    pub fn want(&mut self, number: PeerNumber) {
        let asked = self.ask(number);
        let flushed = self.flush(number);
        let is_done = asked && flushed;
        if !is_done && !self.wanted.contains(&number) {
            self.wanted.push(number);
        }
    }

    /// Retry the requests and flushes that the port had no room for.
    pub fn want_again(&mut self) {
        for number in mem::take(&mut self.wanted) {
            self.want(number);
        }
    }

    /// Ask a peer to answer when it has executed all messages sent to it, unless an answer that covers them is due. Returns whether the
    /// peer is asked.
    fn ask(&mut self, number: PeerNumber) -> bool {
        let (me, lane) = (self.me.0, self.number);
        let token = self.token();
        let peer = self.peers.at(number);
        if !peer.is_to_ask {
            return true;
        }
        // A request sent now would not cover an operation that the port has not taken completely.
        if self.backlog.iter().any(|rest| rest.peer == number) {
            return false;
        }
        let peer = self.peers.at(number);
        // The last message comes after the last answer that is due, so it needs a request.
        if peer.asked < peer.unanswered {
            let Some(token) = token else { return false };
            let ticket = peer.unanswered;
            let head = Request::Ask.encode(Asker { pe: me, lane, ticket, wants_answer: true });
            // SAFETY: there is no data.
            match unsafe { self.port.send(number, head.bytes(), ptr::null(), 0, token) } {
                Ok(Posted::Pending(_)) => self.began(token, Flight { call: Call::Own, peer: number }),
                Ok(Posted::Done(_)) => {}
                Err(PostError::Busy) => return false,
                Err(PostError::Failed(error)) => {
                    self.events.push(Event::Failed(error));
                    return false;
                }
            }
            let peer = self.peers.at(number);
            peer.answers_next = peer.uncovered_messages == 1;
            (peer.asked, peer.uncovered_messages) = (peer.asked.max(ticket), 0);
        }
        self.peers.at(number).is_to_ask = false;
        self.to_ask.retain(|&listed| listed != number);
        true
    }

    /// Flush the writes to a peer that no flush covers yet. Returns whether all of them are covered.
    fn flush(&mut self, number: PeerNumber) -> bool {
        let token = self.token();
        let peer = self.peers.at(number);
        if !peer.is_to_flush {
            return true;
        }
        if self.backlog.iter().any(|rest| rest.peer == number) {
            return false;
        }
        let peer = self.peers.at(number);
        // One flush at a time: a flush under way may not cover writes posted after it began.
        let (None, Some(token)) = (peer.flushing, token) else { return false };
        let upto = peer.unflushed;
        match self.port.flush(number, token) {
            Ok(Posted::Pending(_)) => {
                self.began(token, Flight { call: Call::Flush { upto }, peer: number });
                self.peers.at(number).flushing = Some(upto);
            }
            Ok(Posted::Done(_)) => {
                let peer = self.peers.at(number);
                peer.visible.flushed = peer.visible.flushed.max(upto);
                // No event follows that would cause this.
                self.settle();
            }
            Err(PostError::Busy) => return false,
            Err(PostError::Failed(error)) => {
                self.events.push(Event::Failed(error));
                return false;
            }
        }
        self.peers.at(number).is_to_flush = false;
        self.to_flush.retain(|&listed| listed != number);
        true
    }

    /// Peers that owe an answer, then peers whose operations the port refuses. The port may refuse for lack of resources that the first
    /// peers hold.
    pub fn owing(&self) -> impl Iterator<Item = Pe> + '_ {
        let peers = self.peers.all();
        let held_up = self.backlog.iter().map(|rest| rest.peer).chain(self.wanted.iter().copied()).chain(self.refused);
        let held_up = held_up.filter_map(|number| peers.get(number as usize)).filter(|peer| !peer.owes());
        peers.iter().filter(|peer| peer.owes()).chain(held_up).map(|peer| peer.pe)
    }
}
