//! Tickets: the operations that are under way, and the stage that all operations up to a ticket have reached.

use crate::Width;
use ferrite_fabric::{Remote, SignalOp, Stage, Ticket};
use std::collections::VecDeque;

/// Maximum number of operations in a lane's ledger: operations under way, and complete operations behind one that takes long. Large enough
/// that a large put does not hold up other operations.
pub const OPEN_MAX: usize = 64 << 10;

/// A signal that waits for its data.
#[derive(Clone, Copy, Debug)]
pub struct Signal {
    /// The operation that it belongs to.
    pub ticket: u64,
    pub peer: u32,
    /// The fence behind which it was posted.
    pub fence: u32,
    pub at: Remote,
    pub op: SignalOp,
    pub value: u64,
}

/// Destination of the old value of a word.
#[derive(Clone, Copy, Debug)]
pub struct Fetch {
    /// As many bytes as the word has, at any alignment; null if the old value is not wanted.
    pub to: *mut u8,
    pub width: Width,
}

impl Fetch {
    /// For an operation that fetches no value.
    pub const NOTHING: Fetch = Fetch { to: std::ptr::null_mut(), width: Width::W64 };
}

/// Event that makes an operation visible at its target after all its parts are complete.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Needs {
    Nothing,
    /// The peer's answer to a later message.
    Answer,
    Flush,
}

impl Needs {
    /// Whether `visible`, the progress of the peer, meets this need of the operation with this ticket.
    #[inline]
    pub fn is_met(self, ticket: u64, visible: Visible) -> bool {
        match self {
            Needs::Nothing => true,
            Needs::Answer => visible.answered >= ticket,
            Needs::Flush => visible.flushed >= ticket,
        }
    }
}

/// State of an operation that is under way.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Number of parts that must still complete: calls, answers, and a signal that is still to be sent.
    parts: u32,
    /// Number of answers among these parts.
    answers: u32,
    /// Number of parts that use the caller's memory: calls, and answers that fetch.
    local: u32,
    pub peer: u32,
    /// The fence behind which it was posted.
    pub fence: u32,
    /// Event that must follow the parts.
    needs: Needs,
    /// True if the operation is one message, and in order: its answer covers earlier messages.
    pub covers: bool,
    /// Destination of an answer's value.
    pub fetch: Fetch,
}

impl Entry {
    /// An operation without parts yet.
    #[inline]
    pub fn new(peer: u32, fence: u32, covers: bool, fetch: Fetch) -> Entry {
        Entry { parts: 0, answers: 0, local: 0, peer, fence, needs: Needs::Nothing, covers, fetch }
    }

    /// The operation is complete only after this event.
    #[inline]
    pub fn needs(&mut self, needs: Needs) {
        self.needs = needs;
    }

    /// A part is under way.
    #[inline]
    pub fn begin_part(&mut self) {
        self.parts += 1;
    }

    /// The answer to a part is due.
    #[inline]
    pub fn expect_answer(&mut self) {
        self.answers += 1;
        debug_assert!(self.answers <= self.parts, "an answer completes a part: {self:?}");
    }

    /// Something uses the caller's memory.
    #[inline]
    pub fn hold(&mut self) {
        self.local += 1;
    }

    /// Something no longer uses the caller's memory.
    #[inline]
    pub fn release(&mut self) {
        debug_assert!(self.local > 0, "memory is released once: {self:?}");
        self.local -= 1;
    }

    /// A part is complete.
    #[inline]
    pub fn end_part(&mut self) {
        debug_assert!(self.parts > 0, "a part ends once: {self:?}");
        self.parts -= 1;
    }

    /// Whether an answer is due.
    #[inline]
    pub fn expects_answer(&self) -> bool {
        self.answers > 0
    }

    /// An answer has come. The part that it completes ends by [`Entry::end_part`].
    #[inline]
    pub fn end_answer(&mut self) {
        debug_assert!(self.answers > 0, "an answer comes once: {self:?}");
        self.answers -= 1;
    }

    /// Whether nothing but its signal is missing: its data is visible at the peer, whose progress is `visible`.
    pub fn has_only_its_signal(&self, ticket: u64, visible: Visible) -> bool {
        self.parts == 1 && self.needs.is_met(ticket, visible)
    }
}

/// Known progress of a peer: the tickets up to which operations that need an answer, or a flush, are visible.
#[derive(Clone, Copy, Default, Debug)]
pub struct Visible {
    /// Ticket for operations that need an answer.
    pub answered: u64,
    /// Ticket for operations that need a flush.
    pub flushed: u64,
}

/// A lane's tickets in their order.
#[derive(Debug, Default)]
pub struct Ledger {
    entries: VecDeque<Entry>,
    /// All tickets up to this one are complete at their targets.
    complete: u64,
    /// All tickets up to this one have left the caller's memory.
    local: u64,
}

