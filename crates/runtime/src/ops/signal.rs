//! Puts with a signal, and the routines of signals.
//!
//! A signal is ordered after the data of its own put, and after nothing else: the data are stored, then the signal word is updated
//! with release. A reader of the word with acquire (`signal_fetch`, the waiting routines) sees the data.

use crate::{
    Bits, Ctx, Elem, Site, World,
    border::at_cold_border,
    far::{Back, PeerAddress, SIGNAL, SignalUpdate, Update},
    observe::{Call, Kind, Layout, Operation, SignalWord},
    ops::order::full_fence,
};
use core::{
    ffi::c_int,
    sync::atomic::Ordering::{Acquire, Relaxed, Release},
};
use ferrite_abi::constants::{SHMEM_SIGNAL_ADD, SHMEM_SIGNAL_SET};
use ferrite_copy::{copy, copy_elements};
use ferrite_fabric::{Amo, SignalOp};

/// A put with its signal, in bytes.
#[derive(Clone, Copy)]
struct Announced {
    dest: *mut u8,
    source: *const u8,
    len: usize,
    sig_addr: *mut u64,
    signal: u64,
    sig_op: c_int,
}

impl World {
    /// Put, then update the signal at `pe`.
    ///
    /// # Safety
    /// As for `put`, and `sig_addr` is a signal at `pe`.
    #[inline(always)]
    pub unsafe fn put_signal<T: Elem>(
        &self,
        site: &'static Site,
        ctx: Ctx,
        dest: *mut T,
        source: *const T,
        nelems: usize,
        sig_addr: *mut u64,
        signal: u64,
        sig_op: c_int,
        pe: c_int,
    ) {
        let len = nelems.saturating_mul(size_of::<T>());
        let put = Announced { dest: dest.cast(), source: source.cast(), len, sig_addr, signal, sig_op };
        // SAFETY: passed on.
        unsafe { self.put_announced(site, ctx, put, pe, Back::Now) }
    }

    /// As [`World::put_signal`]; `source` may be reused after [`World::quiet`].
    ///
    /// # Safety
    /// As for `put_signal`, and the memory stays valid until `quiet`.
    #[inline(always)]
    pub unsafe fn put_signal_nbi<T: Elem>(
        &self,
        site: &'static Site,
        ctx: Ctx,
        dest: *mut T,
        source: *const T,
        nelems: usize,
        sig_addr: *mut u64,
        signal: u64,
        sig_op: c_int,
        pe: c_int,
    ) {
        let len = nelems.saturating_mul(size_of::<T>());
        let put = Announced { dest: dest.cast(), source: source.cast(), len, sig_addr, signal, sig_op };
        // SAFETY: passed on.
        unsafe { self.put_announced(site, ctx, put, pe, Back::Later) }
    }

    /// # Safety
    /// As for `put_signal` or `put_signal_nbi`.
    #[inline(always)]
    unsafe fn put_announced(&self, site: &'static Site, ctx: Ctx, put: Announced, pe: c_int, back: Back) {
        let at = self.route(ctx, pe);
        let places = (self.near.range(put.dest as usize, put.len, at), self.words.object(put.sig_addr as usize, at));
        let op = signal_op(put.sig_op);
        match (places, op) {
            ((Some(to), Some(word)), Some(op)) if word.addr().is_multiple_of(align_of::<u64>()) => {
                // SAFETY: the guard found both at the peer; the source is the caller's promise.
                unsafe {
                    copy_elements::<u8>(to, put.source, put.len);
                    raise(u64::cell(word), op, put.signal);
                }
            }
            // SAFETY: passed on.
            _ => unsafe { self.put_announced_refused(site, ctx, put, pe, back) },
        }
    }

    /// # Safety
    /// As for `put_announced`.
    #[cold]
    #[inline(never)]
    unsafe fn put_announced_refused(&self, site: &'static Site, ctx: Ctx, put: Announced, pe: c_int, back: Back) {
        // SAFETY: passed on.
        at_cold_border(site, || unsafe { self.put_announced_slow(site, ctx, put, pe, back) }, ());
    }

