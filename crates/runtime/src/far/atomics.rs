//! Atomics that the near guard has refused: carried by the fabric, or made in mapped memory that the full search has found.

use super::{ContextStream, PeerAddress};
use crate::{
    Bits, Ctx, Site, Word, World,
    border::beyond_near,
    live::Live,
    observe::{Answer, Call, Kind, Layout, Operation, WordUpdate},
};
use core::{ffi::c_int, mem::size_of, sync::atomic::Ordering::SeqCst};
use ferrite_fabric::{Amo, Op, Remote, Ticket, Width};

/// The atomic form of a word's type.
pub(crate) type Cell<T> = <<T as Word>::Bits as Bits>::Atomic;

/// Name of the updated word in the signal routines.
pub(crate) const SIGNAL: &str = "sig_addr";

/// An operation on a word and its operands.
#[derive(Clone, Copy)]
pub(crate) struct Update<B> {
    pub op: Amo,
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
    unsafe fn store(self, value: T) {
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

impl World {
    /// As [`update_beyond`](Self::update_beyond), for routines that have a near path. Returns 0 to C and Fortran if a peer was lost.
    ///
    /// # Safety
    /// As for `update_beyond`.
    #[inline(never)]
    pub(crate) unsafe fn update_refused<T: Word>(
        &self,
        site: &'static Site,
        what: &'static str,
        ctx: Ctx,
        object: *const T,
        pe: c_int,
        update: Update<T::Bits>,
        old: Old<T>,
    ) -> T::Bits {
        // SAFETY: passed on.
        let work = || unsafe { self.update_beyond(site, what, ctx, object, pe, update, old) };
        beyond_near(site, work, T::Bits::ZERO)
    }

    /// Update the word at `pe`. Returns the old value if `old` asks for it, else a meaningless value.
    ///
    /// # Safety
    /// `object` is a `T` at `pe`; the address at which the old value is stored may be written until the next quiet.
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
        self.note_beyond(site, ctx, pe, size);
        if let Some(path) = self.fast_path(ctx, address, size, pe).filter(|_| address.is_multiple_of(size)) {
            // SAFETY: the caller's contract.
            return unsafe { update_far(path.live, path.stream, path.to, update, old) }.0;
        }
        let observed = self.observe(|_| self.shown_update(site, what, ctx, (address, size), pe, update, old));
        // SAFETY: passed on.
        if let Some(value) = unsafe { self.update_with_device(site, what, ctx, object, pe, update, old) } {
            return value;
        }
        let place = self.reach(site, what, address, size, ctx, pe);
        if !address.is_multiple_of(size) {
            self.unaligned(site, what, address, size);
        }
        let (at, is_mapped) = match place {
            Some(PeerAddress::Far(at)) => (at, false),
            Some(PeerAddress::Near(_)) if self.require_live(site).nic_atomics() => {
                let pe = self.require_pe(site, ctx, pe) as u32;
                let at = self.require_live(site).remote_address(address, size, pe);
                (at.expect("what is mapped is symmetric"), true)
            }
            Some(PeerAddress::Near(at)) => {
                if let Some(delays) = self.delays(&observed).filter(|_| !matches!(old, Old::Returned)) {
                    // SAFETY: found by the slow search, and aligned; the place of the result is the caller's contract.
                    unsafe {
                        let update = Operation::Update(Box::new(update_later(at, update, old)));
                        delays.post(self.course(site, ctx, pe), update);
                    }
                    return update.operand;
                }
                // SAFETY: found by the slow search, and aligned.
                let value = update.apply(unsafe { T::Bits::cell(at) } as &Cell<T>);
                // SAFETY: the caller's contract.
                unsafe { old.store(T::from_bits(value)) };
                return value;
            }
            None => unreachable!("no word has a size of 0"),
        };
        let (live, _, stream) = self.far_stream(site, ctx);
        // SAFETY: the caller's contract.
        let (value, ticket) = unsafe { update_far(live, stream, at, update, old) };
        if is_mapped {
            stream.updates_mapped(ticket);
        }
        value
    }

    /// An update, as observers are shown it.
    fn shown_update<T: Word>(
        &self,
        site: &'static Site,
        what: &'static str,
        ctx: Ctx,
        (address, size): (usize, usize),
        pe: c_int,
        update: Update<T::Bits>,
        old: Old<T>,
    ) -> Call {
        // Only the signal routines use this name for their word.
        let kind = if what == SIGNAL { Kind::Signal } else { Kind::Atomic };
        let (local, answer) = match old {
            Old::Ignored => (0, Answer::None),
            Old::Returned => (0, Answer::Now),
            Old::Stored(into) => (into as usize, Answer::Later),
        };
        let Update { op, operand, compare } = update;
        Call {
            local,
            remote: address,
            layout: Layout::contiguous(size),
            answer,
            word: Some(WordUpdate { op, operand: operand.widen(), compare: compare.widen() }),
            ..Call::to(self, site, kind, ctx, pe)
        }
    }

    /// Update the word if it is in device memory, or if the old value goes there, and return the old value. `None` for host memory.
    ///
    /// # Safety
    /// As for `update_beyond`.
    unsafe fn update_with_device<T: Word>(
        &self,
        site: &'static Site,
        what: &'static str,
        ctx: Ctx,
        object: *const T,
        pe: c_int,
        update: Update<T::Bits>,
        old: Old<T>,
    ) -> Option<T::Bits> {
        self.device_room()?;
        // SAFETY: passed on.
        let value = match unsafe { self.update_on_device(site, what, ctx, object, pe, update) } {
            Some(Ok(value)) => value,
            Some(Err(at)) => {
                let (live, _, stream) = self.far_stream(site, ctx);
                // SAFETY: the old value is waited for.
                unsafe { update_far::<T>(live, stream, at, update, Old::Returned) }.0
            }
            None if self.fetches_to_device(site, &old) => {
                // SAFETY: passed on; the old value goes to device memory once it is here.
                unsafe { self.update_beyond(site, what, ctx, object, pe, update, Old::Returned) }
            }
            None => return None,
        };
        // SAFETY: the caller's contract.
        unsafe { self.store_old(site, old, T::from_bits(value)) };
        Some(value)
    }
}

/// Return a closure that updates a mapped word.
///
/// # Safety
/// `at` is a `T` of a peer. The address at which the old value is stored may be written until the next quiet. The closure is called before
/// that quiet.
unsafe fn update_later<T: Word>(at: *mut u8, update: Update<T::Bits>, old: Old<T>) -> impl FnOnce() + 'static {
    move || {
        // SAFETY: the contract of `update_later`.
        unsafe { old.store(T::from_bits(update.apply(T::Bits::cell(at) as &Cell<T>))) };
    }
}

/// Update a word whose remote address is known, over the fabric. Also returns the ticket of the pending operation, or [`Ticket::NONE`] if
/// the operation was waited for.
///
/// # Safety
/// As for `update_beyond`.
unsafe fn update_far<T: Word>(
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
