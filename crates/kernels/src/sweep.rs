//! The loop over memory of every kernel.
//!
//! A step loads a block of `a` and a block of `b`, combines them in registers, and stores a block. Every load of a step precedes its store,
//! so the loop is right in all three cases (`into` is `a`, is `b`, is apart), and the compiler needs no proof about aliasing. If it needed
//! such a proof, it would keep a scalar loop for pointers that overlap, and an in-place reduction would run in that loop. Blocks are of
//! fixed size, so the vectorised code has no inner loop.
//!
//! Blocks are of 64 bytes, then 16, then one element: a row of 60 bytes takes a handful of steps, whatever the element.

use core::arch::asm;

/// A lane of an instruction: a number, or half of a complex one.
pub(super) trait Scalar: Copy {
    /// The lanes of a long step.
    type Long: Step<Self>;
    /// The lanes of a short step.
    type Short: Step<Self>;
}

macro_rules! lanes {
    ($($lane:ty)*) => { $(
        impl Scalar for $lane {
            type Long = [$lane; 64 / size_of::<$lane>()];
            type Short = [$lane; 16 / size_of::<$lane>()];
        }
    )* };
}
lanes!(u8 u16 u32 u64 i8 i16 i32 i64 f32 f64);

/// An operation on lanes.
pub(super) trait Operation<L: Scalar> {
    /// The lanes of one element.
    type Element: Step<L>;
    /// Combine `N` lanes, whole elements, lane by lane or element by element.
    fn fold<const N: usize>(a: [L; N], b: [L; N]) -> [L; N];
}

/// Lanes that are combined at once.
pub(super) trait Step<L: Scalar>: Copy {
    /// Combine the lanes of both, by `O`.
    fn fold<O: Operation<L>>(a: Self, b: Self) -> Self;
}

impl<L: Scalar, const N: usize> Step<L> for [L; N] {
    #[inline(always)]
    fn fold<O: Operation<L>>(a: [L; N], b: [L; N]) -> [L; N] {
        O::fold(a, b)
    }
}

/// Combine lane by lane.
#[inline(always)]
pub(super) fn each<L: Scalar, const N: usize>(a: [L; N], b: [L; N], combine: impl Fn(L, L) -> L) -> [L; N] {
    let mut out = a;
    for i in 0..N {
        out[i] = combine(a[i], b[i]);
    }
    out
}

/// The kernel of an operation, in the best instructions that this machine has.
///
/// The choice costs a load and a predicted branch, and is made only for rows that fill a vector. AVX-512 is not among the choices: in cache
/// and beyond it was measured no faster than AVX2, and some processors lower their clock for it.
///
/// # Safety
/// As [`Kernel`](super::Kernel) says: all three are valid for `bytes`, which is whole elements, and `into` is
/// `a`, is `b`, or overlaps neither.
pub(super) unsafe fn kernel<L: Scalar, O: Operation<L>>(into: *mut u8, a: *const u8, b: *const u8, bytes: usize) {
    #[cfg(target_arch = "x86_64")]
    if bytes >= 64 && size_of::<L::Long>() == 64 && is_x86_feature_detected!("avx2") {
        // SAFETY: the caller's promise, and the feature is there.
        return unsafe { avx2::<L, O>(into, a, b, bytes) };
    }
    // SAFETY: the caller's promise.
    unsafe { sweep::<L, O>(into, a, b, bytes) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn avx2<L: Scalar, O: Operation<L>>(into: *mut u8, a: *const u8, b: *const u8, bytes: usize) {
    // SAFETY: the caller's promise.
    unsafe { sweep::<L, O>(into, a, b, bytes) }
}

/// The kernel in the instructions that every machine has.
///
/// # Safety
/// As [`kernel`].
#[inline(always)]
pub(super) unsafe fn sweep<L: Scalar, O: Operation<L>>(into: *mut u8, a: *const u8, b: *const u8, bytes: usize) {
    const { assert!(size_of::<O::Element>() <= size_of::<L::Short>()) };
    let mut at = 0;
    // SAFETY: each call begins where the one before ended; the last one ends at `bytes`, which is whole elements.
    unsafe {
        if size_of::<L::Long>() > size_of::<L::Short>() {
            at = steps::<L, O, L::Long>(into, a, b, at, bytes);
        }
        if size_of::<L::Short>() > size_of::<O::Element>() {
            at = steps::<L, O, L::Short>(into, a, b, at, bytes);
        }
        steps::<L, O, O::Element>(into, a, b, at, bytes);
    }
}

/// Do as many steps of `S` as fit between `at` and `end`. Returns where they ended.
///
/// # Safety
/// As [`kernel`], with `end` for `bytes`.
#[inline(always)]
unsafe fn steps<L: Scalar, O: Operation<L>, S: Step<L>>(
    into: *mut u8,
    a: *const u8,
    b: *const u8,
    mut at: usize,
    end: usize,
) -> usize {
    while end - at >= size_of::<S>() {
        // SAFETY: the step lies below `end`; it is unaligned, as the elements may be. The bytes that the store overwrites have been loaded,
        // or are no operand.
        unsafe {
            let ours = a.add(at).cast::<S>().read_unaligned();
            let theirs = b.add(at).cast::<S>().read_unaligned();
            into.add(at).cast::<S>().write_unaligned(S::fold::<O>(ours, theirs));
        }
        at = opaque(at + size_of::<S>());
    }
    at
}

/// The same number, with its origin hidden from the compiler. Otherwise the compiler sees that all steps are of one size, and vectorises
/// the loop over steps, for rows that are apart: it gathers the first lanes of four steps into one register, the second lanes into another,
/// and separates them again.
#[inline(always)]
fn opaque(mut number: usize) -> usize {
    // SAFETY: no instruction.
    unsafe { asm!("/* {0} */", inout(reg) number, options(pure, nomem, nostack, preserves_flags)) };
    number
}
