//! The near path: a guard and a copy.
//!
//! Every segment of every PE on this node is mapped into this process. To reach symmetric address `p` at PE
//! `pe`, the guard finds the PE's [`PeerWindow`], checks that `p` lies in one of this PE's two symmetric ranges, and adds the
//! distance between that range and the peer's. No provider, lock, allocation or system call is involved.
//!
//! # Who writes these fields, and when
//!
//! `start` and `stop` write a [`Near`] (one thread, before the first and after the last legal communication). Three fields also change in
//! between:
//!
//! - `PeerWindow::heap_len`: a collective allocation raises it while other threads may be communicating.
//! - `span`: an observer sets it to 0 at any time. A thread that still sees the old value takes the near path once more.
//! - `slow_ordering`: it is 1 while there are observers or aggregators. All PEs make and end aggregators together, and a thread that sends
//!   through one has its handle from the call that raised `slow_ordering`.
//!
//! All fields are atomics read with `Relaxed`: on every machine that is a plain load. No order is needed. A thread that legally uses memory
//! has the address from a call that returned after the window was raised, or from a thread that has it and has synchronised with this one.
//! So a thread that sees an old length has no address beyond it.
//!
//! # What a refusal means
//!
//! `None` sends the caller to its cold twin, which finds out why: not initialised (`span` is 0), a PE out of range or on another host, an
//! address that is not symmetric, or a length of zero. A world in which every call is observed (`observe`) keeps `span` at 0, so that
//! observation costs nothing when it is off.

use core::{
    ffi::c_int,
    ptr,
    sync::atomic::{AtomicPtr, AtomicU32, AtomicUsize, Ordering::Relaxed},
};
use ferrite_memory::{Memory, PeerWindow};

/// All fields that the guard reads: one cache line, and one window.
#[repr(C, align(64))]
pub(crate) struct Near {
    /// The first PE that has a window.
    pub first: AtomicU32,
    /// Number of PEs that have a window.
    pub span: AtomicU32,
    /// The windows of these PEs, in order.
    pub windows: AtomicPtr<PeerWindow>,
    /// Our heap's first byte.
    pub heap: AtomicUsize,
    /// Our static data's first byte.
    pub statics: AtomicUsize,
    /// Not 0 if fence, quiet and collectives must take their slow path, because the processor's own memory order does not suffice: before
    /// init, with PEs on other hosts, with aggregators or observers.
    pub slow_ordering: AtomicU32,
}

impl Near {
    /// The state of a world that has not been started: everything is refused.
    pub const fn closed() -> Near {
        Near {
            first: AtomicU32::new(0),
            span: AtomicU32::new(0),
            windows: AtomicPtr::new(ptr::null_mut()),
            heap: AtomicUsize::new(0),
            statics: AtomicUsize::new(0),
            slow_ordering: AtomicU32::new(1),
        }
    }

    /// Open the guard for the mapped memory.
    pub fn open(&self, memory: &Memory, slow_ordering: bool) {
        self.heap.store(memory.heap_base(), Relaxed);
        self.statics.store(memory.statics_range().map_or(0, |(base, _)| base), Relaxed);
        self.first.store(memory.local[0], Relaxed);
        self.windows.store(memory.windows.as_ptr().cast_mut(), Relaxed);
        self.set_slow_ordering(slow_ordering);
        self.span.store(memory.windows.len() as u32, Relaxed);
    }

    /// Close the guard, so that it refuses every address.
    pub fn close(&self) {
        self.shut();
        self.set_slow_ordering(true);
    }

    /// Set whether fence, quiet and collectives take their slow path.
    pub fn set_slow_ordering(&self, slow: bool) {
        self.slow_ordering.store(slow.into(), Relaxed);
    }

    /// Refuse everything: the cold twins must see every call.
    pub fn shut(&self) {
        self.span.store(0, Relaxed);
    }

    /// The window of `pe`, if it has one.
    #[inline(always)]
    pub fn window(&self, pe: c_int) -> Option<&PeerWindow> {
        let index = (pe as u32).wrapping_sub(self.first.load(Relaxed));
        if index >= self.span.load(Relaxed) {
            return None;
        }
        let windows = self.windows.load(Relaxed);
        // SAFETY: `windows` points to `span` windows from the moment `span` is not 0 until it is 0 again.
        unsafe {
            core::hint::assert_unchecked(!windows.is_null());
            Some(&*windows.add(index as usize))
        }
    }

