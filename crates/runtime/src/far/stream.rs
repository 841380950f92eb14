//! The operations of one context over the fabric.
//!
//! # What quiet waits for
//!
//! Collectives send over the lane of the default context, too. Their algorithms acknowledge these messages; a quiet
//! that waited for the fabric's completion of them would add a round trip to every barrier. Operations whose completion the program
//! has waited for are complete already. So quiet waits for the rest alone, what the program has issued and not waited for: `owed`.

use crate::{
    groups::context::Context,
    live::Live,
    wait::{Moment, state::Awaited},
};
use core::sync::atomic::{
    AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};
use ferrite_fabric::{Lane, Op, Pe, Stage, Ticket};

/// Who waits for one PE asks after all PEs once in so many looks.
const LOOKS_PER_WHOLE: u32 = 64;

/// A context's lane.
pub(crate) struct ContextStream {
    lane: Box<dyn Lane>,
    /// The ticket of the last operation that quiet has to wait for, or [`Ticket::NONE`].
    ///
    /// A ticket is stored relaxed: who asks for the completion of another thread's operations has heard from it that they were
    /// issued, and that orders these accesses too. `NONE` is stored with release and read with acquire: who reads it asks
    /// no more, and must see what a thread that did ask has seen arrive, also what it fetched for others. Tickets
    /// are stored by read-modify-write, so they do not break that chain.
    owed: AtomicU64,
    /// The ticket of the last operation that quiet does not wait for, stored relaxed: who reads it has heard from the threads that
    /// issued what matters to it.
    unowed: AtomicU64,
    /// The ticket of the last update that a NIC makes in memory which this PE stores to by itself, or [`Ticket::NONE`]; kept as `owed`
    /// is.
    updated: AtomicU64,
}

impl ContextStream {
    /// Nothing was issued on `lane` yet.
    pub fn new(lane: Box<dyn Lane>) -> ContextStream {
        let none = || AtomicU64::new(Ticket::NONE.0);
        ContextStream { lane, owed: none(), unowed: none(), updated: none() }
    }

    /// The operation of this ticket updates mapped memory.
    #[inline]
    pub fn updates_mapped(&self, ticket: Ticket) {
        self.updated.fetch_max(ticket.0, Relaxed);
    }

    /// Whether all up to `ticket`, which `last` told, has come where it went, after one step of progress if it has not.
    #[inline]
    fn has_come(&self, last: &AtomicU64, ticket: Ticket) -> bool {
        let has = self.lane.has_reached(Stage::Remote, ticket);
        if has {
            // Unless another thread has issued more meanwhile.
            let _ = last.compare_exchange(ticket.0, Ticket::NONE.0, Release, Relaxed);
        }
        has
    }

    /// Whether all that the program issued has come where it went, after one step of progress if it has not.
    pub fn is_complete(&self) -> bool {
        awaited(&self.owed).is_none_or(|ticket| self.has_come(&self.owed, ticket))
    }

    /// Whether nothing that was issued is still on its way, messages of collectives neither; after one step of progress if it is.
    fn rests(&self) -> bool {
        let unowed = Ticket(self.unowed.load(Relaxed));
        self.is_complete() && (unowed == Ticket::NONE || self.lane.has_reached(Stage::Remote, unowed))
    }

    /// Move what is under way, unless another thread does; gives the number of things that happened.
    #[inline]
    pub fn progress(&self) -> usize {
        self.lane.progress()
    }

    /// The last operation that quiet has to wait for.
    #[inline]
    pub fn owed(&self) -> Option<Ticket> {
        awaited(&self.owed)
    }

    /// The last ticket that has come to `stage`, after one step of progress.
    pub fn reached(&self, stage: Stage) -> Ticket {
        // Asking is what makes some providers ask their peers, so it comes first.
        self.lane.reached(stage);
        self.lane.progress();
        self.lane.reached(stage)
    }

    /// Operations from here on that go this way are delivered, at each PE, after those before.
    pub fn fence(&self) {
        self.lane.fence();
    }

    /// # Safety
    /// As for [`Lane::post`].
    #[inline]
    unsafe fn try_post(&self, op: &Op) -> Option<Ticket> {
        // SAFETY: passed on.
        let posted = unsafe { self.lane.post(op) };
        if posted.is_err() {
            self.lane.progress();
        }
        posted.ok()
    }
}

