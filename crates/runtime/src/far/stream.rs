//! The operations of one context over the fabric.
//!
//! # What quiet waits for
//!
//! Collectives send over the lane of the default context, too. Their algorithms acknowledge these messages; a quiet that waited for the
//! fabric to complete them would add a round trip to every barrier. Operations whose completion the program has waited for are complete
//! already. So quiet waits only for the others (`owed`): operations that the program has issued and not waited for.

use crate::{
    live::Live,
    wait::{Moment, progress::Diagnose, state::Awaited},
};
use core::sync::atomic::{
    AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};
use ferrite_fabric::{Lane, Op, Pe, Stage, Ticket};

/// A wait for one PE checks the completion at all PEs once in this many polls.
const LOOKS_PER_WHOLE: u32 = 64;

pub(crate) struct ContextStream {
    lane: Box<dyn Lane>,
    /// The ticket of the last operation that quiet has to wait for, or [`Ticket::NONE`].
    ///
    /// A ticket is stored relaxed: a thread that waits for another thread's operations has learned from that thread that they were issued,
    /// and that orders these accesses too. `NONE` is stored with release and read with acquire: a thread that reads it does not ask the
    /// lane, and must see everything that the thread which did ask has seen arrive, including data that it fetched for others. Tickets are
    /// stored by read-modify-write, so they do not break that chain.
    owed: AtomicU64,
    /// The ticket of the last operation that quiet does not wait for. Stored relaxed: a thread that reads it has learned from the issuing
    /// threads about all operations that matter to it.
    unowed: AtomicU64,
    /// The ticket of the last update that a NIC makes in memory to which this PE also stores directly, or [`Ticket::NONE`]. Memory orders
    /// as for `owed`.
    updated: AtomicU64,
}

impl ContextStream {
    /// A stream on `lane`, on which nothing was issued yet.
    pub fn new(lane: Box<dyn Lane>) -> ContextStream {
        let none = || AtomicU64::new(Ticket::NONE.0);
        ContextStream { lane, owed: none(), unowed: none(), updated: none() }
    }

    /// Record that the operation of this ticket updates mapped memory.
    #[inline]
    pub fn updates_mapped(&self, ticket: Ticket) {
        self.updated.fetch_max(ticket.0, Relaxed);
    }

    /// Whether all operations up to `ticket`, which was read from `last`, have arrived at their targets. Makes one step of progress if they
    /// have not.
    #[inline]
    fn has_come(&self, last: &AtomicU64, ticket: Ticket) -> bool {
        let has = self.lane.has_reached(Stage::Remote, ticket);
        if has {
            // This fails if another thread has issued more meanwhile.
            let _ = last.compare_exchange(ticket.0, Ticket::NONE.0, Release, Relaxed);
        }
        has
    }

    /// Whether all operations that the program issued have arrived at their targets. Makes one step of progress if they have not.
    pub fn is_complete(&self) -> bool {
        awaited(&self.owed).is_none_or(|ticket| self.has_come(&self.owed, ticket))
    }

    /// Whether all issued operations have arrived, including messages of collectives. Makes one step of progress if they have not. The
    /// caller waits for something else, so a peer that has left in order is no fault.
    pub fn rests(&self) -> bool {
        let last = Ticket(self.owed.load(Relaxed).max(self.unowed.load(Relaxed)));
        last == Ticket::NONE || self.lane.probe(last)
    }

    /// Make progress, unless another thread does. Returns the number of events.
    #[inline]
    pub fn progress(&self) -> usize {
        self.lane.progress()
    }

    /// The last operation that quiet has to wait for.
    #[inline]
    pub fn owed(&self) -> Option<Ticket> {
        awaited(&self.owed)
    }

    /// The last ticket that has reached `stage`, after one step of progress.
    pub fn reached(&self, stage: Stage) -> Ticket {
        // Some providers ask their peers only when they are asked, so ask before making progress.
        self.lane.reached(stage);
        self.lane.progress();
        self.lane.reached(stage)
    }

