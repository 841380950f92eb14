//! Ring reduction through destinations, without scratch and credits.
//!
//! It has the steps of [`ring`](super::ring()), but each block travels from `Dest` to `Dest`, and is combined there. A
//! block is sent in two parts: one is combined while the other is in transit. This saves the credits of a pipeline
//! through scratch. The source must not be the destination.
//!
//! # Why no part is overwritten too early
//!
//! A part arrives at a `Dest` twice: partially combined, and final. The final one was computed from the partial one, which this member had
//! combined with its own part and sent on. So when the final one arrives, the partial one was sent.

use crate::exchange::{Exchange, Flag, Rank, Span, lines};
use crate::pattern::{block, ring::Ring};

/// Pieces of a block: one is combined while the other is in transit. More pieces were slower, and a single one was no faster.
const PIECES_MAX: usize = 2;
/// Bytes from which a piece is worth a message of its own.
const PIECE_BYTES: usize = 64 << 10;

/// Whether each step of a team's ring has a flag of its own.
pub const fn fits(size: Rank) -> bool {
    steps(size) <= lines(size)
}

const fn steps(size: Rank) -> usize {
    2 * (size as usize).saturating_sub(1)
}

/// `dest` = the sources of all members, combined by an operation that commutes; for teams that [`fits`], not in place.
pub async fn relay<X: Exchange>(x: &X, dest: Span, source: Span) {
    if source.len == 0 {
        return;
    }
    x.epochs().enter_closing();
    let (size, steps) = (x.size(), steps(x.size()));
    if steps == 0 {
        x.copy(dest, source);
        return x.epochs().close();
    }
    let ring = Ring::new(x.me(), size);
    let pieces = (source.len / size as usize / PIECE_BYTES).clamp(1, PIECES_MAX).min(lines(size) / steps);
    // A step sends the block that arrived in the step before.
    let part = |step: usize, piece: usize| {
        let (at, len) =
            block(source.len, x.grain(), size as usize, ring.block((step % size as usize) as Rank) as usize);
        let (offset, len) = block(len, x.grain(), pieces, piece);
        (at + offset, len)
    };
    let flag = |step: usize, piece: usize| Flag::line(step * pieces + piece);
    for piece in 0..pieces {
        let (at, len) = part(0, piece);
        x.send(ring.right(), dest.part(at, len), source.part(at, len), flag(0, piece));
    }
    for step in 0..steps {
        for piece in 0..pieces {
            x.landed(flag(step, piece)).await;
            let (at, len) = part(step + 1, piece);
            let here = dest.part(at, len);
            if step < steps / 2 {
                x.fold(here, source.part(at, len));
            }
            if step + 1 < steps {
                x.send(ring.right(), here, here, flag(step + 1, piece));
            }
        }
    }
    x.settled().await;
    x.epochs().close();
}