    /// Return the result of `give` for the distance from our `address` to the same object at `pe`. The object is aligned to its size of at
    /// most [`PeerWindow::GRAIN`]. Both ranges call `give`, so that the processor adds the distance where it loads it.
    #[inline(always)]
    fn find<R>(&self, address: usize, pe: c_int, give: impl Fn(isize) -> R) -> Option<R> {
        let window = self.window(pe)?;
        let offset = address.wrapping_sub(self.heap.load(Relaxed));
        if offset < window.heap_len.load(Relaxed) {
            return Some(give(window.heap.load(Relaxed)));
        }
        let offset = address.wrapping_sub(self.statics.load(Relaxed));
        if offset < window.statics_len.load(Relaxed) {
            return Some(give(window.statics.load(Relaxed)));
        }
        None
    }

    /// Distance from our `address` to the same object at `pe`.
    #[inline(always)]
    pub fn distance(&self, address: usize, pe: c_int) -> Option<isize> {
        self.find(address, pe, |distance| distance)
    }

    /// Where the object at our `address` lies at `pe`.
    #[inline(always)]
    pub fn object(&self, address: usize, pe: c_int) -> Option<*mut u8> {
        self.find(address, pe, |distance| address.wrapping_add_signed(distance) as *mut u8)
    }

    /// Where the `len` bytes at our `address` lie at `pe`. A length of 0 may be refused.
    #[inline(always)]
    pub fn range(&self, address: usize, len: usize, pe: c_int) -> Option<*mut u8> {
        let window = self.window(pe)?;
        let offset = address.wrapping_sub(self.heap.load(Relaxed));
        let limit = window.heap_len.load(Relaxed);
        if offset < limit && len <= limit - offset {
            return Some(address.wrapping_add_signed(window.heap.load(Relaxed)) as *mut u8);
        }
        let offset = address.wrapping_sub(self.statics.load(Relaxed));
        let limit = window.statics_len.load(Relaxed);
        if offset < limit && len <= limit - offset {
            return Some(address.wrapping_add_signed(window.statics.load(Relaxed)) as *mut u8);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(windows: &[PeerWindow]) -> Near {
        let near = Near::closed();
        near.first.store(4, Relaxed);
        near.heap.store(0x10000, Relaxed);
        near.statics.store(0x4000, Relaxed);
        near.windows.store(windows.as_ptr().cast_mut(), Relaxed);
        near.span.store(windows.len() as u32, Relaxed);
        near
    }

    fn window(heap: isize, heap_len: usize, statics: isize, statics_len: usize) -> PeerWindow {
        PeerWindow {
            heap: heap.into(),
            heap_len: heap_len.into(),
            statics: statics.into(),
            statics_len: statics_len.into(),
        }
    }

    #[test]
    fn a_closed_world_refuses_everything() {
        let near = Near::closed();
        assert!(near.window(0).is_none() && near.window(-1).is_none());
        assert!(near.range(0, 0, 0).is_none());
    }

    #[test]
    fn ranges_end_where_the_segment_ends() {
        let windows = [window(0, 128, 0, 64), window(0x100000, 128, -0x1000, 64)];
        let near = near(&windows);
        let cases: &[(usize, usize, c_int, Option<usize>)] = &[
            (0x10000, 128, 5, Some(0x110000)),
            (0x10000, 129, 5, None),
            (0x1007f, 1, 5, Some(0x11007f)),
            (0x10080, 1, 5, None),
            (0x0ffff, 1, 5, None),
            (0x10008, usize::MAX, 5, None),
            (0x4000, 64, 5, Some(0x3000)),
            (0x403f, 2, 5, None),
            (0x10000, 8, 4, Some(0x10000)),
            (0x10000, 8, 3, None),
            (0x10000, 8, 6, None),
            (0x10000, 8, -1, None),
        ];
        for &(address, len, pe, wanted) in cases {
            assert_eq!(near.range(address, len, pe).map(|p| p as usize), wanted, "{address:#x}+{len} at {pe}");
        }
    }
}
