//! The exchange of a team with members that are not mapped: a fabric carries the messages to them.
//!
//! A send to such a member is one operation: the bytes, and then the flag's tag as a signal in the member's control area.
//! Everything else (waiting, folding, copying) happens in this PE's memory and is done by [`Call`].
//!
//! # Memory orders
//!
//! Between mapped members the orders of `engine.rs` apply. A fabric makes the bytes of a put visible before its signal, and a fence
//! orders a count after the items that it counts; `landed` and `tallied` load with acquire. Either the processor raises the tallies of
//! mapped members and the fabric all other tallies, or a NIC raises all: tallies have one domain of atomicity (`ops/amo.rs`).
//!
//! # When a source may be reused
//!
//! Bytes that fit a cell have been copied when the send returns. A longer source may be reused when all is [`Exchange::settled`].

use super::engine::Call;
use crate::{
    Ctx, area,
    far::{ContextStream, Far, PeerAddress, Several, SignalUpdate},
    live::Live,
    ops::order::full_fence,
    teams::shape::Shape,
};
use core::{
    cell::Cell,
    future::{Future, poll_fn},
    task::Poll,
};
use ferrite_collectives::{Area, CELL, Epochs, Exchange, Flag, Items, Rank, Span};
use ferrite_fabric::{Op, Pe, Remote, SignalOp, Ticket};

/// One call of a collective, as [`Call`] is.
pub(crate) struct Wide<'c, const LATER: bool = false> {
    near: Call<'c, LATER>,
    live: &'c Live,
    far: &'c Far,
    shape: &'c Shape,
    /// Sends whose sources may not be reused yet.
    unsettled: Cell<Several>,
}

impl<'c, const LATER: bool> Wide<'c, LATER> {
    /// The same call, for a team of this shape.
    pub fn new(near: Call<'c, LATER>, live: &'c Live, far: &'c Far, shape: &'c Shape) -> Wide<'c, LATER> {
        Wide { near, live, far, shape, unsettled: Cell::default() }
    }

    fn stream(&self) -> &ContextStream {
        &self.far.stream
    }

    fn pe(&self, peer: Rank) -> Pe {
        Pe(self.shape.world_pe(peer as i32) as u32)
    }

    /// Remote address at `offset` in the team's slot of the control area of `peer`.
    fn control(&self, peer: Rank, offset: usize) -> Remote {
        self.live.slot_of(self.far, self.pe(peer), self.near.team.slot(), offset)
    }

    /// Remote address of `span` at a peer that is not mapped.
    fn there(&self, peer: Rank, span: Span) -> Remote {
        let base = match span.area {
            Area::Scratch => area::scratch_at(self.near.share()),
            Area::Cell => area::cells_at(self.near.share()),
            Area::Queue => area::QUEUE_AT,
            Area::Dest => return self.theirs(peer, "dest", self.near.dest, span),
            Area::Source => return self.theirs(peer, "source", self.near.source, span),
        };
        self.control(peer, base + span.offset)
    }

    fn theirs(&self, peer: Rank, what: &str, address: *mut u8, span: Span) -> Remote {
        let (pe, at) = (self.pe(peer), address as usize + span.offset);
        if let Some(place) = self.live.remote_address(at, span.len, pe.0) {
            return place;
        }
        let caller = self.near.caller.as_ref().expect("what moves the program's data knows whose they are");
        match caller.world.find_peer_address(caller.site, what, at, span.len, Ctx::DEFAULT, pe.0 as i32) {
            Some(PeerAddress::Far(place)) => place,
            // The length is 0, so nothing is moved.
            _ => self.control(peer, 0),
        }
    }

    /// Record a send of `len` bytes, whose source is read until `ticket` has arrived here.
    fn note(&self, len: usize, ticket: Option<Ticket>) {
        match ticket {
            Some(ticket) if len <= CELL => self.live.wait_for_one(self.stream(), ticket),
            Some(ticket) => {
                let mut unsettled = self.unsettled.get();
                unsettled.add(ticket);
                self.unsettled.set(unsettled);
            }
            None => {}
        }
    }

    /// Put our span `from`, then update a word of the peer's control area.
    fn put_and_raise(&self, to: Remote, from: Span, signal: SignalUpdate) {
        // SAFETY: our span, which the algorithm leaves alone until it is settled.
        let ticket = unsafe { self.live.send_signal(self.far, to, self.near.mine(from), from.len, signal) };
        self.note(from.len, ticket);
    }

    /// Update a word of a peer's control area.
    fn raise(&self, signal: SignalUpdate) {
        self.put_and_raise(signal.at, Span::source(0), signal);
    }
}

