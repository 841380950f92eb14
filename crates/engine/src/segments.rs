//! The memory that peers reach by this PE's processor. Each such access is checked here.
//!
//! Peers' bytes land in memory that the program, PEs of this host and a NIC touch at the same time. So words are stored and updated by
//! the processor's atomics, the same that PEs of this host use: all of them are of one atomicity domain. Data are copied by
//! `ferrite_copy`, which stores each byte once and tears no element. Each update of a word is `SeqCst`, and the store of one word
//! follows a release fence: a reader that sees a flag sees the data that were copied before it, on processors that reorder stores too.
//!
//! A segment can also be served: it is not memory, and each update of its words is a call of an object ([`Words`]).
#![allow(unsafe_code)]

use crate::{Amo, Error, Location, Result, Segment, SegmentId, Width};
use ferrite_fabric::Words;
use ferrite_os::mutex;
use std::{
    fmt,
    sync::{
        Arc, Mutex, PoisonError, RwLock,
        atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering, fence},
    },
};

/// Why a peer's access is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// Not within the segment.
    Outside {
        /// Start of the access.
        at: Location,
        /// Bytes of the access.
        len: u64,
    },
    /// A word that is not aligned to its size.
    Unaligned {
        /// Start of the word.
        at: Location,
        /// Size of the word in bytes.
        size: usize,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Outside { at, len } => {
                write!(f, "{len} bytes at offset {} are outside of segment {}", at.offset, at.segment.0)
            }
            Refusal::Unaligned { at, size } => {
                write!(f, "offset {} of segment {} is not aligned to {size} bytes", at.offset, at.segment.0)
            }
        }
    }
}

#[derive(Default)]
struct Registered {
    base: AtomicUsize,
    len: AtomicUsize,
}

/// The memory that peers may reach: all segments that were registered.
pub struct Segments {
    registered: Vec<Registered>,
    registering: Mutex<()>,
    /// Segments that are not memory.
    served: RwLock<Vec<(SegmentId, Arc<dyn Words>)>>,
}

impl Default for Segments {
    fn default() -> Segments {
        let registered = (0..256).map(|_| Registered::default()).collect();
        Segments { registered, registering: Mutex::default(), served: RwLock::default() }
    }
}

impl fmt::Debug for Segments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Segments").finish_non_exhaustive()
    }
}

impl Segments {
    /// Make a segment, or its growth, accessible to peers. The segment stays mapped while this is in use.
    pub fn register(&self, segment: Segment) -> Result<()> {
        let _one = mutex::lock(&self.registering);
        self.reach_of(&segment)?;
        let known = &self.registered[usize::from(segment.id.0)];
        known.base.store(segment.base.expose_provenance(), Ordering::Relaxed);
        // Release: a thread that loads the length (Acquire, in `place`) loads the base that belongs to it.
        known.len.store(segment.len, Ordering::Release);
        Ok(())
    }

    /// Let peers update the words of a segment that is not memory.
    pub fn serve(&self, id: SegmentId, words: Arc<dyn Words>) -> Result<()> {
        let mut served = self.served.write().unwrap_or_else(PoisonError::into_inner);
        if served.iter().any(|(known, _)| *known == id) {
            return Err(Error::new(format!("segment {} is served already", id.0)));
        }
        served.push((id, words));
        Ok(())
    }

    /// Number of bytes of `segment` that are registered; an error if `segment` has shrunk or moved. It may only grow.
    pub fn reach_of(&self, segment: &Segment) -> Result<usize> {
        let known = &self.registered[usize::from(segment.id.0)];
        let (base, len) = (known.base.load(Ordering::Relaxed), known.len.load(Ordering::Relaxed));
        if len != 0 && (base != segment.base as usize || segment.len < len) {
            return Err(Error::new(format!("segment {} is registered already, elsewhere", segment.id.0)));
        }
        Ok(len)
    }

    /// The address of the `len` bytes that a peer names, if all of them are registered.
    #[inline]
    pub fn place(&self, at: Location, len: u64) -> Result<*mut u8, Refusal> {
        let known = &self.registered[usize::from(at.segment.0)];
        let size = known.len.load(Ordering::Acquire) as u64;
        match at.offset.checked_add(len) {
            Some(end) if end <= size => {
                let base = known.base.load(Ordering::Relaxed);
                Ok(std::ptr::with_exposed_provenance_mut(base + at.offset as usize))
            }
            _ => Err(Refusal::Outside { at, len }),
        }
    }

