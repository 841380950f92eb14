//! Atomic updates of words of 8 bytes in members' memory. Each returns the old value.

use crate::{Group, Remote, Result};
use ferrite_fabric::Amo;

macro_rules! atomics {
    ($($(#[$doc:meta])* fn $name:ident = $op:ident;)*) => {
        impl Group {
            $(
                $(#[$doc])*
                pub fn $name(&self, word: &Remote, offset: usize, value: u64) -> Result<u64> {
                    self.amo(word, offset, Amo::$op, value, 0)
                }
            )*
        }
    };
}

atomics! {
    /// Set a word.
    fn swap = Swap;
    /// Add to a word, wrapping.
    fn fetch_add = Add;
    /// Clear the bits of a word that `value` has not.
    fn fetch_and = And;
    /// Set the bits of a word that `value` has.
    fn fetch_or = Or;
    /// Toggle the bits of a word that `value` has.
    fn fetch_xor = Xor;
}

impl Group {
    /// The value of a word.
    pub fn fetch(&self, word: &Remote, offset: usize) -> Result<u64> {
        self.amo(word, offset, Amo::Fetch, 0, 0)
    }

    /// Set a word to `value` if it is `expected`. Returns the old value.
    pub fn compare_swap(&self, word: &Remote, offset: usize, expected: u64, value: u64) -> Result<u64> {
        self.amo(word, offset, Amo::CompareSwap, value, expected)
    }
}
