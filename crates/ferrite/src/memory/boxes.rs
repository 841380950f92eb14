//! A single value of symmetric memory.

use super::{At, SymSlice};
use crate::element::{Atomic, AtomicValue, Element, Lock, Signal, Symmetric};
use core::fmt;

/// One `T` on every PE: returned by [`World::alloc_box`](crate::World::alloc_box). Otherwise it is like [`SymSlice`].
///
/// ```
/// use ferrite::prelude::*;
/// ferrite::local(2, |world| {
///     let number = world.alloc_box::<u64>().unwrap();
///     world.put(&number, 4, 1 - world.my_pe());
///     world.barrier();
///     assert_eq!(number.read(), 4);
/// });
/// ```
pub struct SymBox<T: Symmetric>(SymSlice<T>);

/// A word on every PE that only atomics update: returned by [`World::alloc_atomic`](crate::World::alloc_atomic).
///
/// ```
/// fn next(world: &ferrite::World, tickets: &ferrite::SymAtomic<u64>) -> u64 {
///     world.fetch_inc(tickets, 0)
/// }
/// let mut taken = ferrite::local(4, |world| next(world, &world.alloc_atomic().unwrap()));
/// taken.sort();
/// assert_eq!(taken, [0, 1, 2, 3]);
/// ```
pub type SymAtomic<T> = SymBox<Atomic<T>>;

/// A signal on every PE: returned by [`World::alloc_signal`](crate::World::alloc_signal).
///
/// ```
/// ferrite::local(2, |world| {
///     let ready: ferrite::SymSignal = world.alloc_signal().unwrap();
///     assert_eq!(ready.fetch(), 0);
/// });
/// ```
pub type SymSignal = SymBox<Signal>;

/// A lock of all PEs: returned by [`World::alloc_lock`](crate::World::alloc_lock).
///
/// ```
/// ferrite::local(2, |world| {
///     let lock: ferrite::SymLock = world.alloc_lock().unwrap();
///     drop(world.acquire(&lock));
/// });
/// ```
pub type SymLock = SymBox<Lock>;

impl<T: Symmetric> SymBox<T> {
    pub(crate) fn of(slice: SymSlice<T>) -> SymBox<T> {
        assert_eq!(slice.len(), 1);
        SymBox(slice)
    }

    /// The place of the value.
    ///
    /// ```
    /// ferrite::local(2, |world| {
    ///     let number = world.alloc_box::<u64>().unwrap();
    ///     assert_eq!(number.place().read(), 0);
    /// });
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn place(&self) -> At<'_, T> {
        // Checked, because a program may have swapped another slice into this box, even an empty one.
        self.0.at(0)
    }

    /// The same as a slice of one.
    ///
    /// ```
    /// ferrite::local(2, |world| assert_eq!(world.alloc_box::<u64>().unwrap().as_slice().len(), 1));
    /// ```
    pub fn as_slice(&self) -> &SymSlice<T> {
        &self.0
    }

    /// The same as a slice of one, for collectives to write.
    ///
    /// ```
    /// use ferrite::prelude::*;
    /// ferrite::local(3, |world| {
    ///     let mut number = world.alloc_box::<u64>().unwrap();
    ///     let mine = world.alloc_box::<u64>().unwrap();
    ///     mine.write(2);
    ///     world.sum_reduce(mine.as_slice(), number.as_mut_slice());
    ///     assert_eq!(number.read(), 6);
    /// });
    /// ```
    pub fn as_mut_slice(&mut self) -> &mut SymSlice<T> {
        &mut self.0
    }
}

impl<T: Element> SymBox<T> {
    /// This PE's value.
    ///
    /// ```
    /// ferrite::local(2, |world| assert_eq!(world.alloc_box::<u64>().unwrap().read(), 0));
    /// ```
    #[inline]
    pub fn read(&self) -> T {
        self.place().read()
    }

    /// Set this PE's value.
    ///
    /// ```
    /// ferrite::local(2, |world| {
    ///     let flag = world.alloc_box::<u8>().unwrap();
    ///     flag.write(1);
    ///     assert_eq!(flag.read(), 1);
    /// });
    /// ```
    #[inline]
    pub fn write(&self, value: T) {
        self.place().write(value);
    }
}

impl<T: Symmetric> fmt::Debug for SymBox<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SymBox")
    }
}

/// The owner, too, reads an atomic word with atomics only.
impl<T: AtomicValue> SymAtomic<T> {
    /// This PE's value now.
    ///
    /// ```
    /// ferrite::local(2, |world| assert_eq!(world.alloc_atomic::<u64>().unwrap().load(), 0));
    /// ```
    #[inline]
    pub fn load(&self) -> T {
        self.place().load()
    }
}

impl<T: AtomicValue> At<'_, Atomic<T>> {
    /// This PE's value now.
    ///
    /// ```
    /// ferrite::local(2, |world| assert_eq!(world.alloc_atomics::<u64>(3).unwrap().at(1).load(), 0));
    /// ```
    #[inline]
    pub fn load(self) -> T {
        // SAFETY: as for `read`. The acquire fence is the one of the routines that wait.
        let value = unsafe { ferrite_copy::load::<T>(self.at.cast()) };
        core::sync::atomic::fence(core::sync::atomic::Ordering::Acquire);
        value
    }
}
