//! Where a small message lands: in its flag's cell when it fits, else in a scratch slot.

use crate::exchange::{CELL, Exchange, Flag, Span};

/// One scratch slot per line, of equal size.
#[derive(Clone, Copy)]
pub(crate) struct Slots {
    bytes: usize,
}

impl Slots {
    /// `count` slots in the scratch of `x`.
    #[inline]
    pub fn new<X: Exchange>(x: &X, count: usize) -> Slots {
        let (grain, share) = (x.grain(), x.scratch() / count);
        Slots { bytes: share / grain * grain }
    }
    /// Bytes of the longest message: a whole number of grains, at least what fits a cell.
    #[inline]
    pub fn room<X: Exchange>(&self, x: &X) -> usize {
        self.bytes.max(CELL / x.grain() * x.grain())
    }
    /// Where `len` bytes that raise `flag` land; its line counts the slots.
    #[inline]
    pub fn of(&self, flag: Flag, len: usize) -> Span {
        if len <= CELL { flag.cell(len) } else { Span::scratch(flag.line as usize * self.bytes, len) }
    }
}

/// Wait until `len` bytes that we sent are no longer read. Those that fit a cell were captured when sent.
#[inline]
pub(crate) async fn settle<X: Exchange>(x: &X, len: usize) {
    if len > CELL {
        x.settled().await;
    }
}

/// Cut `len` bytes into chunks of at most `room`: `(offset, length)` each.
#[inline]
pub(crate) fn chunks(len: usize, room: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..len).step_by(room.max(1)).map(move |offset| (offset, room.min(len - offset)))
}
