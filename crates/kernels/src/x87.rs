//! The extended format of x87: a sign, 15 bits of exponent, 64 of significand with its integer bit; then padding.

use super::wide::Wide;
use core::arch::asm;

/// A `long double` in memory.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub(super) struct Extended {
    significand: u64,
    /// The sign is the highest bit.
    exponent: u16,
    padding: [u16; 3],
}

const INTEGER_BIT: u64 = 1 << 63;
const SPECIAL: u16 = 0x7fff;

/// The sum or product of two numbers, computed on the stack of x87.
macro_rules! x87 {
    ($instruction:literal, $a:expr, $b:expr) => {{
        let (a, b) = ($a, $b);
        let mut result = Extended { significand: 0, exponent: 0, padding: [0; 3] };
        // SAFETY: two numbers are pushed and two popped, so the stack is left as it was found: empty, as calls have it.
        // Ten bytes are read and written, within the three values; the padding stays zeros.
        unsafe {
            asm!(
                "fld tbyte ptr [{a}]",
                "fld tbyte ptr [{b}]",
                $instruction,
                "fstp tbyte ptr [{result}]",
                a = in(reg) &raw const a,
                b = in(reg) &raw const b,
                result = in(reg) &raw mut result,
                out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
                out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _,
                options(nostack),
            );
        }
        result
    }};
}

impl Wide for Extended {
    const ONLY_NAN: Extended =
        Extended { significand: INTEGER_BIT | INTEGER_BIT >> 1, exponent: SPECIAL, padding: [0; 3] };

    #[inline(always)]
    fn parts(self) -> Option<(u128, bool)> {
        let (exponent, negative) = (self.exponent & SPECIAL, self.exponent > SPECIAL);
        let whole = self.significand & INTEGER_BIT != 0;
        let is_number = if exponent == SPECIAL { self.significand == INTEGER_BIT } else { whole || exponent == 0 };
        // The integer bit with exponent 0 is another way to write exponent 1.
        let exponent = if whole { exponent.max(1) } else { exponent };
        is_number.then_some((u128::from(exponent) << 64 | u128::from(self.significand), negative))
    }

    #[inline(always)]
    fn from_parts(magnitude: u128, negative: bool) -> Extended {
        let exponent = (magnitude >> 64) as u16 | u16::from(negative) << 15;
        Extended { significand: magnitude as u64, exponent, padding: [0; 3] }
    }

    #[inline(always)]
    fn add(self, other: Extended) -> Extended {
        x87!("faddp st(1), st", self, other)
    }

    #[inline(always)]
    fn mul(self, other: Extended) -> Extended {
        x87!("fmulp st(1), st", self, other)
    }
}
