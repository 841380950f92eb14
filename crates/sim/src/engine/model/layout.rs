//! The layout of a PE's memory, and the numbers of words in it.

use ferrite_engine::Width;

/// Bytes of each lane's data at a PE.
pub const DATA_BYTES: usize = 40;
/// Number of words of bits at a PE; the last one has four bytes.
pub const BIT_WORDS: usize = 3;
/// Number of words that are swapped at a PE; the last one has four bytes.
pub const SWAP_WORDS: usize = 2;
/// Maximum number of operations of a lane: their numbers are bytes, and some byte values have another meaning.
pub const NUMBER_MAX: usize = 200;
/// A number that no operation puts. Sources that were given back, and places for results, are filled with it.
pub const NOBODY: u8 = 255;
/// Bits of a word that belong to one update: it raises one of them, and the others show a double addition.
pub const BITS_EACH: usize = 4;
/// Bytes of each lane at a PE: its data, followed by a word that it sets.
const LANE_BYTES: usize = DATA_BYTES + 8;

/// The layout of a PE's memory.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// Number of lanes of all PEs.
    pub lanes: usize,
}

impl Layout {
    /// Bytes of a PE's memory.
    pub fn bytes(self) -> usize {
        self.swap(SWAP_WORDS).0
    }

    /// Offset of a lane's data.
    pub fn data(self, lane: usize) -> usize {
        lane * LANE_BYTES
    }

    /// Offset of the word that a lane sets.
    pub fn own_word(self, lane: usize) -> usize {
        self.data(lane) + DATA_BYTES
    }

    /// Offset and width of a word of bits.
    pub fn bits(self, word: usize) -> (usize, Width) {
        (self.lanes * LANE_BYTES + 8 * word, if word == BIT_WORDS - 1 { Width::W32 } else { Width::W64 })
    }

    /// Offset and width of a word that is swapped.
    pub fn swap(self, word: usize) -> (usize, Width) {
        (self.bits(BIT_WORDS).0 + 8 * word, if word == SWAP_WORDS - 1 { Width::W32 } else { Width::W64 })
    }
}