    /// Operations posted on this stream from here on are delivered, at each PE, after earlier ones.
    pub fn fence(&self) {
        self.lane.fence();
    }

    /// # Safety
    /// As for [`Lane::post`].
    #[inline]
    unsafe fn try_post(&self, op: &Op) -> Option<Ticket> {
        // SAFETY: the caller's contract.
        let posted = unsafe { self.lane.post(op) };
        if posted.is_err() {
            self.lane.progress();
        }
        posted.ok()
    }
}

/// The ticket in a word of a stream, if it has one.
#[inline]
fn awaited(last: &AtomicU64) -> Option<Ticket> {
    Some(Ticket(last.load(Acquire))).filter(|&ticket| ticket != Ticket::NONE)
}

/// Operations whose local memory the caller wants back: the range from the first ticket to the last. It includes operations that other
/// threads have issued on the stream meanwhile, and none from before.
#[derive(Clone, Copy)]
pub(crate) struct Several {
    /// All operations of the range before this ticket have released their local memory. Beyond `last` if none is left.
    next: u64,
    last: u64,
}

impl Default for Several {
    fn default() -> Self {
        Several { next: 1, last: 0 }
    }
}

impl Several {
    fn is_empty(&self) -> bool {
        self.next > self.last
    }

    pub fn add(&mut self, Ticket(ticket): Ticket) {
        if Ticket(ticket) == Ticket::NONE {
            return;
        }
        self.next = if self.is_empty() { ticket } else { self.next.min(ticket) };
        self.last = self.last.max(ticket);
    }

    /// Return `Some` once the local memory belongs to the caller again. Makes one step of progress if it does not.
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
    /// Issue an operation of the program, and wait until the fabric takes it.
    ///
    /// # Safety
    /// As for [`Lane::post`].
    pub(crate) unsafe fn issue(&self, stream: &ContextStream, op: &Op) -> Ticket {
        // SAFETY: the caller's contract.
        let posted = unsafe { self.post(stream, op) };
        if posted != Ticket::NONE {
            // The maximum, because threads that share the stream may arrive here in another order than they posted in.
            stream.owed.fetch_max(posted.0, Relaxed);
        }
        posted
    }

    /// Issue an operation that quiet need not wait for, such as a message of a collective.
    ///
    /// # Safety
    /// As for [`Lane::post`].
    pub(crate) unsafe fn issue_unowed(&self, stream: &ContextStream, op: &Op) -> Ticket {
        // SAFETY: the caller's contract.
        let posted = unsafe { self.post(stream, op) };
        if posted != Ticket::NONE {
            stream.unowed.fetch_max(posted.0, Relaxed);
        }
        posted
    }

    /// Issue an operation whose issuer waits for it, so that no other thread needs to know of it.
    ///
    /// # Safety
    /// As for [`Lane::post`].
    #[inline]
    pub(super) unsafe fn post(&self, stream: &ContextStream, op: &Op) -> Ticket {
        // SAFETY: the caller's contract.
        let posted = unsafe { stream.try_post(op) };
        // SAFETY: the caller's contract.
        let posted = posted.unwrap_or_else(|| self.watch(|| unsafe { stream.try_post(op) }));
        if !stream.lane.has_left(posted) {
            self.watch(|| stream.lane.has_left(posted).then_some(()));
        }
        posted
    }

    /// Issue a get or a fetching atomic, and wait until the fetched data are here. The operation is complete then, so quiet need not wait
    /// for it.
    ///
    /// # Safety
    /// As for [`Lane::post`].
    #[inline]
    pub(crate) unsafe fn fetch(&self, stream: &ContextStream, op: &Op) {
        // SAFETY: the caller's contract.
        let ticket = unsafe { self.post(stream, op) };
        self.wait_for_one(stream, ticket);
    }

