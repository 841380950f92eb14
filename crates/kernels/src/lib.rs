//! The kernels of reductions: `into[i] = a[i] op b[i]` over two rows of elements, one kernel for each type and operation. `elem` has the
//! types that OpenSHMEM moves, updates and compares.
//!
//! # Rules
//!
//! Every kernel is commutative bit for bit: `a op b` and `b op a` are the same bytes. So members that combine the same values in the same
//! tree agree on every bit, whichever of the two operands was their own.
//!
//! - Integers wrap in their own width, short ones too.
//! - The maximum and minimum of floating-point numbers are maximumNumber and minimumNumber of IEEE 754-2019: a NaN
//!   loses against a number, and +0 is larger than -0. They are associative as well.
//! - A result that is NaN is always the same one: quiet, positive, no payload. The hardware would pass on the payload of the first operand,
//!   and the compiler may swap the operands of an addition. Besides, the NaN of an invalid operation (infinity less infinity) is negative
//!   on x86 and positive on other processors. In cache this rule costs one twentieth.
//! - Sums and products otherwise follow IEEE 754, each rounded once, never contracted. They are not associative: the order in which
//!   members are combined shows in the last bits, and is up to the algorithm.
//! - A complex product is `(ar br - ai bi, ar bi + ai br)` as it stands, as C computes it under `CX_LIMITED_RANGE`: infinite times finite
//!   may come out as NaN. C's Annex G would recover the infinity by a branch for each element.
//! - `long double` is x87's extended format on x86-64, in the precision that the control word says, and IEEE quad on
//!   aarch64. Padding is written as zeros. Patterns that x87 rejects (an integer bit that contradicts the exponent)
//!   count as NaN.
//!
//! # Floors
//!
//! A kernel is a `sweep` of a `Scalar` by an `Operation`: `sweep` knows memory and instruction sets,
//! the operation knows arithmetic. The table below maps types to lanes. Kernels are shared there: a signed sum is the unsigned one, a
//! complex sum is one of twice as many parts.
#![warn(missing_docs)]

mod complex;
mod elem;
mod number;
mod quad;
mod sweep;
#[cfg(test)]
mod tests;
mod wide;
#[cfg(target_arch = "x86_64")]
mod x87;

use complex::PairProd;
pub use complex::{ComplexDouble, ComplexFloat};
pub use elem::{Bits, Elem, LongDouble, Word};
pub use quad::Quad;
#[cfg(all(target_arch = "aarch64", not(target_vendor = "apple")))]
use quad::Quad as LongScalar;
#[cfg(target_arch = "x86_64")]
use x87::Extended as LongScalar;

#[cfg(not(any(target_arch = "x86_64", all(target_arch = "aarch64", not(target_vendor = "apple")))))]
compile_error!("what long double is on this target is not known: x86-64 and aarch64 but Apple's are accepted");

macro_rules! operations {
    ($($(#[$doc:meta])* $op:ident)*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $op;
    )* };
}
operations! {
    /// The sum of two elements.
    Sum
    /// The product.
    Prod
    /// The larger.
    Max
    /// The smaller.
    Min
    /// Bitwise and.
    And
    /// Bitwise or.
    Or
    /// Bitwise exclusive or.
    Xor
}

/// `into[i] = a[i] op b[i]` over whole elements. `into` is `a`, or `b`, or apart from both.
pub type Kernel = unsafe fn(into: *mut u8, a: *const u8, b: *const u8, bytes: usize);

/// An operation by which elements of type `T` can be reduced.
pub trait Reduces<T: Elem> {
    /// The kernel: `into[i] = a[i] op b[i]` over `bytes`, a whole number of elements. `into` is exactly `a`,
    /// or exactly `b`, or apart from both; none need be aligned.
    const KERNEL: Kernel;
    /// The same without this machine's instruction set extensions.
    #[cfg(test)]
    const PLAIN: Kernel;
}

/// The kernel that reduces elements of type `T` by `Op`. Chosen when compiling: each routine binds its own.
pub const fn of<T: Elem, Op: Reduces<T>>() -> Kernel {
    Op::KERNEL
}

macro_rules! kernels {
    ($($t:ident: $lane:ty: $($op:ident)+;)*) => { $( kernels!(@ $t $lane: $($op = $op)+); )* };
    (@ $t:ident $lane:ty: $($op:ident = $does:ident)+) => { $(
        impl Reduces<$t> for $op {
            const KERNEL: Kernel = sweep::kernel::<$lane, $does>;
            #[cfg(test)]
            const PLAIN: Kernel = sweep::sweep::<$lane, $does>;
        }
    )+ };
}
kernels! {
    u8: u8: Sum Prod And Or Xor Max Min;
    i8: u8: Sum Prod And Or Xor;
    i8: i8: Max Min;
    u16: u16: Sum Prod And Or Xor Max Min;
    i16: u16: Sum Prod And Or Xor;
    i16: i16: Max Min;
    u32: u32: Sum Prod And Or Xor Max Min;
    i32: u32: Sum Prod And Or Xor;
    i32: i32: Max Min;
    u64: u64: Sum Prod And Or Xor Max Min;
    i64: u64: Sum Prod And Or Xor;
    i64: i64: Max Min;
    f32: f32: Sum Prod Max Min;
    f64: f64: Sum Prod Max Min;
    LongDouble: LongScalar: Sum Prod Max Min;
    Quad: Quad: Sum Prod Max Min;
    ComplexFloat: f32: Sum;
    ComplexDouble: f64: Sum;
}
kernels!(@ ComplexFloat f32: Prod = PairProd);
kernels!(@ ComplexDouble f64: Prod = PairProd);
#[cfg(target_pointer_width = "64")]
kernels! {
    usize: u64: Sum Prod And Or Xor Max Min;
    isize: u64: Sum Prod And Or Xor;
    isize: i64: Max Min;
}
