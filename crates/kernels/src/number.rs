//! Kernels for the integers and floating-point numbers that the processor computes with.

use super::{
    And, Max, Min, Or, Prod, Sum, Xor,
    sweep::{Operation, each},
};

macro_rules! lanewise {
    ($lane:ty: $($op:ident = $combine:expr;)*) => { $(
        impl Operation<$lane> for $op {
            type Element = [$lane; 1];
            #[inline(always)]
            fn fold<const N: usize>(a: [$lane; N], b: [$lane; N]) -> [$lane; N] {
                each(a, b, $combine)
            }
        }
    )* };
}

macro_rules! unsigned {
    ($($lane:ident)*) => { $(
        lanewise! { $lane:
            Sum = |a, b| a.wrapping_add(b);
            Prod = |a, b| a.wrapping_mul(b);
            And = |a, b| a & b;
            Or = |a, b| a | b;
            Xor = |a, b| a ^ b;
            Max = |a, b| a.max(b);
            Min = |a, b| a.min(b);
        }
    )* };
}
unsigned!(u8 u16 u32 u64);

macro_rules! signed {
    ($($lane:ident)*) => { $(
        lanewise! { $lane:
            Max = |a, b| a.max(b);
            Min = |a, b| a.min(b);
        }
    )* };
}
signed!(i8 i16 i32 i64);

/// Floating-point lanes, by the rules of the module.
pub(super) trait Float: Copy {
    /// The one NaN that results have.
    const ONLY_NAN: Self;
    /// The value, or the one NaN.
    fn settled(self) -> Self;
}

macro_rules! floats {
    ($($lane:ident: $nan:expr;)*) => { $(
        impl Float for $lane {
            const ONLY_NAN: $lane = $lane::from_bits($nan);
            #[inline(always)]
            fn settled(self) -> $lane {
                if self.is_nan() { Self::ONLY_NAN } else { self }
            }
        }

        lanewise! { $lane:
            Sum = |a, b| (a + b).settled();
            Prod = |a, b| (a * b).settled();
            // Selects, no branches. If one operand is NaN both become the other. The two selects then differ only if the numbers are
            // equal, and equal numbers differ in their bits only if they are zeros: in the sign.
            Max = |a, b| {
                let (a, b) = (if a.is_nan() { b } else { a }, if b.is_nan() { a } else { b });
                let (one, other) = (if a > b { a } else { b }, if b > a { b } else { a });
                if a.is_nan() { $lane::ONLY_NAN } else { $lane::from_bits(one.to_bits() & other.to_bits()) }
            };
            Min = |a, b| {
                let (a, b) = (if a.is_nan() { b } else { a }, if b.is_nan() { a } else { b });
                let (one, other) = (if a < b { a } else { b }, if b < a { b } else { a });
                if a.is_nan() { $lane::ONLY_NAN } else { $lane::from_bits(one.to_bits() | other.to_bits()) }
            };
        }
    )* };
}
floats! {
    f32: 0x7fc0_0000;
    f64: 0x7ff8_0000_0000_0000;
}
