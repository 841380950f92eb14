//! Atomics that the fabric carries.

use super::ContextStream;
use crate::{Bits, Word, live::Live};
use core::{mem::size_of, sync::atomic::Ordering::SeqCst};
use ferrite_fabric::{Amo, Op, Remote, Ticket, Width};

/// The atomic form of a word's type.
pub(crate) type Cell<T> = <<T as Word>::Bits as Bits>::Atomic;

/// Name of the updated word in the signal routines.
pub(crate) const SIGNAL: &str = "sig_addr";

/// An operation on a word and its operands.
#[derive(Clone, Copy)]
pub struct Update<B> {
    /// Kind of the update.
    pub op: Amo,
    /// The value that the word is changed by or to; unused by [`Amo::Fetch`].
    pub operand: B,
    /// Expected value; used by [`Amo::CompareSwap`] only.
    pub compare: B,
}

/// Use of the old value.
#[derive(Clone, Copy)]
pub(crate) enum Old<T> {
    /// The old value is not needed.
    Ignored,
    /// The old value is the result.
    Returned,
    /// The old value is stored at this address, by the next quiet.
    Stored(*mut T),
}

impl<T> Old<T> {
    /// Store the old value, if the caller asked for that.
    ///
    /// # Safety
    /// The address to store it at is valid for a write.
    pub unsafe fn store(self, value: T) {
        if let Old::Stored(into) = self {
            // SAFETY: the caller's contract.
            unsafe { into.write(value) };
        }
    }
}

impl<B: Bits> Update<B> {
    /// An update that compares nothing.
    pub fn new(op: Amo, operand: B) -> Update<B> {
        Update { op, operand, compare: operand }
    }

    /// Apply the update with this processor's atomics; acquires and releases.
    pub fn apply(self, cell: &B::Atomic) -> B {
        let Update { op, operand, compare } = self;
        match op {
            Amo::Fetch => B::load(cell, SeqCst),
            Amo::Set | Amo::Swap => B::swap(cell, operand, SeqCst),
            Amo::CompareSwap => B::compare_swap(cell, compare, operand),
            Amo::Add => B::fetch_add(cell, operand, SeqCst),
            Amo::And => B::fetch_and(cell, operand, SeqCst),
            Amo::Or => B::fetch_or(cell, operand, SeqCst),
            Amo::Xor => B::fetch_xor(cell, operand, SeqCst),
        }
    }
}

/// Update a word whose remote address is known, over the fabric. Also returns the ticket of the pending operation, or [`Ticket::NONE`] if
/// the operation was waited for.
///
/// # Safety
/// `at` is a `T` of a peer. The address at which the old value is stored may be written until the next quiet.
pub(crate) unsafe fn update_far<T: Word>(
    live: &Live,
    stream: &ContextStream,
    at: Remote,
    update: Update<T::Bits>,
    old: Old<T>,
) -> (T::Bits, Ticket) {
    let width = match size_of::<T>() {
        2 => {
            let value = update_half(live, stream, at, update);
            // SAFETY: the caller's contract.
            unsafe { old.store(T::from_bits(value)) };
            return (value, Ticket::NONE);
        }
        4 => Width::W32,
        8 => Width::W64,
        size => unreachable!("no atomic is of {size} bytes"),
    };
    let mut word = update.operand;
    let fetch: *mut u8 = match old {
        Old::Ignored => core::ptr::null_mut(),
        Old::Returned => (&raw mut word).cast(),
        Old::Stored(into) => into.cast(),
    };
    let (operand, compare) = (update.operand.widen(), update.compare.widen());
    let op = Op::Amo { at, width, op: update.op, operand, compare, fetch };
    // SAFETY: `word` lives longer than the fetch; other addresses are covered by the caller's contract.
    let ticket = unsafe {
        match old {
            Old::Returned => {
                live.fetch(stream, &op);
                Ticket::NONE
            }
            Old::Ignored | Old::Stored(_) => live.issue(stream, &op),
        }
    };
    (word, ticket)
}

/// Update 16 bits, which no fabric supports, through the 32-bit word that contains them: a compare-and-swap replaces the word if it is
/// unchanged since it was read. Changes in the other half are preserved; they only cause a retry.
fn update_half<B: Bits>(live: &Live, stream: &ContextStream, at: Remote, update: Update<B>) -> B {
    const { assert!(cfg!(target_endian = "little"), "the half at the lower address is the lower one") };
    debug_assert_eq!(size_of::<B>(), size_of::<u16>());
    let whole = Remote { offset: at.offset & !3, ..at };
    let shift = (at.offset & 2) * 8;
    let on_word = |op: Amo, operand: u64, compare: u64| -> u32 {
        let mut before = 0u32;
        let fetch = (&raw mut before).cast();
        let op = Op::Amo { at: whole, width: Width::W32, op, operand, compare, fetch };
        // SAFETY: `before` lives longer than the fetch. The word is within the segment, which begins and ends at a word boundary.
        unsafe { live.fetch(stream, &op) };
        before
    };
    let mut seen = on_word(Amo::Fetch, 0, 0);
    loop {
        let mut half = (seen >> shift) as u16;
        // SAFETY: an aligned local variable of the same size.
        let old = update.apply(unsafe { B::cell((&raw mut half).cast()) });
        let wanted = seen & !(0xffff << shift) | u32::from(half) << shift;
        match on_word(Amo::CompareSwap, wanted.into(), seen.into()) {
            before if before == seen => return old,
            before => seen = before,
        }
    }
}
