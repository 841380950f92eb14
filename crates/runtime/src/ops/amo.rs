//! Atomics.
//!
//! An atomic on a mapped PE is an instruction of this processor on the peer's word. An atomic on another PE is executed by the target's
//! processor, or by a NIC. If a NIC executes them, it executes those on mapped PEs as well: then the guard of words is shut
//! (`World::words`). So all types, teams, contexts and transports share one domain of atomicity.
//!
//! # Memory orders
//!
//! Fetching atomics are acquire-release: a program that takes something with one (a lock built of compare-and-swap, a ticket) goes on to
//! read the data that the former owner published, and the standard gives it no other way to order that. The non-fetching ones and set
//! promise nothing beyond their word and are relaxed; a program that publishes with them calls fence or quiet before. On x86-64 every
//! read-modify-write is a full barrier. A plain fetch is not: see `order.rs`.

use crate::{
    Bits, Ctx, Site, Word, World,
    far::{Cell, Old, Update},
    ops::order::full_fence,
};
use core::{
    ffi::c_int,
    mem::size_of,
    sync::atomic::Ordering::{AcqRel, Acquire, Relaxed},
};
use ferrite_fabric::Amo;

/// An atomic operation in two forms: the update as a value, for a word anywhere, and as an instruction of this processor, for a mapped
/// word.
macro_rules! update {
    ($op:ident $value:expr, |$cell:ident| $near:expr) => {
        (Update::new(Amo::$op, $value), |$cell: &Cell<T>| $near)
    };
}

