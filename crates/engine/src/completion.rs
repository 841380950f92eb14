//! How operations end: events of the port, answers of peers, and requests to peers when a thread waits.

use crate::{
    Class, Error, Event, Pe, PeerNumber, Port, PostError, Posted, Token, Transport,
    acks::AckState,
    calls::{Call, Flight},
    message::{Answer, Asker, Outcome, Request},
    peers::Peer,
    port_state::{PortState, Standing},
};
use ferrite_fabric::{Stage, Ticket};
use std::{mem, ptr};

/// Why a peer is asked whether it has executed everything.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reason {
    /// A thread waits for the answer, so the loss of the peer is a fault.
    Wait,
    /// To learn whether the peer is alive, or whether anything is under way.
    Probe,
}

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
                Event::Lost(number, why) => {
                    let pe = self.peers.at(number).pe();
                    self.losses.push((number, Error::because(format!("the connection to {pe} is lost"), why)));
                }
                Event::CallLost(token, error) => {
                    let Flight { call, peer } = self.calls.at(token);
                    if matches!(call, Call::Ask) {
                        self.calls.end(token);
                        // A peer that has left in order answers no request. It is a fault only if something is awaited from the peer.
                        self.losses.push((peer, error));
                    } else if result.is_ok() {
                        // The peer of the error that is returned.
                        self.lost_peer = self.lost_peer.or(Some(self.peers.at(peer).pe()));
                        result = Err(error);
                    }
                }
                Event::Failed(error) => result = result.and(Err(error)),
            }
        }
        self.events = events;
        self.settle();
        result
    }

    #[inline]
    fn done(&mut self, token: Token) {
        let Flight { call, peer } = self.calls.end(token);
        match call {
            Call::Part { ticket, class, fence, holds_memory } => {
                self.part_done(ticket, peer, class, fence, holds_memory);
            }
            Call::Source { ticket } => match self.ledger.entry(ticket) {
                Some(entry) => entry.release(),
                None => debug_assert!(false, "{ticket} was complete while a call used its memory"),
            },
            Call::Flush { upto } => self.peers.at(peer).flushed(upto),
            Call::Own | Call::Ask => {}
        }
    }

    /// Record that a part of an operation is complete at its target.
    #[inline]
    pub fn part_done(&mut self, ticket: u64, peer: PeerNumber, class: Class, fence: u32, held_memory: bool) {
        self.peers.at(peer).ended(class, fence);
        let Some(entry) = self.ledger.entry(ticket) else {
            debug_assert!(false, "{ticket} was complete while a part of it was under way");
            return;
        };
        entry.end_part();
        if held_memory {
            entry.release();
        }
    }

    /// Report the peers whose connection is broken. Called after their last answers are taken in, which may have arrived at another port.
    #[cold]
    pub fn report_losses(&mut self) -> Result<(), Error> {
        let losses = mem::take(&mut self.losses);
        let faults: Vec<(Pe, Error)> = losses.into_iter().filter_map(|(number, why)| self.lost(number, why)).collect();
        let Some((pe, error)) = faults.into_iter().next() else { return Ok(()) };
        self.lost_peer = Some(pe);
        Err(error)
    }

    /// Record that the connection to a peer is broken. Returns a fault if something is awaited from that peer.
    fn lost(&mut self, number: PeerNumber, why: Error) -> Option<(Pe, Error)> {
        let peer = self.peers.lose(number, self.awaited.below(), why.to_string());
        let (pe, owes) = (peer.pe(), peer.is_missed(self.awaited.below()));
        // Without a fault, a thread that waits until a source is free would wait for ever.
        let holds_source =
            || self.calls.under_way().any(|flight| flight.peer == number && matches!(flight.call, Call::Source { .. }));
        let is_awaited = owes || self.outgoing.has_rest(number) || holds_source();
        is_awaited.then_some((pe, why))
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
            tracing::warn!(%answer, "a PE that owes no answer sent one");
            return Ok(());
        };
        // A put may ask for no answer, but a refusal is sent in any case.
        if let Some(why) = outcome.refusal() {
            return Err(Error::new(format!("PE {from} refused an operation: {why}")));
        }
        let mut covers = is_of_ask;
        if !is_of_ask {
            let entry = self.ledger.entry(ticket).filter(|entry| entry.peer == number && entry.expects_answer());
            let Some(entry) = entry else {
                tracing::warn!(%answer, "an answer belongs to no request");
                return Ok(());
            };
            covers = entry.covers;
            entry.end_answer();
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
        if covers {
            self.peers.at(number).answered(ticket);
        }
        Ok(())
    }

    /// Remove the operations that are complete.
    #[inline]
    pub fn settle(&mut self) {
        self.release_signals();
        let peers = &self.peers;
        self.ledger.settle(|number| peers.visible(number));
    }

    /// Return the ticket up to which all have come to `stage`. A call with `Stage::Remote` makes the port ask peers.
    pub fn reached(&mut self, stage: Stage) -> Ticket {
        match self.standing {
            Standing::Open => {}
            Standing::Closed => return Ticket(u64::MAX),
            Standing::Abandoned => return self.ledger.reached(stage),
        }
        if stage == Stage::Remote && !self.ledger.is_empty() {
            self.awaited.at_targets(self.ledger.next());
            self.want_all();
        }
        let reached = self.ledger.reached(stage);
        self.awaited.here(reached.0 + 1 < self.ledger.next());
        reached
    }

    /// Return the ticket up to which all are complete at their targets. Peers are asked, but no thread waits for their answers.
    pub fn probed(&mut self) -> Ticket {
        if self.standing == Standing::Closed {
            return Ticket(u64::MAX);
        }
        if self.standing == Standing::Open && !self.ledger.is_empty() {
            self.want_sign_of_life();
        }
        self.ledger.reached(Stage::Remote)
    }

    /// Whether this operation no longer needs the caller's memory.
    #[inline]
    pub fn is_local(&mut self, ticket: Ticket) -> bool {
        let is_local = self.standing == Standing::Closed || self.ledger.is_local(ticket);
        self.awaited.here(!is_local);
        is_local
    }

    /// Whether everything posted for a PE is complete there.
    pub fn is_quiet_at(&mut self, pe: Pe) -> bool {
        let Some(number) = self.peers.known(pe).filter(|_| self.standing != Standing::Closed) else { return true };
        if self.peers.at(number).is_quiet() && !self.outgoing.has_rest(number) {
            return true;
        }
        if self.standing == Standing::Abandoned {
            return false;
        }
        self.awaited.at_targets(self.ledger.next());
        self.awaited.here(true);
        self.want(number);
        false
    }

    /// For all peers, post the requests and flushes that are not posted yet.
    pub fn want_all(&mut self) {
        self.want_of(Reason::Wait);
    }

    /// Post the requests and flushes that are not posted yet only to learn whether peers are alive; no thread waits for the answers. Lost
    /// peers are skipped: such a peer may have left in order, after it received everything that was sent to it.
    pub fn want_sign_of_life(&mut self) {
        self.want_of(Reason::Probe);
    }

    fn want_of(&mut self, reason: Reason) {
        let is_skipped = |peer: &Peer| reason == Reason::Probe && peer.lost().is_some();
        for number in self.peers.take_to_ask() {
            if is_skipped(self.peers.at(number)) || !self.ask(number, reason) {
                self.peers.list_to_ask(number);
            }
        }
        for number in self.peers.take_to_flush() {
            if is_skipped(self.peers.at(number)) || !self.flush(number, reason) {
                self.peers.list_to_flush(number);
            }
        }
    }

    /// Post the request and the flush for one peer. If the port has no room, they are retried without another call.
    pub fn want(&mut self, number: PeerNumber) {
        let asked = self.ask(number, Reason::Wait);
        let flushed = self.flush(number, Reason::Wait);
        if !(asked && flushed) {
            self.outgoing.add_wanted(number);
        }
    }

    /// Retry the requests and flushes that the port had no room for.
    pub fn want_again(&mut self) {
        for number in self.outgoing.take_wanted() {
            self.want(number);
        }
    }

    /// Ask a peer to answer when it has executed all messages sent to it. Returns whether a request covers all of them.
    fn ask(&mut self, number: PeerNumber, reason: Reason) -> bool {
        let peer = self.peers.at(number);
        match peer.answers() {
            AckState::Idle | AckState::Asked => return true,
            AckState::Sent | AckState::AskedAndSent => {}
        }
        let ticket = peer.messages_upto();
        // A request sent now would not cover an operation that the port has not taken completely.
        if self.outgoing.has_rest(number) {
            return false;
        }
        let Some(token) = self.calls.token() else { return false };
        let asker = Asker { pe: self.me.0, lane: self.number, ticket, wants_answer: true };
        let head = Request::Ask.encode(asker);
        // SAFETY: there is no data.
        let posted = unsafe { self.port.send(number, head.bytes(), ptr::null(), 0, token) };
        let flight = Flight { call: Call::Ask, peer: number };
        let is_posted = self.request_posted(posted, token, flight, reason).is_some();
        if is_posted {
            self.peers.at(number).asked();
        }
        is_posted
    }

    /// Flush the writes to a peer. Returns whether a flush covers all of them.
    fn flush(&mut self, number: PeerNumber, reason: Reason) -> bool {
        let peer = self.peers.at(number);
        match peer.flushes() {
            AckState::Idle | AckState::Asked => return true,
            // One flush at a time: the next one covers what was posted after this one began.
            AckState::AskedAndSent => return false,
            AckState::Sent => {}
        }
        let upto = peer.writes_upto();
        if self.outgoing.has_rest(number) {
            return false;
        }
        let Some(token) = self.calls.token() else { return false };
        let posted = self.port.flush(number, token);
        let flight = Flight { call: Call::Flush { upto }, peer: number };
        let posted = self.request_posted(posted, token, flight, reason);
        if posted.is_some() {
            self.peers.at(number).flush_posted();
        }
        if let Some(Posted::Done(_)) = posted {
            self.peers.at(number).flushed(upto);
            // No event follows that would cause this.
            self.settle();
        }
        posted.is_some()
    }

    /// Record the call of a request or a flush, unless the port had no room for it or has failed.
    fn request_posted(
        &mut self,
        posted: Result<Posted, PostError>,
        token: Token,
        flight: Flight,
        reason: Reason,
    ) -> Option<Posted> {
        match posted {
            Ok(posted) => {
                if let Posted::Pending(_) = posted {
                    self.calls.begin(token, flight);
                }
                Some(posted)
            }
            Err(PostError::Busy) => None,
            Err(PostError::Failed(error)) => {
                self.events.push(Event::Failed(error));
                None
            }
            Err(PostError::Lost(error)) => {
                match reason {
                    Reason::Wait => {
                        self.lost_peer = self.lost_peer.or(Some(self.peers.at(flight.peer).pe()));
                        self.events.push(Event::Failed(error));
                    }
                    // As a request that fails under way.
                    Reason::Probe => {
                        self.calls.begin(token, Flight { call: Call::Ask, peer: flight.peer });
                        self.events.push(Event::CallLost(token, error));
                    }
                }
                None
            }
        }
    }

    /// Peers that owe an answer, then peers whose operations the port refuses. The port may refuse for lack of resources that the first
    /// peers hold.
    pub fn owing(&self) -> impl Iterator<Item = Pe> + '_ {
        let peers = self.peers.all();
        let held_up = self.outgoing.held_up().chain(self.refused);
        let held_up = held_up.filter_map(|number| peers.get(number as usize)).filter(|peer| !peer.owes());
        peers.iter().filter(|peer| peer.owes()).chain(held_up).map(Peer::pe)
    }
}
