//! Cases in which the order of the operands could matter: NaN, signed zeros, numbers that have several encodings.

use super::{
    super::{Max, Min, Prod, Quad, Reduces, Sum},
    both, bytes_of, once,
};
use crate::{Elem, LongDouble};

/// The values of a format that the rules mention.
struct Format<T> {
    name: &'static str,
    /// In strictly ascending order: -infinity, ..., -0, +0, ..., +infinity.
    rising: Vec<T>,
    /// NaNs of every kind. The first one is the NaN of results.
    nans: Vec<T>,
}

/// All rules, over all pairs in both orders.
fn check<T: Elem>(format: &Format<T>)
where
    Sum: Reduces<T>,
    Prod: Reduces<T>,
    Max: Reduces<T>,
    Min: Reduces<T>,
{
    let Format { name, rising, nans } = format;
    let nan = bytes_of(nans[0]);
    let result = |kernel, a, b| bytes_of(once(kernel, a, b));
    for ((which, max), (_, min)) in both::<T, Max>().into_iter().zip(both::<T, Min>()) {
        for (i, &low) in rising.iter().enumerate() {
            for (j, &high) in rising.iter().enumerate().skip(i) {
                for (a, b) in [(low, high), (high, low)] {
                    assert_eq!(result(max, a, b), bytes_of(high), "{name}, {which}: maximum of {i} and {j}");
                    assert_eq!(result(min, a, b), bytes_of(low), "{name}, {which}: minimum of {i} and {j}");
                }
            }
            for (j, &none) in nans.iter().enumerate() {
                for (a, b) in [(low, none), (none, low)] {
                    assert_eq!(result(max, a, b), bytes_of(low), "{name}, {which}: maximum of {i} and NaN {j}");
                    assert_eq!(result(min, a, b), bytes_of(low), "{name}, {which}: minimum of {i} and NaN {j}");
                }
            }
        }
    }
    let kernels = both::<T, Max>().into_iter().chain(both::<T, Min>());
    for (_, kernel) in kernels.chain(both::<T, Sum>()).chain(both::<T, Prod>()) {
        for (i, &a) in nans.iter().enumerate() {
            for (j, &b) in nans.iter().enumerate() {
                assert_eq!(result(kernel, a, b), nan, "{name}: NaN {i} with NaN {j}");
            }
        }
    }
    for (_, kernel) in both::<T, Sum>().into_iter().chain(both::<T, Prod>()) {
        for (i, &number) in rising.iter().enumerate() {
            for (j, &none) in nans.iter().enumerate() {
                assert_eq!(result(kernel, number, none), nan, "{name}: {i} with NaN {j}");
                assert_eq!(result(kernel, none, number), nan, "{name}: NaN {j} with {i}");
            }
            for (j, &other) in rising.iter().enumerate() {
                assert_eq!(result(kernel, number, other), result(kernel, other, number), "{name}: {i} with {j}");
            }
        }
    }
    let (least, most) = (rising[0], rising[rising.len() - 1]);
    assert_eq!(result(Sum::KERNEL, least, most), nan, "{name}: infinity less infinity");
}

macro_rules! float {
    ($($test:ident: $t:ident, $sign:expr, $quiet:expr, $infinity:expr;)*) => { $(
        #[test]
        fn $test() {
            let least = $t::MIN_POSITIVE.to_bits();
            let above = [0, 1, least, $t::to_bits(1.0), $t::to_bits(2.5), $t::MAX.to_bits(), $infinity];
            let rising = above.iter().rev().map(|bits| bits | $sign).chain(above).map($t::from_bits).collect();
            let nans = [$quiet, $quiet | 1, $infinity | 1, $quiet | $sign, $infinity | 7 | $sign]
                .map(|bits| $t::from_bits($infinity | bits));
            check(&Format { name: stringify!($t), rising, nans: nans.to_vec() });
        }
    )* };
}
float! {
    singles: f32, 1_u32 << 31, 1_u32 << 22, 0x7f80_0000_u32;
    doubles: f64, 1_u64 << 63, 1_u64 << 51, 0x7ff0_0000_0000_0000_u64;
}

