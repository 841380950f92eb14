//! Copies between memories that other threads and processes access at the same time.
//!
//! # The rule
//!
//! OpenSHMEM lets a program poll, wait for and clear an element while a put that writes it is in progress. It also lets a get read bytes
//! that other threads or PEs store meanwhile. So a copy keeps two promises that `memmove` does not:
//!
//! 1. Each byte of the destination is stored exactly once. A flag that the target has cleared does not come back. (glibc's `memmove`
//!    stores 4 bytes by two stores of 4 bytes to one address, and ends longer copies with a store that overlaps the one before.)
//! 2. An element of 1, 2, 4 or 8 bytes that is aligned to its size at both ends is loaded by one instruction and stored by one. Neither
//!    a put nor a get tears it, wherever in the range it lies.
//!
//! Nothing is promised about the order of the bytes of one copy. All accesses are relaxed: on a weakly ordered processor the caller
//! orders a copy before what follows by a release (fence, quiet, the store of a signal), and after what precedes by an acquire.
//!
//! # How the rule is kept
//!
//! The destination is cut at multiples of eight. A piece before the first multiple and a piece behind the last are stored by words of
//! 1, 2 and 4 bytes, each aligned to its size at the destination. No cut lies inside of an aligned element, so an element
//! is torn only if the processor splits one instruction.
//!
//! - x86-64 (`x86_64.rs`): a load or store, scalar or vector, is split only at a multiple of eight or more (a cache line, half a vector),
//!   and no aligned element crosses that. `rep movs` loads and stores each element of its own width whole. All stores are ordered as
//!   any others on this processor. The stores of one `rep movs` may pass each other, but no later store passes them (Intel SDM, volume 3,
//!   "Fast-String Operation and Out-of-Order Stores").
//! - other processors (`portable.rs`): each word is a relaxed atomic of the width to which both ends are aligned.
//!
//! The moves are inline assembly or atomics. The compiler can neither split, repeat nor merge them, nor replace
//! them by a call of `memmove`.
#![warn(missing_docs)]
#![deny(unsafe_code)]
#![allow(unsafe_code, reason = "copies between raw addresses are what this crate is for")]

use core::mem::{MaybeUninit, size_of, transmute_copy};

/// The moves of one word that follow from a module's [`Scalar`].
macro_rules! word_moves {
    () => {
        /// Move one word, whole if the processor or the alignment allows.
        ///
        /// # Safety
        /// `to` is valid for writes and `from` for reads of a `Word`.
        #[inline(always)]
        pub unsafe fn move_word<Word: Scalar>(to: *mut u8, from: *const u8) {
            // SAFETY: the caller's promise.
            unsafe { Word::load(from).store(to) }
        }

        /// Move one word of 1, 2, 4 or 8 bytes.
        ///
        /// # Safety
        /// As for [`move_word`].
        #[inline(always)]
        pub unsafe fn move_sized(to: *mut u8, from: *const u8, bytes: usize) {
            // SAFETY: the caller's promise.
            unsafe {
                match bytes {
                    1 => move_word::<u8>(to, from),
                    2 => move_word::<u16>(to, from),
                    4 => move_word::<u32>(to, from),
                    _ => move_word::<u64>(to, from),
                }
            }
        }
    };
}

#[cfg(any(not(target_arch = "x86_64"), test))]
mod portable;
#[cfg(target_arch = "x86_64")]
mod x86_64;

#[cfg(not(target_arch = "x86_64"))]
use portable as machine;
#[cfg(target_arch = "x86_64")]
use x86_64 as machine;

#[cfg(not(target_arch = "x86_64"))]
pub use copy_by_words as copy;
pub use machine::Scalar;
#[cfg(target_arch = "x86_64")]
pub use machine::copy;
use machine::{move_sized, move_word};

/// Copy `len` bytes, which the caller knows to be elements of type `T`. The most common lengths, one element or eight bytes, are moved
/// without a call.
///
/// The ranges may overlap.
///
/// # Safety
/// `to` is valid for writes and `from` for reads of `len` bytes. Others may access both ranges meanwhile, by instructions that
/// the compiler does not see or by atomics.
#[inline(always)]
pub unsafe fn copy_elements<T>(to: *mut u8, from: *const u8, len: usize) {
    // SAFETY: the caller's promise; the length was compared.
    unsafe {
        match size_of::<T>() {
            2 if len == 2 => move_word::<u16>(to, from),
            4 if len == 4 => move_word::<u32>(to, from),
            1 | 8 | 16 if len == 8 => move_word::<u64>(to, from),
            _ => copy(to, from, len),
        }
    }
}

