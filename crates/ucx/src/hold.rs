//! Why a fence orders what is reached directly ([`mapped`](crate::mapped)) behind messages.
//!
//! A store overtakes a message. So after a fence a peer's memory is not touched directly until all messages have arrived that
//! were on their way to that peer, be they the runtime's own; the first operation there asks for them, and waits (`Busy`). Stores
//! before a fence are ordered with those after it by the processor: the fence has a barrier, as quiet has.
//!
//! A hold is set and ended under the stream's mutex (release) and read before each operation (acquire): a thread that was told of
//! another's fence sees it. Two that were not told of each other have no order to keep.

use crate::{mapped::Mapped, shared::Shared, stream::Stream};
use ferrite_fabric::{Op, Pe, Stage, Ticket};
use std::sync::atomic::{self, AtomicU64, AtomicUsize, Ordering};

/// What a stream holds back.
pub struct Hold {
    /// For each PE the ticket up to which all has to arrive first, or [`Ticket::NONE`].
    until: Box<[AtomicU64]>,
    /// For so many PEs there is one.
    held: AtomicUsize,
}

impl Hold {
    /// Nothing, of so many PEs.
    pub fn new(size: u32) -> Self {
        let none = || AtomicU64::new(Ticket::NONE.0);
        Hold { until: (0..size).map(|_| none()).collect(), held: AtomicUsize::new(0) }
    }

    /// Whether a PE's memory is not to be touched directly.
    #[inline]
    pub fn holds(&self, pe: Pe) -> bool {
        self.until.get(pe.0 as usize).is_none_or(|until| until.load(Ordering::Acquire) != Ticket::NONE.0)
    }

    fn set(&self, pe: Pe, until: Ticket) {
        let Some(place) = self.until.get(pe.0 as usize) else { return };
        let before = place.load(Ordering::Relaxed);
        if before != until.0 {
            place.store(until.0, Ordering::Release);
            let (is, was) = (usize::from(until != Ticket::NONE), usize::from(before != Ticket::NONE.0));
            self.held.store(self.held.load(Ordering::Relaxed) + is - was, Ordering::Relaxed);
        }
    }

    fn end(&self, upto: Ticket) {
        if self.held.load(Ordering::Relaxed) == 0 {
            return;
        }
        for pe in 0..self.until.len() {
            let until = self.until[pe].load(Ordering::Relaxed);
            if until != Ticket::NONE.0 && until <= upto.0 {
                self.set(Pe(pe as u32), Ticket::NONE);
            }
        }
    }
}

impl Stream {
    /// An operation was not carried out at once: whether it is to be a message. If not it can be carried out, now or once messages
    /// have come that were asked about here.
    pub fn approach(&mut self, shared: &Shared, mapped: &Mapped, op: &Op) -> bool {
        let pe = op.target();
        if let Some(at) = mapped.misses(op) {
            let learnt = self.number(shared, pe).and_then(|number| self.reach(shared, number, at));
            if let Err(error) = learnt {
                tracing::debug!(%pe, "its heap is reached by messages: {error}");
                mapped.give_up(pe);
            }
        }
        if !mapped.has(op) {
            return true;
        }
        if let Some(hold) = self.hold.clone().filter(|hold| hold.holds(pe)) {
            // Of all up to then, or of all that is on its way to this PE.
            self.reached(Stage::Remote);
            if self.is_quiet_at(pe) {
                hold.set(pe, Ticket::NONE);
            }
        }
        false
    }

    /// A fence.
    pub fn hold_back(&mut self) {
        atomic::fence(Ordering::Release);
        self.settle();
        let Some(hold) = &self.hold else { return };
        for (number, peer) in self.peers.iter().enumerate() {
            let asked = peer.last.streamed.max(peer.last.answered);
            let by_answer = Some(asked).filter(|&last| !self.window.is_done_at(peer.pe, last));
            let by_flush = Some(peer.last.flushed).filter(|&last| last > self.flushed_at(number));
            hold.set(peer.pe, by_answer.max(by_flush).map_or(Ticket::NONE, Ticket));
        }
    }

    /// All up to this ticket has arrived.
    #[inline]
    pub fn let_go(&self, upto: Ticket) {
        if let Some(hold) = &self.hold {
            hold.end(upto);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hold_ends_with_what_it_waits_for() {
        let hold = Hold::new(3);
        assert!(!hold.holds(Pe(1)) && hold.holds(Pe(3)), "of whom nothing is known is never reached directly");
        hold.set(Pe(1), Ticket(5));
        hold.set(Pe(2), Ticket(7));
        hold.end(Ticket(4));
        assert_eq!([0, 1, 2].map(|pe| hold.holds(Pe(pe))), [false, true, true]);
        hold.end(Ticket(5));
        assert_eq!([0, 1, 2].map(|pe| hold.holds(Pe(pe))), [false, false, true]);
        // Another fence, after all has arrived.
        hold.set(Pe(2), Ticket::NONE);
        assert_eq!(hold.held.load(Ordering::Relaxed), 0);
        assert!(!hold.holds(Pe(2)));
    }
}
