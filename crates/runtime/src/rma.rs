//! Put and get, in every contiguous form. The typed, sized and untyped routines differ in the size of an element
//! only; the non-blocking ones are the blocking ones, which on mapped memory are done when they return.

use crate::{Ctx, Elem, Site, World, copy::copy};
use core::{ffi::c_int, mem::size_of};

impl World {
    /// The world's number of PE `pe` of `ctx`, as far as that takes no more than arithmetic; else -1, which the
    /// guard refuses and the cold twin resolves.
    #[inline(always)]
    pub(crate) fn route(&self, ctx: Ctx, pe: c_int) -> c_int {
        match ctx {
            Ctx::DEFAULT => pe,
            Ctx::INVALID => -1,
            created => self.context(created).map_or(-1, |context| context.route(pe)),
        }
    }

    /// Copy `nelems` elements at `source` to `dest` at `pe`; `source` may be reused on return.
    ///
    /// # Safety
    /// `source` is valid for reads of `nelems` elements, and `dest` is an object of at least as many at `pe`.
    #[inline(always)]
    pub unsafe fn put<T: Elem>(
        &self,
        site: &'static Site,
        ctx: Ctx,
        dest: *mut T,
        source: *const T,
        nelems: usize,
        pe: c_int,
    ) {
        let len = nelems.saturating_mul(size_of::<T>());
        match self.near.range(dest as usize, len, self.route(ctx, pe)) {
            // SAFETY: the guard found `len` bytes of the peer's there; the source is the caller's promise.
            Some(to) => unsafe { copy(to, source.cast(), len) },
            // SAFETY: passed on.
            None => unsafe { self.put_refused(site, ctx, dest.cast(), source.cast(), len, pe) },
        }
    }

    /// As [`World::put`]; `source` may be reused, and the data are at the target, after [`World::quiet`].
    ///
    /// # Safety
    /// As for `put`, and the memory stays valid until `quiet`.
    #[inline(always)]
    pub unsafe fn put_nbi<T: Elem>(
        &self,
        site: &'static Site,
        ctx: Ctx,
        dest: *mut T,
        source: *const T,
        nelems: usize,
        pe: c_int,
    ) {
        // SAFETY: the same contract, kept for longer.
        unsafe { self.put(site, ctx, dest, source, nelems, pe) }
    }

    /// Copy `nelems` elements at `source` at `pe` to our `dest`.
    ///
    /// # Safety
    /// `dest` is valid for writes of `nelems` elements, and `source` is an object of at least as many at `pe`.
    #[inline(always)]
    pub unsafe fn get<T: Elem>(
        &self,
        site: &'static Site,
        ctx: Ctx,
        dest: *mut T,
        source: *const T,
        nelems: usize,
        pe: c_int,
    ) {
        let len = nelems.saturating_mul(size_of::<T>());
        match self.near.range(source as usize, len, self.route(ctx, pe)) {
            // SAFETY: the guard found `len` bytes of the peer's there; the destination is the caller's promise.
            Some(from) => unsafe { copy(dest.cast(), from, len) },
            // SAFETY: passed on.
            None => unsafe { self.get_refused(site, ctx, dest.cast(), source.cast(), len, pe) },
        }
    }

    /// As [`World::get`]; `dest` holds the data after [`World::quiet`].
    ///
    /// # Safety
    /// As for `get`, and the memory stays valid until `quiet`.
    #[inline(always)]
    pub unsafe fn get_nbi<T: Elem>(
        &self,
        site: &'static Site,
        ctx: Ctx,
        dest: *mut T,
        source: *const T,
        nelems: usize,
        pe: c_int,
    ) {
        // SAFETY: the same contract, kept for longer.
        unsafe { self.get(site, ctx, dest, source, nelems, pe) }
    }

    /// Write one element at `pe`.
    ///
    /// # Safety
    /// `dest` is an object of type `T` at `pe`.
    #[inline(always)]
    pub unsafe fn p<T: Elem>(&self, site: &'static Site, ctx: Ctx, dest: *mut T, value: T, pe: c_int) {
        match self.near.object(dest as usize, self.route(ctx, pe)) {
            // SAFETY: the guard found the object, which a program may have put at any address; a plain move either way.
            Some(to) => unsafe { to.cast::<T>().write_unaligned(value) },
            // SAFETY: passed on.
            None => unsafe { self.p_refused(site, ctx, dest, value, pe) },
        }
    }

    /// Read one element at `pe`.
    ///
    /// # Safety
    /// `source` is an object of type `T` at `pe`.
    #[inline(always)]
    pub unsafe fn g<T: Elem>(&self, site: &'static Site, ctx: Ctx, source: *const T, pe: c_int) -> T {
        match self.near.object(source as usize, self.route(ctx, pe)) {
            // SAFETY: as for `p`.
            Some(from) => unsafe { from.cast::<T>().read_unaligned() },
            // SAFETY: passed on.
            None => unsafe { self.g_refused(site, ctx, source, pe) },
        }
    }

    /// Where `len` bytes at our `address` lie at `pe` of `ctx`, after the near path refused: the slow but whole
    /// search. `None` where there is nothing to do because the length is 0; misuse does not return.
    #[cold]
    #[inline(never)]
    pub(crate) fn reach(
        &self,
        site: &Site,
        what: &str,
        address: usize,
        len: usize,
        ctx: Ctx,
        pe: c_int,
    ) -> Option<*mut u8> {
        let world_pe = self.require_pe(site, ctx, pe);
        if len == 0 {
            return None;
        }
        if let Some(place) = self.near.range(address, len, world_pe) {
            return Some(place);
        }
        self.explain(site, what, address, len, ctx, pe);
        self.no_path(site, world_pe)
    }

    #[cold]
    #[inline(never)]
    unsafe fn put_refused(&self, site: &Site, ctx: Ctx, dest: *mut u8, source: *const u8, len: usize, pe: c_int) {
        if let Some(to) = self.reach(site, "dest", dest as usize, len, ctx, pe) {
            // SAFETY: as for `put`.
            unsafe { copy(to, source, len) }
        }
    }

    #[cold]
    #[inline(never)]
    unsafe fn get_refused(&self, site: &Site, ctx: Ctx, dest: *mut u8, source: *const u8, len: usize, pe: c_int) {
        if let Some(from) = self.reach(site, "source", source as usize, len, ctx, pe) {
            // SAFETY: as for `get`.
            unsafe { copy(dest, from, len) }
        }
    }

    #[cold]
    #[inline(never)]
    unsafe fn p_refused<T: Elem>(&self, site: &Site, ctx: Ctx, dest: *mut T, value: T, pe: c_int) {
        if let Some(to) = self.reach(site, "dest", dest as usize, size_of::<T>(), ctx, pe) {
            // SAFETY: as for `p`.
            unsafe { to.cast::<T>().write_unaligned(value) }
        }
    }

    #[cold]
    #[inline(never)]
    unsafe fn g_refused<T: Elem>(&self, site: &Site, ctx: Ctx, source: *const T, pe: c_int) -> T {
        match self.reach(site, "source", source as usize, size_of::<T>(), ctx, pe) {
            // SAFETY: as for `g`.
            Some(from) => unsafe { from.cast::<T>().read_unaligned() },
            None => unreachable!("no element has a size of 0"),
        }
    }
}
