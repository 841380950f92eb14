//! Waiting for values in this PE's memory, and signals.

use crate::{
    At, Ctx, Element, Kind, Place, Places,
    element::{Raw, Signal, Watched},
    memory::{SymSignal, same_length},
};
use core::ffi::c_int;
use ferrite_abi::constants::{
    SHMEM_CMP_EQ, SHMEM_CMP_GE, SHMEM_CMP_GT, SHMEM_CMP_LE, SHMEM_CMP_LT, SHMEM_CMP_NE, SHMEM_SIGNAL_ADD,
    SHMEM_SIGNAL_SET,
};
use ferrite_runtime::Site;

/// A comparison that a number is waited for or tested with.
///
/// ```
/// use ferrite::Cmp;
/// ferrite::local(1, |world| {
///     let word = world.alloc_box::<i32>().unwrap();
///     assert!(world.test(&word, Cmp::Lt(1)) && !world.test(&word, Cmp::Ne(0)));
/// });
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Cmp<T> {
    /// The number is equal to this one.
    Eq(T),
    /// The number is not equal to this one.
    Ne(T),
    /// The number is greater than this one.
    Gt(T),
    /// The number is greater than or equal to this one.
    Ge(T),
    /// The number is less than this one.
    Lt(T),
    /// The number is less than or equal to this one.
    Le(T),
}

impl<T: Copy> Cmp<T> {
    #[inline(always)]
    pub(crate) fn parts(self) -> (c_int, T) {
        match self {
            Cmp::Eq(value) => (SHMEM_CMP_EQ, value),
            Cmp::Ne(value) => (SHMEM_CMP_NE, value),
            Cmp::Gt(value) => (SHMEM_CMP_GT, value),
            Cmp::Ge(value) => (SHMEM_CMP_GE, value),
            Cmp::Lt(value) => (SHMEM_CMP_LT, value),
            Cmp::Le(value) => (SHMEM_CMP_LE, value),
        }
    }
}

/// How an operation updates a signal.
///
/// ```
/// use ferrite::{Cmp, SignalOp};
/// ferrite::local(2, |world| {
///     let signal = world.alloc_signal().unwrap();
///     world.signal_op(&signal, SignalOp::Add(1), 0);
///     if world.my_pe() == 0 {
///         assert_eq!(world.wait_until(&signal, Cmp::Ge(2)), 2);
///     }
/// });
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SignalOp {
    /// Set the signal to this number.
    Set(u64),
    /// Add this number to the signal.
    Add(u64),
}

impl SignalOp {
    #[inline(always)]
    pub(crate) fn parts(self) -> (u64, c_int) {
        match self {
            SignalOp::Set(value) => (value, SHMEM_SIGNAL_SET),
            SignalOp::Add(value) => (value, SHMEM_SIGNAL_ADD),
        }
    }
}

impl SymSignal {
    /// The current value of this PE's signal. Data that was put with this value of the signal is visible after this call.
    ///
    /// ```
    /// ferrite::local(2, |world| assert_eq!(world.alloc_signal().unwrap().fetch(), 0));
    /// ```
    pub fn fetch(&self) -> u64 {
        self.place().fetch()
    }
}

impl At<'_, Signal> {
    /// The current value of this PE's signal. Data that was put with this value of the signal is visible after this call.
    ///
    /// ```
    /// ferrite::local(2, |world| assert_eq!(world.alloc_signals(2).unwrap().at(1).fetch(), 0));
    /// ```
    pub fn fetch(self) -> u64 {
        // SAFETY: a place within a block that its handle keeps.
        let value = unsafe { ferrite_copy::load::<u64>(self.at.cast()) };
        core::sync::atomic::fence(core::sync::atomic::Ordering::Acquire);
        value
    }
}

