//! This PE's memory: what is registered, and what active messages of peers do to it.
//!
//! Puts and gets are UCX's: a NIC or UCX's own handlers carry them out, and check what they check. Requests to the
//! processor pass here, and are checked against the registered segments. Words are updated by the processor's
//! atomics, the same that near peers use, so all are of one domain. `SeqCst`: data that was copied before a signal
//! is visible to whoever sees the signal.

use crate::{
    context::Context,
    key::{self, Extent},
    message::Place,
};
use ferrite_fabric::{Amo, Error, Key, Result, Segment, SignalOp, Width};
use std::{
    collections::BTreeMap,
    ffi::c_void,
    ptr,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, AtomicUsize, Ordering},
    },
};
use ucx_sys::*;

/// A place that is not a peer's to touch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Refusal;

#[derive(Default)]
struct Piece {
    base: AtomicUsize,
    len: AtomicUsize,
}

struct Registered {
    extent: Extent,
    memh: ucp_mem_h,
}

// SAFETY: a registration belongs to the context, which several threads may use.
unsafe impl Send for Registered {}

/// The registered segments.
pub struct Memory {
    context: Arc<Context>,
    pieces: Vec<Piece>,
    registered: Mutex<BTreeMap<u8, Vec<Registered>>>,
}

impl Memory {
    /// None yet.
    pub fn new(context: &Arc<Context>) -> Self {
        let pieces = (0..256).map(|_| Piece::default()).collect();
        Memory { context: Arc::clone(context), pieces, registered: Mutex::default() }
    }

    /// Let peers reach a segment, or what it has grown by. The key is of all of it.
    ///
    /// # Safety
    /// The segment stays mapped until the memory is dropped.
    pub unsafe fn register(&self, segment: Segment) -> Result<Key> {
        let mut registered = self.registered.lock().unwrap_or_else(PoisonError::into_inner);
        let piece = &self.pieces[usize::from(segment.id.0)];
        let (base, len) = (piece.base.load(Ordering::Relaxed), piece.len.load(Ordering::Relaxed));
        if len != 0 && (base != segment.base as usize || segment.len < len) {
            return Err(Error::new(format!("segment {} is registered already, elsewhere", segment.id.0)));
        }
        let extents = registered.entry(segment.id.0).or_default();
        if segment.len > len {
            // SAFETY: as the caller says.
            extents.push(unsafe { self.map(segment, len) }?);
            piece.base.store(segment.base.expose_provenance(), Ordering::Relaxed);
            // Release: whoever reads the length (Acquire, in `place`) reads the base that belongs to it.
            piece.len.store(segment.len, Ordering::Release);
        }
        Ok(Key(key::encode(extents.iter().map(|registered| &registered.extent))))
    }

    /// Register a segment from `offset` to its end.
    ///
    /// # Safety
    /// As [`register`](Self::register).
    unsafe fn map(&self, segment: Segment, offset: usize) -> Result<Registered> {
        let (call, address, length) = (&self.context.ucx.call, segment.base.wrapping_add(offset), segment.len - offset);
        let mask = UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH;
        let params =
            ucp_mem_map_params_t { field_mask: mask.into(), address: address.cast(), length, ..Default::default() };
        let (mut memh, mut packed, mut len) = (ptr::null_mut(), ptr::null_mut::<c_void>(), 0);
        // SAFETY: the memory is mapped, and stays so, as the caller says; the mask says what is set; what is packed is
        // copied, then given back.
        unsafe {
            let status = (call.ucp_mem_map)(self.context.handle, &raw const params, &raw mut memh);
            self.context.check(&format!("registering {length} bytes with UCX (see `ulimit -l`)"), status)?;
            let status = (call.ucp_rkey_pack)(self.context.handle, memh, &raw mut packed, &raw mut len);
            if let Err(error) = self.context.check("packing a key of UCX", status) {
                (call.ucp_mem_unmap)(self.context.handle, memh);
                return Err(error);
            }
            let copy = std::slice::from_raw_parts(packed.cast::<u8>(), len).to_vec();
            (call.ucp_rkey_buffer_release)(packed);
            let (offset, len) = (offset as u64, length as u64);
            Ok(Registered { extent: Extent { offset, len, address: address as u64, packed: copy }, memh })
        }
    }

    /// Nobody reaches the segments any more: the workers are gone.
    pub fn close(&self) {
        let mut registered = self.registered.lock().unwrap_or_else(PoisonError::into_inner);
        for Registered { memh, .. } in std::mem::take(&mut *registered).into_values().flatten() {
            // SAFETY: it is given back once, and no operation is under way.
            let status = unsafe { (self.context.ucx.call.ucp_mem_unmap)(self.context.handle, memh) };
            if let Err(error) = self.context.check("unregistering memory with UCX", status) {
                tracing::debug!("{error}");
            }
        }
    }

    /// The address of a peer's place, if all of it is registered.
    pub fn place(&self, at: Place, len: u64) -> Result<*mut u8, Refusal> {
        let piece = &self.pieces[usize::from(at.segment)];
        let size = piece.len.load(Ordering::Acquire) as u64;
        match at.offset.checked_add(len) {
            Some(end) if end <= size => {
                let base = piece.base.load(Ordering::Relaxed);
                Ok(ptr::with_exposed_provenance_mut(base + at.offset as usize))
            }
            _ => Err(Refusal),
        }
    }

    fn word(&self, at: Place, size: usize) -> Result<*mut u8, Refusal> {
        self.place(at, size as u64).and_then(
            |word| {
                if (word as usize).is_multiple_of(size) { Ok(word) } else { Err(Refusal) }
            },
        )
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

    /// Whether there is a signal word: asked before the data of the put is taken.
    pub fn signal(&self, at: Place) -> Result<(), Refusal> {
        self.word(at, 8).map(|_| ())
    }

    /// Update a signal word.
    pub fn raise(&self, at: Place, op: SignalOp, value: u64) -> Result<u64, Refusal> {
        self.amo(at, Width::W64, if op == SignalOp::Set { Amo::Set } else { Amo::Add }, value, 0)
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.close();
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
/// `to` is writable and `from` readable for `len` bytes.
#[inline]
pub unsafe fn store(to: *mut u8, from: *const u8, len: usize) {
    let aligned = (to as usize) & len.wrapping_sub(1) == 0;
    // SAFETY: as the caller says; the words are aligned to their size.
    unsafe {
        match len {
            1 => AtomicU8::from_ptr(to).store(from.read(), Ordering::Release),
            2 if aligned => {
                AtomicU16::from_ptr(to.cast()).store(from.cast::<u16>().read_unaligned(), Ordering::Release)
            }
            4 if aligned => {
                AtomicU32::from_ptr(to.cast()).store(from.cast::<u32>().read_unaligned(), Ordering::Release)
            }
            8 if aligned => {
                AtomicU64::from_ptr(to.cast()).store(from.cast::<u64>().read_unaligned(), Ordering::Release)
            }
            _ => to.copy_from_nonoverlapping(from, len),
        }
    }
}
