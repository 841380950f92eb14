//! Atomics, signals and waits in device memory.

use super::{Device, DeviceSlice, Operand, part};
use crate::{
    At, AtomicBits, AtomicInt, AtomicValue, Cmp, Element, Signal, SignalOp, SymSignal, Watchable, memory::same_length,
};
use core::ops::Range;
use ferrite_runtime::{Ctx, Site};

mod sealed {
    /// The word of a signal.
    pub trait Word {
        #[doc(hidden)]
        fn word(self) -> *mut u64;
    }
}
use sealed::Word;

/// The place of a signal: `(&words, at)` in device memory, or one of host memory ([`SymSignal`], or [`At`] in a slice of signals).
pub trait SignalPlace: Word {}

impl Word for (&DeviceSlice<'_, u64>, usize) {
    #[track_caller]
    fn word(self) -> *mut u64 {
        self.0.word(self.1)
    }
}
impl SignalPlace for (&DeviceSlice<'_, u64>, usize) {}

impl Word for At<'_, Signal> {
    fn word(self) -> *mut u64 {
        self.at.cast()
    }
}
impl SignalPlace for At<'_, Signal> {}

impl Word for &SymSignal {
    fn word(self) -> *mut u64 {
        self.place().at.cast()
    }
}
impl SignalPlace for &SymSignal {}

impl Device<'_> {
    /// Copy `from` to the elements `range` of `to` at `pe`, then update the signal there. A PE that sees the new signal sees the data.
    ///
    /// # Panics
    /// If the lengths differ, or there are no such elements.
    #[track_caller]
    pub fn put_signal<T: Element>(
        &self,
        to: &DeviceSlice<'_, T>,
        range: Range<usize>,
        from: &[T],
        signal: impl SignalPlace,
        op: SignalOp,
        pe: u32,
    ) {
        static SITE: Site = Site::of_rust("Device::put_signal");
        same_length(range.len(), from.len());
        let (dest, source) = (part(to, &range), from.as_ptr().cast());
        let (word, (value, op)) = (signal.word(), op.parts());
        let rt = &self.world.inner().rt;
        // SAFETY: both sides have the same length, and each is within a block or borrowed; so is the signal.
        unsafe { rt.put_signal(&SITE, Ctx::DEFAULT, dest, source, from.len(), word, value, op, pe as i32) }
    }

    /// Copy the elements `from_range` of this PE's `from` to the elements `range` of `to` at `pe`, then update the signal there. Each of the
    /// two is device or host memory.
    ///
    /// # Panics
    /// As for [`copy`](Device::copy).
    ///
    /// ```
    /// use ferrite::prelude::*;
    /// ferrite::local(2, |world| {
    ///     let Some(device) = world.device() else { return };
    ///     let (sent, got) = (device.alloc::<f32>(1000).unwrap(), device.alloc::<f32>(1000).unwrap());
    ///     // The data go from GPU to GPU, the signal to the host.
    ///     let signal = world.alloc_signal().unwrap();
    ///     device.copy_signal(&got, 0..1000, &sent, 0..1000, &signal, SignalOp::Set(1), 1 - world.my_pe());
    ///     world.wait_until(&signal, Cmp::Eq(1));
    /// });
    /// ```
    #[track_caller]
    pub fn copy_signal<T: Element>(
        &self,
        to: &impl Operand<T>,
        range: Range<usize>,
        from: &impl Operand<T>,
        from_range: Range<usize>,
        signal: impl SignalPlace,
        op: SignalOp,
        pe: u32,
    ) {
        static SITE: Site = Site::of_rust("Device::copy_signal");
        let (dest, source) = self.two_sides((to, &range), (from, &from_range), pe);
        let (word, (value, op)) = (signal.word(), op.parts());
        let rt = &self.world.inner().rt;
        // SAFETY: as for `copy`; the signal is a word of a block.
        unsafe { rt.put_signal(&SITE, Ctx::DEFAULT, dest, source, range.len(), word, value, op, pe as i32) }
    }

    /// Wait until this PE's word `at` satisfies the comparison, and return the value that did.
    ///
    /// # Panics
    /// If there is no such word.
    #[track_caller]
    pub fn wait_until<T: Watchable>(&self, words: &DeviceSlice<'_, T>, at: usize, wanted: Cmp<T>) -> T {
        static SITE: Site = Site::of_rust("Device::wait_until");
        let (cmp, value) = wanted.parts();
        // SAFETY: a word within a block.
        unsafe { self.world.inner().rt.wait_until_seen(&SITE, words.word(at).cast_const(), cmp, value) }
    }

    /// Whether this PE's word `at` satisfies the comparison now.
    ///
    /// # Panics
    /// If there is no such word.
    #[track_caller]
    pub fn test<T: Watchable>(&self, words: &DeviceSlice<'_, T>, at: usize, wanted: Cmp<T>) -> bool {
        static SITE: Site = Site::of_rust("Device::test");
        let (cmp, value) = wanted.parts();
        // SAFETY: a word within a block.
        unsafe { self.world.inner().rt.test(&SITE, words.word(at).cast_const(), cmp, value) == 1 }
    }
}

