//! Atomics that the near guard has refused: carried by the fabric, or made in mapped memory that the full search has found.

use crate::{
    Bits, Ctx, Site, Word, World,
    border::at_cold_border,
    far::{Cell, Old, PeerAddress, SIGNAL, Update, update_far},
    observe::{Answer, Call, Kind, Layout, Operation, WordUpdate},
    ops::order::full_fence,
};
use core::{ffi::c_int, mem::size_of};
use ferrite_fabric::Amo;

impl World {
    /// As [`update_slow`](Self::update_slow), for routines that have a near path. Returns 0 to C and Fortran if a peer was lost.
    ///
    /// # Safety
    /// As for `update_slow`.
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
        let work = || unsafe { self.update_slow(site, what, ctx, object, pe, update, old) };
        at_cold_border(site, work, T::Bits::ZERO)
    }

    /// Update the word at `pe`. Returns the old value if `old` asks for it, else a meaningless value.
    ///
    /// # Safety
    /// `object` is a `T` at `pe`; the address at which the old value is stored may be written until the next quiet.
    #[inline(never)]
    pub(crate) unsafe fn update_slow<T: Word>(
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
        self.note_call_to(site, ctx, pe, size);
        if let Some(path) = self.fast_path(ctx, address, size, pe).filter(|_| address.is_multiple_of(size)) {
            // SAFETY: the caller's contract.
            return unsafe { update_far(path.live, path.stream, path.to, update, old) }.0;
        }
        let observed = self.observe(|_| self.shown_update(site, what, ctx, (address, size), pe, update, old));
        // SAFETY: passed on.
        if let Some(value) = unsafe { self.update_with_device(site, what, ctx, object, pe, update, old) } {
            return value;
        }
        let place = self.find_peer_address(site, what, address, size, ctx, pe);
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
                        delays.post(self.ctx_and_world_pe(site, ctx, pe), update);
                    }
                    return update.operand;
                }
                // As on the near path: `shmem_fence` relies on it.
                if update.op == Amo::Fetch && matches!(old, Old::Returned) {
                    full_fence();
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
    /// As for `update_slow`.
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
                unsafe { self.update_slow(site, what, ctx, object, pe, update, Old::Returned) }
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
