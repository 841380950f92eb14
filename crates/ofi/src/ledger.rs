//! Tickets: which operations are under way, and how far all before them have come.

use ferrite_fabric::{Remote, SignalOp, Stage, Ticket, Width};
use std::collections::VecDeque;

/// Operations that a lane keeps books of: those under way, of whatever kind, and what is complete behind one that takes long. So
/// many that a large put does not hold up what goes on beside it.
pub const OPEN_MAX: usize = 256 << 10;

/// A signal that waits for its data.
#[derive(Clone, Copy, Debug)]
pub struct Signal {
    /// The peer, by its number in the lane.
    pub peer: u32,
    /// The word.
    pub at: Remote,
    /// Its update.
    pub op: SignalOp,
    /// The operand.
    pub value: u64,
}

/// Where the old value of a word goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Old {
    /// As many bytes as the word has, at any alignment; null if it is not wanted.
    pub to: *mut u8,
    /// That many.
    pub size: usize,
}

impl Old {
    /// It is not wanted.
    pub const NOWHERE: Old = Old { to: std::ptr::null_mut(), size: 0 };

    /// Of a word of this width.
    pub fn of(to: *mut u8, width: Width) -> Self {
        Old { to, size: width.bytes() }
    }

    /// Put a value there.
    ///
    /// # Safety
    /// The place is null, or writable for a word.
    pub unsafe fn set(self, value: u64) {
        let bytes = if self.size == 4 { u64::from_ne_bytes(halves(value)) } else { value }.to_ne_bytes();
        if !self.to.is_null() {
            // SAFETY: the caller's promise.
            unsafe { self.to.copy_from_nonoverlapping(bytes.as_ptr(), self.size) };
        }
    }
}

/// The bytes of a word's lower half, where a narrow value is looked for.
pub fn halves(word: u64) -> [u8; 8] {
    let mut bytes = [0; 8];
    bytes[..4].copy_from_slice(&(word as u32).to_ne_bytes());
    bytes
}

#[derive(Debug)]
struct Entry {
    /// Pieces that are not complete.
    parts: u32,
    /// The caller's memory is free.
    local: bool,
    /// One of the parts, to be sent when all others are complete. Boxed, for few have one.
    signal: Option<Box<Signal>>,
    /// Where a reply's value goes.
    fetch: Old,
    /// The peer that a reply is expected from.
    asked: Option<u32>,
}

/// A lane's tickets, in their order.
#[derive(Debug, Default)]
pub struct Ledger {
    entries: VecDeque<Entry>,
    /// Tickets before the first entry: all of them complete.
    before: u64,
    /// All tickets up to this one are local.
    local: u64,
}

/// What an operation is made of when it is posted.
#[derive(Debug)]
pub struct Parts {
    /// Pieces.
    pub count: u32,
    /// The caller's memory is free at once.
    pub local: bool,
    /// A signal that follows the other pieces.
    pub signal: Option<Box<Signal>>,
    /// Where a reply's value goes.
    pub fetch: Old,
    /// Who replies.
    pub asked: Option<u32>,
}

impl Parts {
    /// So many pieces of memory.
    #[inline]
    pub fn of(count: u32, local: bool) -> Self {
        Parts { count, local, signal: None, fetch: Old::NOWHERE, asked: None }
    }
}

impl Ledger {
    /// The ticket that comes next.
    #[inline]
    pub fn next(&self) -> u64 {
        self.before + self.entries.len() as u64 + 1
    }

    /// There is room for one more.
    #[inline]
    pub fn has_room(&self) -> bool {
        self.entries.len() < OPEN_MAX
    }

    /// Nothing is under way.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Enter an operation; its ticket is [`Ledger::next`]'s.
    #[inline]
    pub fn issue(&mut self, parts: Parts) -> Ticket {
        let Parts { count, local, signal, fetch, asked } = parts;
        let ticket = self.next();
        let local = local || count == 0;
        self.entries.push_back(Entry { parts: count, local, signal, fetch, asked });
        if local {
            self.settle();
        }
        Ticket(ticket)
    }

    #[inline]
    fn entry(&mut self, ticket: u64) -> Option<&mut Entry> {
        let index = ticket.checked_sub(self.before + 1)?;
        self.entries.get_mut(index as usize)
    }

    /// An operation has been cut in one more piece.
    pub fn add_part(&mut self, ticket: u64) {
        if let Some(entry) = self.entry(ticket) {
            entry.parts += 1;
        }
    }

