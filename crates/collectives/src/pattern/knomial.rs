//! K-nomial trees: binomial for radix 2. Ranks are relative to the root, which is 0.
//!
//! In base `radix`, a member's parent is itself with its lowest non-zero digit cleared; its children set one digit below
//! that. A subtree is a run of consecutive ranks.

use super::Rank;

/// Largest radix: a wider tree would need more lines than a team has.
pub const RADIX_MAX: Rank = 8;

/// A member's place in the tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Node {
    me: Rank,
    size: Rank,
    radix: Rank,
    /// The weight of our lowest non-zero digit; for the root, the least power of the radix that is `>= size`.
    weight: u64,
}

/// A child and where its messages to the parent go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Child {
    /// Its rank, relative to the root.
    pub rank: Rank,
    /// Members of its subtree, which are `rank..rank + span`.
    pub span: Rank,
    /// Its number among the parent's children, nearest rank first. The child computes the same number from its rank ([`Node::parent`]), so
    /// it serves as a line number.
    pub line: usize,
}

impl Node {
    /// The place of `me` (relative to the root) among `size`; `radix >= 2`.
    #[inline]
    pub fn new(me: Rank, size: Rank, radix: Rank) -> Node {
        debug_assert!(me < size && radix >= 2);
        let mut weight = 1u64;
        while weight < size as u64 && (me as u64 / weight).is_multiple_of(radix as u64) {
            weight *= radix as u64;
        }
        Node { me, size, radix, weight }
    }

    /// Our parent, and our number among its children; `None` at the root.
    #[inline]
    pub fn parent(&self) -> Option<(Rank, usize)> {
        if self.me == 0 {
            return None;
        }
        let digit = (self.me as u64 / self.weight) % self.radix as u64;
        let mut line = digit as usize - 1;
        let mut weight = self.weight;
        while weight > 1 {
            weight /= self.radix as u64;
            line += self.radix as usize - 1;
        }
        Some((self.me - (digit * self.weight) as Rank, line))
    }

    /// Members of our subtree, ourselves included: `me..me + span`.
    #[inline]
    pub fn span(&self) -> Rank {
        self.weight.min((self.size - self.me) as u64) as Rank
    }

    /// Our children, nearest rank first: the order of ranks, and of growing subtrees.
    #[inline]
    pub fn children(&self) -> impl Iterator<Item = Child> + use<> {
        let node = *self;
        let (mut weight, mut digit, mut line) = (1u64, 1u64, 0);
        std::iter::from_fn(move || {
            let rank = node.me as u64 + digit * weight;
            if weight >= node.weight || rank >= node.size as u64 {
                return None;
            }
            let child = Child { rank: rank as Rank, span: weight.min(node.size as u64 - rank) as Rank, line };
            line += 1;
            digit += 1;
            if digit == node.radix as u64 {
                (digit, weight) = (1, weight * node.radix as u64);
            }
            Some(child)
        })
    }

    /// Our children, farthest first: the order in which to hand out, biggest subtree first.
    #[inline]
    pub fn children_farthest_first(&self) -> impl Iterator<Item = Child> + use<> {
        let node = *self;
        let count = self.children().count();
        (0..count).rev().filter_map(move |line| node.child(line))
    }

    /// Child number `line`, by arithmetic.
    #[inline]
    fn child(&self, line: usize) -> Option<Child> {
        let per = self.radix as usize - 1;
        let weight = (self.radix as u64).pow((line / per) as u32);
        let rank = self.me as u64 + (line % per + 1) as u64 * weight;
        (weight < self.weight && rank < self.size as u64).then(|| Child {
            rank: rank as Rank,
            span: weight.min(self.size as u64 - rank) as Rank,
            line,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parents_and_children_agree_and_subtrees_tile() {
        for radix in 2..9 {
            for n in 1..100 {
                for me in 0..n {
                    let node = Node::new(me, n, radix);
                    let children: Vec<Child> = node.children().collect();
                    let mut next = me + 1;
                    for child in &children {
                        assert_eq!(Node::new(child.rank, n, radix).parent(), Some((me, child.line)));
                        assert_eq!(Node::new(child.rank, n, radix).span(), child.span);
                        assert_eq!(child.rank, next);
                        next += child.span;
                    }
                    assert_eq!(next - me, node.span(), "n {n} radix {radix} me {me}");
                    let mut reversed: Vec<Child> = node.children_farthest_first().collect();
                    reversed.reverse();
                    assert_eq!(reversed, children);
                }
                assert_eq!(Node::new(0, n, radix).span(), n);
            }
        }
    }

    #[test]
    fn the_largest_team_does_not_overflow() {
        for radix in [2, 3, 4, 8] {
            let node = Node::new(u32::MAX - 1, u32::MAX, radix);
            assert!(node.parent().is_some());
            assert!(Node::new(0, u32::MAX, radix).children().count() <= crate::exchange::lines(u32::MAX));
        }
    }
}
