//! Puts and gets over the fabric. Those on mapped memory are in `ops/rma.rs`, `ops/strided.rs` and `ops/signal.rs`.

use super::{ContextStream, Far};
use crate::{live::Live, observe::Answer};
use ferrite_fabric::{Op, Remote, SignalOp, Ticket, Width};

/// When the caller's local memory belongs to the caller again.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Back {
    /// When the call returns.
    Now,
    /// After a quiet.
    Later,
}

impl From<Back> for Answer {
    fn from(back: Back) -> Answer {
        match back {
            Back::Now => Answer::Now,
            Back::Later => Answer::Later,
        }
    }
}

/// Blocks of bytes at equal distances, on both sides of a transfer.
#[derive(Clone, Copy)]
pub(crate) struct Blocks {
    /// Size of one block in bytes.
    pub len: usize,
    /// Number of blocks.
    pub count: usize,
    /// Distance between the starts of two blocks at the peer, in bytes.
    pub there: usize,
    /// Distance between the starts of two blocks here, in bytes.
    pub here: usize,
}

/// The signal of a put.
#[derive(Clone, Copy)]
pub(crate) struct SignalUpdate {
    pub at: Remote,
    pub op: SignalOp,
    pub value: u64,
}

/// The address `bytes` after `place`.
fn offset_by(place: Remote, bytes: usize) -> Remote {
    Remote { offset: place.offset + bytes as u64, ..place }
}

impl Live {
    /// Copy `len` bytes to a peer.
    ///
    /// # Safety
    /// `from` is readable for `len` bytes until the memory belongs to the caller again (`back`).
    pub(crate) unsafe fn put_far(
        &self,
        far: &Far,
        stream: &ContextStream,
        to: Remote,
        from: *const u8,
        len: usize,
        back: Back,
    ) {
        // SAFETY: the caller's contract.
        let ticket = unsafe { self.issue(stream, &Op::Put { to, from, len }) };
        self.give_back(far, stream, len, ticket, back);
    }

    /// Copy `len` bytes from a peer.
    ///
    /// # Safety
    /// `to` is writable for `len` bytes until the memory belongs to the caller again (`back`).
    pub(crate) unsafe fn get_far(&self, stream: &ContextStream, from: Remote, to: *mut u8, len: usize, back: Back) {
        let get = Op::Get { from, to, len };
        // SAFETY: the caller's contract.
        unsafe {
            match back {
                Back::Now => self.fetch(stream, &get),
                Back::Later => _ = self.issue(stream, &get),
            }
        }
    }

    /// Copy blocks to a peer; `from` may be reused on return.
    ///
    /// # Safety
    /// All blocks at `from` are readable, and at least one is.
    pub(crate) unsafe fn put_blocks_far(
        &self,
        far: &Far,
        stream: &ContextStream,
        to: Remote,
        from: *const u8,
        blocks: Blocks,
    ) {
        let Blocks { len, count, there, here } = blocks;
        let put = |i: usize| Op::Put { to: offset_by(to, i * there), from: from.wrapping_add(i * here), len };
        // SAFETY: the caller's contract.
        let tickets = (0..count).map(|i| unsafe { self.issue(stream, &put(i)) });
        if len > far.caps().inject_bytes_max {
            self.wait_for_several(stream, tickets);
        } else {
            tickets.for_each(drop);
        }
    }

    /// Copy blocks from a peer. The blocks at `to` are complete on return.
    ///
    /// # Safety
    /// All blocks at `to` are writable.
    pub(crate) unsafe fn get_blocks_far(&self, stream: &ContextStream, from: Remote, to: *mut u8, blocks: Blocks) {
        let Blocks { len, count, there, here } = blocks;
        let get = |i: usize| Op::Get { from: offset_by(from, i * there), to: to.wrapping_add(i * here), len };
        // SAFETY: the caller's contract.
        let tickets = (0..count).map(|i| unsafe { self.post(stream, &get(i)) });
        self.wait_for_several(stream, tickets);
    }

    /// Copy `len` bytes to a peer, then update a signal there.
    ///
    /// # Safety
    /// As for `put_far`.
    pub(crate) unsafe fn put_signal_far(
        &self,
        far: &Far,
        stream: &ContextStream,
        to: Remote,
        from: *const u8,
        len: usize,
        signal: SignalUpdate,
        back: Back,
    ) {
        let SignalUpdate { at, op, value } = signal;
        // SAFETY: the caller's contract.
        let ticket = unsafe { self.issue(stream, &Op::PutSignal { to, from, len, signal: at, op, value }) };
        self.give_back(far, stream, len, ticket, back);
    }

    /// Send a message of a collective: `len` bytes, then the signal. The source may be reused when the returned ticket has reached
    /// `Stage::Local`; at once if no ticket is returned.
    ///
    /// # Safety
    /// `from` is readable for `len` bytes until then.
    pub(crate) unsafe fn send_signal(
        &self,
        far: &Far,
        to: Remote,
        from: *const u8,
        len: usize,
        signal: SignalUpdate,
    ) -> Option<Ticket> {
        let SignalUpdate { at, op, value } = signal;
        let stream = &far.stream;
        // SAFETY: the caller's contract; the signal update has no local pointer.
        let ticket = unsafe {
            if len == 0 {
                self.issue_unowed(stream, &raise(signal));
                return None;
            }
            self.issue_unowed(stream, &Op::PutSignal { to, from, len, signal: at, op, value })
        };
        (len > far.caps().inject_bytes_max).then_some(ticket)
    }

    fn give_back(&self, far: &Far, stream: &ContextStream, len: usize, ticket: Ticket, back: Back) {
        // The fabric has copied a put of this size, so no wait is needed.
        if back == Back::Now && len > far.caps().inject_bytes_max {
            self.wait_for_one(stream, ticket);
        }
    }
}

/// Update a signal without a put.
pub(crate) fn raise(signal: SignalUpdate) -> Op {
    let SignalUpdate { at, op, value: operand } = signal;
    Op::Amo { at, width: Width::W64, op: op.into(), operand, compare: 0, fetch: core::ptr::null_mut() }
}
