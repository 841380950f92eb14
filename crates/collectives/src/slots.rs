//! Where a small message arrives: in the cell of its flag if it fits, else in a scratch slot.

use crate::exchange::{CELL, Exchange, Flag, Span};

/// One scratch slot per line, of equal size.
#[derive(Clone, Copy)]
pub(crate) struct Slots {
    bytes: usize,
}

impl Slots {
    /// `count` slots in the scratch of `x`, for vectors of `len` bytes. A vector that fits a cell needs none, and no division either.
    #[inline]
    pub fn new<X: Exchange>(x: &X, count: usize, len: usize) -> Slots {
        if len <= CELL {
            return Slots { bytes: CELL };
        }
        let (grain, share) = (x.grain(), x.scratch() / count);
        let bytes = share / grain * grain;
        assert!(bytes > 0, "scratch of {} bytes for {count} slots of {grain}; see scratch_bytes_min", x.scratch());
        Slots { bytes }
    }
    /// Bytes of the longest message: a whole number of grains, or whatever fits a cell.
    #[inline]
    pub const fn room(&self) -> usize {
        self.bytes
    }
    /// Place of the `len` bytes that raise `flag`. The slot has the same number as the flag's line.
    #[inline]
    pub fn of(&self, flag: Flag, len: usize) -> Span {
        if len <= CELL { flag.cell(len) } else { Span::scratch(flag.line as usize * self.bytes, len) }
    }
}

/// Wait until `len` bytes that we sent are no longer read. Bytes that fit a cell were captured when they were sent.
#[inline]
pub(crate) async fn settle<X: Exchange>(x: &X, len: usize) {
    if len > CELL {
        x.settled().await;
    }
}

/// Cut `len` bytes into chunks of at most `room`: `(offset, length)` each.
#[inline]
pub(crate) fn chunks(len: usize, room: usize) -> impl Iterator<Item = (usize, usize)> {
    debug_assert!(room > 0 || len == 0);
    let mut offset = 0;
    std::iter::from_fn(move || {
        let chunk = (offset, room.min(len - offset));
        offset += chunk.1;
        (chunk.1 > 0).then_some(chunk)
    })
}
