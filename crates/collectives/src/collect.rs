//! Concatenation of blocks that differ in length, in rank order. Both forms close their epochs.
//!
//! The first epoch exchanges counts ([`counts`]): each member learns where its block begins, and the total length. No
//! member learns all n counts, so nothing is O(n). The second epoch sends the blocks: to every member at once
//! ([`linear`]), or by Bruck's concatenation ([`bruck`]). In both, blocks are sent straight to their final position.
//! Counts may be zero. If the total exceeds the room that the members pass, the second epoch is left out. All members must pass the same
//! room: otherwise some wait for messages that never come.

use crate::exchange::{Area, Exchange, Flag, Rank, Span};
use crate::pattern::{ahead, behind, ceil_log2};
use crate::words::{hear, say};

/// The sums of counts that a member knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// The sum of the counts of lower ranks.
    pub before: u64,
    /// The sum of all counts.
    pub total: u64,
    /// The sum of the first `n - 2^(ceil(log2 n) - 1)` counts from ours on around the ring: the bytes that Bruck's last round hands over.
    head: u64,
}

/// Compute sums of all members' counts.
///
/// ceil(log2 n) rounds of 16 bytes backwards around the ring and 8 forwards: a scan (Hillis, Steele: "Data parallel
/// algorithms", CACM 29(12), 1986) beside Bruck's pattern over sums.
pub async fn counts<X: Exchange>(x: &X, mine: u64) -> Counts {
    x.epochs().enter_closing();
    let (me, size) = (x.me(), x.size());
    let mut upto = mine; // of up to 2^r ranks ending with ours, not passing rank 0
    let (mut run, mut rest) = (mine, 0); // of 2^r ranks from ours on; of the first size mod 2^r of them
    let mut head = 0;
    for r in 0..ceil_log2(size) as usize {
        let distance: Rank = 1 << r;
        let (forward, backward) = (Flag::line(2 * r), Flag::line(2 * r + 1));
        if me < size - distance {
            say(x, me + distance, [upto], forward);
        }
        say(x, behind(me, distance, size), [run, rest], backward);
        if me >= distance {
            let [below] = hear(x, forward).await;
            upto += below;
        }
        let [next_run, next_rest] = hear(x, backward).await;
        head = if size.is_power_of_two() { run } else { rest };
        if size & distance != 0 {
            rest = run + next_rest;
        }
        run += next_run;
    }
    x.epochs().close();
    let total = if size.is_power_of_two() { run } else { rest };
    Counts { before: upto - mine, total, head }
}

/// Append all sources at the beginning of `Dest`, if it has `room` for them. Returns the length of the whole. Linear: one round, n - 1
/// messages each.
pub async fn linear<X: Exchange>(x: &X, source: Span, room: u64) -> u64 {
    let (me, size) = (x.me(), x.size());
    let counts = counts(x, source.len as u64).await;
    if counts.total > room {
        return counts.total;
    }
    x.epochs().enter_closing();
    let mine = Span { area: Area::Dest, offset: counts.before as usize, len: source.len };
    for distance in 1..size {
        x.send_counted(ahead(me, distance, size), mine.into(), source.into());
    }
    x.copy(mine, source);
    x.tallied(size as u64 - 1).await;
    x.settled().await;
    x.epochs().close();
    counts.total
}

/// The same by Bruck's concatenation: ceil(log2 n) rounds. Each member sends all blocks except its own in total.
pub async fn bruck<X: Exchange>(x: &X, source: Span, room: u64) -> u64 {
    let counts = counts(x, source.len as u64).await;
    if counts.total > room {
        return counts.total;
    }
    x.copy(Span { area: Area::Dest, offset: counts.before as usize, len: source.len }, source);
    bruck_placed(x, counts, source.len as u64).await;
    counts.total
}

/// The same for members that know the [`counts`], and have their own block of `len` bytes in place.
pub(crate) async fn bruck_placed<X: Exchange>(x: &X, counts: Counts, len: u64) {
    let (me, size) = (x.me(), x.size());
    x.epochs().enter_closing();
    let mut have = len;
    let rounds = ceil_log2(size) as usize;
    for r in 0..rounds {
        let distance: Rank = 1 << r;
        let [length, upper, lower] = [0, 1, 2].map(|i| Flag::line(3 * r + i));
        let give = if r + 1 == rounds { counts.head } else { have };
        let to = behind(me, distance, size);
        say(x, to, [give], length);
        // The run may pass the end of the whole and go on at its beginning.
        let before_end = give.min(counts.total - counts.before) as usize;
        let [high, low] = [(counts.before as usize, before_end), (0, give as usize - before_end)]
            .map(|(offset, len)| Span { area: Area::Dest, offset, len });
        x.send(to, high, high, upper);
        x.send(to, low, low, lower);
        let [got] = hear(x, length).await;
        x.landed(upper).await;
        x.landed(lower).await;
        have += got;
    }
    x.settled().await;
    x.epochs().close();
}
