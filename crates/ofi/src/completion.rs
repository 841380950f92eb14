//! Completion of calls: by an entry of the queue, by the counter, or by an error.

use crate::{
    endpoint::{self, Failed},
    port::{BATCH, OfiPort},
};
use ferrite_engine::{Class, Error, Event, Token};
use libfabric_sys::*;
use std::mem::MaybeUninit;

impl OfiPort {
    /// Read completions. Return the number of operations that completed.
    #[inline]
    pub(crate) fn harvest(&mut self, events: &mut Vec<Event>) -> usize {
        let mut entries = [const { MaybeUninit::uninit() }; BATCH];
        // SAFETY: one thread at a time uses a port.
        let read = unsafe { endpoint::read(&self.shared.domain.library, &self.endpoint.queue, &mut entries) };
        let entries = read.unwrap_or_else(|failed| {
            events.extend(self.failed(&failed).map(Event::Failed));
            &[]
        });
        for entry in entries {
            self.completed(entry, events);
        }
        entries.len() + self.count(events)
    }

    #[inline]
    fn completed(&mut self, entry: &fi_cq_msg_entry, events: &mut Vec<Event>) {
        let Some(number) = self.contexts.number(entry.op_context) else { return };
        if let Some(call) = self.calls.get(number) {
            let class = call.class;
            if call.has_bounce {
                self.end_bounce(number);
            }
            self.atomics -= usize::from(class == Class::Atomic);
            return events.push(Event::Done(Token(number as u32)));
        }
        let buffer = number - self.calls.len();
        if buffer < self.service.receives {
            self.received(buffer as u32, entry.len);
        } else {
            self.buffers.give(buffer as u32);
        }
    }

    /// Report the writes whose completion only the counter shows: all of them are complete once it has counted every write. Return how many
    /// were reported.
    #[inline]
    fn count(&mut self, events: &mut Vec<Event>) -> usize {
        let Some(counter) = self.endpoint.counter.as_ref().filter(|_| !self.counted.is_empty()) else { return 0 };
        // SAFETY: the counter is open.
        if unsafe { fi_cntr_read(counter.as_ptr()) } < self.writes {
            return 0;
        }
        let count = self.counted.len();
        events.extend(self.counted.drain(..).map(Event::Done));
        count
    }

    /// Handle a failed operation. Return an error only if a call failed: a lost answer or a lost receive is dealt with here.
    #[cold]
    fn failed(&mut self, failed: &Failed) -> Option<Error> {
        let number = self.contexts.number(failed.context);
        let buffer = number.and_then(|number| number.checked_sub(self.calls.len()));
        let me = self.shared.target.me();
        if let Some(buffer) = buffer.filter(|&buffer| buffer >= self.service.receives) {
            // A peer that is gone needs no answer, and a peer that waits for one learns of the loss on its own side.
            tracing::debug!(%me, "an answer was not sent: {}", failed.why);
            self.buffers.give(buffer as u32);
            return None;
        }
        if let Some(buffer) = buffer {
            // The message was truncated, or a lost connection took the receive with it. The buffer is free again, unless the endpoint is
            // being closed.
            if failed.error != FI_ECANCELED {
                tracing::warn!(%me, "a message was not received: {}", failed.why);
                self.service.idle.push(buffer as u32);
            }
            return None;
        }
        let call = number.and_then(|number| self.calls.get(number));
        let what = match call.map(|call| call.class) {
            Some(Class::Read) => "a get from",
            Some(Class::Write) => "a put to",
            Some(Class::Atomic) => "an atomic at",
            Some(Class::Message) | None => "a message to",
        };
        let peer = call.and_then(|call| self.peers.get(call.peer as usize));
        let whom = peer.map_or("a peer".to_owned(), |peer| peer.pe.to_string());
        let name = &self.shared.domain.offer.name;
        Some(Error::new(format!("{what} {whom} failed over libfabric's {name}: {}", failed.why)))
    }
}
