//! Put and get, in every contiguous form. The typed, sized and untyped routines differ in the size of an element
//! only. On mapped memory the non-blocking forms are the blocking ones, and complete on return; over the fabric they complete
//! at quiet.

use crate::{
    Ctx, Elem, Site, World,
    border::at_cold_border,
    device::transfer::Transfer,
    far::{Back, PeerAddress},
    observe::{Call, Delays, Kind, Layout, Observed, Operation},
    ops::order::seen,
};
use core::{
    ffi::c_int,
    mem::{MaybeUninit, size_of},
};
use ferrite_copy::{copy, copy_elements};

impl World {
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
        // SAFETY: passed on.
        unsafe { self.put_bytes::<T>(site, ctx, dest.cast(), source.cast(), bytes::<T>(nelems), pe, Back::Now) }
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
        // SAFETY: passed on.
        unsafe { self.put_bytes::<T>(site, ctx, dest.cast(), source.cast(), bytes::<T>(nelems), pe, Back::Later) }
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
        // SAFETY: passed on.
        unsafe { self.get_bytes::<T>(site, ctx, dest.cast(), source.cast(), bytes::<T>(nelems), pe, Back::Now) }
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
        // SAFETY: passed on.
        unsafe { self.get_bytes::<T>(site, ctx, dest.cast(), source.cast(), bytes::<T>(nelems), pe, Back::Later) }
    }

    /// # Safety
    /// As for `put` or `put_nbi`; the bytes are elements of type `T`.
    #[inline(always)]
    pub(crate) unsafe fn put_bytes<T>(
        &self,
        site: &'static Site,
        ctx: Ctx,
        dest: *mut u8,
        source: *const u8,
        len: usize,
        pe: c_int,
        back: Back,
    ) {
        match self.near.range(dest as usize, len, self.route(ctx, pe)) {
            // SAFETY: the guard found `len` bytes of the peer's there; the source is the caller's promise.
            Some(to) => unsafe { copy_elements::<T>(to, source, len) },
            // SAFETY: passed on.
            None => unsafe { self.put_refused(site, ctx, dest, source, len, pe, back) },
        }
    }

    /// # Safety
    /// As for `get` or `get_nbi`; the bytes are elements of type `T`.
    #[inline(always)]
    unsafe fn get_bytes<T>(
        &self,
        site: &'static Site,
        ctx: Ctx,
        dest: *mut u8,
        source: *const u8,
        len: usize,
        pe: c_int,
        back: Back,
    ) {
        match self.near.range(source as usize, len, self.route(ctx, pe)) {
            // SAFETY: the guard found `len` bytes of the peer's there; the destination is the caller's promise.
            Some(from) => unsafe {
                copy_elements::<T>(dest, from, len);
                seen();
            },
            // SAFETY: passed on.
            None => unsafe { self.get_refused(site, ctx, dest, source, len, pe, back) },
        }
    }

    /// Write one element at `pe`.
    ///
    /// # Safety
    /// `dest` is an object of type `T` at `pe`.
    #[inline(always)]
    pub unsafe fn p<T: Elem>(&self, site: &'static Site, ctx: Ctx, dest: *mut T, value: T, pe: c_int) {
        match self.near.distance(dest as usize, self.route(ctx, pe)) {
            // SAFETY: the guard found the object, which may lie at any address.
            Some(distance) => unsafe { value.store_apart(dest.cast(), distance) },
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
        match self.near.distance(source as usize, self.route(ctx, pe)) {
            // SAFETY: as for `p`.
            Some(distance) => unsafe {
                let value = T::load_apart(source.cast(), distance);
                seen();
                value
            },
            // SAFETY: passed on.
            None => unsafe { self.g_refused(site, ctx, source, pe) },
        }
    }

    /// The component that holds operations back, if the call is the program's own and deliveries are to be adversarial.
    pub(crate) fn delays(&self, observed: &Observed<'_>) -> Option<&dyn Delays> {
        if !observed.is_shown() {
            return None;
        }
        self.live()?.observers.delays()
    }

    /// # Safety
    /// As for `put_bytes`.
    #[inline(never)]
    unsafe fn put_refused(
        &self,
        site: &'static Site,
        ctx: Ctx,
        dest: *mut u8,
        source: *const u8,
        len: usize,
        pe: c_int,
        back: Back,
    ) {
        // SAFETY: passed on.
        at_cold_border(site, || unsafe { self.put_slow(site, ctx, dest, source, len, pe, back) }, ());
    }

    /// # Safety
    /// As for `put_bytes`.
    #[inline(always)]
    unsafe fn put_slow(
        &self,
        site: &'static Site,
        ctx: Ctx,
        dest: *mut u8,
        source: *const u8,
        len: usize,
        pe: c_int,
        back: Back,
    ) {
        self.note_call_to(site, ctx, pe, len);
        self.must_not_be_null(site, "source", source.cast(), len);
        if let Some(path) = self.fast_path(ctx, dest as usize, len, pe) {
            // SAFETY: passed on.
            return unsafe { path.live.put_far(path.far, path.stream, path.to, source, len, back) };
        }
        let observed = self.observe(|_| Call {
            local: source as usize,
            remote: dest as usize,
            layout: Layout::contiguous(len),
            answer: back.into(),
            ..Call::to(self, site, Kind::Put, ctx, pe)
        });
        // SAFETY: passed on.
        if unsafe { self.transfer_by_device(site, ctx, Transfer::put(dest, source, pe), len) } {
            return;
        }
        match self.find_peer_address(site, "dest", dest as usize, len, ctx, pe) {
            Some(PeerAddress::Near(to)) => match self.delays(&observed) {
                // SAFETY: found by the slow search; the source is the caller's promise.
                None => unsafe { copy(to, source, len) },
                Some(delays) => {
                    let put = Operation::Put { to, source, len, later: back == Back::Later };
                    // SAFETY: as above.
                    unsafe { delays.post(self.ctx_and_world_pe(site, ctx, pe), put) }
                }
            },
            Some(PeerAddress::Far(to)) => {
                let (live, far, stream) = self.far_stream(site, ctx);
                // SAFETY: passed on.
                unsafe { live.put_far(far, stream, to, source, len, back) }
            }
            None => {}
        }
    }

    /// # Safety
    /// As for `get_bytes`.
    #[inline(never)]
    unsafe fn get_refused(
        &self,
        site: &'static Site,
        ctx: Ctx,
        dest: *mut u8,
        source: *const u8,
        len: usize,
        pe: c_int,
        back: Back,
    ) {
        // SAFETY: passed on.
        at_cold_border(site, || unsafe { self.get_slow(site, ctx, dest, source, len, pe, back) }, ());
    }

    /// # Safety
    /// As for `get_bytes`.
    #[inline(always)]
    unsafe fn get_slow(
        &self,
        site: &'static Site,
        ctx: Ctx,
        dest: *mut u8,
        source: *const u8,
        len: usize,
        pe: c_int,
        back: Back,
    ) {
        self.note_call_to(site, ctx, pe, len);
        self.must_not_be_null(site, "dest", dest.cast(), len);
        if let Some(path) = self.fast_path(ctx, source as usize, len, pe) {
            // SAFETY: passed on.
            return unsafe { path.live.get_far(path.stream, path.to, dest, len, back) };
        }
        let observed = self.observe(|_| Call {
            local: dest as usize,
            remote: source as usize,
            layout: Layout::contiguous(len),
            answer: back.into(),
            ..Call::to(self, site, Kind::Get, ctx, pe)
        });
        // SAFETY: passed on.
        if unsafe { self.transfer_by_device(site, ctx, Transfer::get(dest, source, pe), len) } {
            return;
        }
        match self.find_peer_address(site, "source", source as usize, len, ctx, pe) {
            Some(PeerAddress::Near(from)) => {
                match self.delays(&observed).filter(|_| back == Back::Later) {
                    // SAFETY: found by the slow search; the destination is the caller's promise.
                    None => unsafe { copy(dest, from, len) },
                    // SAFETY: as above.
                    Some(delays) => unsafe {
                        delays.post(self.ctx_and_world_pe(site, ctx, pe), Operation::Get { dest, from, len })
                    },
                }
                seen();
            }
            Some(PeerAddress::Far(from)) => {
                let (live, _, stream) = self.far_stream(site, ctx);
                // SAFETY: passed on.
                unsafe { live.get_far(stream, from, dest, len, back) }
            }
            None => {}
        }
    }

    #[inline(never)]
    unsafe fn p_refused<T: Elem>(&self, site: &'static Site, ctx: Ctx, dest: *mut T, value: T, pe: c_int) {
        // SAFETY: the value is here until the call returns.
        unsafe { self.put_refused(site, ctx, dest.cast(), (&raw const value).cast(), size_of::<T>(), pe, Back::Now) }
    }

    #[inline(never)]
    unsafe fn g_refused<T: Elem>(&self, site: &'static Site, ctx: Ctx, source: *const T, pe: c_int) -> T {
        // Zeros are the result after a loss.
        let mut value = MaybeUninit::<T>::zeroed();
        // SAFETY: a place for one element, of which any bits are a value.
        unsafe {
            self.get_refused(site, ctx, value.as_mut_ptr().cast(), source.cast(), size_of::<T>(), pe, Back::Now);
            value.assume_init()
        }
    }
}

/// Size of `nelems` elements. A size that does not fit the address space saturates, and is refused.
#[inline(always)]
fn bytes<T>(nelems: usize) -> usize {
    nelems.saturating_mul(size_of::<T>())
}
