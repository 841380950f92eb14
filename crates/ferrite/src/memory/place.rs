//! Places in symmetric memory: the arguments of operations.

use super::{SymBox, SymSlice, out_of, same_length};
use crate::element::{Element, Symmetric};
use core::{
    marker::PhantomData,
    ops::{Bound, RangeBounds},
};

/// The place of one value in symmetric memory: the argument of operations, returned by [`SymSlice::at`]. A `&SymBox` converts to one.
///
/// ```
/// ferrite::local(2, |world| {
///     let words = world.alloc::<u64>(3).unwrap();
///     let place: ferrite::At<'_, u64> = words.at(1);
///     assert_eq!(world.get(place, 0), 0);
/// });
/// ```
pub struct At<'a, T: Symmetric> {
    pub(crate) at: *mut T,
    pub(crate) handle: PhantomData<&'a SymSlice<T>>,
}

/// Consecutive values in symmetric memory: returned by [`SymSlice::range`]. A `&SymSlice` converts to one.
///
/// ```
/// ferrite::local(2, |world| {
///     let words = world.alloc::<u64>(8).unwrap();
///     let upper: ferrite::Span<'_, u64> = words.range(4..);
///     assert_eq!(upper.len(), 4);
/// });
/// ```
pub struct Span<'a, T: Symmetric> {
    at: *mut T,
    len: usize,
    handle: PhantomData<&'a SymSlice<T>>,
}

impl<T: Symmetric> Clone for At<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T: Symmetric> Copy for At<'_, T> {}
impl<T: Symmetric> Clone for Span<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T: Symmetric> Copy for Span<'_, T> {}

// SAFETY: as for the handles that they borrow.
unsafe impl<T: Symmetric> Send for At<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Symmetric> Sync for At<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Symmetric> Send for Span<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Symmetric> Sync for Span<'_, T> {}

impl<T: Element> At<'_, T> {
    /// This PE's value there.
    ///
    /// ```
    /// ferrite::local(2, |world| assert_eq!(world.alloc::<u64>(2).unwrap().at(0).read(), 0));
    /// ```
    #[inline]
    pub fn read(self) -> T {
        // SAFETY: a place within a block that its handle keeps.
        unsafe { ferrite_copy::load(self.at.cast()) }
    }

    /// Set this PE's value there.
    ///
    /// ```
    /// ferrite::local(2, |world| {
    ///     let words = world.alloc::<u64>(2).unwrap();
    ///     words.at(0).write(3);
    ///     assert_eq!(words.read(0), 3);
    /// });
    /// ```
    #[inline]
    pub fn write(self, value: T) {
        // SAFETY: as for `read`.
        unsafe { ferrite_copy::store(self.at.cast(), value) }
    }
}

impl<'a, T: Symmetric> Span<'a, T> {
    pub(crate) fn of(at: *mut T, len: usize) -> Span<'a, T> {
        Span { at, len, handle: PhantomData }
    }

    /// The number of values.
    ///
    /// ```
    /// ferrite::local(2, |world| assert_eq!(world.alloc::<u64>(9).unwrap().range(3..).len(), 6));
    /// ```
    #[inline]
    pub fn len(self) -> usize {
        self.len
    }

    /// True if there are no values.
    ///
    /// ```
    /// ferrite::local(2, |world| assert!(world.alloc::<u64>(9).unwrap().range(9..).is_empty()));
    /// ```
    #[inline]
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// The place of one of the values.
    ///
    /// # Panics
    /// If `index` is not below `len`.
    ///
    /// ```
    /// ferrite::local(2, |world| {
    ///     let words = world.alloc::<u64>(9).unwrap();
    ///     words.write(4, 1);
    ///     assert_eq!(words.range(3..).at(1).read(), 1);
    /// });
    /// ```
    #[inline]
    #[track_caller]
    pub fn at(self, index: usize) -> At<'a, T> {
        if index >= self.len {
            out_of(index, self.len);
        }
        At { at: self.at.wrapping_add(index), handle: PhantomData }
    }

    /// A part of the values.
    ///
    /// # Panics
    /// If the range is not within the span.
    ///
    /// ```
    /// ferrite::local(2, |world| {
    ///     assert_eq!(world.alloc::<u64>(9).unwrap().range(3..).range(1..=2).len(), 2);
    /// });
    /// ```
    #[inline]
    #[track_caller]
    pub fn range(self, range: impl RangeBounds<usize>) -> Span<'a, T> {
        let start = match range.start_bound() {
            Bound::Included(&at) => at,
            Bound::Excluded(&at) => at.saturating_add(1),
            Bound::Unbounded => 0,
        };
        let end = match range.end_bound() {
            Bound::Included(&at) => at.saturating_add(1),
            Bound::Excluded(&at) => at,
            Bound::Unbounded => self.len,
        };
        if start > end || end > self.len {
            panic!("range {start}..{end} is not within a symmetric slice of {} elements", self.len);
        }
        Span { at: self.at.wrapping_add(start), len: end - start, handle: PhantomData }
    }

    #[inline(always)]
    pub(crate) fn as_ptr(self) -> *mut T {
        self.at
    }
}

