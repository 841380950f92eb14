//! Operations under way, and what a network may do to them.
//!
//! # What is legal
//!
//! An operation may arrive at any time after it was issued: at once, or when everybody waits for it. Operations arrive in any order,
//! whichever PE they are for, but for two rules: one that was issued after a fence arrives after those that the same stream issued
//! for the same PE before it; and a signal arrives after the data of its own put. Data may arrive in two pieces, either first, and
//! other things between them. An operation is complete when all of it has arrived.
//!
//! All PEs are threads here, so what arrives is copied at once, by whichever thread has the turn.

use super::choices::{Choices, What};
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering::SeqCst, fence};
use ferrite_fabric::{Amo, Op, Remote, Segment, SegmentId, Ticket, Width};
use std::collections::BTreeMap;

/// A stream of operations.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Stream {
    pub pe: u32,
    pub number: u32,
}

/// What is left of an operation.
enum Part {
    /// Bytes that were sent along, and where they go.
    Data { bytes: Box<[u8]>, to: Remote },
    /// A copy back. The destination is the issuing program's until the operation is complete.
    Get { from: Remote, to: *mut u8, len: usize },
    /// An update of a word.
    Word { at: Remote, width: Width, op: Amo, operand: u64, compare: u64, fetch: *mut u8 },
}

struct Pending {
    stream: Stream,
    ticket: u64,
    to: u32,
    /// Fences of the stream before it.
    fences: u64,
    /// When it arrives at last, in steps; `u64::MAX`: when all PEs wait.
    due: u64,
    /// In any order...
    parts: Vec<Part>,
    /// ...and this after them.
    signal: Option<Part>,
}

// SAFETY: the pointers are into memory that the issuing program keeps until the operation is complete, whichever thread completes it.
unsafe impl Send for Pending {}

#[derive(Default)]
struct Issued {
    tickets: u64,
    fences: u64,
}

/// Where a PE's memory is.
struct Registered(Segment);

// SAFETY: memory of the process, which stays until it is taken out.
unsafe impl Send for Registered {}

/// See the module.
#[derive(Default)]
pub struct Network {
    segments: BTreeMap<(u32, u8), Registered>,
    streams: BTreeMap<Stream, Issued>,
    pending: Vec<Pending>,
    /// Calls so far.
    steps: u64,
    /// Changes so far of what PEs wait for.
    pub arrivals: u64,
}

/// Steps after which what is held back for a while arrives, at most.
const WHILE: u64 = 24;
/// Operations shorter than this arrive whole.
const WHOLE: usize = 16;

impl Network {
    pub fn register(&mut self, pe: u32, segment: Segment) {
        self.segments.insert((pe, segment.id.0), Registered(segment));
    }

    /// The memory of `pe` goes, and what it has asked for with it. What it has sent arrives all the same.
    pub fn take_out(&mut self, pe: u32) {
        self.segments.retain(|&(owner, _), _| owner != pe);
        let wants = |one: &Pending| one.stream.pe == pe && one.is_awaited();
        self.pending.retain(|one| !wants(one));
    }

    /// What comes is to follow from a seed: nothing is counted that came before.
    pub fn begin(&mut self) {
        self.steps = 0;
    }

    /// One call of a PE has passed.
    pub fn step(&mut self) {
        self.steps += 1;
    }

    /// Issue an operation. With `choices` it may be held back.
    ///
    /// # Safety
    /// Its local pointers stay valid until it is complete.
    pub unsafe fn issue(&mut self, stream: Stream, op: &Op, choices: Option<&mut Choices>) -> Ticket {
        let issued = self.streams.entry(stream).or_default();
        let (mut hold, mut halves) = (0, false);
        if let Some(choices) = choices {
            let (bytes, to) = (op.bytes(), op.target());
            let said = |chosen| {
                let until = if chosen > WHILE { "until all PEs wait" } else { "for a while" };
                format!("PE {}'s {} {to} is held back {until}", stream.pe, describe(op))
            };
            hold = choices.make((What::Hold, stream.pe), WHILE, 3 * WHILE, said);
            let said = |_| format!("PE {}'s {} {to} arrives in two pieces", stream.pe, describe(op));
            halves = bytes >= WHOLE && choices.make((What::Split, stream.pe), 3, 1, said) > 0;
        }
        let due = match hold {
            0 => 0,
            1..=WHILE => self.steps + hold,
            _ => u64::MAX,
        };
        issued.tickets += 1;
        let (ticket, fences) = (issued.tickets, issued.fences);
        // SAFETY: passed on.
        let (parts, signal) = unsafe { parts(op, halves) };
        self.pending.push(Pending { stream, ticket, to: op.target().0, fences, due, parts, signal });
        Ticket(ticket)
    }