/// Copy word by word, each the largest that is aligned to its size at the destination: from the last to the first where the destination
/// begins inside of the source.
///
/// # Safety
/// As for [`copy_elements`].
pub unsafe extern "C" fn copy_by_words(to: *mut u8, from: *const u8, len: usize) {
    // SAFETY: the caller's promise; each word lies within both ranges.
    let move_at = |at, bytes| unsafe { move_sized(to.add(at), from.add(at), bytes) };
    let aligned = |at: usize| 1 << (to.addr() + at).trailing_zeros().min(3);
    if to.addr().wrapping_sub(from.addr()) >= len {
        let mut done = 0;
        while done < len {
            let word = aligned(done).min(1 << (len - done).ilog2());
            move_at(done, word);
            done += word;
        }
    } else if to.cast_const() != from {
        let mut left = len;
        while left > 0 {
            let word = aligned(left).min(1 << left.ilog2());
            left -= word;
            move_at(left, word);
        }
    }
}

/// Call a method of the [`Scalar`] that has as many bytes as a value, or copy the value.
macro_rules! by_size {
    (store $value:ident $method:ident($($argument:expr),*), else $to:expr) => {
        match size_of::<T>() {
            1 => transmute_copy::<T, u8>(&$value).$method($($argument),*),
            2 => transmute_copy::<T, u16>(&$value).$method($($argument),*),
            4 => transmute_copy::<T, u32>(&$value).$method($($argument),*),
            8 => transmute_copy::<T, u64>(&$value).$method($($argument),*),
            len => copy($to, (&raw const $value).cast(), len),
        }
    };
    (load $method:ident($($argument:expr),*), else $from:expr) => {
        match size_of::<T>() {
            1 => transmute_copy(&u8::$method($($argument),*)),
            2 => transmute_copy(&u16::$method($($argument),*)),
            4 => transmute_copy(&u32::$method($($argument),*)),
            8 => transmute_copy(&u64::$method($($argument),*)),
            len => {
                let mut value = MaybeUninit::<T>::uninit();
                copy(value.as_mut_ptr().cast(), $from, len);
                value.assume_init()
            }
        }
    };
}

/// Store a value, by one instruction if it has 1, 2, 4 or 8 bytes. The address need not be aligned.
///
/// # Safety
/// `to` is valid for writes of a `T`; others may access it meanwhile.
#[inline(always)]
pub unsafe fn store<T: Copy>(to: *mut u8, value: T) {
    // SAFETY: the caller's promise; sizes are equal.
    unsafe { by_size!(store value store(to), else to) }
}

/// Load a value, by one instruction if it has 1, 2, 4 or 8 bytes. The address need not be aligned.
///
/// # Safety
/// `from` is valid for reads of a `T`, which any pattern of bits is; others may access it meanwhile.
#[inline(always)]
pub unsafe fn load<T: Copy>(from: *const u8) -> T {
    // SAFETY: the caller's promise; sizes are equal.
    unsafe { by_size!(load load(from), else from) }
}

/// Store a value at `distance` bytes from `to`. The instruction adds the two.
///
/// # Safety
/// As for [`store`], at the sum.
#[inline(always)]
pub unsafe fn store_apart<T: Copy>(to: *mut u8, distance: isize, value: T) {
    // SAFETY: the caller's promise; sizes are equal.
    unsafe { by_size!(store value store_apart(to, distance), else to.wrapping_offset(distance)) }
}

