//! Copies between mapped memories.

use core::{
    ptr,
    sync::atomic::{AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed},
};

/// Copy `len` bytes. A single aligned word never tears, so that a flag put with its routine's plain form can be
/// polled; no other order between the bytes is promised, or needed: see `ops/order.rs`.
///
/// The ranges may overlap: a program that puts to itself gets `memmove`, which in the C libraries of today is the
/// same code as `memcpy`, and the fastest there is.
///
/// # Safety
/// `to` and `from` are valid for `len` bytes.
#[inline(always)]
pub(crate) unsafe fn copy(to: *mut u8, from: *const u8, len: usize) {
    if len == 8 && (to as usize | from as usize).is_multiple_of(8) {
        // SAFETY: both are valid for eight bytes and aligned. The peer's word may be written by others at the same
        // time, hence the atomic; relaxed is a plain move.
        unsafe {
            AtomicU64::from_ptr(to.cast()).store(AtomicU64::from_ptr(from.cast_mut().cast()).load(Relaxed), Relaxed)
        }
    } else if cfg!(not(target_arch = "x86_64")) && (len == 2 || len == 4) {
        // There are C libraries for Arm that move two bytes one by one; those for x86-64 do not.
        // SAFETY: passed on.
        unsafe { copy_element(to, from, len) }
    } else {
        // SAFETY: the caller's promise.
        unsafe { ptr::copy(from, to, len) }
    }
}

/// The same off the near path, where the bytes may be an element of `p` or `g`: those are moved whole there, and here too,
/// which `memmove` does not promise of two bytes or four.
///
/// # Safety
/// `to` and `from` are valid for `len` bytes.
pub(crate) unsafe fn copy_element(to: *mut u8, from: *const u8, len: usize) {
    let aligned = (to as usize | from as usize).is_multiple_of(len.max(1));
    // SAFETY: the caller's promise, and just asked; atomics as in `copy`.
    unsafe {
        match len {
            2 if aligned => {
                AtomicU16::from_ptr(to.cast()).store(AtomicU16::from_ptr(from.cast_mut().cast()).load(Relaxed), Relaxed)
            }
            4 if aligned => {
                AtomicU32::from_ptr(to.cast()).store(AtomicU32::from_ptr(from.cast_mut().cast()).load(Relaxed), Relaxed)
            }
            8 => copy(to, from, len),
            _ => ptr::copy(from, to, len),
        }
    }
}
