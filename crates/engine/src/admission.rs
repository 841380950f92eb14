//! Whether an operation may be posted for a peer now, or is refused.

use crate::{Class, PeerNumber, PostError, Transport, port_state::PortState};

impl<T: Transport> PortState<T> {
    /// Refuse an operation. It may be posted again after some progress.
    #[cold]
    pub fn refuse<R>(&mut self, number: PeerNumber) -> Result<R, PostError> {
        self.refused = Some(number);
        self.awaited.here(true);
        Err(PostError::Busy)
    }

    /// Refuse an operation because too many are under way. The caller waits for these, so the loss of one of their peers is a fault.
    #[cold]
    pub fn refuse_as_one_too_many<R>(&mut self, number: PeerNumber) -> Result<R, PostError> {
        self.awaited.at_targets(self.ledger.next());
        self.refuse(number)
    }

    /// Whether an operation of this class may go to a peer now. It must not overtake the rest of an earlier operation, nor pass a fence. No
    /// port keeps an operation behind a signal that it has not received yet.
    #[inline]
    pub fn admit(&mut self, number: PeerNumber, class: Class, len: usize) -> Result<(), PostError> {
        if self.outgoing.lets_pass(number, self.fences)
            && self.has_room_for(number)
            && self.peers.at(number).may_start(self.fences, &self.limits, class, len)
        {
            return Ok(());
        }
        // A fence waits for answers and flushes, which must be requested.
        self.want(number);
        self.awaited.here(true);
        Err(PostError::Busy)
    }

    /// Whether an operation for a peer may use the scarce resources: tokens, and places for answers. A quarter of them is kept for peers to
    /// which nothing is under way, so that a peer that has stopped does not hold up all others.
    #[inline]
    pub fn has_room_for(&mut self, number: PeerNumber) -> bool {
        let depth = self.limits.depth;
        let has_many = self.calls.free() > depth / 4 && self.answers_due < depth - depth / 4;
        has_many || self.answers_due < depth && self.peers.at(number).is_quiet()
    }
}
