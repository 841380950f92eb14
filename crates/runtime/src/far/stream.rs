//! One context's operations on the fabric.
//!
//! # Threads
//!
//! A lane is used by one thread at a time: the lock is held for a post, or for one look, never while waiting. So threads that
//! share a context wait side by side, and each look of any of them moves the operations of all.
//!
//! # What quiet owes
//!
//! Collectives send over the default context's lane too. Their messages are acknowledged by the collective itself; a quiet
//! that waited for the fabric's word on them would add a round trip to every barrier. So only what the program issued is
//! `owed`.

use crate::{
    live::{Live, locked},
    wait::Moment,
};
use ferrite_fabric::{Lane, Op, Stage, Ticket};
use std::sync::{Mutex, TryLockError};

/// A context's lane.
pub(crate) struct Stream {
    issued: Mutex<Issued>,
}

struct Issued {
    lane: Box<dyn Lane>,
    /// The program's last operation that is not known to be complete.
    owed: Option<Ticket>,
}

impl Issued {
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

impl Stream {
    /// Nothing was issued on `lane` yet.
    pub fn new(lane: Box<dyn Lane>) -> Stream {
        Stream { issued: Mutex::new(Issued { lane, owed: None }) }
    }

    /// Move what is under way, unless another thread does; gives the number of things that happened.
    #[inline]
    pub fn try_progress(&self) -> usize {
        match self.issued.try_lock() {
            Ok(issued) => issued.lane.progress(),
            Err(TryLockError::Poisoned(held)) => held.into_inner().lane.progress(),
            Err(TryLockError::WouldBlock) => 0,
        }
    }

    /// The program's last operation that is not known to be complete.
    pub fn owed(&self) -> Option<Ticket> {
        locked(&self.issued).owed
    }

    /// The last ticket that has come to `stage`, after one step of progress.
    pub fn reached(&self, stage: Stage) -> Ticket {
        let issued = locked(&self.issued);
        // Asking is what makes some providers ask their peers, so it comes first.
        issued.lane.reached(stage);
        issued.lane.progress();
        issued.lane.reached(stage)
    }

    /// Operations from here on are delivered, at each PE, after those before.
    pub fn fence(&self) {
        locked(&self.issued).lane.fence();
    }
}

impl Live {
    /// Issue an operation of the program's, waiting until the fabric takes it.
    ///
    /// # Safety
    /// As for [`Lane::post`].
    pub(crate) unsafe fn issue(&self, stream: &Stream, op: &Op) -> Ticket {
        self.watch(|| {
            let mut issued = locked(&stream.issued);
            // SAFETY: passed on.
            let posted = unsafe { issued.try_post(op) };
            issued.owed = issued.owed.max(posted);
            posted
        })
    }

    /// Issue a message of a collective's, which quiet does not wait for.
    ///
    /// # Safety
    /// As for [`Lane::post`].
    pub(crate) unsafe fn send(&self, stream: &Stream, op: &Op) -> Ticket {
        // SAFETY: passed on.
        self.watch(|| unsafe { locked(&stream.issued).try_post(op) })
    }

    /// Wait until `ticket` has come to `stage`.
    pub(crate) fn wait_for_ticket(&self, stream: &Stream, stage: Stage, ticket: Ticket) {
        self.watch(|| stream.look(stage, ticket));
    }

    /// Wait until all that the program issued is visible where it went.
    pub(crate) fn complete(&self, stream: &Stream) {
        let Some(owed) = locked(&stream.issued).owed else { return };
        self.wait_for_ticket(stream, Stage::Remote, owed);
        let mut issued = locked(&stream.issued);
        // Another thread may have issued more meanwhile.
        if issued.owed == Some(owed) {
            issued.owed = None;
        }
    }

    /// Look until `ready` gives something: `ready` itself makes progress.
    fn watch<T>(&self, mut ready: impl FnMut() -> Option<T>) -> T {
        let mut wait = self.patience.begin();
        loop {
            if let Some(value) = ready() {
                return value;
            }
            self.far.iter().for_each(|far| self.require_sound(far));
            if let Moment::Doze(limit) = wait.look_again()
                && !self.doze_far(limit)
            {
                wait.rest();
            }
        }
    }
}

impl Stream {
    /// Whether `ticket` has come to `stage`, after one step of progress if it has not.
    #[inline]
    pub fn look(&self, stage: Stage, ticket: Ticket) -> Option<()> {
        locked(&self.issued).lane.has_reached(stage, ticket).then_some(())
    }
}
