//! Binomial tree: combine towards rank 0, then broadcast.
//!
//! Thakur, Rabenseifner, Gropp: "Optimization of collective communication operations in MPICH", IJHPCA 19(1), 2005 (section 4.4).
//! About 2 ceil(log2 n) rounds of `len` bytes, 2(n - 1) messages in all; doubling sends n log2 n.
//! Combines by the same tree over ranks as doubling does, so it gives the same bits.

use crate::exchange::{Exchange, Flag, Span};
use crate::pattern::doubling::{Doubling, Role};
use crate::slots::{Slots, chunks, settle};

/// `dest` = the sources of all members, combined; `radix` is the broadcast's.
pub async fn tree<X: Exchange>(x: &X, dest: Span, source: Span, radix: u32) {
    if source.len == 0 {
        return;
    }
    to_first(x, dest, source).await;
    let combined = x.epochs().current();
    crate::broadcast::knomial(x, 0, dest, dest, radix).await;
    // The broadcast result contains every member's part, so every member has entered the epoch before.
    x.epochs().close_at(combined);
}

/// `dest` of rank 0 = the sources of all members, combined; others' `dest` is left undefined. Open.
pub async fn to_first<X: Exchange>(x: &X, dest: Span, source: Span) {
    let pattern = Doubling::new(x.size());
    let slots = Slots::new(x, pattern.rounds() as usize + 1, source.len);
    for (offset, len) in chunks(source.len, slots.room()) {
        crate::enter(x).await;
        chunk(x, pattern, slots, dest.part(offset, len), source.part(offset, len)).await;
        settle(x, len).await;
    }
}

async fn chunk<X: Exchange>(x: &X, pattern: Doubling, slots: Slots, dest: Span, source: Span) {
    let (len, rounds) = (source.len, pattern.rounds() as usize);
    let handover = Flag::line(rounds);
    match pattern.role(x.me()) {
        Role::Guest { host } => x.send(host, slots.of(handover, len), source, handover),
        Role::Member { number, guest } => {
            x.copy(dest, source);
            if guest.is_some() {
                x.landed(handover).await;
                x.fold(dest, slots.of(handover, len));
            }
            for r in 0..rounds {
                let flag = Flag::line(r);
                if number & 1 << r != 0 {
                    x.send(pattern.rank(number ^ 1 << r), slots.of(flag, len), dest, flag);
                    break;
                }
                x.landed(flag).await;
                x.fold(dest, slots.of(flag, len));
            }
        }
    }
}
