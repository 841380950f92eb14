//! Rabenseifner's reduction: scatter while combining, then gather.
//!
//! Rabenseifner: "Optimization of collective reduction operations", ICCS 2004; Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005. 2
//! floor(log2 n) rounds, about 2 `len` bytes sent by each member, and `len` more each way between pairs when n is not a power of two. For
//! long vectors on many members. In round r, neighbours at distance 2^r exchange halves, nearest first, so blocks are combined in rank
//! order and by the same tree as in doubling.
//!
//! Halves go through scratch by a pipeline: a round begins when both partners have announced that their slots are free.
//! Gathered blocks go straight to `Dest`, where they replace a half that the partner has sent away in the same round.

use crate::exchange::{Exchange, Flag, Rank, Span};
use crate::pattern::doubling::{Doubling, Role};
use crate::pattern::run;
use crate::pipeline::{PIPELINE_LINES, Pipeline};

/// `dest` = the sources of all members, combined.
pub async fn rabenseifner<X: Exchange>(x: &X, dest: Span, source: Span) {
    if source.len == 0 {
        return;
    }
    x.epochs().enter_closing();
    let pattern = Doubling::new(x.size());
    let rounds = pattern.rounds() as usize;
    let answer = Flag::line(PIPELINE_LINES + 2 * rounds);
    match pattern.role(x.me()) {
        Role::Guest { host } => {
            let mut pipeline = Pipeline::new(host, host, rounds);
            pipeline.swap(x, source, 0, |_, _| ()).await;
            pipeline.drain(x).await;
            x.landed(answer).await;
        }
        Role::Member { number, guest } => {
            x.copy(dest, source);
            if let Some(guest) = guest {
                let mut pipeline = Pipeline::new(guest, guest, rounds);
                pipeline.swap(x, Span::NOTHING, dest.len, |at, slot| x.fold(dest.part(at, slot.len), slot)).await;
            }
            for r in 0..rounds {
                halve(x, pattern, number, r, dest).await;
            }
            for r in (0..rounds).rev() {
                gather(x, pattern, number, r, dest).await;
            }
            if let Some(guest) = guest {
                x.send(guest, dest, dest, answer);
            }
        }
    }
    x.settled().await;
    x.epochs().close();
}

/// The part of `dest` that member `number` still combines after `level` rounds.
fn kept(pattern: Doubling, number: Rank, level: usize, dest: Span, grain: usize) -> Span {
    let (mut first, mut blocks) = (0, pattern.members as usize);
    for bit in 0..level {
        blocks /= 2;
        first += blocks * (number >> bit & 1) as usize;
    }
    let (offset, len) = run(dest.len, grain, pattern.members as usize, first, blocks);
    dest.part(offset, len)
}

/// Round `r` of the scattering: keep one half, hand over the other.
async fn halve<X: Exchange>(x: &X, pattern: Doubling, number: Rank, r: usize, dest: Span) {
    let partner = number ^ 1 << r;
    let peer = pattern.rank(partner);
    let clear = Flag::line(PIPELINE_LINES + r);
    x.raise(peer, clear);
    x.landed(clear).await;
    let keep = kept(pattern, number, r + 1, dest, x.grain());
    let give = kept(pattern, partner, r + 1, dest, x.grain());
    let mut pipeline = Pipeline::new(peer, peer, r);
    pipeline
        .swap(x, give, keep.len, |at, slot| {
            let into = keep.part(at, slot.len);
            if number < partner { x.fold(into, slot) } else { x.fold_front(into, slot) }
        })
        .await;
    pipeline.drain(x).await;
}

/// The same round of the gathering, which reverses the scattering.
async fn gather<X: Exchange>(x: &X, pattern: Doubling, number: Rank, r: usize, dest: Span) {
    let flag = Flag::line(PIPELINE_LINES + pattern.rounds() as usize + r);
    let have = kept(pattern, number, r + 1, dest, x.grain());
    x.send(pattern.rank(number ^ 1 << r), have, have, flag);
    x.landed(flag).await;
}
