//! What is complete at its target: asked of peers and flushed when somebody wants to know, of all of them or of one.

use super::Stream;
use crate::slot::Failure;
use ferrite_fabric::{Pe, Stage, Ticket};
use ucx_sys::*;

impl Stream {
    /// All up to this ticket have come to `stage`; asking for the remote one starts a flush.
    pub fn reached(&mut self, stage: Stage) -> Ticket {
        if stage == Stage::Remote {
            self.inquired = true;
            self.ask();
            self.start_flush();
        }
        self.settle();
        let mut reached = self.window.reached(stage);
        if stage == Stage::Remote {
            if self.flush.running.get() || !self.dirty.is_empty() || self.trouble.get() {
                reached = reached.min(self.flushed);
            } else {
                // Where nothing was put since, nothing is left to flush; a later flush must not go back behind what is said now.
                self.covered = self.window.issued();
                self.flushed = self.covered;
            }
        }
        self.wanted |= reached < self.window.issued();
        if stage == Stage::Remote {
            self.let_go(Ticket(reached));
        }
        Ticket(reached)
    }

    /// Whether this operation needs the caller's memory no more.
    pub fn is_local(&mut self, ticket: Ticket) -> bool {
        let is_local = self.window.is_local(ticket.0);
        self.wanted |= !is_local;
        is_local
    }

    /// Whether all that was posted is complete at its targets.
    pub fn is_quiet(&mut self) -> bool {
        self.reached(Stage::Remote).0 == self.window.issued()
    }

    /// Whether all that was posted for a PE is complete there, whatever is under way to others.
    pub fn is_quiet_at(&mut self, pe: Pe) -> bool {
        let Some(&number) = self.numbers.get(&pe) else { return true };
        self.inquired = true;
        self.ask();
        self.settle();
        if !self.is_flushed(number) {
            if self.minds_endpoints() {
                self.start_aside(number)
            } else {
                self.start_flush()
            }
            self.settle();
        }
        let quiet = !self.owes(number);
        self.wanted |= !quiet;
        quiet
    }

    /// Whether nothing is under way, as far as that is known without asking peers.
    pub fn is_at_rest(&mut self) -> bool {
        self.settle();
        self.is_idle()
    }

    /// Everything put to this peer up to this ticket is there.
    pub fn flushed_at(&self, number: usize) -> u64 {
        self.flushed.max(self.peers[number].flushed)
    }

    /// Whether all that was put to a peer is there.
    pub(super) fn is_flushed(&self, number: usize) -> bool {
        self.peers[number].last.flushed <= self.flushed_at(number)
    }

    /// Whether something that was posted for a peer is not known to be complete there.
    pub(super) fn owes(&self, number: usize) -> bool {
        !self.is_flushed(number) || !self.window.is_done_at(self.peers[number].pe, self.window.issued())
    }

    /// Whether the flush of one endpoint says that what was put there can be seen. Where a NIC writes by relaxed ordering, which UCX
    /// chooses by the processor, it does not: what is put next may be seen before. Only a flush of the worker has the NIC
    /// order what follows (`fence_beat` in UCX's `rc` and `dc`).
    pub(super) fn minds_endpoints(&self) -> bool {
        self.worker.context.is_software()
    }

    /// Flush what was put to this peer alone. By a NIC that tells of a peer that is lost, and no more.
    pub(super) fn start_aside(&mut self, number: usize) {
        let peer = &mut self.peers[number];
        if peer.aim.is_some() {
            return;
        }
        (peer.unflushed, peer.refused) = (0, 0);
        peer.aim = Some(peer.last.flushed);
        self.asides.push(number);
        let call = &self.worker.context.ucx.call;
        // SAFETY: the endpoint is open, and the flush's notices live as long as its worker.
        peer.flush.start(|param| unsafe { (call.ucp_ep_flush_nbx)(peer.ep, param) });
    }

    /// A flush goes on.
    pub(super) fn is_flushing(&self) -> bool {
        self.flush.running.get() || !self.asides.is_empty()
    }

    /// Why a flush has failed, if one has.
    pub(super) fn flush_failure(&self) -> Option<ucs_status_t> {
        let of_one = || self.asides.iter().find_map(|&number| self.peers[number].flush.failure.get());
        self.flush.failure.get().or_else(of_one)
    }

    #[inline]
    pub fn settle(&mut self) {
        self.window.advance();
        // A flush of the worker ends well for peers that were lost meanwhile too: `failure` judges first.
        if self.trouble.get() {
            return;
        }
        if !self.flush.running.get() {
            self.flushed = self.covered;
        }
        let (tells, peers) = (self.minds_endpoints(), &mut self.peers);
        self.asides.retain(|&number| {
            let peer = &mut peers[number];
            if !peer.flush.running.get()
                && let Some(aim) = peer.aim.take()
                && tells
            {
                peer.flushed = aim;
            }
            peer.aim.is_some()
        });
    }

    /// Ask peers which packets they have carried out.
    pub(super) fn ask(&mut self) {
        let (peers, window) = (&mut self.peers, &self.window);
        self.unasked.retain(|&number| {
            let peer = &mut peers[number];
            let asked = peer.ask();
            if let Err(status) = asked {
                window.fail(Failure::Status(peer.pe, status));
            }
            peer.unasked = asked != Ok(true);
            peer.unasked
        });
    }

    pub(super) fn start_flush(&mut self) {
        if self.flush.running.get() || self.dirty.is_empty() {
            return;
        }
        // What the last one has completed must be known before.
        self.settle();
        self.covered = self.window.issued();
        let call = &self.worker.context.ucx.call;
        // SAFETY: worker and endpoint are open; the flush's notices live as long as they.
        self.flush.start(|param| unsafe {
            match *self.dirty {
                [one] if self.minds_endpoints() => (call.ucp_ep_flush_nbx)(self.peers[one].ep, param),
                _ => (call.ucp_worker_flush_nbx)(self.worker.handle, param),
            }
        });
        for number in self.dirty.drain(..) {
            let peer = &mut self.peers[number];
            (peer.dirty, peer.unflushed) = (false, 0);
            // The flush ends well all the same.
            if peer.lost().is_some() {
                self.trouble.set(true);
            }
        }
    }
}
