//! IEEE quad: a sign, 15 bits of exponent, 112 of fraction. It is `long double` on aarch64 and Fortran's `REAL*16`
//! everywhere. No processor here computes in it; the compiler's support library does.

use super::wide::Wide;
use crate::Elem;
use core::mem::transmute;

#[cfg(target_arch = "aarch64")]
use core::arch::aarch64::uint8x16_t as Register;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::__m128i as Register;

/// A number of IEEE quad precision.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(C, align(16))]
pub struct Quad(pub u128);

// SAFETY: sixteen bytes of number.
unsafe impl Elem for Quad {}

const SIGN: u128 = 1 << 127;
const INFINITY: u128 = 0x7fff << 112;

/// The support library's functions. They take and give quads in vector registers, but vectors cannot be declared in
/// foreign functions, so these are only names, called through [`call`].
mod support {
    unsafe extern "C" {
        pub fn __addtf3();
        pub fn __multf3();
    }
}

/// Call a function of the support library.
#[inline(always)]
fn call(function: unsafe extern "C" fn(), a: Quad, b: Quad) -> Quad {
    // SAFETY: the function is `__float128 (__float128, __float128)`, which passes arguments and result like vectors of 16 bytes,
    // on both architectures.
    unsafe {
        let function = transmute::<unsafe extern "C" fn(), extern "C" fn(Register, Register) -> Register>(function);
        let result = function(transmute::<Quad, Register>(a), transmute::<Quad, Register>(b));
        transmute::<Register, Quad>(result)
    }
}

impl Wide for Quad {
    const ONLY_NAN: Quad = Quad(INFINITY | 1 << 111);

    #[inline(always)]
    fn parts(self) -> Option<(u128, bool)> {
        let magnitude = self.0 & !SIGN;
        (magnitude <= INFINITY).then_some((magnitude, self.0 & SIGN != 0))
    }

    #[inline(always)]
    fn from_parts(magnitude: u128, negative: bool) -> Quad {
        Quad(magnitude | u128::from(negative) << 127)
    }

    #[inline(always)]
    fn add(self, other: Quad) -> Quad {
        call(support::__addtf3, self, other)
    }

    #[inline(always)]
    fn mul(self, other: Quad) -> Quad {
        call(support::__multf3, self, other)
    }
}