    /// # Safety
    /// As for `put_announced`.
    #[inline(always)]
    unsafe fn put_announced_slow(&self, site: &'static Site, ctx: Ctx, put: Announced, pe: c_int, back: Back) {
        let Announced { dest, source, len, sig_addr, signal: value, sig_op } = put;
        self.note_call_to(site, ctx, pe, len);
        let observed = self.observe(|_| Call {
            local: source as usize,
            remote: dest as usize,
            layout: Layout::contiguous(len),
            answer: back.into(),
            signal: Some(SignalWord { address: sig_addr as usize, value, op: sig_op }),
            ..Call::to(self, site, Kind::PutSignal, ctx, pe)
        });
        if self.device_takes_part(site, &put) {
            // SAFETY: passed on.
            return unsafe { self.put_announced_by_device(site, ctx, put, pe) };
        }
        let to = self.find_peer_address(site, "dest", dest as usize, len, ctx, pe);
        let word = self.find_peer_address(site, "sig_addr", sig_addr as usize, size_of::<u64>(), ctx, pe);
        let op = self.check_signal(site, sig_addr, sig_op);
        if let (None | Some(PeerAddress::Near(_)), Some(PeerAddress::Near(word))) = (to, word)
            && let Some(delays) = self.delays(&observed).filter(|_| !self.require_live(site).nic_atomics())
        {
            let to = to.and_then(|to| if let PeerAddress::Near(to) = to { Some(to) } else { None });
            // SAFETY: found by the slow search, and aligned.
            let raise = Box::new(move || raise(unsafe { u64::cell(word) }, op, value));
            let put = Operation::PutSignal { to, source, len, later: back == Back::Later, raise };
            // SAFETY: found by the slow search; the source is the caller's promise.
            return unsafe { delays.post(self.ctx_and_world_pe(site, ctx, pe), put) };
        }
        // SAFETY: found by the slow search; the source is the caller's promise.
        unsafe {
            match (to, word) {
                (to, Some(PeerAddress::Near(_))) => {
                    if let Some(PeerAddress::Near(to)) = to {
                        copy(to, source, len);
                        // Order the data before the signal, which the processor or a NIC updates.
                        full_fence();
                    }
                    self.raise_alone(site, ctx, sig_addr, op, value, pe);
                }
                (Some(PeerAddress::Far(to)), Some(PeerAddress::Far(at))) => {
                    let (live, far, stream) = self.far_stream(site, ctx);
                    live.put_signal_far(far, stream, to, source, len, SignalUpdate { at, op, value }, back);
                }
                _ => self.raise_alone(site, ctx, sig_addr, op, value, pe),
            }
        }
    }

    /// Update the signal, without data.
    ///
    /// # Safety
    /// `sig_addr` is a signal at `pe`.
    unsafe fn raise_alone(
        &self,
        site: &'static Site,
        ctx: Ctx,
        sig_addr: *mut u64,
        op: SignalOp,
        value: u64,
        pe: c_int,
    ) {
        // SAFETY: passed on.
        unsafe {
            match op {
                SignalOp::Set => self.signal_set(site, ctx, sig_addr, value, pe),
                SignalOp::Add => self.signal_add(site, ctx, sig_addr, value, pe),
            }
        }
    }

    /// Add to the signal at `pe`.
    ///
    /// # Safety
    /// `sig_addr` is a signal at `pe`.
    #[inline(always)]
    pub unsafe fn signal_add(&self, site: &'static Site, ctx: Ctx, sig_addr: *mut u64, signal: u64, pe: c_int) {
        let near = |cell: &_| {
            u64::fetch_add(cell, signal, Relaxed);
        };
        // SAFETY: passed on.
        unsafe { self.updated(site, SIGNAL, ctx, sig_addr, pe, (Update::new(Amo::Add, signal), near)) }
    }

    /// Overwrite the signal at `pe`.
    ///
    /// # Safety
    /// `sig_addr` is a signal at `pe`.
    #[inline(always)]
    pub unsafe fn signal_set(&self, site: &'static Site, ctx: Ctx, sig_addr: *mut u64, signal: u64, pe: c_int) {
        let near = |cell: &_| u64::store(cell, signal, Relaxed);
        // SAFETY: passed on.
        unsafe { self.updated(site, SIGNAL, ctx, sig_addr, pe, (Update::new(Amo::Set, signal), near)) }
    }

    /// The value of this PE's own signal.
    ///
    /// # Safety
    /// `sig_addr` is a signal here.
    #[inline(always)]
    pub unsafe fn signal_fetch(&self, site: &'static Site, sig_addr: *const u64) -> u64 {
        if self.is_observed() {
            // SAFETY: passed on.
            return unsafe { self.signal_fetch_shown(site, sig_addr) };
        }
        // SAFETY: passed on.
        unsafe { self.signal_fetch_hidden(site, sig_addr) }
    }

