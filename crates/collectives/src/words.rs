//! Collectives on a few words, which the library itself uses. They have no `Source`, `Dest` or operation.

use crate::exchange::{Exchange, Flag, Rank, Span, lines};
use crate::pattern::doubling::{Doubling, Role};
use crate::pattern::knomial::{Node, RADIX_MAX};

const WORD: usize = 8;

/// Send `words`, at most seven, in the cell of `flag` at `peer`.
#[inline]
pub(crate) fn say<X: Exchange, const N: usize>(x: &X, peer: Rank, words: [u64; N], flag: Flag) {
    const { assert!(N * WORD <= crate::CELL, "as many words as a cell holds") };
    let at = Span::scratch(0, N * WORD);
    for (i, word) in words.into_iter().enumerate() {
        x.store(at.part(i * WORD, WORD), word);
    }
    x.send(peer, flag.cell(N * WORD), at, flag);
}

/// The words that arrived with `flag`.
#[inline]
pub(crate) async fn hear<X: Exchange, const N: usize>(x: &X, flag: Flag) -> [u64; N] {
    x.landed(flag).await;
    std::array::from_fn(|i| x.load(flag.cell(N * WORD).part(i * WORD, WORD)))
}

/// Agreement: every member gets `combine` of all members' words, index by index.
///
/// Recursive doubling (Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005): floor(log2 n) rounds of 8 N bytes, two more when n is not a power
/// of two. Closes its epoch. With `&` or `min` it is all or nothing: if one member refuses something, no member gets it. Teams are created
/// in this way: one word says whether every member could do its part, others which identifiers are free on all members.
pub async fn agree<X: Exchange, const N: usize>(
    x: &X,
    mine: [u64; N],
    combine: impl Fn(usize, u64, u64) -> u64,
) -> [u64; N] {
    x.epochs().enter_closing();
    let pattern = Doubling::new(x.size());
    let rounds = pattern.rounds() as usize;
    let (handover, answer) = (Flag::line(rounds), Flag::line(rounds + 1));
    let both = |low: [u64; N], high: [u64; N]| std::array::from_fn(|i| combine(i, low[i], high[i]));
    let mut agreed = mine;
    match pattern.role(x.me()) {
        Role::Guest { host } => {
            say(x, host, mine, handover);
            agreed = hear(x, answer).await;
        }
        Role::Member { number, guest } => {
            if guest.is_some() {
                agreed = both(agreed, hear(x, handover).await);
            }
            for r in 0..rounds {
                let flag = Flag::line(r);
                say(x, pattern.rank(number ^ 1 << r), agreed, flag);
                let theirs = hear(x, flag).await;
                agreed = if number & 1 << r == 0 { both(agreed, theirs) } else { both(theirs, agreed) };
            }
            if let Some(guest) = guest {
                say(x, guest, agreed, answer);
            }
        }
    }
    x.epochs().close();
    agreed
}

/// First half of an agreement over a tree: all members' words, combined in rank order, at rank 0. Others get their subtree's.
///
/// The tree is the widest, so it has the fewest levels: n - 1 messages, and a parent's children send at the same time. Part of an epoch,
/// which [`from_first`] ends.
pub(crate) async fn to_first<X: Exchange, const N: usize>(
    x: &X,
    mine: [u64; N],
    combine: impl Fn(usize, u64, u64) -> u64,
) -> [u64; N] {
    let node = Node::new(x.me(), x.size(), RADIX_MAX);
    let mut all = mine;
    for child in node.children() {
        let theirs: [u64; N] = hear(x, Flag::line(child.line)).await;
        all = std::array::from_fn(|i| combine(i, all[i], theirs[i]));
    }
    if let Some((parent, line)) = node.parent() {
        say(x, parent, all, Flag::line(line));
    }
    all
}

/// The words of rank 0, at all members, over the same tree.
pub(crate) async fn from_first<X: Exchange, const N: usize>(x: &X, words: [u64; N]) -> [u64; N] {
    let node = Node::new(x.me(), x.size(), RADIX_MAX);
    // The last line, since the first ones belong to children.
    let flag = Flag::line(lines(x.size()) - 1);
    let words = if node.parent().is_none() { words } else { hear(x, flag).await };
    for child in node.children_farthest_first() {
        say(x, child.rank, words, flag);
    }
    words
}

/// Every member's word, in the order of ranks.
///
/// Gathers to the first rank and broadcasts, both over the widest k-nomial tree, whose subtrees are runs of ranks: 2 (n - 1) messages in
/// all, each with the words of a subtree or of all members. A team with more words than half of scratch has room for takes an epoch for
/// each such part of the senders; with one part the epoch is closed.
pub async fn gather<X: Exchange>(x: &X, mine: u64) -> Vec<u64> {
    let (size, room) = (x.size(), (x.scratch() / (2 * WORD)) as Rank);
    let mut all = Vec::with_capacity(size as usize);
    for first in (0..size).step_by(room as usize) {
        let count = room.min(size - first);
        crate::enter(x).await;
        let words = gather_part(x, mine, first, count).await;
        all.extend((0..count as usize).map(|i| x.load(words.part(i * WORD, WORD))));
        // The loaded words are also the source of the messages that we have handed on.
        x.settled().await;
        if count == size {
            x.epochs().close();
        }
    }
    all
}

/// Copy the words of `count` ranks, from `first` on, to all members. Returns their place.
async fn gather_part<X: Exchange>(x: &X, mine: u64, first: Rank, count: Rank) -> Span {
    let size = x.size();
    // Places are ranks from `first` on, in a circle.
    let (me, len) = ((x.me() as u64 + (size - first) as u64) % size as u64, count as usize * WORD);
    let (me, rank) = (me as Rank, |place: Rank| ((first as u64 + place as u64) % size as u64) as Rank);
    let (gathered, handed) = (Span::scratch(0, len), Span::scratch(len, len));
    if me < count {
        let node = Node::new(me, count, RADIX_MAX);
        x.store(gathered.part(me as usize * WORD, WORD), mine);
        for child in node.children() {
            x.landed(Flag::line(child.line)).await;
        }
        if let Some((parent, line)) = node.parent() {
            let below = gathered.part(me as usize * WORD, node.span() as usize * WORD);
            x.send(rank(parent), below, below, Flag::line(line));
        }
    }
    let node = Node::new(me, size, RADIX_MAX);
    // The last line, since the first ones belong to children.
    let flag = Flag::line(lines(size) - 1);
    // The words that are handed on lie apart from words that may still be in transit to a parent.
    let words = if me == 0 { gathered } else { handed };
    if me != 0 {
        x.landed(flag).await;
    }
    for child in node.children_farthest_first() {
        x.send(rank(child.rank), handed, words, flag);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_from_the_first_is_no_childs() {
        for size in (1..2000).chain([1 << 20, u32::MAX]) {
            let children = Node::new(0, size, RADIX_MAX).children().count();
            assert!(children < lines(size), "{children} children of {size}");
        }
    }
}
