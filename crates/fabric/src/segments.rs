//! The target's memory, as its own processor reaches it for peers: every such access passes here, and is checked here. A provider
//! that reaches memory of peers itself does so by the same stores, loads and updates.
//!
//! Peers' bytes land in memory that the program, near peers and a fabric touch at once. Words are therefore
//! stored and updated by the processor's atomics, the same that near peers use, so that all of them
//! are of one domain; anything else is copied, and what a racing reader sees of it is as undefined as
//! OpenSHMEM says. Each update of a word is `SeqCst`, each store of one `Release`: so data that
//! was copied before a flag is visible to whoever sees the flag, on processors that reorder stores too.
#![allow(unsafe_code)]

use crate::{Amo, Error, Remote, Result, Segment, SignalOp, Width, mutex};
use std::{
    fmt,
    sync::{
        Mutex,
        atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, AtomicUsize, Ordering},
    },
};

/// Where in the target's memory: a [`Remote`] whose PE is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The segment's number.
    pub segment: u8,
    /// Bytes from its start.
    pub offset: u64,
}

impl From<Remote> for Place {
    #[inline]
    fn from(at: Remote) -> Place {
        Place { segment: at.segment.0, offset: at.offset }
    }
}

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
pub struct Segments {
    pieces: Vec<Piece>,
    registering: Mutex<()>,
}

impl Default for Segments {
    fn default() -> Segments {
        Segments { pieces: (0..256).map(|_| Piece::default()).collect(), registering: Mutex::default() }
    }
}

impl fmt::Debug for Segments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Segments").finish_non_exhaustive()
    }
}

impl Segments {
    /// Let peers reach a segment, or more of one. It stays mapped while this is used.
    pub fn register(&self, segment: Segment) -> Result<()> {
        let _one = mutex::lock(&self.registering);
        self.reach_of(&segment)?;
        let piece = &self.pieces[usize::from(segment.id.0)];
        piece.base.store(segment.base.expose_provenance(), Ordering::Relaxed);
        // Release: whoever reads the length (Acquire, in `place`) reads the base that belongs to it.
        piece.len.store(segment.len, Ordering::Release);
        Ok(())
    }

    /// How many bytes of `segment` are registered so far, if it may be registered as it is now: it may grow, but neither
    /// shrink nor move.
    pub fn reach_of(&self, segment: &Segment) -> Result<usize> {
        let piece = &self.pieces[usize::from(segment.id.0)];
        let (base, len) = (piece.base.load(Ordering::Relaxed), piece.len.load(Ordering::Relaxed));
        if len != 0 && (base != segment.base as usize || segment.len < len) {
            return Err(Error::new(format!("segment {} is registered already, elsewhere", segment.id.0)));
        }
        Ok(len)
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
        let word = self.word(at, width.bytes())?;
        // SAFETY: `word` is aligned and lies in a registered segment, which stays mapped while it is reached.
        Ok(unsafe { update(word, width, op, operand, compare) })
    }

    /// Whether there is a signal word: asked before the data of the put is taken.
    pub fn signal(&self, at: Place) -> Result<(), Refusal> {
        self.word(at, 8).map(|_| ())
    }

    /// Update a signal word; gives the old value.
    pub fn raise(&self, at: Place, op: SignalOp, value: u64) -> Result<u64, Refusal> {
        self.amo(at, Width::W64, op.into(), value, 0)
    }
}

