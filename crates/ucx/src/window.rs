//! Which operations of a lane are complete: a window of slots between the last ticket that everything before is
//! complete of, and the last one issued.
//!
//! UCX completes in any order, so each operation under way has a [`Slot`], found by its ticket. What completes as it is
//! posted leaves nothing behind, so a stream of small puts does not fill the window.
//!
//! # What takes long
//!
//! A put of a gigabyte, or one to a peer that is away, must not hold up what goes on beside it. When the window is full of what is
//! complete behind what is not, that is passed by: it keeps its slot, and is done when it is done. Tickets whose place is held in
//! this way are given to nobody.

use crate::{
    message::{Outcome, outcome},
    slot::{Failure, Notices, Slot},
};
use ferrite_fabric::{Pe, Stage, Ticket};
use std::{
    cell::{Cell, RefCell},
    collections::VecDeque,
    ffi::c_void,
};
use ucx_sys::*;

/// So many operations may be under way.
pub const SLOTS: u64 = 2048;
/// And so many of them may be passed by, or be under way to peers that have others under way: the last quarter is kept for peers to
/// which there is nothing, so that no peer that has stopped holds up all others.
const PASSED_MAX: usize = SLOTS as usize / 4 * 3;
/// A full window whose last operation is not complete is searched at one refusal in so many, for all of it may take its time.
const SEARCH_EVERY: u32 = 64;

/// The slots of a lane. Whoever may touch those may touch it.
pub struct Window {
    slots: Box<[Slot]>,
    notices: Notices,
    issued: Cell<u64>,
    /// The ticket before that of the first slot.
    base: Cell<u64>,
    local: Cell<u64>,
    done: Cell<u64>,
    /// All up to this ticket are done, or passed by.
    swept: Cell<u64>,
    /// Those that were passed by, in their order.
    passed: RefCell<VecDeque<u64>>,
    refusals: Cell<u32>,
}

impl Window {
    /// Nothing was issued yet. `release` is `ucp_request_free`.
    pub fn new(release: unsafe extern "C" fn(*mut c_void)) -> Self {
        Window {
            slots: (0..SLOTS).map(|_| Slot::new()).collect(),
            notices: Notices::new(release),
            issued: Cell::new(0),
            base: Cell::new(0),
            local: Cell::new(0),
            done: Cell::new(0),
            swept: Cell::new(0),
            passed: RefCell::default(),
            refusals: Cell::new(0),
        }
    }

    /// Where a ticket's slot is, if it has one, and has it still.
    #[inline]
    fn place(&self, ticket: u64) -> &Slot {
        &self.slots[(ticket.wrapping_sub(self.base.get() + 1) % SLOTS) as usize]
    }

    /// The slot of a ticket up to the upcoming one, unless there is nothing left to happen to it.
    #[inline]
    fn slot(&self, ticket: u64) -> Option<&Slot> {
        Some(self.place(ticket)).filter(|slot| slot.ticket() == ticket)
    }

    #[inline]
    fn is_done(&self, ticket: u64) -> bool {
        self.slot(ticket).is_none_or(Slot::is_done)
    }

    /// The slot of the next operation, if there is one free.
    #[inline]
    pub fn next(&self, pe: Pe) -> Option<&Slot> {
        // Where nothing is under way the first slot follows, whose lines are in the processor's cache still.
        if self.done() == self.issued() {
            self.base.set(self.issued());
        }
        if self.is_full() {
            self.advance();
            if self.is_full() && !self.pass_by() {
                return None;
            }
        }
        while !self.place(self.upcoming()).is_done() {
            self.issued.set(self.upcoming());
            if self.is_full() {
                return None;
            }
        }
        let slot = self.place(self.upcoming());
        slot.take(self.upcoming(), pe, &self.notices);
        Some(slot)
    }

    /// Only what is kept for peers to which nothing is under way is left.
    #[inline]
    pub fn is_crowded(&self) -> bool {
        let is_crowded = || (self.issued.get() - self.swept.get()) as usize + self.passed.borrow().len() >= PASSED_MAX;
        is_crowded() && {
            self.advance();
            is_crowded()
        }
    }

    #[inline]
    fn is_full(&self) -> bool {
        self.issued.get() - self.swept.get() >= SLOTS
    }