impl<T: Element> Span<'_, T> {
    /// Copy this PE's values out.
    ///
    /// # Panics
    /// If the lengths differ.
    ///
    /// ```
    /// ferrite::local(2, |world| {
    ///     let mut copy = [1_u64; 3];
    ///     world.alloc::<u64>(5).unwrap().range(..3).read(&mut copy);
    ///     assert_eq!(copy, [0; 3]);
    /// });
    /// ```
    #[track_caller]
    pub fn read(self, into: &mut [T]) {
        same_length(self.len, into.len());
        // SAFETY: `into` is as long as the span, which is within a block that its handle keeps.
        unsafe { ferrite_copy::copy(into.as_mut_ptr().cast(), self.at.cast(), size_of_val(into)) }
    }

    /// Copy values in.
    ///
    /// # Panics
    /// If the lengths differ.
    ///
    /// ```
    /// ferrite::local(2, |world| {
    ///     let words = world.alloc::<u64>(5).unwrap();
    ///     words.range(3..).write(&[1, 2]);
    ///     assert_eq!(words.to_vec(), [0, 0, 0, 1, 2]);
    /// });
    /// ```
    #[track_caller]
    pub fn write(self, from: &[T]) {
        same_length(self.len, from.len());
        // SAFETY: as for `read`.
        unsafe { ferrite_copy::copy(self.at.cast(), from.as_ptr().cast(), size_of_val(from)) }
    }

    /// A copy of this PE's values.
    ///
    /// ```
    /// ferrite::local(2, |world| assert_eq!(world.alloc::<u64>(5).unwrap().range(3..).to_vec(), [0, 0]));
    /// ```
    pub fn to_vec(self) -> Vec<T> {
        let mut copy = vec![T::zeroed(); self.len];
        self.read(&mut copy);
        copy
    }
}

impl<'a, T: Symmetric> From<&'a SymBox<T>> for At<'a, T> {
    #[inline(always)]
    fn from(one: &'a SymBox<T>) -> Self {
        one.place()
    }
}

impl<'a, T: Symmetric> From<&'a SymSlice<T>> for Span<'a, T> {
    #[inline(always)]
    fn from(all: &'a SymSlice<T>) -> Self {
        Span { at: all.as_ptr(), len: all.len(), handle: PhantomData }
    }
}

impl<'a, T: Symmetric> From<&'a SymBox<T>> for Span<'a, T> {
    #[inline(always)]
    fn from(one: &'a SymBox<T>) -> Self {
        Span::from(one.as_slice())
    }
}

impl<'a, T: Symmetric> From<At<'a, T>> for Span<'a, T> {
    #[inline(always)]
    fn from(one: At<'a, T>) -> Self {
        Span { at: one.at, len: 1, handle: PhantomData }
    }
}

/// Argument of an operation that names one value in symmetric memory: an [`At`], or a `&SymBox`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the place of one value in symmetric memory",
    label = "the place of one value is wanted here",
    note = "pass `slice.at(i)` for one value of a slice, or a `&SymBox`",
    note = "`put_slice`, `get_slice` and `get_vec` take a whole slice or a range of it"
)]
pub trait Place<'a, T: Symmetric> {
    #[doc(hidden)]
    fn into_at(self) -> At<'a, T>;
}

/// Argument of an operation that names consecutive values in symmetric memory: a [`Span`], a `&SymSlice`, or the place of one value.
#[diagnostic::on_unimplemented(
    message = "`{Self}` names no consecutive values in symmetric memory",
    label = "a slice of symmetric memory, or a range of one, is wanted here",
    note = "pass a `&SymSlice`, or `slice.range(2..4)` for a part of one"
)]
pub trait Places<'a, T: Symmetric> {
    #[doc(hidden)]
    fn into_span(self) -> Span<'a, T>;
}

impl<'a, T: Symmetric> Place<'a, T> for At<'a, T> {
    #[inline(always)]
    fn into_at(self) -> At<'a, T> {
        self
    }
}

impl<'a, T: Symmetric> Place<'a, T> for &'a SymBox<T> {
    #[inline(always)]
    fn into_at(self) -> At<'a, T> {
        self.place()
    }
}

impl<'a, T: Symmetric> Places<'a, T> for Span<'a, T> {
    #[inline(always)]
    fn into_span(self) -> Span<'a, T> {
        self
    }
}

macro_rules! places {
    ($($from:ty),*) => { $(
        impl<'a, T: Symmetric> Places<'a, T> for $from {
            #[inline(always)]
            fn into_span(self) -> Span<'a, T> {
                self.into()
            }
        }
    )* };
}
places!(At<'a, T>, &'a SymSlice<T>, &'a SymBox<T>);