    pub fn fence(&mut self, stream: Stream) {
        self.streams.entry(stream).or_default().fences += 1;
    }

    /// Let arrive what is due; gives how many things did.
    pub fn deliver_due(&mut self) -> usize {
        let mut count = 0;
        while let Some(at) =
            (0..self.pending.len()).find(|&at| self.pending[at].due <= self.steps && self.may_arrive(at))
        {
            self.arrive(at, 0);
            count += 1;
        }
        count
    }

    /// All PEs wait: something arrives, if anything is under way.
    pub fn deliver_any(&mut self, choices: &mut Choices) -> bool {
        let may: Vec<usize> = (0..self.pending.len()).filter(|&at| self.may_arrive(at)).collect();
        if may.is_empty() {
            return false;
        }
        let said =
            |chosen| format!("where all PEs wait, the {}. of {} operations under way arrives", chosen + 1, may.len());
        let at = may[choices.make((What::Arrival, 0), 1, may.len() as u64 - 1, said) as usize];
        let others = self.pending[at].parts.len().saturating_sub(1) as u64;
        let said = |_| "its second piece is the first to arrive".to_owned();
        let part = if others > 0 { choices.make((What::Arrival, 0), 1, others, said) } else { 0 };
        self.arrive(at, part as usize);
        true
    }

    /// No operation that a fence puts before it is under way.
    fn may_arrive(&self, at: usize) -> bool {
        let one = &self.pending[at];
        !self.pending.iter().any(|other| (other.stream, other.to) == (one.stream, one.to) && other.fences < one.fences)
    }

    fn arrive(&mut self, at: usize, part: usize) {
        let one = &mut self.pending[at];
        let part = if one.parts.is_empty() { one.signal.take() } else { Some(one.parts.remove(part)) };
        let is_complete = one.parts.is_empty() && one.signal.is_none();
        if let Some(part) = part {
            self.execute(part);
        }
        if is_complete {
            self.pending.remove(at);
        }
        self.arrivals += 1;
    }

    fn place(&self, at: Remote, len: usize) -> Option<*mut u8> {
        let Registered(segment) = self.segments.get(&(at.pe.0, at.segment.0))?;
        let end = usize::try_from(at.offset).ok()?.checked_add(len)?;
        assert!(
            end <= segment.len,
            "{}: {len} bytes at {} of segment {} are not registered",
            at.pe,
            at.offset,
            at.segment.0
        );
        Some(segment.base.wrapping_add(at.offset as usize))
    }

    /// Nothing at a PE whose memory has gone.
    fn execute(&self, part: Part) {
        // What is executed now is after what was executed before, for whoever looks.
        fence(SeqCst);
        match part {
            Part::Data { bytes, to } => {
                if let Some(to) = self.place(to, bytes.len()) {
                    // SAFETY: registered memory, which is there until it is taken out.
                    unsafe { ferrite_copy::copy(to, bytes.as_ptr(), bytes.len()) };
                }
            }
            Part::Get { from, to, len } => {
                if let Some(from) = self.place(from, len) {
                    // SAFETY: as above; the program keeps the destination.
                    unsafe { ferrite_copy::copy(to, from, len) };
                }
            }
            Part::Word { at, width, op, operand, compare, fetch } => {
                let Some(word) = self.place(at, width.bytes()) else { return };
                // SAFETY: as above, and the word is aligned.
                let old = unsafe {
                    match width {
                        Width::W32 => {
                            let updated = |old| update(op, u64::from(old), operand, compare) as u32;
                            AtomicU32::from_ptr(word.cast())
                                .fetch_update(SeqCst, SeqCst, |old| Some(updated(old)))
                                .map_or(0, u64::from)
                        }
                        Width::W64 => {
                            let updated = |old| update(op, old, operand, compare);
                            let word = AtomicU64::from_ptr(word.cast());
                            word.fetch_update(SeqCst, SeqCst, |old| Some(updated(old))).unwrap_or(0)
                        }
                    }
                };
                if !fetch.is_null() {
                    // SAFETY: the program keeps the place for the old value.
                    unsafe { width.write(fetch, old) };
                }
            }
        }
    }

