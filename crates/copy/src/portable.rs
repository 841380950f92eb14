//! Moves of processors without a file of their own: each word is a relaxed atomic.
//!
//! A word is loaded by words of the width to which both ends are aligned, and stored whole. An element that is aligned at both ends is then
//! loaded by one atomic, whatever the processor makes of addresses that are not aligned.

use core::{
    ptr,
    sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed},
};

/// A value that is loaded and stored whole if its address is aligned, otherwise by bytes.
pub trait Scalar: Copy {
    /// # Safety
    /// `from` is valid for reads of the value's size.
    unsafe fn load(from: *const u8) -> Self;
    /// # Safety
    /// `from` + `distance` is valid for reads of the value's size.
    #[inline(always)]
    unsafe fn load_apart(from: *const u8, distance: isize) -> Self {
        // SAFETY: the caller's promise.
        unsafe { Self::load(from.wrapping_offset(distance)) }
    }
    /// # Safety
    /// `to` + `distance` is valid for writes of the value's size.
    #[inline(always)]
    unsafe fn store_apart(self, to: *mut u8, distance: isize) {
        // SAFETY: the caller's promise.
        unsafe { self.store(to.wrapping_offset(distance)) }
    }
    /// # Safety
    /// `to` is valid for writes of the value's size.
    unsafe fn store(self, to: *mut u8);
}

macro_rules! scalars {
    ($($word:ty, $bits:ty, $half:ty, $atomic:ty;)*) => { $(
        impl Scalar for $word {
            #[inline(always)]
            unsafe fn load(from: *const u8) -> $word {
                // SAFETY: the caller's promise; aligned, or halved.
                let bits = unsafe {
                    if from.addr().is_multiple_of(size_of::<$word>()) {
                        <$atomic>::from_ptr(from.cast_mut().cast()).load(Relaxed)
                    } else {
                        let mut halves = [0; 2];
                        for (index, half) in halves.iter_mut().enumerate() {
                            *half = <$half>::load(from.add(index * size_of::<$half>()));
                        }
                        ptr::from_ref(&halves).cast::<$bits>().read_unaligned()
                    }
                };
                <$word>::from_ne_bytes(bits.to_ne_bytes())
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut u8) {
                let bits = <$bits>::from_ne_bytes(self.to_ne_bytes());
                // SAFETY: the caller's promise; aligned, or halved.
                unsafe {
                    if to.addr().is_multiple_of(size_of::<$word>()) {
                        <$atomic>::from_ptr(to.cast()).store(bits, Relaxed);
                    } else {
                        let halves = ptr::from_ref(&bits).cast::<[$half; 2]>().read_unaligned();
                        for (index, half) in halves.into_iter().enumerate() {
                            half.store(to.add(index * size_of::<$half>()));
                        }
                    }
                }
            }
        }
    )* };
}

impl Scalar for u8 {
    #[inline(always)]
    unsafe fn load(from: *const u8) -> u8 {
        // SAFETY: the caller's promise.
        unsafe { AtomicU8::from_ptr(from.cast_mut()).load(Relaxed) }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe { AtomicU8::from_ptr(to).store(self, Relaxed) }
    }
}

scalars! {
    u16, u16, u8, AtomicU16;
    u32, u32, u16, AtomicU32;
    u64, u64, u32, AtomicU64;
    f32, u32, u16, AtomicU32;
    f64, u64, u32, AtomicU64;
}

word_moves!();
