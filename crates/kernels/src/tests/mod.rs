//! Every kernel against a model, in every form; the tables of NaN and zeros; `long double` against C.

mod against_c;
mod model;
mod order;

use super::{Kernel, Reduces, of};
use crate::Elem;

/// A small generator of bits (xorshift64*). The seed is derived from the test case, so that a failure can be reproduced.
pub(super) struct Bits(u64);

impl Bits {
    pub fn new(seed: u64) -> Bits {
        Bits(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn word(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.word() >> 33) as usize % bound
    }
}

/// The kernels of a type and operation: the one that this machine chooses, and the one that runs on every machine.
pub(super) fn both<T: Elem, Op: Reduces<T>>() -> [(&'static str, Kernel); 2] {
    [("chosen", of::<T, Op>()), ("plain", Op::PLAIN)]
}

/// Apply a kernel to one pair of values.
pub(super) fn once<T: Elem>(kernel: Kernel, a: T, b: T) -> T {
    let mut into = a;
    // SAFETY: three values of one element each.
    unsafe { kernel((&raw mut into).cast(), (&raw const a).cast(), (&raw const b).cast(), size_of::<T>()) };
    into
}

/// The bytes of a value without padding.
pub(super) fn bytes_of<T: Elem>(value: T) -> Vec<u8> {
    // SAFETY: elements are plain bytes.
    unsafe { core::slice::from_raw_parts((&raw const value).cast::<u8>(), size_of::<T>()) }.to_vec()
}
