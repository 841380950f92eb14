//! Puts with a signal that take more than one message. The signal follows the data: at once if the port keeps that order, otherwise when
//! the data is visible.

use crate::{
    Amo, Atomics, Class, PeerNumber, PostError, Transport, Update, Width, ledger::Signal, message::Request,
    port_state::PortState,
};
use std::ptr;

impl<T: Transport> PortState<T> {
    /// Queue the signal of an operation of which the port has taken all data. The signal is sent now if the port keeps that order,
    /// otherwise when the data is visible.
    pub fn after_data(&mut self, number: PeerNumber, signal: Option<Signal>) {
        let Some(signal) = signal else { return };
        let keeps = match (self.limits.atomics, self.limits.writes) {
            (Atomics::Nic { fenced }, _) => fenced,
            (Atomics::Target, true) => self.limits.orders.write_message == usize::MAX,
            (Atomics::Target, false) => self.limits.orders.message_message == usize::MAX,
        };
        if keeps {
            self.outgoing.add_signal(signal);
        } else {
            self.outgoing.hold_signal(signal);
            // Perhaps no thread waits for the data, and then no other request would be sent.
            self.want(number);
            self.release_signals();
        }
    }

    /// Release the signals whose data is visible.
    pub fn release_signals(&mut self) {
        let (ledger, peers) = (&mut self.ledger, &self.peers);
        self.outgoing.release_signals(|signal| {
            let entry = ledger.entry(signal.ticket);
            entry.is_none_or(|entry| entry.has_only_its_signal(signal.ticket, peers.visible(signal.peer)))
        });
    }

    pub fn signal_class(&self) -> Class {
        if self.limits.atomics == Atomics::Target { Class::Message } else { Class::Atomic }
    }

    /// Send the signals whose data is visible, or is kept in front of them by the port.
    pub fn send_signals(&mut self) -> Result<(), PostError> {
        for _ in 0..self.outgoing.ready_signals() {
            let Some(signal) = self.outgoing.next_signal() else { break };
            match self.send_signal(&signal) {
                Err(PostError::Busy) => self.outgoing.add_signal(signal),
                sent => sent.map_err(|error| self.note_loss(signal.peer, error))?,
            }
        }
        Ok(())
    }

    /// Send a signal. It is always answered, since it is the last part of its operation.
    fn send_signal(&mut self, signal: &Signal) -> Result<(), PostError> {
        let Signal { ticket, peer, fence, at, op, value } = *signal;
        let (at, width, op) = (at.into(), Width::W64, Amo::from(op));
        let Some(covers) = self.ledger.entry(ticket).map(|entry| entry.covers) else { return Ok(()) };
        match self.limits.atomics {
            Atomics::Target => {
                let request = Request::Amo { at, width, op, operand: value, compare: 0 };
                // SAFETY: there is no data.
                unsafe { self.send_message(peer, ticket, true, covers, &request, ptr::null(), 0, true) }?;
                self.answers_due += 1;
                if let Some(entry) = self.ledger.entry(ticket) {
                    entry.expect_answer();
                }
            }
            Atomics::Nic { fenced } => {
                let update = Update { at, width, op, operand: value, compare: 0, fetch: ptr::null_mut(), fenced };
                // SAFETY: the old value is not fetched.
                if !unsafe { self.start_atomic(peer, ticket, fence, &update) }? {
                    self.part_done(ticket, peer, Class::Atomic, fence, false);
                }
            }
        }
        self.settle();
        Ok(())
    }
}
