//! The types that OpenSHMEM moves, updates and compares.

use core::sync::atomic::{AtomicU16, AtomicU32, AtomicU64, Ordering};
use ferrite_copy::Scalar;

/// Anything that may be copied as bytes between PEs.
///
/// # Safety
/// Every pattern of bits of the type's size is a value of it.
pub unsafe trait Elem: Copy + 'static {
    /// Store at `distance` bytes from `to`, by one instruction if the value has 1, 2, 4 or 8 bytes. The sum need not be aligned.
    ///
    /// # Safety
    /// The sum is valid for writes of a value; others may access it meanwhile.
    #[inline(always)]
    unsafe fn store_apart(self, to: *mut u8, distance: isize) {
        // SAFETY: the caller's promise.
        unsafe { ferrite_copy::store_apart(to, distance, self) }
    }

    /// Load from `distance` bytes from `from`, by one instruction if the value has 1, 2, 4 or 8 bytes. The sum need not be aligned.
    ///
    /// # Safety
    /// The sum is valid for reads of a value; others may access it meanwhile.
    #[inline(always)]
    unsafe fn load_apart(from: *const u8, distance: isize) -> Self {
        // SAFETY: the caller's promise; any pattern of bits is a value.
        unsafe { ferrite_copy::load_apart(from, distance) }
    }
}

/// C's `long double` on this target, never interpreted while it is only moved.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(C, align(16))]
pub struct LongDouble(pub [u8; 16]);

macro_rules! elems {
    ($($t:ty),*) => { $(
        // SAFETY: plain numbers and arrays of bytes.
        unsafe impl Elem for $t {}
    )* };
}
elems!(u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, isize, LongDouble);

/// Floating-point numbers are moved through vector registers; through integer registers each move would take an instruction more.
macro_rules! floats {
    ($($t:ty),*) => { $(
        // SAFETY: plain numbers.
        unsafe impl Elem for $t {
            #[inline(always)]
            unsafe fn store_apart(self, to: *mut u8, distance: isize) {
                // SAFETY: the caller's promise.
                unsafe { Scalar::store_apart(self, to, distance) }
            }
            #[inline(always)]
            unsafe fn load_apart(from: *const u8, distance: isize) -> $t {
                // SAFETY: the caller's promise.
                unsafe { Scalar::load_apart(from, distance) }
            }
        }
    )* };
}
floats!(f32, f64);

/// The word that carries a value's bits, which the processor updates atomically.
pub trait Bits: Copy + Eq + 'static {
    /// The word's atomic form.
    type Atomic;
    /// The atomic at an address.
    ///
    /// # Safety
    /// `at` is aligned, valid for reads and writes as long as the reference lives, and touched atomically only.
    unsafe fn cell<'a>(at: *mut u8) -> &'a Self::Atomic;
    /// Load the word.
    fn load(cell: &Self::Atomic, order: Ordering) -> Self;
    /// Store the word.
    fn store(cell: &Self::Atomic, value: Self, order: Ordering);
    /// Set the word. Returns the old value, as all that follow.
    fn swap(cell: &Self::Atomic, value: Self, order: Ordering) -> Self;
    /// Exchange if equal to `expected`. Returns the old value either way.
    fn compare_swap(cell: &Self::Atomic, expected: Self, value: Self) -> Self;
    /// Add, wrapping.
    fn fetch_add(cell: &Self::Atomic, value: Self, order: Ordering) -> Self;
    /// Clear the bits that `value` has not.
    fn fetch_and(cell: &Self::Atomic, value: Self, order: Ordering) -> Self;
    /// Set the bits that `value` has.
    fn fetch_or(cell: &Self::Atomic, value: Self, order: Ordering) -> Self;
    /// Toggle the bits that `value` has.
    fn fetch_xor(cell: &Self::Atomic, value: Self, order: Ordering) -> Self;
    /// The number zero.
    const ZERO: Self;
    /// The number one.
    const ONE: Self;
    /// The same bits, with zeros above them.
    fn widen(self) -> u64;
}

macro_rules! bits {
    ($($u:ty: $atomic:ty),*) => { $(
        impl Bits for $u {
            type Atomic = $atomic;
            const ZERO: Self = 0;
            const ONE: Self = 1;
            #[inline(always)]
            fn widen(self) -> u64 { self.into() }
            #[inline(always)]
            unsafe fn cell<'a>(at: *mut u8) -> &'a $atomic {
                // SAFETY: `from_ptr` has the same contract as this function.
                unsafe { <$atomic>::from_ptr(at.cast()) }
            }
            #[inline(always)]
            fn load(cell: &$atomic, order: Ordering) -> Self { cell.load(order) }
            #[inline(always)]
            fn store(cell: &$atomic, value: Self, order: Ordering) { cell.store(value, order) }
            #[inline(always)]
            fn swap(cell: &$atomic, value: Self, order: Ordering) -> Self { cell.swap(value, order) }
            #[inline(always)]
            fn compare_swap(cell: &$atomic, expected: Self, value: Self) -> Self {
                match cell.compare_exchange(expected, value, Ordering::AcqRel, Ordering::Acquire) {
                    Ok(old) | Err(old) => old,
                }
            }
            #[inline(always)]
            fn fetch_add(cell: &$atomic, value: Self, order: Ordering) -> Self { cell.fetch_add(value, order) }
            #[inline(always)]
            fn fetch_and(cell: &$atomic, value: Self, order: Ordering) -> Self { cell.fetch_and(value, order) }
            #[inline(always)]
            fn fetch_or(cell: &$atomic, value: Self, order: Ordering) -> Self { cell.fetch_or(value, order) }
            #[inline(always)]
            fn fetch_xor(cell: &$atomic, value: Self, order: Ordering) -> Self { cell.fetch_xor(value, order) }
        }
    )* };
}
bits!(u16: AtomicU16, u32: AtomicU32, u64: AtomicU64);

/// A value that is waited for, tested, or updated atomically.
pub trait Word: Elem + PartialOrd + core::fmt::Display {
    /// The word of the same size.
    type Bits: Bits;
    /// The value's bits, unchanged.
    fn bits(self) -> Self::Bits;
    /// The value with these bits.
    fn from_bits(bits: Self::Bits) -> Self;
}

macro_rules! words {
    ($($t:ty: $bits:ty),*) => { $(
        impl Word for $t {
            type Bits = $bits;
            #[inline(always)]
            fn bits(self) -> $bits { <$bits>::from_ne_bytes(self.to_ne_bytes()) }
            #[inline(always)]
            fn from_bits(bits: $bits) -> Self { <$t>::from_ne_bytes(bits.to_ne_bytes()) }
        }
    )* };
}
words!(i16: u16, u16: u16, i32: u32, u32: u32, f32: u32, i64: u64, u64: u64, f64: u64);
#[cfg(target_pointer_width = "64")]
words!(isize: u64, usize: u64);
#[cfg(target_pointer_width = "32")]
words!(isize: u32, usize: u32);
