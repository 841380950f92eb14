//! Atomics.
//!
//! On a job whose PEs are all mapped, an atomic is the processor's, on the peer's word itself: one domain for all
//! types, teams and contexts.
//!
//! # Orders
//!
//! Fetching atomics are acquire-release: a program that took something with one (a lock built of compare-and-swap,
//! a ticket) goes on to read what the former owner published, and nothing in the standard lets it say so. The
//! non-fetching ones, set and plain fetch promise nothing beyond their word and are relaxed; a program that
//! publishes with them calls fence or quiet before. Read-modify-writes on x86-64 are full barriers either way.

use crate::{Bits, Ctx, Site, Word, World};
use core::{
    ffi::c_int,
    mem::size_of,
    sync::atomic::Ordering::{AcqRel, Acquire, Relaxed},
};

/// The atomic form of a word's type.
pub(crate) type Cell<T> = <<T as Word>::Bits as Bits>::Atomic;

macro_rules! fetching {
    ($($(#[$doc:meta])* $name:ident, $nbi:ident, $plain:ident = $bits:ident;)*) => { $(
        $(#[$doc])*
        ///
        /// # Safety
        /// `dest` is a `T` at `pe`.
        #[inline(always)]
        pub unsafe fn $name<T: Word>(&self, site: &'static Site, ctx: Ctx, dest: *mut T, value: T, pe: c_int) -> T {
            // SAFETY: passed on.
            T::from_bits(T::Bits::$bits(unsafe { self.cell(site, "dest", ctx, dest, pe) }, value.bits(), AcqRel))
        }

        /// The same without waiting: `*fetch` holds the old value after [`World::quiet`].
        ///
        /// # Safety
        /// `dest` is a `T` at `pe`, and `fetch` is valid for a write until `quiet`.
        #[inline(always)]
        pub unsafe fn $nbi<T: Word>(&self, site: &'static Site, ctx: Ctx, fetch: *mut T, dest: *mut T, value: T, pe: c_int) {
            // SAFETY: passed on.
            unsafe { fetch.write(self.$name(site, ctx, dest, value, pe)) }
        }

        /// The same without the old value.
        ///
        /// # Safety
        /// `dest` is a `T` at `pe`.
        #[inline(always)]
        pub unsafe fn $plain<T: Word>(&self, site: &'static Site, ctx: Ctx, dest: *mut T, value: T, pe: c_int) {
            // SAFETY: passed on.
            T::Bits::$bits(unsafe { self.cell(site, "dest", ctx, dest, pe) }, value.bits(), Relaxed);
        }
    )* };
}

impl World {
    /// The word at `pe`.
    ///
    /// # Safety
    /// `object` is a `T` at `pe`.
    #[inline(always)]
    pub(crate) unsafe fn cell<'a, T: Word>(
        &self,
        site: &'static Site,
        what: &'static str,
        ctx: Ctx,
        object: *const T,
        pe: c_int,
    ) -> &'a Cell<T> {
        let address = object as usize;
        match self.near.object(address, self.route(ctx, pe)) {
            // SAFETY: the guard found the object, and the peer's segments are as aligned as ours. What else touches
            // the word at the same time is an atomic, or a race that the standard leaves undefined.
            Some(at) if address.is_multiple_of(size_of::<T>()) => unsafe { T::Bits::cell(at) },
            // SAFETY: passed on.
            _ => unsafe { self.cell_refused(site, what, ctx, object, pe) },
        }
    }

    #[cold]
    #[inline(never)]
    unsafe fn cell_refused<'a, T: Word>(
        &self,
        site: &'static Site,
        what: &'static str,
        ctx: Ctx,
        object: *const T,
        pe: c_int,
    ) -> &'a Cell<T> {
        let address = object as usize;
        match self.reach(site, what, address, size_of::<T>(), ctx, pe) {
            Some(_) if !address.is_multiple_of(size_of::<T>()) => self.unaligned(site, what, address, size_of::<T>()),
            // SAFETY: found by the slow search, and aligned.
            Some(at) => unsafe { T::Bits::cell(at) },
            None => unreachable!("no word has a size of 0"),
        }
    }

    /// The value.
    ///
    /// # Safety
    /// `source` is a `T` at `pe`.
    #[inline(always)]
    pub unsafe fn atomic_fetch<T: Word>(&self, site: &'static Site, ctx: Ctx, source: *const T, pe: c_int) -> T {
        // SAFETY: passed on.
        T::from_bits(T::Bits::load(unsafe { self.cell(site, "source", ctx, source, pe) }, Acquire))
    }

    /// The value, in `*fetch` after [`World::quiet`].
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
        unsafe { fetch.write(self.atomic_fetch(site, ctx, source, pe)) }
    }

    /// Overwrite.
    ///
    /// # Safety
    /// `dest` is a `T` at `pe`.
    #[inline(always)]
    pub unsafe fn atomic_set<T: Word>(&self, site: &'static Site, ctx: Ctx, dest: *mut T, value: T, pe: c_int) {
        // SAFETY: passed on.
        T::Bits::store(unsafe { self.cell(site, "dest", ctx, dest, pe) }, value.bits(), Relaxed)
    }

    /// Overwrite, giving the old value back.
    ///
    /// # Safety
    /// `dest` is a `T` at `pe`.
    #[inline(always)]
    pub unsafe fn atomic_swap<T: Word>(&self, site: &'static Site, ctx: Ctx, dest: *mut T, value: T, pe: c_int) -> T {
        // SAFETY: passed on.
        T::from_bits(T::Bits::swap(unsafe { self.cell(site, "dest", ctx, dest, pe) }, value.bits(), AcqRel))
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
        unsafe { fetch.write(self.atomic_swap(site, ctx, dest, value, pe)) }
    }

    /// Overwrite if the word equals `cond`; the old value comes back either way.
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
        // SAFETY: passed on.
        T::from_bits(T::Bits::compare_swap(
            unsafe { self.cell(site, "dest", ctx, dest, pe) },
            cond.bits(),
            value.bits(),
        ))
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
        // SAFETY: passed on.
        unsafe { fetch.write(self.atomic_compare_swap(site, ctx, dest, cond, value, pe)) }
    }

    /// Add one, giving the old value back.
    ///
    /// # Safety
    /// `dest` is a `T` at `pe`.
    #[inline(always)]
    pub unsafe fn atomic_fetch_inc<T: Word>(&self, site: &'static Site, ctx: Ctx, dest: *mut T, pe: c_int) -> T {
        // SAFETY: passed on.
        T::from_bits(T::Bits::fetch_add(unsafe { self.cell(site, "dest", ctx, dest, pe) }, T::Bits::ONE, AcqRel))
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
        unsafe { fetch.write(self.atomic_fetch_inc(site, ctx, dest, pe)) }
    }

    /// Add one.
    ///
    /// # Safety
    /// `dest` is a `T` at `pe`.
    #[inline(always)]
    pub unsafe fn atomic_inc<T: Word>(&self, site: &'static Site, ctx: Ctx, dest: *mut T, pe: c_int) {
        // SAFETY: passed on.
        T::Bits::fetch_add(unsafe { self.cell(site, "dest", ctx, dest, pe) }, T::Bits::ONE, Relaxed);
    }

    fetching! {
        /// Add, wrapping, giving the old value back. Integers only: the bits are added.
        atomic_fetch_add, atomic_fetch_add_nbi, atomic_add = fetch_add;
        /// Bitwise and, giving the old value back.
        atomic_fetch_and, atomic_fetch_and_nbi, atomic_and = fetch_and;
        /// Bitwise or, giving the old value back.
        atomic_fetch_or, atomic_fetch_or_nbi, atomic_or = fetch_or;
        /// Bitwise exclusive or, giving the old value back.
        atomic_fetch_xor, atomic_fetch_xor_nbi, atomic_xor = fetch_xor;
    }
}