/// The ticket that a word of a stream tells, if it tells of any.
#[inline]
fn awaited(last: &AtomicU64) -> Option<Ticket> {
    Some(Ticket(last.load(Acquire))).filter(|&ticket| ticket != Ticket::NONE)
}

/// Operations whose local memory somebody wants back: from the first to the last, with what other threads have issued on the stream
/// meanwhile, and with nothing from before.
#[derive(Clone, Copy)]
pub(crate) struct Several {
    /// None of them before this one uses it any more; beyond the last if none is left.
    next: u64,
    last: u64,
}

impl Default for Several {
    /// None.
    fn default() -> Self {
        Several { next: 1, last: 0 }
    }
}

impl Several {
    fn is_empty(&self) -> bool {
        self.next > self.last
    }

    /// One more.
    pub fn add(&mut self, Ticket(ticket): Ticket) {
        if Ticket(ticket) == Ticket::NONE {
            return;
        }
        self.next = if self.is_empty() { ticket } else { self.next.min(ticket) };
        self.last = self.last.max(ticket);
    }

    /// Whether it is the caller's again, after one step of progress if it is not.
    pub fn look(&mut self, stream: &ContextStream) -> Option<()> {
        if self.is_empty() {
            return Some(());
        }
        self.next = self.next.max(stream.lane.reached(Stage::Local).0.saturating_add(1));
        while !self.is_empty() && stream.lane.is_local(Ticket(self.next)) {
            self.next += 1;
        }
        self.is_empty().then_some(())
    }
}

impl Live {
    /// Whether nothing that this PE has issued is still on its way to a peer.
    pub(crate) fn far_rests(&self) -> bool {
        let Some(far) = &self.far else { return true };
        let moves = |context: &Context| context.used_stream().is_some_and(|stream| !stream.rests());
        far.stream.rests() && self.contexts.created.handles(moves).is_empty()
    }

    /// Issue an operation of the program's, waiting until the fabric takes it.
    ///
    /// # Safety
    /// As for [`Lane::post`].
    pub(crate) unsafe fn issue(&self, stream: &ContextStream, op: &Op) -> Ticket {
        // SAFETY: passed on.
        let posted = unsafe { self.post(stream, op) };
        if posted != Ticket::NONE {
            // The greatest: threads that share the stream may come here in another order than they posted in.
            stream.owed.fetch_max(posted.0, Relaxed);
        }
        posted
    }

    /// Issue what quiet need not wait for: a message of a collective's.
    ///
    /// # Safety
    /// As for [`Lane::post`].
    pub(crate) unsafe fn issue_unowed(&self, stream: &ContextStream, op: &Op) -> Ticket {
        // SAFETY: passed on.
        let posted = unsafe { self.post(stream, op) };
        if posted != Ticket::NONE {
            stream.unowed.fetch_max(posted.0, Relaxed);
        }
        posted
    }

    /// Issue what the issuer itself waits for, so that nobody else has to know of it.
    ///
    /// # Safety
    /// As for [`Lane::post`].
    #[inline]
    pub(super) unsafe fn post(&self, stream: &ContextStream, op: &Op) -> Ticket {
        // SAFETY: passed on.
        let posted = unsafe { stream.try_post(op) };
        // SAFETY: passed on.
        posted.unwrap_or_else(|| self.watch(|| unsafe { stream.try_post(op) }))
    }

    /// Issue a get or an atomic that fetches, and wait until what it fetches is here. That is all there is to it, so quiet is owed
    /// nothing.
    ///
    /// # Safety
    /// As for [`Lane::post`].
    #[inline]
    pub(crate) unsafe fn fetch(&self, stream: &ContextStream, op: &Op) {
        // SAFETY: passed on.
        let ticket = unsafe { self.post(stream, op) };
        self.wait_for_one(stream, ticket);
    }

    /// Wait until the memory of the caller's that this one operation uses is the caller's again.
    #[inline]
    pub(crate) fn wait_for_one(&self, stream: &ContextStream, ticket: Ticket) {
        if ticket == Ticket::NONE {
            return;
        }
        self.watch(|| stream.lane.is_local(ticket).then_some(()));
    }

    /// The same of several operations.
    pub(crate) fn wait_for_several(&self, stream: &ContextStream, tickets: impl Iterator<Item = Ticket>) {
        let mut several = Several::default();
        tickets.for_each(|ticket| several.add(ticket));
        self.watch(|| several.look(stream));
    }

    /// Wait until all that the program issued is visible where it went.
    pub(crate) fn complete(&self, stream: &ContextStream) {
        self.settle(stream, &stream.owed);
    }

