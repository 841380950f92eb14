//! Puts and gets over the fabric. Those on mapped memory are in `ops/rma.rs`, `ops/strided.rs` and `ops/signal.rs`.

use super::{ContextStream, Far};
use crate::live::Live;
use ferrite_fabric::{Op, Remote, SignalOp, Ticket, Width};

/// When the caller may have its local memory back.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Back {
    /// On return.
    Now,
    /// After quiet.
    Later,
}

/// Blocks of bytes at equal distances, on both sides of a transfer.
#[derive(Clone, Copy)]
pub(crate) struct Blocks {
    /// Bytes of one.
    pub len: usize,
    /// How many.
    pub count: usize,
    /// From one to the next at the peer, in bytes.
    pub there: usize,
    /// The same here.
    pub here: usize,
}

/// The signal of a put.
#[derive(Clone, Copy)]
pub(crate) struct SignalUpdate {
    pub at: Remote,
    pub op: SignalOp,
    pub value: u64,
}

/// The place `bytes` further on.
fn beyond(place: Remote, bytes: usize) -> Remote {
    Remote { offset: place.offset + bytes as u64, ..place }
}

impl Live {
    /// Copy `len` bytes to a peer.
    ///
    /// # Safety
    /// `from` is readable for `len` bytes, until the caller has it back.
    pub(crate) unsafe fn put_far(
        &self,
        far: &Far,
        stream: &ContextStream,
        to: Remote,
        from: *const u8,
        len: usize,
        back: Back,
    ) {
        // SAFETY: passed on.
        let ticket = unsafe { self.issue(stream, &Op::Put { to, from, len }) };
        self.give_back(far, stream, len, ticket, back);
    }

    /// Copy `len` bytes from a peer.
    ///
    /// # Safety
    /// `to` is writable for `len` bytes, until the caller has it back.
    pub(crate) unsafe fn get_far(&self, stream: &ContextStream, from: Remote, to: *mut u8, len: usize, back: Back) {
        let get = Op::Get { from, to, len };
        // SAFETY: passed on.
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
        let put = |i: usize| Op::Put { to: beyond(to, i * there), from: from.wrapping_add(i * here), len };
        // SAFETY: passed on.
        let tickets = (0..count).map(|i| unsafe { self.issue(stream, &put(i)) });
        if len > far.caps().inject_bytes_max {
            self.wait_for_several(stream, tickets);
        } else {
            tickets.for_each(drop);
        }
    }

    /// Copy blocks from a peer; `to` holds them on return.
    ///
    /// # Safety
    /// All blocks at `to` are writable.
    pub(crate) unsafe fn get_blocks_far(&self, stream: &ContextStream, from: Remote, to: *mut u8, blocks: Blocks) {
        let Blocks { len, count, there, here } = blocks;
        let get = |i: usize| Op::Get { from: beyond(from, i * there), to: to.wrapping_add(i * here), len };
        // SAFETY: passed on.
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
        // SAFETY: passed on.
        let ticket = unsafe { self.issue(stream, &Op::PutSignal { to, from, len, signal: at, op, value }) };
        self.give_back(far, stream, len, ticket, back);
    }

    /// A message of a collective's: `len` bytes, then the signal. The source is the caller's again when the fabric has come to
    /// [`Stage::Local`] of what is given back; at once if that is nothing.
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
        // SAFETY: passed on; the update points to nothing here.
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
        // Bytes that the fabric took along need no wait.
        if back == Back::Now && len > far.caps().inject_bytes_max {
            self.wait_for_one(stream, ticket);
        }
    }
}

/// The update of a signal alone.
pub(crate) fn raise(signal: SignalUpdate) -> Op {
    let SignalUpdate { at, op, value: operand } = signal;
    Op::Amo { at, width: Width::W64, op: op.into(), operand, compare: 0, fetch: core::ptr::null_mut() }
}
