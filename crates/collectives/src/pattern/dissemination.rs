//! Dissemination: in round `r`, each member sends to the member `2^r` ahead, and receives from the one `2^r` behind.

use super::{Rank, ahead, behind, ceil_log2};

/// One round, as one member sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Round {
    /// The rank that we send to.
    pub to: Rank,
    /// The rank that we receive from.
    pub from: Rank,
    /// Distance to both, `2^r`.
    pub distance: Rank,
}

/// The rounds of member `me` of `size`: `ceil(log2 size)` of them.
#[inline]
pub fn rounds(me: Rank, size: Rank) -> impl ExactSizeIterator<Item = Round> {
    (0..ceil_log2(size)).map(move |r| {
        let distance = 1 << r;
        Round { to: ahead(me, distance, size), from: behind(me, distance, size), distance }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_hears_of_everybody() {
        for n in 1..70u32 {
            let mut heard: Vec<u128> = (0..n).map(|me| 1 << me).collect();
            for r in 0..ceil_log2(n) as usize {
                let before = heard.clone();
                for me in 0..n {
                    let round = rounds(me, n).nth(r).unwrap();
                    assert_eq!(rounds(round.from, n).nth(r).unwrap().to, me);
                    heard[me as usize] |= before[round.from as usize];
                }
            }
            assert!(heard.iter().all(|h| h.count_ones() == n), "n = {n}");
        }
    }
}
