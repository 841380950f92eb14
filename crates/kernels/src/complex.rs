//! Kernels for the complex numbers of C.

use super::{
    number::Float,
    sweep::{Operation, Scalar},
};
use crate::Elem;
use core::ops::{Add, Mul, Sub};

/// C's `float _Complex`.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
#[repr(C)]
pub struct ComplexFloat {
    /// The real part.
    pub re: f32,
    /// The imaginary part.
    pub im: f32,
}

/// C's `double _Complex`.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
#[repr(C)]
pub struct ComplexDouble {
    /// The real part.
    pub re: f64,
    /// The imaginary part.
    pub im: f64,
}

// SAFETY: two plain numbers, no padding.
unsafe impl Elem for ComplexFloat {}
// SAFETY: as above.
unsafe impl Elem for ComplexDouble {}

/// The product of complex numbers whose parts are lanes.
pub(super) struct PairProd;

impl<L: Scalar + Float + Add<Output = L> + Sub<Output = L> + Mul<Output = L>> Operation<L> for PairProd {
    type Element = [L; 2];

    /// Written in the shape of the processors' instructions: duplicate the parts of one operand, swap the parts of the other, multiply
    /// twice, then subtract in even lanes and add in odd ones.
    #[inline(always)]
    fn fold<const N: usize>(a: [L; N], b: [L; N]) -> [L; N] {
        let (mut straight, mut crossed) = (a, a);
        for i in 0..N {
            straight[i] = a[i & !1] * b[i];
            crossed[i] = a[i | 1] * b[i ^ 1];
        }
        let mut out = a;
        for i in 0..N {
            out[i] = if i % 2 == 0 { straight[i] - crossed[i] } else { straight[i] + crossed[i] }.settled();
        }
        out
    }
}