operations! {
    /// Copy `from` to `pe`, then update the signal there. A PE that sees the new signal sees the data.
    ///
    /// # Panics
    /// If the lengths differ.
    ///
    /// ```
    /// use ferrite::{Cmp, SignalOp};
    /// ferrite::local(2, |world| {
    ///     let (words, signal) = (world.alloc::<u32>(2).unwrap(), world.alloc_signal().unwrap());
    ///     world.put_signal(&words, &[1, 2], &signal, SignalOp::Add(1), 1 - world.my_pe());
    ///     world.wait_until(&signal, Cmp::Eq(1));
    ///     assert_eq!(words.to_vec(), [1, 2]);
    /// });
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn put_signal<'a, 'b, T: Element>(
        &self,
        to: impl Places<'a, T>,
        from: &[T],
        signal: impl Place<'b, Signal>,
        op: SignalOp,
        pe: u32,
    ) {
        static SITE: Site = Site::of_rust("Ctx::put_signal");
        let to = to.into_span();
        same_length(to.len(), from.len());
        let (dest, source) = (to.as_ptr().cast::<Raw<T>>(), from.as_ptr().cast());
        let (word, (value, op)) = (signal.into_at().at.cast::<u64>(), op.parts());
        // SAFETY: both sides have the same length, and each is within a block or borrowed; `word` is a signal.
        unsafe { self.inner.rt.put_signal(&SITE, self.handle(), dest, source, from.len(), word, value, op, pe as i32) }
    }

    /// Update a signal at `pe`, without data.
    ///
    /// ```
    /// use ferrite::{Cmp, SignalOp};
    /// ferrite::local(2, |world| {
    ///     let signal = world.alloc_signal().unwrap();
    ///     world.signal_op(&signal, SignalOp::Set(3), 1 - world.my_pe());
    ///     assert_eq!(world.wait_until(&signal, Cmp::Ne(0)), 3);
    /// });
    /// ```
    #[inline(always)]
    pub fn signal_op<'a>(&self, signal: impl Place<'a, Signal>, op: SignalOp, pe: u32) {
        static SITE: Site = Site::of_rust("Ctx::signal_op");
        let word = signal.into_at().at.cast::<u64>();
        // SAFETY: a signal within a block that exists on every PE.
        unsafe {
            match op {
                SignalOp::Set(value) => self.inner.rt.signal_set(&SITE, self.handle(), word, value, pe as i32),
                SignalOp::Add(value) => self.inner.rt.signal_add(&SITE, self.handle(), word, value, pe as i32),
            }
        }
    }

    /// Wait until this PE's number satisfies the comparison, and return the value that did. Writes that its writer had ordered before it
    /// are visible afterwards.
    ///
    /// ```
    /// use ferrite::Cmp;
    /// ferrite::local(2, |world| {
    ///     let flag = world.alloc_box::<u64>().unwrap();
    ///     world.put(&flag, 1, 1 - world.my_pe());
    ///     assert_eq!(world.wait_until(&flag, Cmp::Ne(0)), 1);
    /// });
    /// ```
    #[inline(always)]
    pub fn wait_until<'a, W: Watched>(&self, word: impl Place<'a, W>, wanted: Cmp<W::Value>) -> W::Value {
        static SITE: Site = Site::of_rust("Ctx::wait_until");
        let (cmp, value) = wanted.parts();
        let word = word.into_at().at.cast::<W::Value>().cast_const();
        // SAFETY: a number within a block.
        unsafe { self.inner.rt.wait_until_seen(&SITE, word, cmp, value) }
    }

    /// True if this PE's number satisfies the comparison now.
    ///
    /// ```
    /// use ferrite::Cmp;
    /// ferrite::local(2, |world| {
    ///     let count = world.alloc_atomic::<u64>().unwrap();
    ///     world.inc(&count, 1 - world.my_pe());
    ///     while !world.test(&count, Cmp::Eq(1)) {}
    /// });
    /// ```
    pub fn test<'a, W: Watched>(&self, word: impl Place<'a, W>, wanted: Cmp<W::Value>) -> bool {
        static SITE: Site = Site::of_rust("Ctx::test");
        let (cmp, value) = wanted.parts();
        // SAFETY: a number within a block.
        unsafe { self.inner.rt.test(&SITE, word.into_at().at.cast::<W::Value>(), cmp, value) == 1 }
    }
}

