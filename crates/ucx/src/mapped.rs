//! The heaps of peers that UCX has mapped here, inside one machine ([`loan`](crate::loan)), and operations on them.
//!
//! What is mapped is reached by this processor, with the stores and atomics by which the target's would do it. So both are of one
//! atomicity domain, and an operation is complete as it is posted: nobody has to answer, no ticket is needed, and no lock.
//! What it would overtake it waits for: see [`hold`](crate::hold).
//!
//! UCX's mapping goes with the key that it came with, and the key with its stream, when a process parts and threads of it may still be
//! in an operation. So there is a second one of each piece, which stays until fabric and lanes are dropped, and serves all streams.
//!
//! Pieces are added under a mutex and found without it: a piece is written before the count that includes it (release), and
//! read after it (acquire).

use ferrite_fabric::{Op, Pe, Remote, SegmentId, Width, mutex, segments};
use rustix::mm::{Advice, MremapFlags, madvise, mremap, munmap};
use std::sync::{
    Mutex, OnceLock,
    atomic::{AtomicBool, AtomicPtr, AtomicU64, AtomicUsize, Ordering},
};

/// Pieces of a heap that are found; it grows by a quarter each time at least, unless memory is short.
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
    /// Not all of it can be mapped.
    given_up: AtomicBool,
}

/// The heaps of all peers.
pub struct Mapped {
    heaps: Box<[Heap]>,
    adding: Mutex<()>,
}

impl Mapped {
    /// Nothing of so many PEs.
    pub fn new(size: u32) -> Self {
        Mapped { heaps: (0..size).map(|_| Heap::default()).collect(), adding: Mutex::default() }
    }

    fn heap(&self, pe: Pe) -> Option<&Heap> {
        self.heaps.get(pe.0 as usize)
    }

    /// UCX has mapped a peer's heap at `theirs`, from `start` on.
    ///
    /// # Safety
    /// It is mapped there for `len` bytes.
    pub unsafe fn add(&self, pe: Pe, start: u64, len: u64, theirs: *mut u8) {
        let Some(heap) = self.heap(pe) else { return };
        let _one = mutex::lock(&self.adding);
        let count = heap.count.load(Ordering::Relaxed);
        let pieces = heap.pieces.get_or_init(|| (0..PIECES_MAX).map(|_| Piece::default()).collect());
        // Each stream that has a key of it comes here.
        if count > 0 && start < pieces[count - 1].end.load(Ordering::Relaxed) {
            return;
        }
        let Some(piece) = pieces.get(count) else { return };
        // SAFETY: an old size of 0 leaves what is there, as the caller says, and maps it once more. Neither is for core files:
        // its owner's has it.
        let base = unsafe {
            let _ = madvise(theirs.cast(), len as usize, Advice::LinuxDontDump);
            let Ok(base) = mremap(theirs.cast(), 0, len as usize, MremapFlags::MAYMOVE) else {
                return heap.given_up.store(true, Ordering::Relaxed);
            };
            let _ = madvise(base, len as usize, Advice::LinuxDontDump);
            base
        };
        piece.start.store(start, Ordering::Relaxed);
        piece.end.store(start + len, Ordering::Relaxed);
        piece.base.store(base.cast(), Ordering::Relaxed);
        heap.count.store(count + 1, Ordering::Release);
    }

    /// No more of a peer's heap will be mapped: what is not is reached by messages.
    pub fn give_up(&self, pe: Pe) {
        self.heap(pe).into_iter().for_each(|heap| heap.given_up.store(true, Ordering::Relaxed));
    }

    /// What an operation touches of a heap that is not mapped, but may come to be.
    pub fn misses(&self, op: &Op) -> Option<Remote> {
        let hope = self.heap(op.target()).is_some_and(|heap| !heap.given_up.load(Ordering::Relaxed));
        let mut places = touched(op).into_iter().flatten().filter(|_| hope);
        let missing = places
            .find(|&Touched { at, len, .. }| len > 0 && at.segment == SegmentId::HEAP && self.find(at, len).is_none());
        missing.map(|touched| touched.at)
    }

