//! Acknowledgements of operations that have no completion of their own: messages that a later answer covers, and writes that
//! a flush makes visible.
//!
//! # States
//!
//! Both kinds of acknowledgement have the same life. An operation after a request is not covered by that request.
//!
//! | | `Idle` | `Sent` | `Asked` | `AskedAndSent` |
//! |---|---|---|---|---|
//! | [`post`](Acks::post) | `Sent` | `Sent` | `AskedAndSent` | `AskedAndSent` |
//! | [`request`](Acks::request) of all | `Idle` | `Asked` | `Asked` | `Asked` |
//! | [`receive`](Acks::receive) | `Idle` | `Sent` | `Idle`, if all is acknowledged | `Sent`, if all that was requested is |
//! | [`forget_request`](Acks::forget_request) | `Idle` | `Sent` | `Sent` | `Sent` |
//!
//! The state is held as three tickets that only grow: acknowledged, requested, posted.

/// Acknowledgements of one kind, from one peer.
#[derive(Clone, Copy, Default, Debug)]
pub struct Acks {
    /// Ticket of the last operation that needs an acknowledgement.
    posted: u64,
    /// The same ticket at the last fence.
    posted_before_fence: u64,
    /// Ticket up to which the last request covers operations. A request may cover more than needs one.
    requested: u64,
    /// Ticket up to which operations are acknowledged.
    received: u64,
}

/// Whether acknowledgements are outstanding, and whether they were requested.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AckState {
    /// Everything posted is acknowledged.
    Idle,
    /// Operations are posted that no request covers.
    Sent,
    /// A request under way covers everything posted.
    Asked,
    /// A request is under way, and operations are posted that it does not cover.
    AskedAndSent,
}

impl Acks {
    /// Whether acknowledgements are outstanding, and whether they were requested.
    #[inline]
    pub fn state(&self) -> AckState {
        match (self.requested.min(self.posted) > self.received, self.posted > self.requested) {
            (false, false) => AckState::Idle,
            (false, true) => AckState::Sent,
            (true, false) => AckState::Asked,
            (true, true) => AckState::AskedAndSent,
        }
    }

    /// Whether everything posted is acknowledged.
    #[inline]
    pub fn is_idle(&self) -> bool {
        self.posted <= self.received
    }

    /// Whether a request is under way that a program waits for, if it waits for all tickets below `awaited`.
    pub fn is_missed(&self, awaited: u64) -> bool {
        let is_asked = matches!(self.state(), AckState::Asked | AckState::AskedAndSent);
        is_asked && self.requested.min(self.posted) < awaited
    }

    /// Ticket of the last operation that needs an acknowledgement.
    #[inline]
    pub fn posted(&self) -> u64 {
        self.posted
    }

    /// Ticket up to which operations are acknowledged.
    #[inline]
    pub fn received(&self) -> u64 {
        self.received
    }

    /// An operation is posted that needs an acknowledgement. The parts of an operation have the same ticket.
    #[inline]
    pub fn post(&mut self, ticket: u64) {
        debug_assert!(ticket >= self.posted && ticket > self.requested, "ticket {ticket} after {self:?}");
        self.posted = ticket;
    }

    /// An acknowledgement is requested of everything up to this ticket.
    #[inline]
    pub fn request(&mut self, upto: u64) {
        self.requested = self.requested.max(upto);
    }

    /// The peer acknowledges everything up to this ticket. An acknowledgement that was not requested covers nothing.
    #[inline]
    pub fn receive(&mut self, upto: u64) {
        if upto <= self.requested {
            self.received = self.received.max(upto);
        }
        debug_assert!(self.received <= self.requested, "{self:?}");
    }

    /// No acknowledgement comes for the request under way: the peer is lost.
    pub fn forget_request(&mut self) {
        self.requested = self.received;
    }

    /// An operation is posted behind a new fence.
    #[inline]
    pub fn fence(&mut self) {
        self.posted_before_fence = self.posted;
    }

    /// Whether everything from before the last fence is acknowledged.
    #[inline]
    pub fn is_fence_passed(&self) -> bool {
        self.posted_before_fence <= self.received
    }
}

#[cfg(test)]
mod tests {
    use super::{AckState::*, *};

    #[test]
    fn a_request_covers_what_was_posted_before_it() {
        let mut acks = Acks::default();
        assert_eq!(acks.state(), Idle);
        acks.post(3);
        assert_eq!(acks.state(), Sent);
        acks.request(3);
        assert_eq!(acks.state(), Asked);
        acks.post(5);
        assert_eq!(acks.state(), AskedAndSent);
        acks.receive(3);
        assert_eq!(acks.state(), Sent);
        acks.receive(5);
        assert_eq!(acks.state(), Sent, "it was not requested");
        acks.request(7);
        acks.receive(5);
        assert_eq!((acks.state(), acks.is_idle()), (Idle, true), "7 needs no acknowledgement of this kind");
    }

    #[test]
    fn a_lost_peer_is_asked_again() {
        let mut acks = Acks::default();
        acks.post(2);
        acks.request(2);
        acks.forget_request();
        assert_eq!(acks.state(), Sent);
    }

    #[test]
    fn only_an_awaited_request_is_missed() {
        let mut acks = Acks::default();
        acks.post(9);
        assert!(!acks.is_missed(u64::MAX), "nothing is requested");
        acks.request(9);
        assert!(acks.is_missed(10) && !acks.is_missed(9));
        acks.receive(9);
        assert!(!acks.is_missed(u64::MAX));
    }
}