macro_rules! vectors {
    ($(
        $(#[$doc:meta])*
        fn $name:ident, $each:ident, $masked:ident -> $Result:ty = $scalar:ident, $vector:ident, |$this:ident, $len:ident, $call:ident| $body:expr;
    )*) => {
        operations! { $(
            $(#[$doc])*
            pub fn $name<'a, W: Watched>(&self, words: impl Places<'a, W>, wanted: Cmp<W::Value>) -> $Result {
                self.$masked(words, &[], wanted)
            }

            /// The same, ignoring the numbers whose element of `skip` is true. An empty `skip` ignores none.
            ///
            /// # Panics
            /// If `skip` is neither empty nor as long as `words`.
            ///
            /// ```
            /// use ferrite::Cmp;
            /// ferrite::local(1, |world| {
            ///     let words = world.alloc::<u64>(2).unwrap();
            ///     words.write(0, 1);
            #[doc = concat!("    world.", stringify!($masked), "(&words, &[false, true], Cmp::Eq(1));")]
            /// });
            /// ```
            #[track_caller]
            pub fn $masked<'a, W: Watched>(&self, words: impl Places<'a, W>, skip: &[bool], wanted: Cmp<W::Value>) -> $Result {
                static SITE: Site = Site::of_rust(concat!("Ctx::", stringify!($name)));
                let (words, (cmp, value)) = (words.into_span(), wanted.parts());
                let status = status(skip, words.len());
                let status = status.as_ref().map_or(core::ptr::null(), |status| status.as_ptr());
                let ($this, $len, at) = (&self.inner.rt, words.len(), words.as_ptr().cast::<W::Value>());
                // SAFETY: `len` numbers within a block, and `len` elements of the mask if there is one.
                let $call = |indices: Option<*mut usize>| unsafe {
                    let _ = indices;
                    vectors!(@call $scalar $this, &SITE, at, $len, indices, status, cmp, value)
                };
                $body
            }

            /// The same with a value for each number. All elements of `wanted` must be the same variant; if `wanted` is empty, there is
            /// nothing to compare.
            ///
            /// # Panics
            /// If the lengths or the comparisons differ.
            ///
            /// ```
            /// use ferrite::Cmp;
            /// ferrite::local(1, |world| {
            ///     let words = world.alloc::<u64>(2).unwrap();
            ///     words.write_slice(.., &[3, 4]);
            #[doc = concat!("    world.", stringify!($each), "(&words, &[Cmp::Eq(3), Cmp::Eq(4)]);")]
            /// });
            /// ```
            #[track_caller]
            pub fn $each<'a, W: Watched>(&self, words: impl Places<'a, W>, wanted: &[Cmp<W::Value>]) -> $Result {
                static SITE: Site = Site::of_rust(concat!("Ctx::", stringify!($each)));
                let words = words.into_span();
                same_length(words.len(), wanted.len());
                let (cmp, values) = alike(wanted);
                let ($this, $len, at) = (&self.inner.rt, words.len(), words.as_ptr().cast::<W::Value>());
                // SAFETY: `len` numbers within a block, and `len` values.
                let $call = |indices: Option<*mut usize>| unsafe {
                    let _ = indices;
                    vectors!(@call $vector $this, &SITE, at, $len, indices, core::ptr::null(), cmp, values.as_ptr())
                };
                $body
            }
        )* }
    };
    (@call wait_until_some $($rest:tt)*) => { vectors!(@some wait_until_some $($rest)*) };
    (@call wait_until_some_vector $($rest:tt)*) => { vectors!(@some wait_until_some_vector $($rest)*) };
    (@call test_some $($rest:tt)*) => { vectors!(@some test_some $($rest)*) };
    (@call test_some_vector $($rest:tt)*) => { vectors!(@some test_some_vector $($rest)*) };
    (@some $routine:ident $rt:expr, $site:expr, $at:expr, $len:expr, $indices:expr, $status:expr, $cmp:expr, $value:expr) => {
        $rt.$routine($site, $at, $len, $indices.expect("a place for indices"), $status, $cmp, $value)
    };
    (@call $routine:ident $rt:expr, $site:expr, $at:expr, $len:expr, $indices:expr, $status:expr, $cmp:expr, $value:expr) => {
        $rt.$routine($site, $at, $len, $status, $cmp, $value)
    };
}

