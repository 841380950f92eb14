//! The common part of the two formats of `long double`: they are ordered by an integer key, and each addition or multiplication is a call.

use super::{
    Max, Min, Prod, Sum,
    sweep::{Operation, Scalar, each},
};

/// A floating-point format whose numbers are computed one at a time.
pub(super) trait Wide: Copy {
    /// The one NaN that results have.
    const ONLY_NAN: Self;
    /// A number's magnitude, as an integer that grows with it and stays below 2^127, and its sign; `None` for NaN.
    fn parts(self) -> Option<(u128, bool)>;
    /// The number with that magnitude and sign.
    fn from_parts(magnitude: u128, negative: bool) -> Self;
    /// The sum as IEEE 754 has it, whatever NaN it is.
    fn add(self, other: Self) -> Self;
    /// The product, likewise.
    fn mul(self, other: Self) -> Self;

    /// An integer that grows with the number, -0 below +0.
    #[inline(always)]
    fn key(self) -> Option<i128> {
        self.parts().map(|(magnitude, negative)| if negative { !(magnitude as i128) } else { magnitude as i128 })
    }

    /// The number whose key it is, or the one NaN.
    #[inline(always)]
    fn from_key(key: Option<i128>) -> Self {
        match key {
            Some(key) if key < 0 => Self::from_parts(!key as u128, true),
            Some(key) => Self::from_parts(key as u128, false),
            None => Self::ONLY_NAN,
        }
    }

    /// The value, or the one NaN.
    #[inline(always)]
    fn settled(self) -> Self {
        if self.parts().is_some() { self } else { Self::ONLY_NAN }
    }
}

impl<W: Wide> Scalar for W {
    type Long = [W; 1];
    type Short = [W; 1];
}

macro_rules! one_by_one {
    ($($op:ident = $combine:expr;)*) => { $(
        impl<W: Wide> Operation<W> for $op {
            type Element = [W; 1];
            #[inline(always)]
            fn fold<const N: usize>(a: [W; N], b: [W; N]) -> [W; N] {
                each(a, b, $combine)
            }
        }
    )* };
}
one_by_one! {
    Sum = |a, b| a.add(b).settled();
    Prod = |a, b| a.mul(b).settled();
    // None is below every key.
    Max = |a, b| W::from_key(a.key().max(b.key()));
    Min = |a, b| W::from_key(match (a.key(), b.key()) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    });
}