    /// Let what goes on beside it pass by what takes long; gives whether there is room then.
    #[cold]
    fn pass_by(&self) -> bool {
        let issued = self.issued.get();
        self.refusals.set(self.refusals.get().wrapping_add(1));
        if self.has_failed() || !self.is_done(issued) && !self.refusals.get().is_multiple_of(SEARCH_EVERY) {
            return false;
        }
        let mut passed = self.passed.borrow_mut();
        passed.retain(|&ticket| !self.is_done(ticket));
        let mut swept = self.swept.get();
        while swept < issued {
            if !self.is_done(swept + 1) {
                if passed.len() >= PASSED_MAX {
                    break;
                }
                passed.push_back(swept + 1);
            }
            swept += 1;
        }
        self.swept.set(swept);
        !self.is_full()
    }

    /// The ticket that [`issue`](Self::issue) will give.
    #[inline]
    pub fn upcoming(&self) -> u64 {
        self.issued.get() + 1
    }

    /// The operation of the next slot is on its way.
    #[inline]
    pub fn issue(&self) -> Ticket {
        let ticket = self.upcoming();
        self.issued.set(ticket);
        // Else nothing has changed before it.
        if self.is_done(ticket) {
            self.advance();
        }
        Ticket(ticket)
    }

    /// The last ticket issued.
    #[inline]
    pub fn issued(&self) -> u64 {
        self.issued.get()
    }

    /// All up to this ticket are complete here and, but for puts, which a flush completes, at their targets.
    #[inline]
    pub fn done(&self) -> u64 {
        self.done.get()
    }

    /// The same of all that was issued for one PE up to this ticket, whatever is under way to others.
    pub fn is_done_at(&self, pe: Pe, upto: u64) -> bool {
        if upto <= self.done() {
            return true;
        }
        let passed = self.passed.borrow();
        let mut under_way = passed.iter().copied().chain(self.swept.get() + 1..=upto);
        let is_clear = |slot: &Slot| slot.pe() != pe || slot.ticket() > upto || slot.is_done();
        !self.has_failed() && under_way.all(|ticket| self.slot(ticket).is_none_or(is_clear))
    }

    /// All up to this ticket have left the caller's memory.
    #[inline]
    pub fn local(&self) -> u64 {
        self.local.get()
    }

    /// This one has, whatever is under way before it.
    #[inline]
    pub fn is_local(&self, ticket: u64) -> bool {
        let is_local = || self.slot(ticket).is_none_or(Slot::is_local);
        ticket <= self.local() || !self.has_failed() && ticket <= self.issued() && is_local()
    }

    /// Count what callbacks have completed. After a failure nothing is: what follows it may have been carried out or not.
    #[inline]
    pub fn advance(&self) {
        if self.has_failed() {
            return;
        }
        let issued = self.issued.get();
        let mut swept = self.swept.get();
        while swept < issued && self.is_done(swept + 1) {
            swept += 1;
        }
        self.swept.set(swept);
        let mut passed = self.passed.borrow_mut();
        while passed.front().is_some_and(|&first| self.is_done(first)) {
            passed.pop_front();
        }
        let done = passed.front().map_or(swept, |first| first - 1);
        self.done.set(done);
        let mut local = self.local.get().max(done);
        while local < issued && self.slot(local + 1).is_none_or(Slot::is_local) {
            local += 1;
        }
        self.local.set(local);
    }

    /// All up to this ticket have come to `stage`, as far as slots know.
    #[inline]
    pub fn reached(&self, stage: Stage) -> u64 {
        if stage == Stage::Local { self.local() } else { self.done() }
    }

    /// Whether an operation has failed.
    #[inline]
    pub fn has_failed(&self) -> bool {
        self.notices.have_failure()
    }

    /// The first failure.
    pub fn failure(&self) -> Option<Failure> {
        self.notices.failure()
    }

    /// Note a failure.
    pub fn fail(&self, failure: Failure) {
        self.notices.fail(failure);
    }

    fn answered(&self, ticket: u64, outcome: Outcome) {
        if ticket > self.upcoming() {
            return tracing::warn!(ticket, "an answer to what was never asked");
        }
        match outcome {
            Outcome::Done(value) => {
                // Else complete by a later answer of the same stream, or a word that came twice.
                if let Some(slot) = self.slot(ticket).filter(|_| ticket > self.done()) {
                    slot.answered(value);
                }
            }
            // What failed is never complete.
            Outcome::Refused => self.fail(Failure::Refused(self.place(ticket).pe())),
            Outcome::Lost => self.fail(Failure::Lost(self.place(ticket).pe())),
        }
    }

