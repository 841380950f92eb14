//! Concatenation by recursive doubling.
//!
//! Thakur, Rabenseifner, Gropp: "Optimization of collective communication operations in MPICH", IJHPCA 19(1), 2005 (section 4.1).
//! floor(log2 n) rounds and (n - 1) blocks sent by each member, always in one run. If n is not a power of two,
//! there are two more rounds: odd neighbours hand over a block first, and receive all blocks last.

use crate::exchange::{Exchange, Flag, Rank, Span};
use crate::pattern::doubling::{Doubling, Role};

/// Block `i` of `dest` = the source of member `i`.
pub async fn doubling<X: Exchange>(x: &X, dest: Span, source: Span) {
    let (me, size, each) = (x.me(), x.size(), source.len);
    if each == 0 {
        return;
    }
    x.epochs().enter_closing();
    let pattern = Doubling::new(size);
    let rounds = pattern.rounds() as usize;
    let (handover, below, above) = (Flag::line(rounds), Flag::line(rounds + 1), Flag::line(rounds + 2));
    let mine = super::block(dest, each, me);
    x.copy(mine, source);
    match pattern.role(me) {
        Role::Guest { host } => {
            x.send(host, mine, source, handover);
            x.landed(below).await;
            x.landed(above).await;
        }
        Role::Member { number, guest } => {
            if guest.is_some() {
                x.landed(handover).await;
            }
            for r in 0..rounds {
                let have = held(pattern, number >> r << r, 1 << r, size, dest, each);
                x.send(pattern.rank(number ^ 1 << r), have, have, Flag::line(r));
                x.landed(Flag::line(r)).await;
            }
            if let Some(guest) = guest {
                let own = guest as usize * each;
                let head = dest.part(0, own);
                let tail = dest.part(own + each, size as usize * each - own - each);
                x.send(guest, head, head, below);
                x.send(guest, tail, tail, above);
            }
        }
    }
    x.settled().await;
    x.epochs().close();
}

/// The blocks of members `first..first + count` and their guests, which lie side by side.
fn held(pattern: Doubling, first: Rank, count: Rank, size: Rank, dest: Span, each: usize) -> Span {
    let end = first + count;
    let (first, end) = (pattern.rank(first), if end == pattern.members { size } else { pattern.rank(end) });
    dest.part(first as usize * each, (end - first) as usize * each)
}