    /// Wait until what `last` tells of has come where it went. It is read once: what other threads issue meanwhile is not waited for
    /// without end.
    fn settle(&self, stream: &ContextStream, last: &AtomicU64) {
        let Some(ticket) = awaited(last) else { return };
        self.watch(|| stream.has_come(last, ticket).then_some(()));
    }

    /// Deliver what comes after, at each PE, after what was issued before. The fabric holds back what it carries itself; but a store to
    /// mapped memory passes whatever a NIC has under way to there, so that is waited for.
    pub(crate) fn fence(&self, stream: &ContextStream) {
        stream.fence();
        self.settle(stream, &stream.updated);
    }

    /// Wait until messages of collectives have arrived too, for which quiet does not wait. What is not known to have arrived when a
    /// peer leaves looks like a loss: of a long message the target may have everything but the time to say so.
    pub(crate) fn complete_unowed(&self, stream: &ContextStream) {
        let unowed = Ticket(stream.unowed.load(Relaxed));
        if unowed != Ticket::NONE {
            self.watch(|| stream.lane.has_reached(Stage::Remote, unowed).then_some(()));
        }
    }

    /// Wait until all that the program issued for `pe` is visible there, whatever is on its way to others.
    pub(crate) fn complete_at(&self, stream: &ContextStream, pe: Pe) {
        let Some(owed) = stream.owed() else { return };
        let mut looks = 0_u32;
        // What other threads issue for it meanwhile is not waited for without end: at worst for all that is there now.
        self.watch(|| {
            looks = looks.wrapping_add(1);
            let all = || looks.is_multiple_of(LOOKS_PER_WHOLE) && stream.lane.reached(Stage::Remote) >= owed;
            (stream.lane.is_quiet_at(pe) || all()).then_some(())
        });
    }

    /// Look until `ready` gives something: `ready` itself makes progress.
    #[cold]
    fn watch<T>(&self, mut ready: impl FnMut() -> Option<T>) -> T {
        let mut wait = self.wait.patience.for_carried().begin();
        loop {
            if let Some(value) = ready() {
                if wait.is_long() {
                    self.end_wait(&wait);
                }
                return value;
            }
            if wait.is_time_to_ask() {
                wait.lengthen(&self.wait.mates);
                self.diagnose(&mut wait, Awaited::Unnamed);
            }
            self.heed_end();
            self.far.iter().for_each(|far| self.require_sound(far));
            if let Moment::Doze(limit) = wait.look_again(&self.wait.mates) {
                wait.lengthen(&self.wait.mates);
                wait.dozed(self.doze_far(limit), &self.wait.mates);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrite_fabric::Busy;
    use std::sync::Arc;

    /// A lane on which all has come to its target up to a ticket.
    struct Arriving(Arc<AtomicU64>);

    impl Lane for Arriving {
        unsafe fn post(&self, _: &Op) -> Result<Ticket, Busy> {
            Err(Busy)
        }

        fn fence(&self) {}

        fn reached(&self, _: Stage) -> Ticket {
            Ticket(self.0.load(Relaxed))
        }

        fn progress(&self) -> usize {
            0
        }

        fn has_reached(&self, stage: Stage, ticket: Ticket) -> bool {
            self.reached(stage) >= ticket
        }

        fn is_local(&self, _: Ticket) -> bool {
            true
        }

        fn is_quiet_at(&self, _: Pe) -> bool {
            true
        }
    }

    #[test]
    fn updates_of_mapped_memory_are_waited_for_and_nothing_else() {
        let arrived = Arc::new(AtomicU64::new(0));
        let stream = ContextStream::new(Box::new(Arriving(Arc::clone(&arrived))));
        let issue = |ticket| stream.owed.fetch_max(ticket, Relaxed);
        let has_updated = || awaited(&stream.updated).is_none_or(|ticket| stream.has_come(&stream.updated, ticket));
        issue(1);
        assert!(has_updated(), "what goes elsewhere is the fabric's to hold back");
        issue(2);
        stream.updates_mapped(Ticket(2));
        issue(3);
        assert!(!has_updated());
        arrived.store(2, Relaxed);
        assert!(has_updated(), "what was issued after it need not have come");
        arrived.store(0, Relaxed);
        assert!(has_updated(), "it is asked for once");
        stream.updates_mapped(Ticket::NONE);
        assert!(has_updated(), "what was waited for has arrived");
    }
}
