//! Operations that expose different mistakes: one does not commute, one rounds, one has elements of one byte, one has wide elements.

/// The operation of `fold` in a simulated call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Op {
    /// Composition of `x -> a x + b` over 32-bit words: associative and not commutative, so it shows the order of combination.
    Affine,
    /// Wrapping sum of 64-bit words: commutes.
    Sum,
    /// Sum of doubles: commutes but does not associate, so it shows whether all PEs combined in the same order.
    Float,
    /// Maximum of bytes: grains of one byte.
    MaxByte,
    /// Wrapping sums in grains of 24 bytes, which divide neither a cell nor a power of two.
    Wide,
}

impl Op {
    /// Bytes of one element.
    pub const fn grain(self) -> usize {
        match self {
            Op::MaxByte => 1,
            Op::Wide => 24,
            _ => 8,
        }
    }

    /// True if the operation commutes.
    pub const fn commutes(self) -> bool {
        !matches!(self, Op::Affine)
    }

    /// `into = into op from`.
    pub fn fold(self, into: &mut [u8], from: &[u8]) {
        assert_eq!((into.len(), into.len() % self.grain()), (from.len(), 0), "{self:?} of whole, equal grains");
        if self == Op::MaxByte {
            into.iter_mut().zip(from).for_each(|(a, b)| *a = (*a).max(*b));
            return;
        }
        for (a, b) in into.chunks_exact_mut(8).zip(from.chunks_exact(8)) {
            let word = self.word(number(a), number(b));
            a.copy_from_slice(&word.to_le_bytes());
        }
    }

    fn word(self, a: u64, b: u64) -> u64 {
        match self {
            Op::Float => (f64::from_bits(a) + f64::from_bits(b)).to_bits(),
            Op::Affine => {
                let (a1, a0, b1, b0) = ((a >> 32) as u32, a as u32, (b >> 32) as u32, b as u32);
                (a1.wrapping_mul(b1) as u64) << 32 | a1.wrapping_mul(b0).wrapping_add(a0) as u64
            }
            _ => a.wrapping_add(b),
        }
    }

    /// A value for the word at `index` of `pe`, from `seed`: odd slopes for affine maps, uneven magnitudes for doubles.
    pub fn value(self, seed: u64) -> u64 {
        let bits = crate::rng::Rng::new(seed).draw();
        match self {
            Op::Affine => bits | 1 << 32,
            Op::Float => ((bits >> 12) as f64 * 2f64.powi((bits % 40) as i32 - 60)).to_bits(),
            _ => bits,
        }
    }
}

fn number(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes.try_into().expect("eight bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn affine_associates_and_does_not_commute() {
        let v = |i| Op::Affine.value(i);
        let op = |a, b| Op::Affine.word(a, b);
        for i in 0..100 {
            let (a, b, c) = (v(i), v(i + 1000), v(i + 2000));
            assert_eq!(op(op(a, b), c), op(a, op(b, c)));
            assert_ne!(op(a, b), op(b, a));
        }
    }
}
