//! Scan by doubling.
//!
//! Hillis, Steele: "Data parallel algorithms", Communications of the ACM 29(12), 1986. ceil(log2 n) rounds of `len`
//! bytes to the rank 2^r above. Lower runs of ranks are combined before higher ones, so rank order holds. They form a
//! balanced tree, whose floating point rounding differs from that of a loop. Long vectors are scanned in chunks, an
//! epoch each.

use super::Kind;
use crate::exchange::{Exchange, Flag, Rank, Span};
use crate::pattern::ceil_log2;
use crate::slots::{Slots, chunks, settle};

/// `dest` = the sources of the ranks up to ours, combined.
#[inline]
pub async fn doubling<X: Exchange>(x: &X, kind: Kind, dest: Span, source: Span) {
    let rounds = ceil_log2(x.size()) as usize;
    // An exclusive scan keeps the data that it passes on in one more slot, even when messages fit a cell.
    let slots = Slots::new(x, rounds + 1, if kind == Kind::Exclusive { usize::MAX } else { source.len });
    for (offset, len) in chunks(source.len, slots.room()) {
        crate::enter(x).await;
        let (dest, source) = (dest.part(offset, len), source.part(offset, len));
        match kind {
            Kind::Inclusive => inclusive(x, slots, dest, source).await,
            Kind::Exclusive => exclusive(x, slots, dest, source).await,
        }
        settle(x, len).await;
    }
}

#[inline]
async fn inclusive<X: Exchange>(x: &X, slots: Slots, dest: Span, source: Span) {
    let (me, size, len) = (x.me(), x.size(), source.len);
    x.copy(dest, source);
    for r in 0..ceil_log2(size) as usize {
        let (distance, flag): (Rank, Flag) = (1 << r, Flag::line(r));
        if me < size - distance {
            x.send(me + distance, slots.of(flag, len), dest, flag);
        }
        if me >= distance {
            x.landed(flag).await;
            settle(x, len).await;
            x.fold_front(dest, slots.of(flag, len));
        }
    }
}

#[inline]
async fn exclusive<X: Exchange>(x: &X, slots: Slots, dest: Span, source: Span) {
    let (me, size, len) = (x.me(), x.size(), source.len);
    let rounds = ceil_log2(size) as usize;
    let upto = Span::scratch(rounds * slots.room(), len);
    x.copy(upto, source);
    if me == 0 {
        x.zero(dest);
    }
    for r in 0..rounds {
        let (distance, flag): (Rank, Flag) = (1 << r, Flag::line(r));
        if me < size - distance {
            x.send(me + distance, slots.of(flag, len), upto, flag);
        }
        if me >= distance {
            x.landed(flag).await;
            settle(x, len).await;
            let below = slots.of(flag, len);
            if r == 0 {
                x.copy(dest, below)
            } else {
                x.fold_front(dest, below)
            }
            x.fold_front(upto, below);
        }
    }
}
