//! Bruck's concatenation: a member that has `2^r` blocks, from its own on around the ring, receives up to as many more.

use super::{Rank, ahead, behind, ceil_log2};

/// One round: send to the member `held` behind, receive from the one `held` ahead.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Round {
    /// The rank that we send to: it lacks the blocks from ours on.
    pub to: Rank,
    /// The rank that we receive from: it holds the blocks that follow ours.
    pub from: Rank,
    /// Blocks in hand before this round: ours and those after it.
    pub held: Rank,
    /// Blocks that are sent: the first `blocks` of those that the sender holds.
    pub blocks: Rank,
}

/// The rounds of member `me` of `size`: `ceil(log2 size)` of them.
#[inline]
pub fn rounds(me: Rank, size: Rank) -> impl ExactSizeIterator<Item = Round> {
    (0..ceil_log2(size)).map(move |r| {
        let held: Rank = 1 << r;
        let blocks = held.min(size - held);
        Round { to: behind(me, held, size), from: ahead(me, held, size), held, blocks }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_ends_with_every_block_once() {
        for n in 1..70u32 {
            for me in 0..n {
                let mut held = 1;
                for round in rounds(me, n) {
                    assert_eq!((round.held, round.from), (held, ahead(me, held, n)));
                    held += round.blocks;
                }
                assert_eq!(held, n);
            }
        }
    }
}
