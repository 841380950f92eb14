//! The target's memory: every access by a peer passes here, and is checked here.
//!
//! Peers' bytes land in memory that the program, near peers and this fabric touch at once. Words are therefore
//! stored, loaded and updated by the processor's atomics, the same that near peers use, so that all of them
//! are of one domain; anything else is copied, and what a racing reader sees of it is as undefined as
//! OpenSHMEM says. Each access to a word is `SeqCst` or, for plain words, `Release` and `Acquire`: so data that
//! was copied before a flag is visible to whoever sees the flag, on processors that reorder stores too.

use crate::wire::Place;
use ferrite_fabric::{Amo, Error, Result, Segment, SignalOp, Width};
use std::{
    fmt,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, AtomicUsize, Ordering},
    },
};

/// What was wrong with a peer's access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// Not within the segment.
    Outside {
        /// Where.
        at: Place,
        /// Bytes.
        len: u64,
    },
    /// A word that is not aligned to its size.
    Unaligned {
        /// Where.
        at: Place,
        /// Its size.
        size: usize,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Outside { at, len } => {
                write!(f, "{len} bytes at offset {} are outside of segment {}", at.offset, at.segment)
            }
            Refusal::Unaligned { at, size } => {
                write!(f, "offset {} of segment {} is not aligned to {size} bytes", at.offset, at.segment)
            }
        }
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
    registering: Mutex<()>,
}

impl Memory {
    /// None yet.
    pub fn new() -> Self {
        Memory { pieces: (0..256).map(|_| Piece::default()).collect(), registering: Mutex::default() }
    }

    /// Let peers reach a segment, or more of one.
    pub fn register(&self, segment: Segment) -> Result<()> {
        let _one = self.registering.lock().unwrap_or_else(PoisonError::into_inner);
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

    /// The address of a peer's place, if all of it is registered.
    #[inline]
    pub fn place(&self, at: Place, len: u64) -> Result<*mut u8, Refusal> {
        let piece = &self.pieces[usize::from(at.segment)];
        let size = piece.len.load(Ordering::Acquire) as u64;
        match at.offset.checked_add(len) {
            Some(end) if end <= size => {
                let base = piece.base.load(Ordering::Relaxed);
                Ok(std::ptr::with_exposed_provenance_mut(base + at.offset as usize))
            }
            _ => Err(Refusal::Outside { at, len }),
        }
    }

    fn word(&self, at: Place, size: usize) -> Result<*mut u8, Refusal> {
        let word = self.place(at, size as u64)?;
        if (word as usize).is_multiple_of(size) { Ok(word) } else { Err(Refusal::Unaligned { at, size }) }
    }

    /// Update a word; gives the old value.
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

    /// The word of a signal, if it is one: asked before the data of the put is taken.
    pub fn signal(&self, at: Place) -> Result<*mut u8, Refusal> {
        self.word(at, 8)
    }

    /// Update a signal word.
    pub fn raise(&self, at: Place, op: SignalOp, value: u64) -> Result<(), Refusal> {
        let op = if op == SignalOp::Set { Amo::Set } else { Amo::Add };
        self.amo(at, Width::W64, op, value, 0).map(|_| ())
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

/// Store `bytes` at `to`: whole if they are a word.
///
/// # Safety
/// `to` is writable for `bytes.len()` bytes.
#[inline]
pub unsafe fn store(to: *mut u8, bytes: &[u8]) {
    let aligned = (to as usize) & bytes.len().wrapping_sub(1) == 0;
    // SAFETY: writable as the caller says; the words are aligned to their size.
    unsafe {
        match *bytes {
            [a] => AtomicU8::from_ptr(to).store(a, Ordering::Release),
            [a, b] if aligned => {
                AtomicU16::from_ptr(to.cast()).store(u16::from_ne_bytes([a, b]), Ordering::Release);
            }
            [a, b, c, d] if aligned => {
                AtomicU32::from_ptr(to.cast()).store(u32::from_ne_bytes([a, b, c, d]), Ordering::Release);
            }
            [a, b, c, d, e, f, g, h] if aligned => {
                AtomicU64::from_ptr(to.cast()).store(u64::from_ne_bytes([a, b, c, d, e, f, g, h]), Ordering::Release);
            }
            _ => to.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()),
        }
    }
}

/// Append the `len` bytes at `from` to `into`: at once if they are a word.
///
/// # Safety
/// `from` is readable for `len` bytes.
#[inline]
pub unsafe fn load(from: *const u8, len: usize, into: &mut Vec<u8>) {
    let from = from.cast_mut();
    let aligned = (from as usize) & len.wrapping_sub(1) == 0;
    // SAFETY: readable as the caller says; the words are aligned to their size; the rest is copied into room
    // that was reserved, and becomes part of the vector only then.
    unsafe {
        match len {
            4 if aligned => {
                into.extend_from_slice(&AtomicU32::from_ptr(from.cast()).load(Ordering::Acquire).to_ne_bytes());
            }
            8 if aligned => {
                into.extend_from_slice(&AtomicU64::from_ptr(from.cast()).load(Ordering::Acquire).to_ne_bytes());
            }
            _ => {
                into.reserve(len);
                into.as_mut_ptr().add(into.len()).copy_from_nonoverlapping(from, len);
                into.set_len(into.len() + len);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrite_fabric::SegmentId;

    fn memory(words: &mut [u64; 4]) -> Memory {
        let memory = Memory::new();
        let segment = Segment { id: SegmentId(2), base: words.as_mut_ptr().cast(), len: 32 };
        memory.register(segment).unwrap();
        memory
    }

    #[test]
    fn only_what_is_registered_is_reached() {
        let mut words = [0; 4];
        let memory = memory(&mut words);
        for (segment, offset, len, right) in [
            (2, 0, 32, true),
            (2, 32, 0, true),
            (2, 0, 33, false),
            (2, 33, 0, false),
            (2, 25, 8, false),
            (2, u64::MAX, 1, false),
            (2, u64::MAX, 2, false),
            (2, 8, u64::MAX, false),
            (3, 0, 1, false),
            (255, 0, 1, false),
        ] {
            assert_eq!(memory.place(Place { segment, offset }, len).is_ok(), right, "{segment} {offset} {len}");
        }
    }

    #[test]
    fn atomics_refuse_words_that_are_not_aligned() {
        let mut words = [0; 4];
        let memory = memory(&mut words);
        let amo = |offset, width| memory.amo(Place { segment: 2, offset }, width, Amo::Add, 1, 0);
        assert_eq!(amo(4, Width::W32), Ok(0));
        assert_eq!(amo(4, Width::W64), Err(Refusal::Unaligned { at: Place { segment: 2, offset: 4 }, size: 8 }));
        assert!(matches!(amo(28, Width::W64), Err(Refusal::Outside { .. })));
    }

    #[test]
    fn a_segment_may_grow_but_not_move() {
        let mut words = [0_u64; 8];
        let memory = memory(words[..4].as_mut_array().unwrap());
        let again = |base: *mut u64, len| memory.register(Segment { id: SegmentId(2), base: base.cast(), len });
        let base = words.as_mut_ptr();
        again(base, 64).unwrap();
        again(base, 32).unwrap_err();
        again(base.wrapping_add(1), 64).unwrap_err();
        assert!(memory.place(Place { segment: 2, offset: 32 }, 32).is_ok());
    }
}