impl Ledger {
    /// The ticket that the next operation gets.
    #[inline]
    pub fn next(&self) -> u64 {
        self.complete + self.entries.len() as u64 + 1
    }

    /// There is room for one more.
    #[inline]
    pub fn has_room(&self) -> bool {
        self.entries.len() < OPEN_MAX
    }

    /// True if the ledger is at least half full and peers should be asked which operations are complete, although no thread waits. Below
    /// the maximum this is so now and then, not at each post.
    #[inline]
    pub fn is_filling(&self) -> bool {
        let len = self.entries.len();
        len >= OPEN_MAX || len >= OPEN_MAX / 2 && len.is_multiple_of(1024)
    }

    /// Nothing is under way.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Enter an operation. Its ticket is [`Ledger::next`].
    #[inline]
    pub fn issue(&mut self, entry: Entry) -> Ticket {
        let ticket = self.next();
        if entry.local == 0 && self.local + 1 == ticket {
            self.local = ticket;
        }
        self.entries.push_back(entry);
        Ticket(ticket)
    }

    /// Entry of an operation that is not complete, or is behind one that is not.
    #[inline]
    pub fn entry(&mut self, ticket: u64) -> Option<&mut Entry> {
        let index = ticket.checked_sub(self.complete + 1)?;
        self.entries.get_mut(index as usize)
    }

    /// Remove the operations that are complete. `visible` returns the progress of a peer.
    pub fn settle(&mut self, visible: impl Fn(u32) -> Visible) {
        while let Some(entry) = self.entries.front() {
            let ticket = self.complete + 1;
            let is_met = entry.needs == Needs::Nothing || entry.needs.is_met(ticket, visible(entry.peer));
            if entry.parts > 0 || entry.local > 0 || !is_met {
                break;
            }
            self.entries.pop_front();
            self.complete = ticket;
        }
        self.local = self.local.max(self.complete);
        while self.entries.get((self.local - self.complete) as usize).is_some_and(|entry| entry.local == 0) {
            self.local += 1;
        }
    }

    /// Return the ticket up to which all have come to `stage`.
    #[inline]
    pub fn reached(&self, stage: Stage) -> Ticket {
        Ticket(match stage {
            Stage::Local => self.local,
            Stage::Remote => self.complete,
        })
    }

    /// Whether this operation no longer uses the caller's memory, whatever the state of earlier operations.
    #[inline]
    pub fn is_local(&self, Ticket(ticket): Ticket) -> bool {
        let entry = |index: u64| self.entries.get(index as usize);
        ticket <= self.local || entry(ticket - self.complete - 1).is_some_and(|entry| entry.local == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "a part ends once")]
    fn a_part_does_not_end_twice() {
        let mut entry = entry(1, 0, Needs::Nothing);
        entry.end_part();
        entry.end_part();
    }

    fn entry(parts: u32, local: u32, needs: Needs) -> Entry {
        Entry { parts, local, needs, ..Entry::new(0, 0, true, Fetch::NOTHING) }
    }

    #[test]
    fn out_of_order_ends_complete_in_order() {
        let mut ledger = Ledger::default();
        for _ in 0..3 {
            ledger.issue(entry(1, 1, Needs::Nothing));
        }
        let nothing = |_| Visible::default();
        let end = |ledger: &mut Ledger, ticket| {
            let entry = ledger.entry(ticket).unwrap();
            (entry.parts, entry.local) = (0, 0);
            ledger.settle(nothing);
        };
        end(&mut ledger, 2);
        assert!(ledger.is_local(Ticket(2)) && !ledger.is_local(Ticket(1)));
        assert_eq!([Stage::Local, Stage::Remote].map(|stage| ledger.reached(stage).0), [0, 0]);
        end(&mut ledger, 1);
        assert_eq!([Stage::Local, Stage::Remote].map(|stage| ledger.reached(stage).0), [2, 2]);
        assert!(ledger.entry(2).is_none() && !ledger.is_empty());
        end(&mut ledger, 3);
        assert!(ledger.is_empty() && ledger.next() == 4);
    }

    #[test]
    fn answers_and_flushes_complete_separately() {
        let mut ledger = Ledger::default();
        ledger.issue(entry(0, 0, Needs::Answer));
        ledger.issue(entry(0, 0, Needs::Flush));
        assert_eq!(ledger.reached(Stage::Local), Ticket(2));
        let reached = |ledger: &mut Ledger, answered, flushed| {
            ledger.settle(|_| Visible { answered, flushed });
            ledger.reached(Stage::Remote).0
        };
        assert_eq!(reached(&mut ledger, 0, 2), 0);
        assert_eq!(reached(&mut ledger, 1, 1), 1);
        assert_eq!(reached(&mut ledger, 2, 1), 1);
        assert_eq!(reached(&mut ledger, 1, 2), 2);
    }
}
