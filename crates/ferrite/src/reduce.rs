//! The operations of reductions, and the numbers that each can combine.

use crate::Element;
use core::ptr::NonNull;
use ferrite_runtime::{Req, Site, Team, World};

/// An operation of reductions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[doc(hidden)]
pub enum Operation {
    Sum,
    Prod,
    Max,
    Min,
    And,
    Or,
    Xor,
}

/// The arguments of a reduction.
#[doc(hidden)]
pub struct Reduction<'r, T> {
    pub world: &'r World,
    pub site: &'static Site,
    pub team: Team,
    pub dest: *mut T,
    pub source: *const T,
    pub len: usize,
}

mod sealed {
    use super::{Operation, Reduction, Req};

    pub trait Sealed: Sized {
        /// # Safety
        /// The buffers are symmetric and have the stated length. If there is a `request`, it may be written. Everything stays valid until
        /// the request is complete.
        #[doc(hidden)]
        unsafe fn reduce(operation: Operation, arguments: Reduction<'_, Self>, request: Option<*mut Req>);
        /// # Safety
        /// As for `reduce`.
        #[doc(hidden)]
        unsafe fn scan(inclusive: bool, arguments: Reduction<'_, Self>);
    }
}

/// Numbers that can be summed, multiplied and compared in reductions.
///
/// Sums of integers wrap. The maximum and minimum of floating-point numbers ignore NaNs.
pub trait Number: Element + sealed::Sealed {}

/// Numbers whose bits can be combined, too.
pub trait Integer: Number {}

macro_rules! numbers {
    (@ $t:ident: $($operation:ident $now:ident $later:ident),*) => {
        impl sealed::Sealed for $t {
            #[inline(always)]
            unsafe fn reduce(operation: Operation, arguments: Reduction<'_, $t>, request: Option<*mut Req>) {
                let Reduction { world, site, team, dest, source, len } = arguments;
                // SAFETY: passed on.
                unsafe {
                    match (operation, request) {
                        $(
                            (Operation::$operation, None) => { world.$now(site, team, dest, source, len); }
                            (Operation::$operation, Some(request)) => { world.$later(site, team, dest, source, len, request); }
                        )*
                        #[allow(unreachable_patterns, reason = "integers have all operations")]
                        _ => unreachable!("no bits of floating-point numbers are combined"),
                    }
                }
            }

            #[inline(always)]
            unsafe fn scan(inclusive: bool, arguments: Reduction<'_, $t>) {
                let Reduction { world, site, team, dest, source, len } = arguments;
                // SAFETY: passed on.
                unsafe {
                    if inclusive {
                        world.sum_inscan(site, team, dest, source, len);
                    } else {
                        world.sum_exscan(site, team, dest, source, len);
                    }
                }
            }
        }
        impl Number for $t {}
    };
}

macro_rules! integers {
    ($($t:ident)*) => { $(
        numbers! { @ $t: Sum sum_reduce sum_reduce_nb, Prod prod_reduce prod_reduce_nb, Max max_reduce max_reduce_nb,
            Min min_reduce min_reduce_nb, And and_reduce and_reduce_nb, Or or_reduce or_reduce_nb, Xor xor_reduce xor_reduce_nb }
        impl Integer for $t {}
    )* };
}
integers!(u8 i8 u16 i16 u32 i32 u64 i64 usize isize);

macro_rules! reals {
    ($($t:ident)*) => { $(
        numbers! { @ $t: Sum sum_reduce sum_reduce_nb, Prod prod_reduce prod_reduce_nb, Max max_reduce max_reduce_nb,
            Min min_reduce min_reduce_nb }
    )* };
}
reals!(f32 f64);

/// The runtime's form of a closure without state: `into[i] = a[i] op b[i]`.
///
/// # Safety
/// `a`, `b` and `into` are `bytes` bytes of elements; `into` equals one of the two, or overlaps neither.
pub(crate) unsafe fn kernel<T: Element, F: Fn(T, T) -> T + Copy>(
    into: *mut u8,
    a: *const u8,
    b: *const u8,
    bytes: usize,
) {
    const { assert!(size_of::<F>() == 0, "an operator captures nothing: peers could not know what it has captured") };
    // SAFETY: for a zero-sized type, any aligned pointer that is not null is a valid reference; a value existed, and it is `Copy`.
    let operator: &F = unsafe { NonNull::<F>::dangling().as_ref() };
    for at in (0..bytes).step_by(size_of::<T>()) {
        // SAFETY: within the ranges, and any bits are a value.
        unsafe {
            let (a, b) = (a.add(at).cast::<T>().read_unaligned(), b.add(at).cast::<T>().read_unaligned());
            into.add(at).cast::<T>().write_unaligned(operator(a, b));
        }
    }
}

/// # Safety
/// As for [`World::reduce_by`].
pub(crate) unsafe fn reduce_by<T: Element, F: Fn(T, T) -> T + Copy>(arguments: Reduction<'_, T>) {
    let Reduction { world, site, team, dest, source, len } = arguments;
    type Bits<T> = crate::element::Raw<T>;
    // SAFETY: passed on; the kernel is as described there.
    unsafe { world.reduce_by::<Bits<T>>(site, team, dest.cast(), source.cast(), len, kernel::<T, F>) };
}