    /// A piece is complete. Gives the signal that may now follow.
    #[inline]
    pub fn part_done(&mut self, ticket: u64) -> Option<Box<Signal>> {
        let entry = self.entry(ticket)?;
        entry.parts = entry.parts.saturating_sub(1);
        let signal = if entry.parts == 1 { entry.signal.take() } else { None };
        if entry.parts == 0 || signal.is_some() {
            entry.local = true;
            self.settle();
        }
        signal
    }

    /// A reply has come: where its value goes, and whose it was; `None` if none is expected.
    pub fn replied(&mut self, ticket: u64) -> Option<(Old, u32)> {
        let entry = self.entry(ticket)?;
        let asked = entry.asked.take()?;
        Some((entry.fetch, asked))
    }

    /// A reply will come from this peer.
    pub fn ask(&mut self, ticket: u64, peer: u32) {
        if let Some(entry) = self.entry(ticket) {
            entry.asked = Some(peer);
        }
    }

    fn settle(&mut self) {
        while let Some(entry) = self.entries.get((self.local - self.before) as usize) {
            if !entry.local {
                break;
            }
            self.local += 1;
        }
        while self.entries.front().is_some_and(|entry| entry.parts == 0) {
            self.entries.pop_front();
            self.before += 1;
        }
        self.local = self.local.max(self.before);
    }

    /// All tickets up to this one have come to `stage`.
    #[inline]
    pub fn reached(&self, stage: Stage) -> Ticket {
        Ticket(match stage {
            Stage::Local => self.local,
            Stage::Remote => self.before,
        })
    }

    /// The caller's memory is free of this operation, whatever has become of those before it.
    #[inline]
    pub fn is_local(&self, Ticket(ticket): Ticket) -> bool {
        // Beyond `local` is beyond `before`.
        ticket <= self.local || self.entries.get((ticket - self.before - 1) as usize).is_some_and(|entry| entry.local)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrite_fabric::{Pe, SegmentId};

    fn reached(ledger: &Ledger) -> (u64, u64) {
        (ledger.reached(Stage::Local).0, ledger.reached(Stage::Remote).0)
    }

    #[test]
    fn completion_is_told_in_the_order_of_issue() {
        let mut ledger = Ledger::default();
        assert_eq!(ledger.issue(Parts::of(1, true)), Ticket(1));
        assert_eq!(ledger.issue(Parts::of(2, false)), Ticket(2));
        assert_eq!(ledger.issue(Parts::of(0, true)), Ticket(3));
        assert_eq!(reached(&ledger), (1, 0));
        assert_eq!([1, 2, 3, 4].map(|ticket| ledger.is_local(Ticket(ticket))), [true, false, true, false]);
        ledger.part_done(2);
        ledger.part_done(2);
        assert_eq!(reached(&ledger), (3, 0), "the first is not complete");
        ledger.part_done(1);
        assert_eq!(reached(&ledger), (3, 3));
        assert!(ledger.is_empty());
        assert_eq!(ledger.issue(Parts::of(0, true)), Ticket(4));
        assert_eq!(reached(&ledger), (4, 4));
        assert!(ledger.part_done(2).is_none(), "a piece of something complete changes nothing");
        assert_eq!(ledger.next(), 5);
    }

    #[test]
    fn a_signal_follows_its_data() {
        let at = Remote { pe: Pe(1), segment: SegmentId::HEAP, offset: 0 };
        let signal = Signal { peer: 0, at, op: SignalOp::Set, value: 5 };
        let mut ledger = Ledger::default();
        ledger.issue(Parts { signal: Some(Box::new(signal)), ..Parts::of(3, false) });
        assert!(ledger.part_done(1).is_none());
        assert_eq!(reached(&ledger), (0, 0));
        assert_eq!(ledger.part_done(1).map(|s| s.value), Some(5));
        assert_eq!(reached(&ledger), (1, 0), "the data is free, the signal is not there");
        assert!(ledger.part_done(1).is_none());
        assert_eq!(reached(&ledger), (1, 1));
    }

    #[test]
    fn replies_are_expected_once() {
        let mut word = [0_u8; 8];
        let fetch = Old::of(word.as_mut_ptr(), Width::W32);
        let mut ledger = Ledger::default();
        ledger.issue(Parts { fetch, asked: Some(9), ..Parts::of(1, false) });
        assert_eq!(ledger.replied(2), None);
        assert_eq!(ledger.replied(1), Some((fetch, 9)));
        assert_eq!(ledger.replied(1), None);
        assert_eq!(reached(&ledger), (0, 0));
        // SAFETY: there is room for a word.
        unsafe { fetch.set(u64::MAX) };
        assert_eq!(word, [255, 255, 255, 255, 0, 0, 0, 0], "a narrow word is four bytes");
    }
}