/// Quad precision: zero, the least, the least normal, near one, the largest, infinity.
fn quads() -> (Vec<u128>, Vec<u128>) {
    const SIGN: u128 = 1 << 127;
    const INFINITY: u128 = 0x7fff << 112;
    let above = [0, 1, 1 << 112, 0x3fff << 112, 0x3fff << 112 | 1, INFINITY - 1, INFINITY];
    let rising = above.iter().rev().map(|bits| bits | SIGN).chain(above).collect();
    let quiet = INFINITY | 1 << 111;
    (rising, vec![quiet, quiet | 1, INFINITY | 1, quiet | SIGN, INFINITY | 7 | SIGN])
}

#[test]
fn quad() {
    let (rising, nans) = quads();
    let all = |bits: Vec<u128>| bits.into_iter().map(Quad).collect();
    check(&Format { name: "quad", rising: all(rising), nans: all(nans) });
}

/// A `long double` of these bits.
fn long_double(bits: u128) -> LongDouble {
    LongDouble(bits.to_le_bytes())
}

#[test]
#[cfg(target_arch = "aarch64")]
fn long_doubles() {
    let (rising, nans) = quads();
    let all = |bits: Vec<u128>| bits.into_iter().map(long_double).collect();
    check(&Format { name: "long double", rising: all(rising), nans: all(nans) });
}

#[cfg(target_arch = "x86_64")]
mod extended {
    use super::*;

    const SIGN: u128 = 1 << 79;
    const WHOLE: u128 = 1 << 63;
    const INFINITY: u128 = 0x7fff << 64 | WHOLE;

    #[test]
    fn long_doubles() {
        let one = 0x3fff << 64 | WHOLE;
        let above = [0, 1, 1 << 64 | WHOLE, one, one | 1, INFINITY - 1 - (1 << 64) + WHOLE, INFINITY];
        let rising = above.iter().rev().map(|bits| bits | SIGN).chain(above).map(long_double).collect();
        let quiet = INFINITY | 1 << 62;
        // x87 rejects the last ones: they lack the integer bit that the exponent requires.
        let rejected = [0x3fff << 64, 0x7fff << 64, 0x7fff << 64 | 1, 1 << 64 | 5 | SIGN];
        let nans = [quiet, quiet | 1, INFINITY | 1, quiet | SIGN, INFINITY | 7 | SIGN].into_iter().chain(rejected);
        check(&Format { name: "long double", rising, nans: nans.map(long_double).collect() });
    }

    /// With exponent 0, the integer bit encodes the same number as exponent 1. Results have exponent 1.
    #[test]
    fn pseudo_denormals() {
        let (odd, usual) = (long_double(WHOLE | 5), long_double(1 << 64 | WHOLE | 5));
        let [(_, max), _] = both::<LongDouble, Max>();
        let [(_, min), _] = both::<LongDouble, Min>();
        for (a, b) in [(odd, usual), (usual, odd), (odd, odd)] {
            assert_eq!(once(max, a, b), usual);
            assert_eq!(once(min, a, b), usual);
        }
        assert_eq!(once(max, odd, long_double(1 << 64 | WHOLE | 4)), usual);
    }

    /// The padding of operands is neither read nor kept.
    #[test]
    fn padding() {
        let dirty = |bits: u128| long_double(bits | 0xdead_beef_cafe << 80);
        let (one, two) = (0x3fff << 64 | WHOLE, 0x4000 << 64 | WHOLE);
        let cases = [
            (both::<LongDouble, Sum>(), 0x4000 << 64 | WHOLE | WHOLE >> 1),
            (both::<LongDouble, Prod>(), two),
            (both::<LongDouble, Max>(), two),
            (both::<LongDouble, Min>(), one),
        ];
        for ([(_, kernel), _], wanted) in cases {
            assert_eq!(once(kernel, dirty(one), dirty(two)), long_double(wanted));
        }
    }
}
