//! The heaps of peers that UCX has mapped here, inside one machine ([`loan`](crate::loan)), and operations on them.
//!
//! What is mapped is reached by this processor, with the stores and atomics by which the target's would do it. So both are of one
//! atomicity domain, and an operation is complete as it is posted: nobody has to answer, no ticket is needed, and no lock.
//!
//! # Why a fence orders
//!
//! An operation here overtakes what travels as messages. So there is none from a fence on until all that was under way then has
//! arrived ([`Stream::hold`], [`Stream::arrived`]): meanwhile what is mapped is reached by messages too, in their order. Stores
//! before a fence are ordered with those after it by the processor, for which the fence has a barrier, as quiet has.
//!
//! # Memory orders
//!
//! Pieces are added under the stream's mutex and found without it: a piece is written before the count that includes it
//! (release), and read after it (acquire). Whether operations are held is stored under the mutex too (release), and read before
//! each operation (acquire): a thread that was told of another's fence sees it. Two that were not told of each other have no order
//! to keep.

use crate::{shared::Shared, stream::Stream};
use ferrite_fabric::{Op, Pe, Remote, Result, SegmentId, Stage, Ticket, Width, segments};
use std::sync::{
    OnceLock,
    atomic::{self, AtomicPtr, AtomicU64, AtomicUsize, Ordering},
};

/// Pieces of a heap that are found; it grows by more than a quarter each time, unless memory is short.
const PIECES_MAX: usize = 64;

/// A piece of a heap.
#[derive(Default)]
struct Piece {
    /// Where in the heap it begins.
    start: AtomicU64,
    /// And ends.
    end: AtomicU64,
    /// Where it is mapped here.
    base: AtomicPtr<u8>,
}

/// A peer's heap: pieces in the order of their offsets.
#[derive(Default)]
struct Heap {
    count: AtomicUsize,
    pieces: OnceLock<Box<[Piece]>>,
}

/// The heaps of all peers as one stream has mapped them.
pub struct Mapped {
    heaps: Box<[Heap]>,
    /// The ticket up to which all has to arrive before anything is done here; 0 for none.
    until: AtomicU64,
}

impl Mapped {
    /// Nothing of so many PEs.
    pub fn new(size: u32) -> Self {
        Mapped { heaps: (0..size).map(|_| Heap::default()).collect(), until: AtomicU64::new(0) }
    }

    /// A peer's heap is mapped at `base` from `start` on. Under the stream's mutex.
    pub fn add(&self, pe: Pe, start: u64, len: u64, base: *mut u8) {
        let Some(heap) = self.heaps.get(pe.0 as usize) else { return };
        let count = heap.count.load(Ordering::Relaxed);
        let pieces = heap.pieces.get_or_init(|| (0..PIECES_MAX).map(|_| Piece::default()).collect());
        let Some(piece) = pieces.get(count) else { return };
        piece.start.store(start, Ordering::Relaxed);
        piece.end.store(start + len, Ordering::Relaxed);
        piece.base.store(base, Ordering::Relaxed);
        heap.count.store(count + 1, Ordering::Release);
    }

    /// Nothing is mapped any more.
    pub fn clear(&self) {
        self.heaps.iter().for_each(|heap| heap.count.store(0, Ordering::Release));
    }

    /// Whether what is mapped is to be reached by messages now.
    #[inline]
    pub fn is_held(&self) -> bool {
        self.until.load(Ordering::Acquire) != 0
    }

    /// What an operation touches, if it is of a heap and not mapped.
    fn misses(&self, op: &Op) -> Option<Remote> {
        let (at, len) = match *op {
            Op::Put { to, len, .. } | Op::PutSignal { to, len, .. } => (to, len),
            Op::Get { from, len, .. } => (from, len),
            Op::Amo { at, width, .. } => (at, width.bytes()),
        };
        (at.segment == SegmentId::HEAP && len > 0 && self.find(at, len).is_none()).then_some(at)
    }

    /// Where `len` bytes are mapped, if they are, in one piece.
    #[inline]
    fn find(&self, at: Remote, len: usize) -> Option<*mut u8> {
        if at.segment != SegmentId::HEAP {
            return None;
        }
        let heap = self.heaps.get(at.pe.0 as usize)?;
        let pieces = heap.pieces.get()?.get(..heap.count.load(Ordering::Acquire))?;
        let piece = pieces.iter().find(|piece| at.offset < piece.end.load(Ordering::Relaxed))?;
        let inside = at.offset.checked_sub(piece.start.load(Ordering::Relaxed))?;
        let fits = at.offset + len as u64 <= piece.end.load(Ordering::Relaxed);
        fits.then(|| piece.base.load(Ordering::Relaxed).wrapping_add(inside as usize))
    }

