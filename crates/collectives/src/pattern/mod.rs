//! Communication patterns: which member sends to which, in which round. Pure arithmetic.

pub mod bruck;
pub mod dissemination;
pub mod doubling;
pub mod knomial;
pub mod ring;

/// A member's number within its team.
pub type Rank = u32;

/// Rounds of a pattern that doubles until it reaches `size`: the least `r` with `2^r >= size`.
#[inline]
pub const fn ceil_log2(size: Rank) -> u32 {
    if size <= 1 { 0 } else { u32::BITS - (size - 1).leading_zeros() }
}

/// `me + distance`, around the ring of `size`; `distance < size`.
#[inline]
pub const fn ahead(me: Rank, distance: Rank, size: Rank) -> Rank {
    if me >= size - distance { me - (size - distance) } else { me + distance }
}

/// `me - distance`, around the ring of `size`; `distance < size`.
#[inline]
pub const fn behind(me: Rank, distance: Rank, size: Rank) -> Rank {
    if me >= distance { me - distance } else { me + (size - distance) }
}

/// Block `i` of `len` bytes cut into `parts` runs of whole grains, as equal as can be: `(offset, length)`. If bytes are moved and not
/// combined, there may be a rest of a grain: it belongs to the last block.
#[inline]
pub const fn block(len: usize, grain: usize, parts: usize, i: usize) -> (usize, usize) {
    let begin = begin_of_block(len, grain, parts, i);
    (begin, begin_of_block(len, grain, parts, i + 1) - begin)
}

const fn begin_of_block(len: usize, grain: usize, parts: usize, i: usize) -> usize {
    let grains = len / grain;
    let (each, more) = (grains / parts, grains % parts);
    if i >= parts { len } else { (i * each + if i < more { i } else { more }) * grain }
}

/// Blocks `first..first + blocks` of the same cut, as one run of bytes: `(offset, length)`.
#[inline]
pub const fn run(len: usize, grain: usize, parts: usize, first: usize, blocks: usize) -> (usize, usize) {
    let begin = begin_of_block(len, grain, parts, first);
    (begin, begin_of_block(len, grain, parts, first + blocks) - begin)
}

/// `blocks <= size` blocks around the ring, from `skip < size` places after `me` on: the runs before and after the ring's
/// end, each `(first, blocks)`; the second, or both, may be empty.
#[inline]
pub const fn turns_of_ring(me: Rank, skip: Rank, blocks: Rank, size: Rank) -> [(Rank, Rank); 2] {
    let first = ahead(me, skip, size);
    let before = if blocks < size - first { blocks } else { size - first };
    [(first, before), (0, blocks - before)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_of_doubling() {
        let want = [(1, 0), (2, 1), (3, 2), (4, 2), (5, 3), (64, 6), (65, 7), (1 << 20, 20), (u32::MAX, 32)];
        for (n, rounds) in want {
            assert_eq!(ceil_log2(n), rounds, "n = {n}");
        }
    }

    #[test]
    fn ring_steps_undo_each_other_even_where_addition_would_overflow() {
        for size in [1, 2, 3, 17, u32::MAX] {
            for me in [0, size / 2, size - 1] {
                for distance in [0, size / 3, size - 1] {
                    let there = ahead(me, distance, size);
                    assert_eq!(there as u64, (me as u64 + distance as u64) % size as u64);
                    assert_eq!(behind(there, distance, size), me);
                }
            }
        }
    }

    #[test]
    fn blocks_tile_the_vector_in_whole_grains() {
        for grains in 0..40 {
            for parts in 1..12 {
                let mut end = 0;
                for i in 0..parts {
                    let (offset, len) = block(grains * 8, 8, parts, i);
                    assert_eq!((offset, len % 8), (end, 0));
                    end += len;
                }
                assert_eq!(end, grains * 8);
            }
        }
    }

    #[test]
    fn the_rest_of_a_grain_is_in_the_last_block() {
        for len in 0..100 {
            for parts in 1..12 {
                let mut end = 0;
                for i in 0..parts {
                    let (offset, bytes) = block(len, 8, parts, i);
                    assert_eq!(offset, end);
                    assert!(i + 1 == parts || bytes % 8 == 0, "{len} {parts} {i}");
                    assert_eq!(run(len, 8, parts, i, parts - i), (offset, len - offset));
                    end += bytes;
                }
                assert_eq!(end, len);
            }
        }
    }
}