    /// Up to which ticket all of the stream's operations are complete; `awaited`: those alone that give something back.
    pub fn complete_up_to(&self, stream: Stream, awaited: bool) -> Ticket {
        let of_it = self.pending.iter().filter(|one| one.stream == stream && (!awaited || one.is_awaited()));
        let first = of_it.map(|one| one.ticket).min();
        Ticket(first.map_or(u64::MAX, |first| first - 1))
    }

    pub fn is_local(&self, stream: Stream, Ticket(ticket): Ticket) -> bool {
        !self.pending.iter().any(|one| one.stream == stream && one.ticket == ticket && one.is_awaited())
    }

    pub fn is_quiet_at(&self, stream: Stream, pe: u32) -> bool {
        !self.pending.iter().any(|one| one.stream == stream && one.to == pe)
    }
}

impl Pending {
    /// Whether it writes to memory of the program that issued it.
    fn is_awaited(&self) -> bool {
        self.parts.iter().any(|part| match part {
            Part::Data { .. } => false,
            Part::Get { .. } => true,
            Part::Word { fetch, .. } => !fetch.is_null(),
        })
    }
}

/// What arrives of an operation, whose source is copied here.
///
/// # Safety
/// Its local pointers are valid.
unsafe fn parts(op: &Op, halves: bool) -> (Vec<Part>, Option<Part>) {
    // SAFETY: the caller's promise.
    let data = |to: Remote, from: *const u8, len: usize| unsafe {
        let middle = if halves { len / 16 * 8 } else { len };
        let piece = |begin: usize, end: usize| {
            let mut bytes = vec![0; end - begin].into_boxed_slice();
            ferrite_copy::copy(bytes.as_mut_ptr(), from.add(begin), bytes.len());
            Part::Data { bytes, to: Remote { offset: to.offset + begin as u64, ..to } }
        };
        let mut pieces = vec![piece(0, middle)];
        if middle < len {
            pieces.push(piece(middle, len));
        }
        pieces
    };
    match *op {
        Op::Put { to, from, len } => (data(to, from, len), None),
        Op::Get { from, to, len } => (vec![Part::Get { from, to, len }], None),
        Op::Amo { at, width, op, operand, compare, fetch } => {
            (vec![Part::Word { at, width, op, operand, compare, fetch }], None)
        }
        Op::PutSignal { to, from, len, signal, op, value } => {
            let (op, fetch) = (op.into(), core::ptr::null_mut());
            let word = Part::Word { at: signal, width: Width::W64, op, operand: value, compare: 0, fetch };
            (data(to, from, len), Some(word))
        }
    }
}

/// A word's new value.
fn update(op: Amo, old: u64, operand: u64, compare: u64) -> u64 {
    match op {
        Amo::Fetch => old,
        Amo::Set | Amo::Swap => operand,
        Amo::CompareSwap => {
            if old == compare {
                operand
            } else {
                old
            }
        }
        Amo::Add => old.wrapping_add(operand),
        Amo::And => old & operand,
        Amo::Or => old | operand,
        Amo::Xor => old ^ operand,
    }
}

/// An operation in words, up to its target.
fn describe(op: &Op) -> String {
    let own = |segment: SegmentId| if segment == SegmentId::CONTROL { " of the library's own" } else { "" };
    match op {
        Op::Put { to, len, .. } => format!("put of {len} bytes{} to", own(to.segment)),
        Op::Get { from, len, .. } => format!("get of {len} bytes{} from", own(from.segment)),
        Op::Amo { at, op, .. } => format!("atomic {op:?}{} at", own(at.segment)),
        Op::PutSignal { signal, len, .. } => format!("put of {len} bytes with a signal{} to", own(signal.segment)),
    }
}

#[cfg(test)]
#[path = "network_tests.rs"]
mod tests;