    /// Whether it is time to ask peers what they have carried out, lest the window fill: now and then while it is half
    /// full, not at each post.
    #[inline]
    pub fn wants_news(&self) -> bool {
        let issued = self.issued.get();
        issued - self.swept.get() >= SLOTS / 2 && issued.is_multiple_of(SLOTS / 4)
    }
}

/// UCX calls this when an answer has come.
pub unsafe extern "C" fn hear(
    window: *mut c_void,
    head: *const c_void,
    len: usize,
    _data: *mut c_void,
    _data_len: usize,
    _param: *const ucp_am_recv_param_t,
) -> ucs_status_t {
    // SAFETY: the argument is the window of the worker's lane; the head is as long as UCX says.
    let (window, head) = unsafe {
        let head = if len == 0 { &[] } else { std::slice::from_raw_parts(head.cast::<u8>(), len) };
        (&*window.cast::<Window>(), head)
    };
    match outcome(head) {
        Some((ticket, outcome)) => window.answered(ticket, outcome),
        None => tracing::warn!("an active message that is no answer"),
    }
    UCS_OK
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr;

    unsafe extern "C" fn release(_: *mut c_void) {}

    /// One operation that has a request, as yet under way.
    fn start(window: &Window) -> Option<(u64, &Slot)> {
        let slot = window.next(Pe(1))?;
        slot.post();
        Some((window.issue().0, slot))
    }

    #[test]
    fn what_takes_long_is_passed_by() {
        let window = Window::new(release);
        let (long, slow) = start(&window).unwrap();
        let (other, also) = start(&window).unwrap();
        // Many times round, and never on what is under way.
        for _ in 0..10 * SLOTS {
            let (ticket, slot) = start(&window).unwrap();
            assert!(!ptr::eq(slot, slow) && !ptr::eq(slot, also));
            assert!(!window.is_local(ticket));
            slot.posted();
            assert!(window.is_local(ticket) && !window.is_local(long) && !window.is_local(other));
        }
        window.advance();
        assert_eq!((window.done(), window.local()), (0, 0));
        assert!(!window.is_done_at(Pe(1), other) && window.is_done_at(Pe(2), window.issued()));
        also.posted();
        window.advance();
        assert!(window.is_local(other));
        assert_eq!((window.done(), window.local()), (0, 0));
        slow.posted();
        window.advance();
        assert_eq!((window.done(), window.local()), (window.issued(), window.issued()));
        assert!(window.is_done_at(Pe(1), window.issued()));
    }

    #[test]
    fn one_at_a_time_uses_one_slot() {
        let window = Window::new(release);
        let (_, slot) = start(&window).unwrap();
        let first = ptr::from_ref(slot);
        for _ in 0..3 * SLOTS {
            window.slots[0].posted();
            window.advance();
            let (ticket, slot) = start(&window).unwrap();
            assert!(ptr::eq(slot, first) && !window.is_local(ticket) && window.is_local(ticket - 1));
        }
        // Beside what is under way there is another, and what was complete before stays so.
        let (last, other) = start(&window).unwrap();
        assert!(!ptr::eq(other, first));
        assert!((1..last - 1).all(|ticket| window.is_local(ticket)) && window.done() == last - 2);
        other.posted();
        window.slots[0].posted();
        window.advance();
        assert_eq!((window.done(), window.local()), (last, last));
    }

    #[test]
    fn a_window_fills() {
        let window = Window::new(release);
        let under_way: Vec<_> = std::iter::from_fn(|| start(&window)).collect();
        assert_eq!(under_way.len() as u64, SLOTS);
        // Though the last is done: what is passed by keeps its place.
        let (last, slot) = under_way[SLOTS as usize - 1];
        slot.posted();
        assert!(start(&window).is_none() && window.is_local(last));
        under_way.iter().rev().skip(1).for_each(|(_, slot)| slot.posted());
        window.advance();
        assert_eq!(window.done(), window.issued());
        assert!(start(&window).is_some());
    }
}