    /// The address of a word, if it is registered and aligned.
    #[inline]
    pub fn word(&self, at: Location, width: Width) -> Result<*mut u8, Refusal> {
        let size = width.bytes();
        let word = self.place(at, size as u64)?;
        if (word as usize).is_multiple_of(size) { Ok(word) } else { Err(Refusal::Unaligned { at, size }) }
    }

    /// Update a word. Returns the old value.
    pub fn amo(&self, at: Location, width: Width, op: Amo, operand: u64, compare: u64) -> Result<u64, Refusal> {
        match self.word(at, width) {
            // SAFETY: `word` is aligned and lies in a registered segment, which stays mapped while it is reached.
            Ok(word) => Ok(unsafe { update(word, width, op, operand, compare) }),
            Err(refusal) => self.amo_served(at, width, op, operand, compare).ok_or(refusal),
        }
    }

    /// Update a word of a served segment. `None` if there is no such word.
    #[cold]
    fn amo_served(&self, at: Location, width: Width, op: Amo, operand: u64, compare: u64) -> Option<u64> {
        let served = self.served.read().unwrap_or_else(PoisonError::into_inner);
        let words = served.iter().find(|(id, _)| *id == at.segment).map(|(_, words)| Arc::clone(words))?;
        // Not under the lock: an update may take long.
        drop(served);
        words.update(at.offset, width, op, operand, compare)
    }
}

/// Update a word. Returns the old value.
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

/// Number of bytes that are stored at once.
pub const WORD_BYTES: usize = size_of::<u64>();

/// Store `len` bytes of a put by whole words, each byte once ([`ferrite_copy`] has the rule), so that a program that waits for a word never
/// sees a part of it.
///
/// OpenSHMEM lets a program wait for a word wherever in a put it lies ("partial updates must not cause `shmem_wait_until` to
/// return"), however long the put is.
///
/// A reader that sees the put also sees what was stored before it. The fence ensures this. An atomic of an earlier message would not be enough:
/// on AArch64 without LSE, later stores may pass its store-release. The stores of one put are relaxed, since the order of its bytes is
/// undefined; the caller places a fence between them and what it stores next.
///
/// # Safety
/// `to` is writable and `from` readable for `len` bytes, and they do not overlap.
#[inline]
pub unsafe fn store(to: *mut u8, from: *const u8, len: usize) {
    fence(Ordering::Release);
    // SAFETY: as the caller says.
    unsafe { ferrite_copy::copy_elements::<u8>(to, from, len) }
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

    fn at(offset: u64) -> Location {
        Location { segment: SegmentId(2), offset }
    }

    #[test]
    fn only_registered_memory_is_reachable() {
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
            assert_eq!(
                segments.place(Location { segment: SegmentId(segment), offset }, len).is_ok(),
                right,
                "{segment} {offset} {len}"
            );
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
        let other = Location { segment: SegmentId(3), offset: 0 };
        assert_eq!(add(other, Width::W32), Err(Refusal::Outside { at: other, len: 4 }));
    }

    /// Words that remember what they were asked last.
    #[derive(Default)]
    struct Asked(Mutex<Option<(u64, Amo, u64)>>);

    impl Words for Asked {
        fn update(&self, offset: u64, _: Width, op: Amo, operand: u64, compare: u64) -> Option<u64> {
            *mutex::lock(&self.0) = Some((offset, op, operand));
            (offset < 100).then_some(compare + 1)
        }
    }

    #[test]
    fn updates_of_a_served_segment_call_its_object_and_reach_no_memory() {
        let mut words = [0; 4];
        let segments = segments(&mut words);
        let (asked, place) = (Arc::new(Asked::default()), |offset| Location { segment: SegmentId(200), offset });
        let swap = |offset| segments.amo(place(offset), Width::W64, Amo::Swap, 7, 8);
        assert_eq!(swap(3), Err(Refusal::Outside { at: place(3), len: 8 }), "nothing is served yet");
        segments.serve(SegmentId(200), asked.clone()).unwrap();
        assert!(segments.serve(SegmentId(200), asked.clone()).is_err(), "once");
        assert_eq!(swap(3), Ok(9));
        assert_eq!(*mutex::lock(&asked.0), Some((3, Amo::Swap, 7)));
        assert_eq!(swap(100), Err(Refusal::Outside { at: place(100), len: 8 }));
        segments.place(place(3), 8).unwrap_err();
        assert_eq!(segments.amo(at(0), Width::W64, Amo::Add, 1, 0), Ok(0), "memory is updated in place");
        assert_eq!(words[0], 1);
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
}