macro_rules! fetching {
    ($($(#[$doc:meta])* fn $name:ident, fn $nbi:ident, fn $plain:ident = $bits:ident, $op:ident;)*) => { $(
        $(#[$doc])*
        ///
        /// # Safety
        /// `dest` is a `T` at `pe`.
        #[inline(always)]
        pub unsafe fn $name<T: Word>(&self, site: &'static Site, ctx: Ctx, dest: *mut T, value: T, pe: c_int) -> T {
            // SAFETY: passed on.
            unsafe { self.fetched(site, "dest", ctx, dest, pe, update!($op value.bits(), |cell| T::Bits::$bits(cell, value.bits(), AcqRel))) }
        }

        /// The same without waiting: `*fetch` holds the old value after [`World::quiet`].
        ///
        /// # Safety
        /// `dest` is a `T` at `pe`, and `fetch` is valid for a write until `quiet`.
        #[inline(always)]
        pub unsafe fn $nbi<T: Word>(&self, site: &'static Site, ctx: Ctx, fetch: *mut T, dest: *mut T, value: T, pe: c_int) {
            // SAFETY: passed on.
            unsafe { self.stored(site, ctx, fetch, "dest", dest, pe, update!($op value.bits(), |cell| T::Bits::$bits(cell, value.bits(), AcqRel))) }
        }

        /// The same without the old value.
        ///
        /// # Safety
        /// `dest` is a `T` at `pe`.
        #[inline(always)]
        pub unsafe fn $plain<T: Word>(&self, site: &'static Site, ctx: Ctx, dest: *mut T, value: T, pe: c_int) {
            // SAFETY: passed on.
            unsafe { self.updated(site, "dest", ctx, dest, pe, update!($op value.bits(), |cell| { T::Bits::$bits(cell, value.bits(), Relaxed); })) }
        }
    )* };
}

impl World {
    /// The word at `pe`, if it is mapped and aligned.
    ///
    /// # Safety
    /// `object` is a `T` at `pe`.
    #[inline(always)]
    pub(super) unsafe fn cell<'a, T: Word>(&self, ctx: Ctx, object: *const T, pe: c_int) -> Option<&'a Cell<T>> {
        let address = object as usize;
        match self.words.object(address, self.route(ctx, pe)) {
            // SAFETY: the guard found the object, and the peer's segments are as aligned as ours. Any other access to the word at the same
            // time is an atomic, or a race that the standard leaves undefined.
            Some(at) if address.is_multiple_of(size_of::<T>()) => Some(unsafe { T::Bits::cell(at) }),
            _ => None,
        }
    }

    /// Update the word at `pe`. Returns the old value.
    ///
    /// # Safety
    /// `object` is a `T` at `pe`.
    #[inline(always)]
    pub(crate) unsafe fn fetched<T: Word>(
        &self,
        site: &'static Site,
        what: &'static str,
        ctx: Ctx,
        object: *const T,
        pe: c_int,
        (update, near): (Update<T::Bits>, impl FnOnce(&Cell<T>) -> T::Bits),
    ) -> T {
        // SAFETY: passed on.
        T::from_bits(match unsafe { self.cell(ctx, object, pe) } {
            Some(cell) => near(cell),
            // SAFETY: passed on.
            None => unsafe { self.update_refused(site, what, ctx, object, pe, update, Old::Returned) },
        })
    }

    /// Update the word at `pe`; the old value is in `*fetch` after quiet.
    ///
    /// # Safety
    /// `object` is a `T` at `pe`, and `fetch` is valid for a write until `quiet`.
    #[inline(always)]
    unsafe fn stored<T: Word>(
        &self,
        site: &'static Site,
        ctx: Ctx,
        fetch: *mut T,
        what: &'static str,
        object: *const T,
        pe: c_int,
        (update, near): (Update<T::Bits>, impl FnOnce(&Cell<T>) -> T::Bits),
    ) {
        // SAFETY: passed on.
        unsafe {
            match self.cell(ctx, object, pe) {
                Some(cell) => fetch.write(T::from_bits(near(cell))),
                None => {
                    self.update_refused(site, what, ctx, object, pe, update, Old::Stored(fetch));
                }
            }
        }
    }

    /// Update the word at `pe`.
    ///
    /// # Safety
    /// `object` is a `T` at `pe`.
    #[inline(always)]
    pub(crate) unsafe fn updated<T: Word>(
        &self,
        site: &'static Site,
        what: &'static str,
        ctx: Ctx,
        object: *const T,
        pe: c_int,
        (update, near): (Update<T::Bits>, impl FnOnce(&Cell<T>)),
    ) {
        // SAFETY: passed on.
        match unsafe { self.cell(ctx, object, pe) } {
            Some(cell) => near(cell),
            None => {
                // SAFETY: passed on.
                unsafe { self.update_refused(site, what, ctx, object, pe, update, Old::Ignored) };
            }
        }
    }

    /// Fetch the value.
    ///
    /// # Safety
    /// `source` is a `T` at `pe`.
    #[inline(always)]
    pub unsafe fn atomic_fetch<T: Word>(&self, site: &'static Site, ctx: Ctx, source: *const T, pe: c_int) -> T {
        // SAFETY: passed on.
        unsafe {
            self.fetched(
                site,
                "source",
                ctx,
                source,
                pe,
                update!(Fetch T::Bits::ONE, |cell| {
                    full_fence();
                    T::Bits::load(cell, Acquire)
                }),
            )
        }
    }

    /// Fetch the value, into `*fetch` after [`World::quiet`].
    ///
    /// # Safety
    /// `source` is a `T` at `pe`, and `fetch` is valid for a write until `quiet`.
    #[inline(always)]
    pub unsafe fn atomic_fetch_nbi<T: Word>(
        &self,
        site: &'static Site,
        ctx: Ctx,
        fetch: *mut T,
        source: *const T,
        pe: c_int,
    ) {
        // SAFETY: passed on.
        unsafe {
            self.stored(
                site,
                ctx,
                fetch,
                "source",
                source,
                pe,
                update!(Fetch T::Bits::ONE, |cell| T::Bits::load(cell, Acquire)),
            )
        }
    }

    /// Overwrite.
    ///
    /// # Safety
    /// `dest` is a `T` at `pe`.
    #[inline(always)]
    pub unsafe fn atomic_set<T: Word>(&self, site: &'static Site, ctx: Ctx, dest: *mut T, value: T, pe: c_int) {
        // SAFETY: passed on.
        unsafe {
            self.updated(
                site,
                "dest",
                ctx,
                dest,
                pe,
                update!(Set value.bits(), |cell| T::Bits::store(cell, value.bits(), Relaxed)),
            )
        }
    }

    /// Overwrite. Returns the old value.
    ///
    /// # Safety
    /// `dest` is a `T` at `pe`.
    #[inline(always)]
    pub unsafe fn atomic_swap<T: Word>(&self, site: &'static Site, ctx: Ctx, dest: *mut T, value: T, pe: c_int) -> T {
        // SAFETY: passed on.
        unsafe {
            self.fetched(
                site,
                "dest",
                ctx,
                dest,
                pe,
                update!(Swap value.bits(), |cell| T::Bits::swap(cell, value.bits(), AcqRel)),
            )
        }
    }

    /// Overwrite; the old value is in `*fetch` after [`World::quiet`].
    ///
    /// # Safety
    /// `dest` is a `T` at `pe`, and `fetch` is valid for a write until `quiet`.
    #[inline(always)]
    pub unsafe fn atomic_swap_nbi<T: Word>(
        &self,
        site: &'static Site,
        ctx: Ctx,
        fetch: *mut T,
        dest: *mut T,
        value: T,
        pe: c_int,
    ) {
        // SAFETY: passed on.
        unsafe {
            self.stored(
                site,
                ctx,
                fetch,
                "dest",
                dest,
                pe,
                update!(Swap value.bits(), |cell| T::Bits::swap(cell, value.bits(), AcqRel)),
            )
        }
    }

    /// Overwrite if the word equals `cond`. Returns the old value either way.
    ///
    /// # Safety
    /// `dest` is a `T` at `pe`.
    #[inline(always)]
    pub unsafe fn atomic_compare_swap<T: Word>(
        &self,
        site: &'static Site,
        ctx: Ctx,
        dest: *mut T,
        cond: T,
        value: T,
        pe: c_int,
    ) -> T {
        let update = Update { op: Amo::CompareSwap, operand: value.bits(), compare: cond.bits() };
        let near = |cell: &Cell<T>| T::Bits::compare_swap(cell, cond.bits(), value.bits());
        // SAFETY: passed on.
        unsafe { self.fetched(site, "dest", ctx, dest, pe, (update, near)) }
    }

    /// As [`World::atomic_compare_swap`]; the old value is in `*fetch` after [`World::quiet`].
    ///
    /// # Safety
    /// `dest` is a `T` at `pe`, and `fetch` is valid for a write until `quiet`.
    #[inline(always)]
    pub unsafe fn atomic_compare_swap_nbi<T: Word>(
        &self,
        site: &'static Site,
        ctx: Ctx,
        fetch: *mut T,
        dest: *mut T,
        cond: T,
        value: T,
        pe: c_int,
    ) {
        let update = Update { op: Amo::CompareSwap, operand: value.bits(), compare: cond.bits() };
        let near = |cell: &Cell<T>| T::Bits::compare_swap(cell, cond.bits(), value.bits());
        // SAFETY: passed on.
        unsafe { self.stored(site, ctx, fetch, "dest", dest, pe, (update, near)) }
    }

    /// Add one. Returns the old value.
    ///
    /// # Safety
    /// `dest` is a `T` at `pe`.
    #[inline(always)]
    pub unsafe fn atomic_fetch_inc<T: Word>(&self, site: &'static Site, ctx: Ctx, dest: *mut T, pe: c_int) -> T {
        // SAFETY: passed on.
        unsafe {
            self.fetched(
                site,
                "dest",
                ctx,
                dest,
                pe,
                update!(Add T::Bits::ONE, |cell| T::Bits::fetch_add(cell, T::Bits::ONE, AcqRel)),
            )
        }
    }

    /// Add one; the old value is in `*fetch` after [`World::quiet`].
    ///
    /// # Safety
    /// `dest` is a `T` at `pe`, and `fetch` is valid for a write until `quiet`.
    #[inline(always)]
    pub unsafe fn atomic_fetch_inc_nbi<T: Word>(
        &self,
        site: &'static Site,
        ctx: Ctx,
        fetch: *mut T,
        dest: *mut T,
        pe: c_int,
    ) {
        // SAFETY: passed on.
        unsafe {
            self.stored(
                site,
                ctx,
                fetch,
                "dest",
                dest,
                pe,
                update!(Add T::Bits::ONE, |cell| T::Bits::fetch_add(cell, T::Bits::ONE, AcqRel)),
            )
        }
    }

    /// Add one.
    ///
    /// # Safety
    /// `dest` is a `T` at `pe`.
    #[inline(always)]
    pub unsafe fn atomic_inc<T: Word>(&self, site: &'static Site, ctx: Ctx, dest: *mut T, pe: c_int) {
        // SAFETY: passed on.
        unsafe {
            self.updated(
                site,
                "dest",
                ctx,
                dest,
                pe,
                update!(Add T::Bits::ONE, |cell| { T::Bits::fetch_add(cell, T::Bits::ONE, Relaxed); }),
            )
        }
    }

    fetching! {
        /// Add, wrapping. Returns the old value. Integers only: the bits are added.
        fn atomic_fetch_add, fn atomic_fetch_add_nbi, fn atomic_add = fetch_add, Add;
        /// Bitwise and. Returns the old value.
        fn atomic_fetch_and, fn atomic_fetch_and_nbi, fn atomic_and = fetch_and, And;
        /// Bitwise or. Returns the old value.
        fn atomic_fetch_or, fn atomic_fetch_or_nbi, fn atomic_or = fetch_or, Or;
        /// Bitwise exclusive or. Returns the old value.
        fn atomic_fetch_xor, fn atomic_fetch_xor_nbi, fn atomic_xor = fetch_xor, Xor;
    }
}
