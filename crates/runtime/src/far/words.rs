//! Atomics that the near guard refused: on the fabric, or by the slow search after all.

use super::Place;
use crate::{Bits, Ctx, Site, Word, World, amo::Cell};
use core::{ffi::c_int, mem::size_of, sync::atomic::Ordering::SeqCst};
use ferrite_fabric::{Amo, Op, Stage, Width};

/// What is done to a word.
#[derive(Clone, Copy)]
pub(crate) struct Update<B> {
    pub op: Amo,
    pub operand: B,
    /// For [`Amo::CompareSwap`].
    pub compare: B,
}

/// What becomes of the old value.
#[derive(Clone, Copy)]
pub(crate) enum Old<T> {
    /// Nobody wants it.
    Ignored,
    /// It is the result.
    Returned,
    /// It is stored there, by the next quiet.
    Stored(*mut T),
}

impl<B: Bits> Update<B> {
    /// One that compares nothing.
    pub fn new(op: Amo, operand: B) -> Update<B> {
        Update { op, operand, compare: operand }
    }

    /// Done by this processor; acquires and releases.
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

impl World {
    /// Update the word at `pe`. Gives the old value if it is to be returned, and no meaning else.
    ///
    /// # Safety
    /// `object` is a `T` at `pe`; where the old value is stored may be written until the next quiet.
    #[cold]
    #[inline(never)]
    pub(crate) unsafe fn update_beyond<T: Word>(
        &self,
        site: &'static Site,
        what: &'static str,
        ctx: Ctx,
        object: *const T,
        pe: c_int,
        update: Update<T::Bits>,
        old: Old<T>,
    ) -> T::Bits {
        let (address, size) = (object as usize, size_of::<T>());
        let place = self.reach(site, what, address, size, ctx, pe);
        if !address.is_multiple_of(size) {
            self.unaligned(site, what, address, size);
        }
        let at = match place {
            Some(Place::Far(at)) => at,
            Some(Place::Near(at)) => {
                // SAFETY: found by the slow search, and aligned.
                let value = update.apply(unsafe { T::Bits::cell(at) } as &Cell<T>);
                if let Old::Stored(into) = old {
                    // SAFETY: the caller's promise.
                    unsafe { into.write(T::from_bits(value)) };
                }
                return value;
            }
            None => unreachable!("no word has a size of 0"),
        };
        let (live, _, stream) = self.far_stream(site, ctx);
        let mut word = update.operand;
        let fetch: *mut u8 = match old {
            Old::Ignored => core::ptr::null_mut(),
            Old::Returned => (&raw mut word).cast(),
            Old::Stored(into) => into.cast(),
        };
        let (operand, compare) = (update.operand.widen(), update.compare.widen());
        let width = match size {
            4 => Width::W32,
            8 => Width::W64,
            _ => unreachable!("no atomic is of {size} bytes"),
        };
        // SAFETY: `word` lives until the wait below is over; other places are the caller's promise.
        let ticket = unsafe { live.issue(stream, &Op::Amo { at, width, op: update.op, operand, compare, fetch }) };
        if let Old::Returned = old {
            live.wait_for_ticket(stream, Stage::Local, ticket);
        }
        word
    }
}