    /// Whether an operation can be carried out here: all that it touches is mapped. What is not aligned is the target's to refuse.
    pub fn has(&self, op: &Op) -> bool {
        touched(op).into_iter().flatten().all(|Touched { at, len, width }| match width {
            Some(width) => self.word(at, width).is_some(),
            None => self.find(at, len).is_some(),
        })
    }

    /// Where `len` bytes are mapped, if they are, in one piece.
    #[inline]
    fn find(&self, at: Remote, len: usize) -> Option<*mut u8> {
        if at.segment != SegmentId::HEAP {
            return None;
        }
        let heap = self.heap(at.pe)?;
        let pieces = heap.pieces.get()?.get(..heap.count.load(Ordering::Acquire))?;
        let piece = pieces.iter().find(|piece| at.offset < piece.end.load(Ordering::Relaxed))?;
        let inside = at.offset.checked_sub(piece.start.load(Ordering::Relaxed))?;
        let fits = at.offset.checked_add(len as u64)? <= piece.end.load(Ordering::Relaxed);
        fits.then(|| piece.base.load(Ordering::Relaxed).wrapping_add(inside as usize))
    }

    /// The same of a word. What is not aligned is the target's to refuse.
    #[inline]
    fn word(&self, at: Remote, width: Width) -> Option<*mut u8> {
        self.find(at, width.bytes()).filter(|word| word.addr().is_multiple_of(width.bytes()))
    }