/// Update a word; gives the old value.
///
/// # Safety
/// `word` is mapped, aligned to its width, and updated by atomics alone.
#[inline]
pub unsafe fn update(word: *mut u8, width: Width, op: Amo, operand: u64, compare: u64) -> u64 {
    // SAFETY: as the caller says.
    unsafe {
        match width {
            Width::W32 => update32(AtomicU32::from_ptr(word.cast()), op, operand as u32, compare as u32).into(),
            Width::W64 => update64(AtomicU64::from_ptr(word.cast()), op, operand, compare),
        }
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

/// Copy `len` bytes: a word at once, so that nobody sees half of it, and so that whoever sees it sees what was stored
/// before.
///
/// # Safety
/// `to` is writable and `from` readable for `len` bytes, and they do not overlap.
#[inline]
pub unsafe fn store(to: *mut u8, from: *const u8, len: usize) {
    let aligned = (to as usize) & len.wrapping_sub(1) == 0;
    // SAFETY: as the caller says; the words are aligned to their size.
    unsafe {
        match len {
            1 => AtomicU8::from_ptr(to).store(from.read(), Ordering::Release),
            2 if aligned => {
                AtomicU16::from_ptr(to.cast()).store(from.cast::<u16>().read_unaligned(), Ordering::Release);
            }
            4 if aligned => {
                AtomicU32::from_ptr(to.cast()).store(from.cast::<u32>().read_unaligned(), Ordering::Release);
            }
            8 if aligned => {
                AtomicU64::from_ptr(to.cast()).store(from.cast::<u64>().read_unaligned(), Ordering::Release);
            }
            _ => to.copy_from_nonoverlapping(from, len),
        }
    }
}

/// Copy `len` bytes from memory that others write to: a word at once, so that nobody's word is seen by half, and so that
/// what was stored before it is seen after it.
///
/// # Safety
/// As for [`store`].
#[inline]
pub unsafe fn load(to: *mut u8, from: *const u8, len: usize) {
    let aligned = (from as usize) & len.wrapping_sub(1) == 0;
    let word = from.cast_mut();
    // SAFETY: as the caller says; the words are aligned to their size.
    unsafe {
        match len {
            1 => to.write(AtomicU8::from_ptr(word).load(Ordering::Acquire)),
            2 if aligned => to.cast::<u16>().write_unaligned(AtomicU16::from_ptr(word.cast()).load(Ordering::Acquire)),
            4 if aligned => to.cast::<u32>().write_unaligned(AtomicU32::from_ptr(word.cast()).load(Ordering::Acquire)),
            8 if aligned => to.cast::<u64>().write_unaligned(AtomicU64::from_ptr(word.cast()).load(Ordering::Acquire)),
            _ => to.copy_from_nonoverlapping(from, len),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SegmentId;

    fn segments(words: &mut [u64; 4]) -> Segments {
        let segments = Segments::default();
        let segment = Segment { id: SegmentId(2), base: words.as_mut_ptr().cast(), len: 32 };
        segments.register(segment).unwrap();
        segments
    }

    fn at(offset: u64) -> Place {
        Place { segment: 2, offset }
    }

    #[test]
    fn only_what_is_registered_is_reached() {
        let mut words = [0; 4];
        let segments = segments(&mut words);
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
            assert_eq!(segments.place(Place { segment, offset }, len).is_ok(), right, "{segment} {offset} {len}");
        }
    }

    #[test]
    fn atomics_reach_only_aligned_words_that_are_registered() {
        let mut words = [0; 4];
        let segments = segments(&mut words);
        let add = |place, width| segments.amo(place, width, Amo::Add, 1, 0);
        assert_eq!(add(at(24), Width::W64), Ok(0));
        assert_eq!(add(at(24), Width::W64), Ok(1));
        assert_eq!(add(at(28), Width::W32), Ok(0));
        assert_eq!(add(at(4), Width::W32), Ok(0));
        assert_eq!(add(at(4), Width::W64), Err(Refusal::Unaligned { at: at(4), size: 8 }));
        for offset in [25, 28, 32, u64::MAX, u64::MAX - 3] {
            assert_eq!(add(at(offset), Width::W64), Err(Refusal::Outside { at: at(offset), len: 8 }), "{offset}");
        }
        let other = Place { segment: 3, offset: 0 };
        assert_eq!(add(other, Width::W32), Err(Refusal::Outside { at: other, len: 4 }));
    }

    #[test]
    fn a_segment_may_grow_but_not_move() {
        let mut words = [0_u64; 8];
        let segments = segments(words[..4].as_mut_array().unwrap());
        let again = |base: *mut u64, len| segments.register(Segment { id: SegmentId(2), base: base.cast(), len });
        let base = words.as_mut_ptr();
        again(base, 64).unwrap();
        again(base, 32).unwrap_err();
        again(base.wrapping_add(1), 64).unwrap_err();
        assert!(segments.place(at(32), 32).is_ok());
    }

    #[test]
    fn bytes_are_loaded_from_any_length_and_alignment() {
        let words: [u64; 4] = [0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908, 0x1716_1514_1312_1110, !0];
        for offset in 0..8 {
            for len in 0..=16 {
                let mut to = [0_u8; 17];
                // SAFETY: at most 24 bytes of 32, into 16 of 17.
                let from = unsafe {
                    let from = words.as_ptr().cast::<u8>().add(offset);
                    load(to.as_mut_ptr(), from, len);
                    std::slice::from_raw_parts(from, len)
                };
                assert_eq!((&to[..len], to[len]), (from, 0), "{len} bytes from {offset}");
            }
        }
    }

    #[test]
    fn bytes_are_stored_at_any_length_and_alignment() {
        let from: Vec<u8> = (1..=16).collect();
        for offset in 0..8 {
            for len in 0..=16 {
                let mut words = [0_u64; 4];
                let to = words.as_mut_ptr().cast::<u8>();
                // SAFETY: at most 24 bytes of 32.
                let got = unsafe {
                    store(to.add(offset), from.as_ptr(), len);
                    std::slice::from_raw_parts(to.cast_const(), 32)
                };
                assert_eq!(&got[offset..offset + len], &from[..len], "{len} bytes at {offset}");
                assert!(got[..offset].iter().chain(&got[offset + len..]).all(|&byte| byte == 0), "{len} at {offset}");
            }
        }
    }
}