    #[cold]
    #[inline(never)]
    unsafe fn signal_fetch_shown(&self, site: &'static Site, sig_addr: *const u64) -> u64 {
        let observed = self.observe(|live| Call {
            remote: sig_addr as usize,
            layout: Layout::contiguous(size_of::<u64>()),
            pe: live.me as c_int,
            ..Call::of(site, Kind::Test)
        });
        let value = match self.words_on_device(site, "sig_addr", sig_addr as usize, size_of::<u64>()) {
            Some(room) => {
                self.check_word(site, "sig_addr", sig_addr as usize, align_of::<u64>());
                self.load_on_device(site, room, sig_addr)
            }
            // SAFETY: passed on.
            None => unsafe { self.signal_fetch_hidden(site, sig_addr) },
        };
        observed.gives(value as usize);
        value
    }

    #[inline(always)]
    unsafe fn signal_fetch_hidden(&self, site: &'static Site, sig_addr: *const u64) -> u64 {
        self.check_word(site, "sig_addr", sig_addr as usize, align_of::<u64>());
        self.require_symmetric(site, "sig_addr", sig_addr as usize, size_of::<u64>());
        // SAFETY: the caller's promise, and aligned.
        let value = u64::load(unsafe { u64::cell(sig_addr.cast_mut().cast()) }, Acquire);
        self.require_live(site).saw_signal(sig_addr as usize, value);
        value
    }

    /// Refuse a signal that is not aligned, and an unknown operation.
    fn check_signal(&self, site: &'static Site, sig_addr: *const u64, sig_op: c_int) -> SignalOp {
        if !sig_addr.is_aligned() {
            self.unaligned(site, "sig_addr", sig_addr as usize, size_of::<u64>());
        }
        signal_op(sig_op).unwrap_or_else(|| self.bad_signal_op(site, sig_op))
    }

    /// Whether the data or the signal of a put are in device memory.
    fn device_takes_part(&self, site: &'static Site, put: &Announced) -> bool {
        let Some(room) = self.device_room() else { return false };
        room.contains(put.dest as usize)
            || room.contains(put.sig_addr as usize)
            || put.len > 0 && self.is_device_memory(site, "source", put.source as usize, put.len)
    }

    /// Put, and update the signal once the data are at their target, whichever memory each of them is in.
    ///
    /// # Safety
    /// As for `put_announced`.
    unsafe fn put_announced_by_device(&self, site: &'static Site, ctx: Ctx, put: Announced, pe: c_int) {
        let Announced { dest, source, len, sig_addr, signal, sig_op } = put;
        self.require_pe(site, ctx, pe);
        let op = self.check_signal(site, sig_addr, sig_op);
        // SAFETY: passed on.
        unsafe {
            if len > 0 {
                self.put_bytes::<u8>(site, ctx, dest, source, len, pe, Back::Now);
                // A put into device memory is complete; one into host memory need not be.
                if !self.is_on_device(site, "dest", dest as usize, len) {
                    self.quiet(site, ctx);
                }
            }
            self.raise_alone(site, ctx, sig_addr, op, signal, pe);
        }
    }

    #[cold]
    #[inline(never)]
    fn bad_signal_op(&self, site: &'static Site, sig_op: c_int) -> ! {
        self.misuse(
            site,
            format_args!(
                "sig_op is {sig_op}; use SHMEM_SIGNAL_SET ({SHMEM_SIGNAL_SET}) or SHMEM_SIGNAL_ADD ({SHMEM_SIGNAL_ADD})"
            ),
        )
    }
}

#[inline(always)]
fn signal_op(sig_op: c_int) -> Option<SignalOp> {
    match sig_op {
        SHMEM_SIGNAL_SET => Some(SignalOp::Set),
        SHMEM_SIGNAL_ADD => Some(SignalOp::Add),
        _ => None,
    }
}

/// Update the signal word, with release: the data come before.
#[inline(always)]
fn raise(word: &<u64 as Bits>::Atomic, op: SignalOp, value: u64) {
    match op {
        SignalOp::Set => u64::store(word, value, Release),
        SignalOp::Add => {
            u64::fetch_add(word, value, Release);
        }
    }
}
