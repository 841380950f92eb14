//! A pipeline: sends a long message to one peer chunk by chunk through the peer's slots, and receives one from another
//! peer at the same time.
//!
//! Chunk `i` goes to slot `i % PIPELINE_SLOTS` and raises the data line of that number. The receiver consumes the chunk
//! and raises the credit line of the same number at the sender; the sender waits for that credit before it sends chunk
//! `i + PIPELINE_SLOTS`. Turns distinguish the uses of a line. Both ends know the round, which distinguishes the
//! pipelines that one collective opens one after another.

use crate::exchange::{Exchange, Flag, PIPELINE_SLOTS, Rank, Span};

/// Lines `0..PIPELINE_LINES` of an epoch belong to the pipeline, if the collective uses one.
pub(crate) const PIPELINE_LINES: usize = 2 * PIPELINE_SLOTS;

/// The pipeline of one round.
pub(crate) struct Pipeline {
    to: Rank,
    from: Rank,
    round: u16,
    sent: u32,
    taken: u32,
}

/// Bytes of one slot: whole grains, and whole cache lines where grains allow it.
pub(crate) fn slot_bytes<X: Exchange>(x: &X) -> usize {
    let grain = x.grain();
    let unit = if 64 % grain == 0 { 64 } else { grain };
    let bytes = x.scratch() / PIPELINE_SLOTS / unit * unit;
    assert!(bytes > 0, "scratch of {} bytes for {PIPELINE_SLOTS} slots of {unit}; see scratch_bytes_min", x.scratch());
    bytes
}

impl Pipeline {
    /// The pipeline of `round` that sends to `to` and receives from `from`.
    pub fn new(to: Rank, from: Rank, round: usize) -> Pipeline {
        Pipeline { to, from, round: (round as u16) << 10, sent: 0, taken: 0 }
    }

    fn flag(&self, first: usize, i: u32) -> Flag {
        let slots = PIPELINE_SLOTS as u32;
        Flag::line(first + (i % slots) as usize).turn(self.round | ((i / slots) & 0x3ff) as u16)
    }
    fn data(&self, i: u32) -> Flag {
        self.flag(0, i)
    }
    fn credit(&self, i: u32) -> Flag {
        self.flag(PIPELINE_SLOTS, i)
    }

    /// Send `from` to `to` at the peer, once the line is free.
    pub async fn push<X: Exchange>(&mut self, x: &X, to: Span, from: Span) {
        if self.sent >= PIPELINE_SLOTS as u32 {
            x.landed(self.credit(self.sent - PIPELINE_SLOTS as u32)).await;
        }
        x.send(self.to, to, from, self.data(self.sent));
        self.sent += 1;
    }

    /// Wait for the next chunk, and call `used` to consume it before its slot is free again.
    pub async fn take<X: Exchange>(&mut self, x: &X, used: impl FnOnce()) {
        x.landed(self.data(self.taken)).await;
        used();
        x.raise(self.from, self.credit(self.taken));
        self.taken += 1;
    }

    /// Send `out` and receive `incoming` bytes, chunk by chunk; `used(offset, slot)` consumes each.
    pub async fn swap<X: Exchange>(&mut self, x: &X, out: Span, incoming: usize, used: impl Fn(usize, Span)) {
        let bytes = slot_bytes(x);
        let mut offset = 0;
        while offset < out.len.max(incoming) {
            if offset < out.len {
                let len = bytes.min(out.len - offset);
                let slot = self.sent as usize % PIPELINE_SLOTS * bytes;
                self.push(x, Span::scratch(slot, len), out.part(offset, len)).await;
            }
            if offset < incoming {
                let slot = self.taken as usize % PIPELINE_SLOTS * bytes;
                let slot = Span::scratch(slot, bytes.min(incoming - offset));
                self.take(x, || used(offset, slot)).await;
            }
            offset += bytes;
        }
    }

    /// Wait for the credits of all chunks that were sent.
    pub async fn drain<X: Exchange>(self, x: &X) {
        for i in self.sent.saturating_sub(PIPELINE_SLOTS as u32)..self.sent {
            x.landed(self.credit(i)).await;
        }
    }
}
