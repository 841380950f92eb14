//! Where things are in the memory of a PE, and how many there are.

use ferrite_engine::Width;

/// Bytes of data of a lane at a PE.
pub const DATA_BYTES: usize = 40;
/// Words of bits at a PE; the last one is of four bytes.
pub const BIT_WORDS: usize = 3;
/// Words that are swapped at a PE; the last one is of four bytes.
pub const SWAP_WORDS: usize = 2;
/// Operations of a lane at most: their numbers are bytes, some of which stand for something else.
pub const NUMBER_MAX: usize = 200;
/// The number of what nobody has put: sources that were given back hold it, and places for results.
pub const NOBODY: u8 = 255;
/// Bits of a word that an update may touch: one is its own, the rest shows what was added twice.
pub const BITS_EACH: usize = 4;
/// Bytes of a lane at a PE: its data, and behind that a word that it sets.
const LANE_BYTES: usize = DATA_BYTES + 8;

/// Where things are in a PE's memory.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// Lanes of all PEs.
    pub lanes: usize,
}

impl Layout {
    /// Bytes of a PE.
    pub fn bytes(self) -> usize {
        self.swap(SWAP_WORDS).0
    }

    /// A lane's data.
    pub fn data(self, lane: usize) -> usize {
        lane * LANE_BYTES
    }

    /// The word that a lane sets.
    pub fn own_word(self, lane: usize) -> usize {
        self.data(lane) + DATA_BYTES
    }

    /// A word of bits.
    pub fn bits(self, word: usize) -> (usize, Width) {
        (self.lanes * LANE_BYTES + 8 * word, if word == BIT_WORDS - 1 { Width::W32 } else { Width::W64 })
    }

    /// A word that is swapped.
    pub fn swap(self, word: usize) -> (usize, Width) {
        (self.bits(BIT_WORDS).0 + 8 * word, if word == SWAP_WORDS - 1 { Width::W32 } else { Width::W64 })
    }
}
