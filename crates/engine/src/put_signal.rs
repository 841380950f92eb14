//! Puts with a signal that take more than one message. The signal follows the data: at once if the port keeps that order, otherwise when
//! the data is visible.

use crate::{
    Amo, Atomics, Class, Mistake, PeerNumber, PostError, Transport, Update, Width,
    ledger::{Entry, Signal},
    message::Request,
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
        if keeps || T::MISTAKE == Some(Mistake::SignalDoesNotWait) {
            self.signals.push_back(signal);
        } else {
            self.held_signals.push(signal);
            // Perhaps no thread waits for the data, and then no other request would be sent.
            self.want(number);
            self.release_signals();
        }
    }

    /// Release the signals whose data is visible.
    pub fn release_signals(&mut self) {
        let (ledger, peers, signals) = (&mut self.ledger, &self.peers, &mut self.signals);
        self.held_signals.retain(|signal| {
            let is_ready = ledger
                .entry(signal.ticket)
                .is_none_or(|entry| entry.parts == 1 && entry.needs.is_met(signal.ticket, peers.visible(signal.peer)));
            if is_ready {
                signals.push_back(*signal);
            }
            !is_ready
        });
    }

    pub fn signal_class(&self) -> Class {
        if self.limits.atomics == Atomics::Target { Class::Message } else { Class::Atomic }
    }

    /// Send the signals whose data is visible, or is kept in front of them by the port.
    pub fn send_signals(&mut self) -> Result<(), PostError> {
        for _ in 0..self.signals.len() {
            let Some(signal) = self.signals.pop_front() else { break };
            match self.send_signal(&signal) {
                Err(PostError::Busy) => self.signals.push_back(signal),
                sent => sent?,
            }
        }
        Ok(())
    }

    /// Send a signal. It is always answered, since it is the last part of its operation.
    fn send_signal(&mut self, signal: &Signal) -> Result<(), PostError> {
        let Signal { ticket, peer, fence, at, op, value } = *signal;
        let (at, width, op) = (at.into(), Width::W64, Amo::from(op));
        let Some(&mut Entry { covers, .. }) = self.ledger.entry(ticket) else { return Ok(()) };
        match self.limits.atomics {
            Atomics::Target => {
                let request = Request::Amo { at, width, op, operand: value, compare: 0 };
                // SAFETY: there is no data.
                unsafe { self.send(peer, ticket, true, covers, &request, ptr::null(), 0, true) }?;
                self.answers_due += 1;
                if let Some(entry) = self.ledger.entry(ticket) {
                    entry.answers += 1;
                }
            }
            Atomics::Nic { fenced } => {
                let update = Update { at, width, op, operand: value, compare: 0, fetch: ptr::null_mut(), fenced };
                if !self.start_atomic(peer, ticket, fence, &update)? {
                    self.part_done(ticket, peer, Class::Atomic, fence, false);
                }
            }
        }
        let was_held = u32::from(self.is_alone());
        if let Some(entry) = self.ledger.entry(ticket) {
            entry.local -= was_held;
        }
        self.settle();
        Ok(())
    }
}