    /// The same of a word. What is not aligned is the target's to refuse.
    #[inline]
    fn word(&self, at: Remote, width: Width) -> Option<*mut u8> {
        self.find(at, width.bytes()).filter(|word| word.addr().is_multiple_of(width.bytes()))
    }

    /// Carry an operation out, if all that it touches is mapped and nothing has to come before it. If not, nothing is done.
    ///
    /// # Safety
    /// As [`Lane::post`](ferrite_fabric::Lane::post).
    #[inline]
    pub unsafe fn carry_out(&self, op: &Op) -> Option<()> {
        if self.is_held() {
            return None;
        }
        // SAFETY: what is local is as the caller says; what is mapped stays so until nothing is posted any more.
        unsafe {
            match *op {
                Op::Put { to, from, len } => segments::store(self.find(to, len)?, from, len),
                Op::Get { from, to, len } => segments::load(to, self.find(from, len)?, len),
                Op::Amo { at, width, op, operand, compare, fetch } => {
                    let old = segments::update(self.word(at, width)?, width, op, operand, compare);
                    if !fetch.is_null() {
                        width.write(fetch, old);
                    }
                }
                Op::PutSignal { to, from, len, signal, op, value } => {
                    let (to, signal) = (self.find(to, len)?, self.word(signal, Width::W64)?);
                    segments::store(to, from, len);
                    segments::update(signal, Width::W64, op.into(), value, 0);
                }
            }
        }
        Some(())
    }
}

impl Stream {
    /// An operation has to travel: see to it that the next of its like has not.
    pub fn approach(&mut self, shared: &Shared, number: usize, op: &Op) -> Result<()> {
        let Some(mapped) = &self.mapped else { return Ok(()) };
        if mapped.is_held() {
            // What is waited for is asked about, so that it ends.
            self.reached(Stage::Remote);
        } else if let Some(at) = mapped.misses(op) {
            self.reach(shared, number, at)?;
        }
        Ok(())
    }

    /// A fence: what is reached here comes after what is under way.
    pub fn hold(&mut self) {
        let Some(mapped) = &self.mapped else { return };
        atomic::fence(Ordering::Release);
        let until = if self.is_idle() { Ticket::NONE } else { Ticket(self.window.issued()) };
        mapped.until.store(until.0, Ordering::Release);
    }

    /// All up to this ticket has arrived.
    pub fn arrived(&self, upto: Ticket) {
        if let Some(mapped) = &self.mapped
            && upto.0 >= mapped.until.load(Ordering::Relaxed)
        {
            mapped.until.store(Ticket::NONE.0, Ordering::Release);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PEER: Pe = Pe(1);

    fn at(offset: u64) -> Remote {
        Remote { pe: PEER, segment: SegmentId::HEAP, offset }
    }

    #[test]
    fn a_place_is_found_where_all_of_it_is_in_one_piece() {
        let mut memory = [[0_u64; 8]; 2];
        let bases = memory.each_mut().map(|words| words.as_mut_ptr().cast::<u8>());
        let mapped = Mapped::new(2);
        assert_eq!(mapped.find(at(0), 1), None);
        mapped.add(PEER, 0, 64, bases[0]);
        // A piece that is not mapped lies between.
        mapped.add(PEER, 128, 64, bases[1]);
        for (offset, len, found) in [
            (0, 64, Some(bases[0])),
            (63, 1, Some(bases[0].wrapping_add(63))),
            (63, 2, None),
            (64, 8, None),
            (120, 16, None),
            (128, 64, Some(bases[1])),
            (130, 62, Some(bases[1].wrapping_add(2))),
            (130, 63, None),
            (192, 1, None),
        ] {
            assert_eq!(mapped.find(at(offset), len), found, "{len} bytes at {offset}");
        }
        assert_eq!(mapped.find(Remote { pe: Pe(0), ..at(0) }, 8), None);
        assert_eq!(mapped.find(Remote { pe: Pe(2), ..at(0) }, 8), None);
        assert_eq!(mapped.find(Remote { segment: SegmentId::STATICS, ..at(0) }, 8), None);
        assert_eq!(mapped.word(at(4), Width::W32), Some(bases[0].wrapping_add(4)));
        assert_eq!(mapped.word(at(4), Width::W64), None, "the target's to refuse");
        mapped.clear();
        assert_eq!(mapped.find(at(0), 64), None);
    }

    #[test]
    fn more_pieces_than_there_is_room_for_are_not_found() {
        let mut memory = [0_u64; 1];
        let mapped = Mapped::new(2);
        for piece in 0..PIECES_MAX as u64 + 3 {
            mapped.add(PEER, 8 * piece, 8, memory.as_mut_ptr().cast());
        }
        assert!(mapped.find(at(8 * (PIECES_MAX as u64 - 1)), 8).is_some());
        assert_eq!(mapped.find(at(8 * PIECES_MAX as u64), 8), None);
    }
}