macro_rules! atomics {
    ($($bound:ident: $(#[$doc:meta])* fn $name:ident($($value:ident),*) $(-> $T:ident)? = $routine:ident;)*) => {
        impl Device<'_> { $(
            $(#[$doc])*
            ///
            /// Atomic among the operations of hosts, not with respect to kernels.
            ///
            /// # Panics
            /// If there is no such word.
            #[track_caller]
            pub fn $name<T: $bound>(&self, words: &DeviceSlice<'_, T>, at: usize $(, $value: T)*, pe: u32) $(-> $T)? {
                static SITE: Site = Site::of_rust(concat!("Device::", stringify!($name)));
                // SAFETY: a word within a block that exists on every PE.
                unsafe { self.world.inner().rt.$routine(&SITE, Ctx::DEFAULT, words.word(at) $(, $value)*, pe as i32) }
            }
        )* }
    };
}

atomics! {
    AtomicValue:
    /// The word `at` at `pe`.
    fn fetch() -> T = atomic_fetch;
    AtomicValue:
    /// Set the word `at` at `pe`.
    fn set(value) = atomic_set;
    AtomicValue:
    /// Set the word `at` at `pe`, and return its previous value.
    fn swap(value) -> T = atomic_swap;
    AtomicInt:
    /// Set the word `at` at `pe` if it is `expected`, and return its previous value in either case.
    fn compare_swap(expected, value) -> T = atomic_compare_swap;
    AtomicInt:
    /// Add to the word `at` at `pe`, wrapping, and return its previous value.
    fn fetch_add(value) -> T = atomic_fetch_add;
    AtomicInt:
    /// Add to the word `at` at `pe`, wrapping.
    fn add(value) = atomic_add;
    AtomicBits:
    /// Clear the bits of the word `at` at `pe` that are not set in `value`, and return its previous value.
    fn fetch_and(value) -> T = atomic_fetch_and;
    AtomicBits:
    /// Clear the bits of the word `at` at `pe` that are not set in `value`.
    fn and(value) = atomic_and;
    AtomicBits:
    /// Set the bits of `value` in the word `at` at `pe`, and return its previous value.
    fn fetch_or(value) -> T = atomic_fetch_or;
    AtomicBits:
    /// Set the bits of `value` in the word `at` at `pe`.
    fn or(value) = atomic_or;
    AtomicBits:
    /// Invert the bits of `value` in the word `at` at `pe`, and return its previous value.
    fn fetch_xor(value) -> T = atomic_fetch_xor;
    AtomicBits:
    /// Invert the bits of `value` in the word `at` at `pe`.
    fn xor(value) = atomic_xor;
}
