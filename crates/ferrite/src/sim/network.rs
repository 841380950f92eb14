//! Operations under way, and the orders in which a network may deliver them.
//!
//! # What is legal
//!
//! An operation may arrive at any time after it was issued: at once, or only when all PEs wait for it. Operations arrive in any order,
//! whichever PE they are for, with two exceptions. An operation that was issued after a fence arrives after those that the same stream
//! issued to the same PE before the fence. A signal arrives after the data of its own put. Data may arrive in two pieces, in either order,
//! with other operations between them. An operation is complete when all of it has arrived.
//!
//! All PEs are threads here, so the thread that has the turn copies the data of an operation at its arrival.

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

/// A part of an operation that has not arrived yet.
enum Part {
    /// Bytes of a put, and their destination.
    Data { bytes: Box<[u8]>, to: Remote },
    /// A copy back to the issuer. The destination must stay valid until the operation is complete.
    Get { from: Remote, to: *mut u8, len: usize },
    /// An update of a word.
    Word { at: Remote, width: Width, op: Amo, operand: u64, compare: u64, fetch: *mut u8 },
}

struct Pending {
    stream: Stream,
    ticket: u64,
    to: u32,
    /// Number of the stream's fences before the operation.
    fences: u64,
    /// Step at which it is due; it arrives earlier only if all PEs wait. `u64::MAX`: it arrives only then.
    due: u64,
    /// Parts that arrive in any order.
    parts: Vec<Part>,
    /// The signal, which arrives after them.
    signal: Option<Part>,
}

// SAFETY: the pointers are into memory that the issuing program keeps until the operation is complete, whichever thread completes it.
unsafe impl Send for Pending {}

#[derive(Default)]
struct Issued {
    tickets: u64,
    fences: u64,
}

/// A registered segment of a PE's memory.
struct Registered(Segment);

// SAFETY: memory of the process, which stays valid until `take_out`.
unsafe impl Send for Registered {}

/// The simulated network: registered memory, and operations under way.
#[derive(Default)]
pub struct Network {
    segments: BTreeMap<(u32, u8), Registered>,
    streams: BTreeMap<Stream, Issued>,
    pending: Vec<Pending>,
    /// Number of calls so far.
    steps: u64,
    /// Number of arrivals so far. PEs wait for changes of it.
    pub arrivals: u64,
}

/// Maximum number of steps for which an operation is held back for a while.
const WHILE: u64 = 24;
/// Operations shorter than this arrive whole.
const WHOLE: usize = 16;

impl Network {
    pub fn register(&mut self, pe: u32, segment: Segment) {
        self.segments.insert((pe, segment.id.0), Registered(segment));
    }

    /// Unregister the memory of `pe`, and drop its operations that would write to it. Its other operations still arrive.
    pub fn take_out(&mut self, pe: u32) {
        self.segments.retain(|&(owner, _), _| owner != pe);
        let wants = |one: &Pending| one.stream.pe == pe && one.is_awaited();
        self.pending.retain(|one| !wants(one));
    }

    /// Reset the step count: from here on the behaviour follows from the seed, and must not depend on earlier steps.
    pub fn begin(&mut self) {
        self.steps = 0;
    }

    /// One call of a PE has passed.
    pub fn step(&mut self) {
        self.steps += 1;
    }

    /// Issue an operation. If `choices` is given, it may be held back.
    ///
    /// # Safety
    /// The operation's local pointers stay valid until it is complete.
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

    /// Forget all operations under way: they count as complete, and never access memory.
    pub fn drop_all(&mut self) {
        self.pending.clear();
    }

    /// Deliver the operations that are due. Returns the number of arrivals.
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

    /// All PEs wait: deliver an operation, or one part of it. Returns false if none is under way.
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

    /// True if no operation that a fence orders before this one is under way.
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

    /// Execute a part. It has no effect if the PE's memory is no longer registered.
    fn execute(&self, part: Part) {
        // For every observer, this part takes effect after those executed before.
        fence(SeqCst);
        match part {
            Part::Data { bytes, to } => {
                if let Some(to) = self.place(to, bytes.len()) {
                    // SAFETY: registered memory, which stays valid until `take_out`.
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

    /// The ticket up to which all of the stream's operations are complete. If `awaited` is true, only operations that return data count.
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
    /// True if a remaining part writes to the issuing program's memory.
    fn is_awaited(&self) -> bool {
        self.parts.iter().any(|part| match part {
            Part::Data { .. } => false,
            Part::Get { .. } => true,
            Part::Word { fetch, .. } => !fetch.is_null(),
        })
    }
}

/// Split an operation into its parts. The source is copied here.
///
/// # Safety
/// The operation's local pointers are valid.
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

/// Describe an operation in words, up to its target.
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