impl<const LATER: bool> Exchange for Wide<'_, LATER> {
    fn me(&self) -> Rank {
        self.near.me()
    }

    fn size(&self) -> Rank {
        self.near.size()
    }

    fn grain(&self) -> usize {
        self.near.grain()
    }

    fn scratch(&self) -> usize {
        self.near.scratch()
    }

    fn epochs(&self) -> &Epochs {
        self.near.epochs()
    }

    fn send(&self, peer: Rank, to: Span, from: Span, flag: Flag) {
        if self.near.team.is_mapped(peer) {
            return self.near.send(peer, to, from, flag);
        }
        let at = self.control(peer, self.near.tag_at(flag));
        let signal = SignalUpdate { at, op: SignalOp::Set, value: flag.tag(self.epochs().current()) };
        self.put_and_raise(self.there(peer, to), from, signal);
    }

    fn send_counted(&self, peer: Rank, to: Items, from: Items) {
        let is_mapped = self.near.team.is_mapped(peer);
        if is_mapped && !self.live.nic_atomics() {
            return self.near.send_counted(peer, to, from);
        }
        let signal =
            SignalUpdate { at: self.control(peer, area::tally_at(self.near.share())), op: SignalOp::Add, value: 1 };
        if is_mapped {
            // One counter cannot be updated by the processor for some members and by the NIC for others.
            self.near.put_items(peer, to, from);
            full_fence();
            return self.raise(signal);
        }
        match from.count {
            1 => self.put_and_raise(self.there(peer, to.span(0)), from.span(0), signal),
            _ => {
                let (len, inject) = (from.item, self.far.caps().inject_bytes_max);
                for i in (0..from.count).filter(|_| len > 0) {
                    let put = Op::Put { to: self.there(peer, to.span(i)), from: self.near.mine(from.span(i)), len };
                    // SAFETY: as in `put_and_raise`.
                    let ticket = unsafe { self.live.issue_unowed(self.stream(), &put) };
                    self.note(len, (len > inject).then_some(ticket));
                }
                self.stream().fence();
                self.raise(signal);
            }
        }
    }

    fn landed(&self, flag: Flag) -> impl Future<Output = ()> {
        self.near.landed(flag)
    }

    fn tallied(&self, count: u64) -> impl Future<Output = ()> {
        self.near.tallied(count)
    }

    fn settled(&self) -> impl Future<Output = ()> {
        poll_fn(move |_| {
            let mut unsettled = self.unsettled.get();
            let settled = unsettled.look(self.stream());
            self.unsettled.set(unsettled);
            settled.map_or(Poll::Pending, Poll::Ready)
        })
    }

    fn copy(&self, into: Span, from: Span) {
        self.near.copy(into, from);
    }

    fn copy_items(&self, into: Items, from: Items) {
        self.near.copy_items(into, from);
    }

    fn zero(&self, into: Span) {
        self.near.zero(into);
    }

    fn fold(&self, into: Span, from: Span) {
        self.near.fold(into, from);
    }

    fn fold_front(&self, into: Span, from: Span) {
        self.near.fold_front(into, from);
    }

    fn load(&self, at: Span) -> u64 {
        self.near.load(at)
    }

    fn store(&self, at: Span, word: u64) {
        self.near.store(at, word);
    }
}
