//! Recursive doubling.
//!
//! Thakur, Rabenseifner, Gropp: "Optimization of collective communication operations in MPICH", IJHPCA 19(1), 2005 (section 4.5).
//! floor(log2 n) rounds of `len` bytes each way, and two more when n is not a power of two. The fastest for short vectors; longer ones are
//! reduced in chunks, an epoch each. Combines in rank order, by the tree of `pattern::doubling`.

use crate::exchange::{Exchange, Flag, Span};
use crate::pattern::doubling::{Doubling, Role};
use crate::slots::{Slots, chunks, settle};

/// `dest` = the sources of all members, combined.
#[inline]
pub async fn doubling<X: Exchange>(x: &X, dest: Span, source: Span) {
    let pattern = Doubling::new(x.size());
    let slots = Slots::new(x, pattern.rounds() as usize + 1, source.len);
    for (offset, len) in chunks(source.len, slots.room()) {
        chunk(x, pattern, slots, dest.part(offset, len), source.part(offset, len)).await;
    }
}

#[inline]
async fn chunk<X: Exchange>(x: &X, pattern: Doubling, slots: Slots, dest: Span, source: Span) {
    x.epochs().enter_closing();
    let (len, rounds) = (source.len, pattern.rounds() as usize);
    let (handover, answer) = (Flag::line(rounds), Flag::line(rounds + 1));
    let small = Flag::holds(answer, len);
    match pattern.role(x.me()) {
        Role::Guest { host } => {
            x.send(host, slots.of(handover, len), source, handover);
            x.landed(answer).await;
            if small {
                x.copy(dest, answer.cell(len));
            }
        }
        Role::Member { number, guest } => {
            x.copy(dest, source);
            if guest.is_some() {
                x.landed(handover).await;
                x.fold(dest, slots.of(handover, len));
            }
            for r in 0..rounds {
                let flag = Flag::line(r);
                x.send(pattern.rank(number ^ 1 << r), slots.of(flag, len), dest, flag);
                x.landed(flag).await;
                settle(x, len).await;
                if number & 1 << r == 0 {
                    x.fold(dest, slots.of(flag, len));
                } else {
                    x.fold_front(dest, slots.of(flag, len));
                }
            }
            if let Some(guest) = guest {
                x.send(guest, if small { answer.cell(len) } else { dest }, dest, answer);
                settle(x, len).await;
            }
        }
    }
    x.epochs().close();
}