    /// Carry an operation out, if all that it touches is mapped. If not, nothing is done.
    ///
    /// # Safety
    /// As [`Lane::post`](ferrite_fabric::Lane::post), and nothing that has to come before it is under way.
    #[inline]
    pub unsafe fn carry_out(&self, op: &Op) -> Option<()> {
        // SAFETY: what is local is as the caller says; what is mapped stays so as long as this.
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

impl Drop for Mapped {
    fn drop(&mut self) {
        for heap in &self.heaps {
            let count = heap.count.load(Ordering::Relaxed);
            for piece in heap.pieces.get().into_iter().flatten().take(count) {
                let len = piece.end.load(Ordering::Relaxed) - piece.start.load(Ordering::Relaxed);
                // SAFETY: a mapping of our own, which nobody uses any more.
                let _ = unsafe { munmap(piece.base.load(Ordering::Relaxed).cast(), len as usize) };
            }
        }
    }
}

/// A place that an operation touches.
struct Touched {
    at: Remote,
    len: usize,
    /// Of a word.
    width: Option<Width>,
}

fn touched(op: &Op) -> [Option<Touched>; 2] {
    let bytes = |at, len| Some(Touched { at, len, width: None });
    let word = |at, width: Width| Some(Touched { at, len: width.bytes(), width: Some(width) });
    match *op {
        Op::Put { to, len, .. } => [bytes(to, len), None],
        Op::Get { from, len, .. } => [bytes(from, len), None],
        Op::Amo { at, width, .. } => [word(at, width), None],
        Op::PutSignal { to, len, signal, .. } => [bytes(to, len), word(signal, Width::W64)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous};
    use std::ptr;

    const PEER: Pe = Pe(1);
    const PAGE: u64 = 64 << 10;

    fn at(offset: u64) -> Remote {
        Remote { pe: PEER, segment: SegmentId::HEAP, offset }
    }

    /// Pages that stay until the test ends.
    fn pages(kind: MapFlags) -> *mut u8 {
        let rights = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: new memory.
        unsafe { mmap_anonymous(ptr::null_mut(), PAGE as usize, rights, kind) }.unwrap().cast()
    }

    #[test]
    fn a_place_is_found_where_all_of_it_is_in_one_piece() {
        let mapped = Mapped::new(2);
        assert_eq!(mapped.find(at(0), 1), None);
        let theirs = [0, 1].map(|_| pages(MapFlags::SHARED));
        // A piece that is not mapped lies between. Twice, as by two streams.
        for _ in 0..2 {
            for (start, theirs) in [(0, theirs[0]), (2 * PAGE, theirs[1])] {
                // SAFETY: mapped above.
                unsafe { mapped.add(PEER, start, PAGE, theirs) };
            }
        }
        let bases = [0, 2 * PAGE].map(|start| mapped.find(at(start), 1).unwrap());
        for (offset, len, found) in [
            (0, PAGE, Some(bases[0])),
            (PAGE - 1, 1, Some(bases[0].wrapping_add(PAGE as usize - 1))),
            (PAGE - 1, 2, None),
            (PAGE, 8, None),
            (2 * PAGE - 8, 16, None),
            (2 * PAGE, PAGE, Some(bases[1])),
            (2 * PAGE + 2, PAGE - 2, Some(bases[1].wrapping_add(2))),
            (2 * PAGE + 2, PAGE - 1, None),
            (3 * PAGE, 1, None),
        ] {
            assert_eq!(mapped.find(at(offset), len as usize), found, "{len} bytes at {offset}");
        }
        assert_eq!(mapped.find(Remote { pe: Pe(0), ..at(0) }, 8), None);
        assert_eq!(mapped.find(Remote { pe: Pe(2), ..at(0) }, 8), None);
        assert_eq!(mapped.find(Remote { segment: SegmentId::STATICS, ..at(0) }, 8), None);
        assert_eq!(mapped.word(at(4), Width::W32), Some(bases[0].wrapping_add(4)));
        assert_eq!(mapped.word(at(4), Width::W64), None, "the target's to refuse");
        // It is the same memory, and stays when UCX's mapping goes.
        // SAFETY: both are mapped, and nobody else knows them.
        unsafe {
            theirs[0].write(7);
            munmap(theirs[0].cast(), PAGE as usize).unwrap();
            assert_eq!(bases[0].read(), 7);
        }
    }

    #[test]
    fn memory_that_cannot_be_shared_is_given_up() {
        let mapped = Mapped::new(2);
        let put = Op::Put { to: at(8), from: ptr::null(), len: 8 };
        assert_eq!((mapped.misses(&put), mapped.has(&put)), (Some(at(8)), false));
        // SAFETY: mapped.
        unsafe { mapped.add(PEER, 0, PAGE, pages(MapFlags::PRIVATE)) };
        assert_eq!((mapped.misses(&put), mapped.has(&put)), (None, false));
    }

    #[test]
    fn an_operation_is_mapped_where_all_that_it_touches_is() {
        let mapped = Mapped::new(2);
        // SAFETY: mapped.
        unsafe { mapped.add(PEER, 0, PAGE, pages(MapFlags::SHARED)) };
        let signal = |to, signal| {
            let op = ferrite_fabric::SignalOp::Set;
            let op = Op::PutSignal { to, from: ptr::null(), len: 8, signal, op, value: 1 };
            (mapped.misses(&op), mapped.has(&op))
        };
        let control = Remote { segment: SegmentId::CONTROL, ..at(0) };
        assert_eq!(signal(at(0), at(8)), (None, true));
        assert_eq!(signal(at(0), at(PAGE)), (Some(at(PAGE)), false));
        assert_eq!(signal(at(PAGE), at(8)), (Some(at(PAGE)), false));
        assert_eq!(signal(at(0), control), (None, false));
        assert_eq!(signal(at(0), at(4)), (None, false), "a word that is not aligned");
    }

    #[test]
    fn more_pieces_than_there_is_room_for_are_not_found() {
        let mapped = Mapped::new(2);
        let theirs = pages(MapFlags::SHARED);
        for piece in 0..PIECES_MAX as u64 + 3 {
            // SAFETY: mapped.
            unsafe { mapped.add(PEER, PAGE * piece, PAGE, theirs) };
        }
        assert!(mapped.find(at(PAGE * (PIECES_MAX as u64 - 1)), 8).is_some());
        assert_eq!(mapped.find(at(PAGE * PIECES_MAX as u64), 8), None);
    }
}
