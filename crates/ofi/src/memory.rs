//! The target's memory, as its own processor reaches it for peers.
//!
//! Requests are executed by the processor's atomics, the same that near peers use, so that all are of one domain
//! of atomicity. Each update is `SeqCst`. Data that came with a signal is copied before the signal is raised, and the
//! raise releases it: whoever sees the signal sees the data, on processors that reorder stores too.

use crate::wire::Place;
use ferrite_fabric::{Amo, Error, Result, Segment, SignalOp, Width};
use std::{
    fmt,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering},
    },
};

/// Why a request was not executed. The numbers travel in replies; 0 is success there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Refusal {
    /// Not within a registered segment.
    Outside = 1,
    /// A word that is not aligned to its size.
    Unaligned = 2,
}

impl Refusal {
    /// The refusal of a reply.
    pub fn of(code: u8) -> Self {
        if code == Refusal::Unaligned as u8 { Refusal::Unaligned } else { Refusal::Outside }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Refusal::Outside => "the address is outside of what is registered there",
            Refusal::Unaligned => "the word is not aligned to its size",
        })
    }
}

#[derive(Default)]
struct Piece {
    base: AtomicUsize,
    len: AtomicUsize,
}

/// The registered segments.
pub struct Memory {
    pieces: Vec<Piece>,
    growing: Mutex<()>,
}

impl Memory {
    /// None yet.
    pub fn new() -> Self {
        Memory { pieces: (0..256).map(|_| Piece::default()).collect(), growing: Mutex::default() }
    }

    /// Let peers reach a segment, or more of one.
    pub fn register(&self, segment: Segment) -> Result<()> {
        let _one = self.growing.lock().unwrap_or_else(PoisonError::into_inner);
        let piece = &self.pieces[usize::from(segment.id.0)];
        let (base, len) = (piece.base.load(Ordering::Relaxed), piece.len.load(Ordering::Relaxed));
        if len != 0 && (base != segment.base as usize || segment.len < len) {
            return Err(Error::new(format!("segment {} is registered already, elsewhere", segment.id.0)));
        }
        piece.base.store(segment.base.expose_provenance(), Ordering::Relaxed);
        // Release: whoever reads the length (Acquire, in `place`) reads the base that belongs to it.
        piece.len.store(segment.len, Ordering::Release);
        Ok(())
    }

    fn place(&self, at: Place, len: usize) -> Result<*mut u8, Refusal> {
        let piece = &self.pieces[usize::from(at.segment)];
        let size = piece.len.load(Ordering::Acquire) as u64;
        match at.offset.checked_add(len as u64) {
            Some(end) if end <= size => {
                let base = piece.base.load(Ordering::Relaxed);
                Ok(std::ptr::with_exposed_provenance_mut(base + at.offset as usize))
            }
            _ => Err(Refusal::Outside),
        }
    }

    fn word(&self, at: Place, size: usize) -> Result<*mut u8, Refusal> {
        let word = self.place(at, size)?;
        if (word as usize).is_multiple_of(size) { Ok(word) } else { Err(Refusal::Unaligned) }
    }

    /// Update a word; gives what it was before.
    pub fn amo(&self, at: Place, width: Width, op: Amo, operand: u64, compare: u64) -> Result<u64, Refusal> {
        match width {
            Width::W32 => {
                let word = self.word(at, 4)?.cast::<u32>();
                // SAFETY: `word` is aligned and lies in a registered segment, which stays mapped while the fabric
                // lives; all who update such words do it by atomics.
                let word = unsafe { AtomicU32::from_ptr(word) };
                Ok(update32(word, op, operand as u32, compare as u32).into())
            }
            Width::W64 => {
                let word = self.word(at, 8)?.cast::<u64>();
                // SAFETY: as above.
                Ok(update64(unsafe { AtomicU64::from_ptr(word) }, op, operand, compare))
            }
        }
    }

    /// Copy `data`, then update the signal. Nothing is touched unless both are as they should be.
    pub fn signal(&self, to: Place, data: &[u8], signal: Place, op: SignalOp, value: u64) -> Result<(), Refusal> {
        self.word(signal, 8)?;
        let place = self.place(to, data.len())?;
        // SAFETY: the place was checked to lie in a segment, which stays mapped while the fabric lives; the bytes are a
        // message's, so they do not overlap.
        unsafe { place.copy_from_nonoverlapping(data.as_ptr(), data.len()) };
        let op = if op == SignalOp::Set { Amo::Set } else { Amo::Add };
        self.amo(signal, Width::W64, op, value, 0).map(|_| ())
    }
}

macro_rules! update {
    ($name:ident, $word:ty, $value:ty) => {
        fn $name(word: &$word, op: Amo, operand: $value, compare: $value) -> $value {
            let order = Ordering::SeqCst;
            match op {
                Amo::Fetch => word.load(order),
                Amo::Set | Amo::Swap => word.swap(operand, order),
                Amo::CompareSwap => word.compare_exchange(compare, operand, order, order).unwrap_or_else(|old| old),
                Amo::Add => word.fetch_add(operand, order),
                Amo::And => word.fetch_and(operand, order),
                Amo::Or => word.fetch_or(operand, order),
                Amo::Xor => word.fetch_xor(operand, order),
            }
        }
    };
}
update!(update32, AtomicU32, u32);
update!(update64, AtomicU64, u64);

#[cfg(test)]
mod tests {
    use super::*;
    use ferrite_fabric::SegmentId;

    fn at(offset: u64) -> Place {
        Place { segment: 2, offset }
    }

    #[test]
    fn only_what_is_registered_is_reached() {
        let mut words = [0_u64; 4];
        let memory = Memory::new();
        let base = words.as_mut_ptr().cast::<u8>();
        memory.register(Segment { id: SegmentId(2), base, len: 32 }).unwrap();
        let add = |place, width| memory.amo(place, width, Amo::Add, 1, 0);
        assert_eq!(add(at(24), Width::W64), Ok(0));
        assert_eq!(add(at(24), Width::W64), Ok(1));
        assert_eq!(add(at(28), Width::W32), Ok(0));
        for offset in [25, 32, u64::MAX, u64::MAX - 3] {
            assert_eq!(add(at(offset), Width::W64), Err(Refusal::Outside), "{offset}");
        }
        assert_eq!(add(at(4), Width::W64), Err(Refusal::Unaligned));
        assert_eq!(add(Place { segment: 3, offset: 0 }, Width::W32), Err(Refusal::Outside));
        assert_eq!(memory.signal(at(0), b"12345678", at(28), SignalOp::Set, 1), Err(Refusal::Outside));
        assert_eq!(words[0], 0, "nothing is written where the signal cannot be");
        assert_eq!(memory.signal(at(0), &1_u64.to_ne_bytes(), at(8), SignalOp::Set, 7), Ok(()));
        assert_eq!(words[..2], [1, 7]);
    }

    #[test]
    fn a_segment_may_grow_but_not_move() {
        let mut words = [0_u64; 8];
        let base = words.as_mut_ptr().cast::<u8>();
        let memory = Memory::new();
        let again = |base, len| memory.register(Segment { id: SegmentId(2), base, len });
        again(base, 32).unwrap();
        again(base, 64).unwrap();
        again(base, 32).unwrap_err();
        again(base.wrapping_add(8), 64).unwrap_err();
    }
}