    /// Wait until the caller's memory that this operation uses belongs to the caller again.
    #[inline]
    pub(crate) fn wait_for_one(&self, stream: &ContextStream, ticket: Ticket) {
        if ticket == Ticket::NONE {
            return;
        }
        self.watch(|| stream.lane.is_local(ticket).then_some(()));
    }

    /// Wait until the caller's memory that these operations use belongs to the caller again.
    pub(crate) fn wait_for_several(&self, stream: &ContextStream, tickets: impl Iterator<Item = Ticket>) {
        let mut several = Several::default();
        tickets.for_each(|ticket| several.add(ticket));
        self.watch(|| several.look(stream));
    }

    /// Wait until all operations that the program issued are visible at their targets.
    pub(crate) fn complete(&self, stream: &ContextStream) {
        self.settle(stream, &stream.owed);
    }

    /// Wait until the local memory of all operations that the program issued belongs to the program again. They stay owed: quiet still has
    /// to wait for their targets.
    pub(crate) fn complete_locally(&self, stream: &ContextStream) {
        if let Some(ticket) = stream.owed() {
            self.watch(|| stream.lane.has_reached(Stage::Local, ticket).then_some(()));
        }
    }

    /// Wait until the operations up to the ticket in `last` have arrived at their targets. `last` is read once, so that operations that
    /// other threads issue meanwhile cannot prolong the wait without end.
    fn settle(&self, stream: &ContextStream, last: &AtomicU64) {
        let Some(ticket) = awaited(last) else { return };
        self.watch(|| stream.has_come(last, ticket).then_some(()));
    }

    /// Order operations: each PE receives later operations after earlier ones. The fabric holds back the operations that it carries. But a
    /// store to mapped memory overtakes the updates that a NIC has under way to that memory, so the fence waits for these.
    pub(crate) fn fence(&self, stream: &ContextStream) {
        stream.fence();
        self.settle(stream, &stream.updated);
    }

    /// Wait until the messages of collectives have arrived too, for which quiet does not wait. A message that is not known to have arrived
    /// when a peer leaves looks like a loss: the target may have received all of a long message, but not yet acknowledged it.
    pub(crate) fn complete_unowed(&self, stream: &ContextStream) {
        let unowed = Ticket(stream.unowed.load(Relaxed));
        if unowed != Ticket::NONE {
            self.watch(|| stream.lane.has_reached(Stage::Remote, unowed).then_some(()));
        }
    }

    /// Wait until all operations that the program issued for `pe` are visible there, whatever is on its way to other PEs.
    pub(crate) fn complete_at(&self, stream: &ContextStream, pe: Pe) {
        let Some(owed) = stream.owed() else { return };
        let mut looks = 0_u32;
        // Operations that other threads issue for `pe` meanwhile cannot prolong the wait without end: at worst it ends when everything
        // issued up to now, for all PEs, has arrived.
        self.watch(|| {
            looks = looks.wrapping_add(1);
            let all = || looks.is_multiple_of(LOOKS_PER_WHOLE) && stream.lane.reached(Stage::Remote) >= owed;
            (stream.lane.is_quiet_at(pe) || all()).then_some(())
        });
    }

    /// Poll until `ready` returns a value. `ready` itself makes progress.
    #[cold]
    fn watch<T>(&self, mut ready: impl FnMut() -> Option<T>) -> T {
        let mut wait = self.wait.patience.begin();
        loop {
            if let Some(value) = ready() {
                if wait.is_long() {
                    self.end_wait(&wait);
                }
                return value;
            }
            if wait.is_time_to_ask() {
                self.diagnose(&mut wait, Awaited::Carried);
            }
            self.heed_end();
            self.far.iter().for_each(|far| self.require_sound(far));
            if let Moment::Doze(limit) = wait.look_again(&self.wait.mates) {
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

    /// A lane on which all operations up to a ticket have arrived at their targets.
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
