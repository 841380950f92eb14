//! Local access to symmetric memory that peers may write at the same time.
//!
//! # What is promised
//!
//! A peer writes this memory by its own processor (its stores are not this program's threads, but for worlds of threads) or by a
//! network. Here every access is a relaxed atomic one, of eight bytes where the address allows, else of one: the compiler assumes
//! nothing of the value, and a value that is read while it is written is some mixture of old and new bytes, never undefined
//! behaviour; each [`Element`] has a meaning for every mixture. Aligned words of eight bytes do not tear; elements that are larger
//! may. Elements of two and four bytes, aligned as they always are, do not tear either.
//!
//! Rust's model says nothing of accesses by other processes, and calls atomic accesses of different sizes to the same bytes
//! at the same time a race. The processors that are supported order them like any others.

use crate::element::Element;
use bytemuck::AnyBitPattern;
use core::{
    mem::{MaybeUninit, size_of},
    sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed},
};

/// Read one value.
///
/// # Safety
/// `from` is a `T` in symmetric memory.
#[inline(always)]
pub(crate) unsafe fn load<T: AnyBitPattern>(from: *const T) -> T {
    let mut value = MaybeUninit::<T>::uninit();
    // SAFETY: the caller's promise; then all bytes are written, and any bytes are a value.
    unsafe {
        read_bytes(from.cast(), value.as_mut_ptr().cast(), size_of::<T>());
        value.assume_init()
    }
}

/// Write one value.
///
/// # Safety
/// `to` is a `T` in symmetric memory.
#[inline(always)]
pub(crate) unsafe fn store<T: Element>(to: *mut T, value: T) {
    // SAFETY: the caller's promise; every byte of the value is initialised.
    unsafe { write_bytes(to.cast(), (&raw const value).cast(), size_of::<T>()) }
}

/// Moves a range by the widest words that `shared`, the symmetric side, allows at each place.
macro_rules! by_words {
    ($shared:expr, $len:expr, |$at:ident, $atomic:ident, $word:ident| $step:block) => {{
        let mut done = 0;
        macro_rules! step {
            ($a:ident, $w:ident) => {{
                let $at = done;
                type $atomic = $a;
                type $word = $w;
                $step;
                done += size_of::<$w>();
            }};
        }
        while done < $len {
            let (address, left) = ($shared as usize + done, $len - done);
            if address.is_multiple_of(8) && left >= 8 {
                step!(AtomicU64, u64)
            } else if address.is_multiple_of(4) && left >= 4 {
                step!(AtomicU32, u32)
            } else if address.is_multiple_of(2) && left >= 2 {
                step!(AtomicU16, u16)
            } else {
                step!(AtomicU8, u8)
            }
        }
    }};
}

/// Copy symmetric memory into the program's own.
///
/// # Safety
/// `from` is `len` bytes of symmetric memory, and `to` is valid for writes of as many.
#[inline(always)]
pub(crate) unsafe fn read_bytes(from: *const u8, to: *mut u8, len: usize) {
    by_words!(from, len, |at, Atomic, Word| {
        // SAFETY: within the range, and aligned; the destination takes any address.
        unsafe {
            let word = Atomic::from_ptr(from.add(at).cast_mut().cast()).load(Relaxed);
            to.add(at).cast::<Word>().write_unaligned(word);
        }
    });
}

/// Copy the program's memory into symmetric memory.
///
/// # Safety
/// `to` is `len` bytes of symmetric memory, and `from` is valid for reads of as many initialised ones.
#[inline(always)]
pub(crate) unsafe fn write_bytes(to: *mut u8, from: *const u8, len: usize) {
    by_words!(to, len, |at, Atomic, Word| {
        // SAFETY: within the range, and aligned; the source takes any address.
        unsafe {
            let word = from.add(at).cast::<Word>().read_unaligned();
            Atomic::from_ptr(to.add(at).cast()).store(word, Relaxed);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_at_every_address() {
        let source: Vec<u8> = (0..64).map(|i| i * 3 + 1).collect();
        for start in 0..9 {
            for len in 0..40 {
                let mut words = [0_u64; 8];
                let place = words.as_mut_ptr().cast::<u8>().wrapping_add(start);
                let mut back = vec![0xff; len];
                // SAFETY: 9 + 40 bytes are less than 64.
                unsafe {
                    write_bytes(place, source.as_ptr().add(start), len);
                    read_bytes(place, back.as_mut_ptr(), len);
                }
                assert_eq!(back, source[start..start + len]);
                let all: &[u8] = bytemuck::bytes_of(&words);
                assert!(all[..start].iter().chain(&all[start + len..]).all(|&byte| byte == 0), "{start}+{len}");
            }
        }
    }
}