vectors! {
    /// Wait until each of this PE's numbers satisfies the comparison, or has done so during the call.
    ///
    /// ```
    /// use ferrite::Cmp;
    /// ferrite::local(2, |world| {
    ///     let flags = world.alloc::<u64>(2).unwrap();
    ///     (0..2).for_each(|pe| world.put(flags.at(world.my_pe() as usize), 1, pe));
    ///     world.wait_until_all(&flags, Cmp::Eq(1));
    /// });
    /// ```
    fn wait_until_all, wait_until_all_each, wait_until_all_masked -> () = wait_until_all, wait_until_all_vector, |_rt, _len, call| call(None);
    /// Wait until one of this PE's numbers satisfies the comparison, and return its index; `None` if there are no numbers to wait for.
    ///
    /// ```
    /// use ferrite::Cmp;
    /// ferrite::local(2, |world| {
    ///     let flags = world.alloc::<u64>(2).unwrap();
    ///     world.put(flags.at(1), 1, 1 - world.my_pe());
    ///     assert_eq!(world.wait_until_any(&flags, Cmp::Eq(1)), Some(1));
    /// });
    /// ```
    fn wait_until_any, wait_until_any_each, wait_until_any_masked -> Option<usize> = wait_until_any, wait_until_any_vector, |_rt, _len, call| found(call(None));
    /// Wait until at least one of this PE's numbers satisfies the comparison, and return the indices of all that do at that time.
    ///
    /// ```
    /// use ferrite::Cmp;
    /// ferrite::local(2, |world| {
    ///     let flags = world.alloc::<u64>(3).unwrap();
    ///     world.put(flags.at(2), 1, 1 - world.my_pe());
    ///     assert_eq!(world.wait_until_some(&flags, Cmp::Eq(1)), [2]);
    /// });
    /// ```
    fn wait_until_some, wait_until_some_each, wait_until_some_masked -> Vec<usize> = wait_until_some, wait_until_some_vector, |_rt, len, call| listed(len, call);
    /// True if all of this PE's numbers satisfy the comparison now.
    ///
    /// ```
    /// use ferrite::Cmp;
    /// ferrite::local(1, |world| assert!(world.test_all(&world.alloc::<u64>(3).unwrap(), Cmp::Eq(0))));
    /// ```
    fn test_all, test_all_each, test_all_masked -> bool = test_all, test_all_vector, |_rt, _len, call| call(None) == 1;
    /// The index of one of this PE's numbers that satisfies the comparison now.
    ///
    /// ```
    /// use ferrite::Cmp;
    /// ferrite::local(1, |world| assert_eq!(world.test_any(&world.alloc::<u64>(3).unwrap(), Cmp::Eq(1)), None));
    /// ```
    fn test_any, test_any_each, test_any_masked -> Option<usize> = test_any, test_any_vector, |_rt, _len, call| found(call(None));
    /// The indices of all of this PE's numbers that satisfy the comparison now.
    ///
    /// ```
    /// use ferrite::Cmp;
    /// ferrite::local(1, |world| assert_eq!(world.test_some(&world.alloc::<u64>(2).unwrap(), Cmp::Eq(0)), [0, 1]));
    /// ```
    fn test_some, test_some_each, test_some_masked -> Vec<usize> = test_some, test_some_vector, |_rt, len, call| listed(len, call);
}

/// The mask in the runtime's format; `None` if no number is ignored.
#[track_caller]
fn status(skip: &[bool], len: usize) -> Option<Vec<c_int>> {
    if skip.is_empty() {
        return None;
    }
    same_length(len, skip.len());
    Some(skip.iter().map(|&skip| c_int::from(skip)).collect())
}

/// The comparison that all elements share, and their values.
#[track_caller]
fn alike<T: Copy>(wanted: &[Cmp<T>]) -> (c_int, Vec<T>) {
    let cmp = wanted.first().map_or(SHMEM_CMP_EQ, |first| first.parts().0);
    let value = |one: &Cmp<T>| {
        let (other, value) = one.parts();
        assert!(other == cmp, "the comparisons of one call are all the same");
        value
    };
    (cmp, wanted.iter().map(value).collect())
}

fn found(index: usize) -> Option<usize> {
    (index != usize::MAX).then_some(index)
}

fn listed(len: usize, call: impl Fn(Option<*mut usize>) -> usize) -> Vec<usize> {
    let mut indices = vec![0; len];
    let found = call(Some(indices.as_mut_ptr()));
    indices.truncate(found);
    indices
}