/// Load a value at `distance` bytes from `from`. The instruction adds the two.
///
/// # Safety
/// As for [`load`], at the sum.
#[inline(always)]
pub unsafe fn load_apart<T: Copy>(from: *const u8, distance: isize) -> T {
    // SAFETY: the caller's promise; sizes are equal.
    unsafe { by_size!(load load_apart(from, distance), else from.wrapping_offset(distance)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Copy = unsafe extern "C" fn(*mut u8, *const u8, usize);
    const COPIES: [Copy; 2] = [copy, copy_by_words];
    const ROOM: usize = 20_000;

    fn lengths() -> impl Iterator<Item = usize> + Clone {
        (0..=300).chain([511, 512, 1023, 1536, 2047, 4000, 4095, 4096, 4097, 4111, 4199, 4223, 8191, 8192, 9001])
    }

    #[test]
    fn every_length_and_alignment_is_copied_and_nothing_beside_it() {
        let source: Vec<u8> = (0..ROOM).map(|at| (at % 251) as u8 + 1).collect();
        for copy in COPIES {
            for (to, from) in (0..16).flat_map(|to| (0..16).map(move |from| (to + 64, from))) {
                for len in lengths().filter(|&len| len < 70 || (len + to + from) % 5 == 0) {
                    let mut target = vec![0_u8; to + len + 64];
                    // SAFETY: both have room for all of it.
                    unsafe { copy(target.as_mut_ptr().add(to), source.as_ptr().add(from), len) };
                    assert_eq!(target[to..to + len], source[from..from + len], "{len} bytes, {from} to {to}");
                    assert!(
                        target[..to].iter().chain(&target[to + len..]).all(|&byte| byte == 0),
                        "{len}, {from} to {to}"
                    );
                }
            }
        }
    }

    #[test]
    fn ranges_that_overlap_are_moved() {
        for copy in COPIES {
            for len in lengths() {
                for distance in (-70..=70_isize).chain([-300, 300]) {
                    let mut bytes: Vec<u8> = (0..len + 700).map(|at| (at % 251) as u8).collect();
                    let (from, to) = (350, 350_usize.wrapping_add_signed(distance));
                    let mut wanted = bytes.clone();
                    wanted.copy_within(from..from + len, to);
                    let base = bytes.as_mut_ptr();
                    // SAFETY: both ranges lie within the vector.
                    unsafe { copy(base.add(to), base.add(from), len) };
                    assert!(bytes == wanted, "{len} bytes by {distance}");
                }
            }
        }
    }

    #[test]
    fn portable_words_are_moved_at_any_address() {
        let source: Vec<u8> = (1..=24).collect();
        for (to, from) in (0..8).flat_map(|to| (0..8).map(move |from| (to, from))) {
            for bytes in [1, 2, 4, 8] {
                let mut target = [0_u8; 24];
                // SAFETY: at most 16 of 24 bytes.
                unsafe { portable::move_sized(target.as_mut_ptr().add(to), source.as_ptr().add(from), bytes) };
                assert_eq!(target[to..to + bytes], source[from..from + bytes]);
                assert_eq!(target.iter().filter(|&&byte| byte != 0).count(), bytes);
            }
            // SAFETY: at most 15 of 24 bytes.
            let apart: u64 = unsafe { portable::Scalar::load_apart(source.as_ptr().add(to), from as isize) };
            assert_eq!(apart.to_ne_bytes(), source[to + from..to + from + 8]);
            let mut target = [0_u8; 24];
            // SAFETY: as above.
            unsafe { portable::Scalar::store_apart(apart, target.as_mut_ptr().add(to), from as isize) };
            assert_eq!(target[to + from..to + from + 8], apart.to_ne_bytes());
        }
    }

    #[test]
    fn values_of_all_sizes_are_stored_and_loaded_at_any_address() {
        fn check<T: core::marker::Copy + PartialEq + core::fmt::Debug>(value: T) {
            for at in 0..8 {
                let mut room = [0_u64; 6];
                let place = room.as_mut_ptr().cast::<u8>().wrapping_add(at);
                // SAFETY: a value of at most 24 bytes within 48.
                let [back, apart]: [T; 2] = unsafe {
                    store(place, value);
                    let back = load(place);
                    store_apart(place.wrapping_add(9), -9, value);
                    [back, load_apart(place.wrapping_sub(7), 7)]
                };
                assert_eq!([back, apart], [value; 2]);
                // SAFETY: as above.
                unsafe { copy_elements::<T>(place.wrapping_add(16), place, size_of::<T>().min(16)) };
            }
        }
        check(0xa5_u8);
        check(-2_i16);
        check(0x1234_5678_u32);
        check(u64::MAX - 5);
        check(1.5_f32);
        check(-2.25_f64);
        check(1_u128 << 77 | 3);
        check([1_u64, 2, 3]);
        check([1_u8, 2, 3]);
    }
}
