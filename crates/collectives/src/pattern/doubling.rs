//! Recursive doubling for any n, keeping rank order.
//!
//! With `p` the greatest power of two `<= n` and `extra = n - p`, members `2i` and `2i + 1` for `i < extra` first form
//! pairs: the odd member sends its part to the even one, and waits for the answer. The remaining `p` members are
//! numbered in rank order. In round `r`, number `v` exchanges with `v ^ 2^r`. So each number stands for a run of ranks,
//! lower numbers for lower runs.

use super::Rank;

/// The part that a member plays in a doubling.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Hand over to the even neighbour below, and receive the answer from it.
    Guest {
        /// The even neighbour.
        host: Rank,
    },
    /// Take part, for ourselves and perhaps a guest.
    Member {
        /// Our number among the members.
        number: Rank,
        /// The odd neighbour above us, which passed its vector to us.
        guest: Option<Rank>,
    },
}

/// A doubling among `size` ranks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Doubling {
    /// Members that take part in the rounds: a power of two.
    pub members: Rank,
    extra: Rank,
}

impl Doubling {
    /// The doubling among `size >= 1` ranks.
    #[inline]
    pub const fn new(size: Rank) -> Doubling {
        let members = 1 << size.ilog2();
        Doubling { members, extra: size - members }
    }
    /// Rounds among the members.
    #[inline]
    pub const fn rounds(&self) -> u32 {
        self.members.trailing_zeros()
    }
    /// The role of rank `me`.
    #[inline]
    pub const fn role(&self, me: Rank) -> Role {
        if me / 2 >= self.extra {
            Role::Member { number: me - self.extra, guest: None }
        } else if me % 2 == 1 {
            Role::Guest { host: me - 1 }
        } else {
            Role::Member { number: me / 2, guest: Some(me + 1) }
        }
    }
    /// The rank of member `number`.
    #[inline]
    pub const fn rank(&self, number: Rank) -> Rank {
        if number < self.extra { 2 * number } else { number + self.extra }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_in_rank_order_and_cover_everybody() {
        for n in 1..200 {
            let doubling = Doubling::new(n);
            let (mut next_rank, mut next_number) = (0, 0);
            while next_rank < n {
                let Role::Member { number, guest } = doubling.role(next_rank) else { panic!("{next_rank} of {n}") };
                assert_eq!((number, doubling.rank(number)), (next_number, next_rank));
                if let Some(guest) = guest {
                    assert_eq!(doubling.role(guest), Role::Guest { host: next_rank });
                    next_rank += 1;
                    assert_eq!(guest, next_rank);
                }
                next_rank += 1;
                next_number += 1;
            }
            assert_eq!(next_number, doubling.members);
        }
    }
}
