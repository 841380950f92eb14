//! A block of symmetric memory.

use super::{At, Span, out_of};
use crate::{
    element::{Element, Symmetric},
    world::Inner,
};
use core::{fmt, marker::PhantomData, ops::RangeBounds, ptr::NonNull};
use ferrite_os::mutex;
use std::sync::Arc;

/// A block of `T` on every PE: returned by [`World::alloc`](crate::World::alloc).
///
/// The handle stands for this PE's block and for the peers' blocks. Values are read and written by value or by copy: this PE's with the
/// methods here, other PEs' with the methods of a [context](crate::Ctx). There are no references into the block, because a peer may write
/// it at any time; only a [phase](crate::Group::phase) gives one.
///
/// Handles keep the memory mapped, even after the world is dropped. Dropping a handle does not wait for other PEs: the first allocation
/// after all PEs have dropped theirs frees the block.
///
/// ```
/// use ferrite::prelude::*;
/// ferrite::local(2, |world| {
///     let words = world.alloc::<u32>(4).unwrap();
///     words.write(0, 7);
///     words.write_slice(1.., &[8, 9, 10]);
///     world.barrier();
///     assert_eq!(world.get(words.at(2), 1 - world.my_pe()), 9);
///     assert_eq!(words.to_vec(), [7, 8, 9, 10]);
/// });
/// ```
pub struct SymSlice<T: Symmetric> {
    inner: Arc<Inner>,
    /// Key of the block in the book; 0 for a block without elements.
    key: u64,
    base: NonNull<T>,
    len: usize,
}

// SAFETY: the memory is accessed by atomics, by the runtime, or in a phase, which takes the handle whole.
unsafe impl<T: Symmetric> Send for SymSlice<T> {}
// SAFETY: as above.
unsafe impl<T: Symmetric> Sync for SymSlice<T> {}

impl<T: Symmetric> SymSlice<T> {
    /// # Safety
    /// `base` is a block of `len` values of this world, which is freed when the handle of `key` is gone.
    pub(crate) unsafe fn new(inner: Arc<Inner>, key: u64, base: *mut T, len: usize) -> SymSlice<T> {
        let base = NonNull::new(base).expect("a block has an address");
        SymSlice { inner, key, base, len }
    }

    pub(crate) fn empty(inner: Arc<Inner>) -> SymSlice<T> {
        SymSlice { inner, key: 0, base: NonNull::dangling(), len: 0 }
    }

    /// The number of values on each PE.
    ///
    /// ```
    /// ferrite::local(2, |world| assert_eq!(world.alloc::<u8>(5).unwrap().len(), 5));
    /// ```
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// True if the slice has no values.
    ///
    /// ```
    /// ferrite::local(2, |world| assert!(world.alloc::<u8>(0).unwrap().is_empty()));
    /// ```
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The place of one value.
    ///
    /// # Panics
    /// If `index` is not below `len`.
    ///
    /// ```
    /// ferrite::local(2, |world| {
    ///     let words = world.alloc::<u64>(3).unwrap();
    ///     words.at(2).write(5);
    ///     assert_eq!(words.at(2).read(), 5);
    /// });
    /// ```
    #[inline]
    #[track_caller]
    pub fn at(&self, index: usize) -> At<'_, T> {
        if index >= self.len {
            out_of(index, self.len);
        }
        At { at: self.base.as_ptr().wrapping_add(index), handle: PhantomData }
    }

    /// Consecutive values.
    ///
    /// # Panics
    /// If the range is not within the slice.
    ///
    /// ```
    /// ferrite::local(2, |world| {
    ///     let words = world.alloc::<u64>(10).unwrap();
    ///     assert_eq!(words.range(2..5).len(), 3);
    ///     assert_eq!(words.range(..).len(), 10);
    /// });
    /// ```
    #[inline]
    #[track_caller]
    pub fn range(&self, range: impl RangeBounds<usize>) -> Span<'_, T> {
        Span::from(self).range(range)
    }

    pub(crate) fn inner(&self) -> &Arc<Inner> {
        &self.inner
    }

    pub(crate) fn key(&self) -> u64 {
        self.key
    }

    #[inline(always)]
    pub(crate) fn as_ptr(&self) -> *mut T {
        self.base.as_ptr()
    }
}

impl<T: Element> SymSlice<T> {
    /// This PE's value.
    ///
    /// # Panics
    /// If `index` is not below `len`.
    ///
    /// ```
    /// ferrite::local(2, |world| assert_eq!(world.alloc::<i16>(2).unwrap().read(1), 0));
    /// ```
    #[inline]
    #[track_caller]
    pub fn read(&self, index: usize) -> T {
        self.at(index).read()
    }

    /// Set this PE's value.
    ///
    /// # Panics
    /// If `index` is not below `len`.
    ///
    /// ```
    /// ferrite::local(2, |world| {
    ///     let numbers = world.alloc::<f32>(2).unwrap();
    ///     numbers.write(1, 1.5);
    ///     assert_eq!(numbers.read(1), 1.5);
    /// });
    /// ```
    #[inline]
    #[track_caller]
    pub fn write(&self, index: usize, value: T) {
        self.at(index).write(value);
    }

    /// Copy this PE's values out.
    ///
    /// ```
    /// ferrite::local(2, |world| {
    ///     let words = world.alloc::<u64>(4).unwrap();
    ///     let mut copy = [1; 2];
    ///     words.read_slice(2.., &mut copy);
    ///     assert_eq!(copy, [0, 0]);
    /// });
    /// ```
    #[track_caller]
    pub fn read_slice(&self, range: impl RangeBounds<usize>, into: &mut [T]) {
        self.range(range).read(into);
    }

    /// Copy values into this PE's block.
    ///
    /// ```
    /// ferrite::local(2, |world| {
    ///     let words = world.alloc::<u8>(4).unwrap();
    ///     words.write_slice(.., b"abcd");
    ///     assert_eq!(words.to_vec(), b"abcd");
    /// });
    /// ```
    #[track_caller]
    pub fn write_slice(&self, range: impl RangeBounds<usize>, from: &[T]) {
        self.range(range).write(from);
    }

    /// Set all of this PE's values.
    ///
    /// ```
    /// ferrite::local(2, |world| {
    ///     let words = world.alloc::<u64>(3).unwrap();
    ///     words.fill(9);
    ///     assert_eq!(words.to_vec(), [9, 9, 9]);
    /// });
    /// ```
    pub fn fill(&self, value: T) {
        (0..self.len).for_each(|index| self.write(index, value));
    }

    /// A copy of this PE's values.
    ///
    /// ```
    /// ferrite::local(2, |world| assert_eq!(world.alloc::<u64>(2).unwrap().to_vec(), [0, 0]));
    /// ```
    pub fn to_vec(&self) -> Vec<T> {
        self.range(..).to_vec()
    }
}

impl<T: Symmetric> Drop for SymSlice<T> {
    fn drop(&mut self) {
        if self.key != 0 {
            mutex::lock(&self.inner.book).drop_handle(self.key);
        }
    }
}

impl<T: Symmetric> fmt::Debug for SymSlice<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SymSlice {{ len: {} }}", self.len)
    }
}
