//! A context's stream of operations.

use crate::{
    PostError, Transport,
    engine::Shared,
    poll_schedule::{PollSchedule, is_for_others, is_for_own, is_for_service},
    port_state::PortState,
    shared_port::SharedPort,
    timing,
};
use ferrite_fabric::{Busy, Lane, Op, Pe, Stage, Ticket};
use std::{
    sync::{
        Arc, MutexGuard,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::Instant,
};

/// See [`Lane`].
pub struct EngineLane<T: Transport> {
    port: Arc<SharedPort<T>>,
    shared: Arc<Shared<T>>,
    /// The ticket of the last operation that was posted here. Stored under the port's mutex.
    last: AtomicU64,
    schedule: PollSchedule,
}

impl<T: Transport> EngineLane<T> {
    /// A new stream, on a port of its own or a shared one.
    pub fn new(shared: &Arc<Shared<T>>) -> crate::Result<Self> {
        let port = shared.ports.join(shared.transport.ports_max(), |_| SharedPort::open(shared))?;
        Ok(EngineLane { port, shared: Arc::clone(shared), last: AtomicU64::new(0), schedule: PollSchedule::default() })
    }

    /// Make one step of progress, unless the awaited event is there already. Returns whether it is, and the number of things that happened.
    ///
    /// A program waits for its own operations, or for operations of peers, which arrive at the service port. A poll may cost as much as a
    /// system call, so the port that matters is polled more often.
    #[inline]
    fn step(
        &self,
        mut state: MutexGuard<'_, PortState<T>>,
        arrived: impl Fn(&mut PortState<T>) -> bool,
    ) -> (bool, usize) {
        if arrived(&mut state) {
            return (true, 0);
        }
        let poll = self.schedule.next();
        let is_awaited = state.awaited.take_here();
        let answers_elsewhere = state.limits.answers_come_to_service && state.answers_due > 0;
        let mut happened = self.port.advance(&self.shared, &mut state, is_awaited || is_for_own(poll));
        let arrived = happened > 0 && arrived(&mut state);
        drop(state);
        if is_for_others(poll) {
            self.attend_others();
        }
        if !is_awaited || answers_elsewhere || happened == 0 && is_for_service(poll) {
            // Only a program that serves counts as being here: then the service thread stays away.
            self.shared.polls.count();
            happened += self.shared.serve();
        }
        (arrived, happened)
    }

    /// Make progress for operations on other lanes. No other thread does so while the program waits here, and the awaited event may depend
    /// on them.
    #[cold]
    fn attend_others(&self) {
        for port in self.shared.ports.others(&self.port) {
            port.attend(&self.shared);
        }
    }
}

impl<T: Transport> Lane for EngineLane<T> {
    unsafe fn post(&self, op: &Op) -> Result<Ticket, Busy> {
        if !self.shared.health.is_sound() {
            return Err(Busy);
        }
        let mut state = self.port.lock();
        let is_first = state.has_nothing_under_way();
        // SAFETY: as the caller says.
        let posted = unsafe { state.post(op) };
        if let Ok(Ticket(ticket)) = posted {
            self.port.record_rest(&state);
            self.last.store(ticket, Ordering::Relaxed);
            // An operation that was refused before is taken now, and may be complete already: then no poll would reset the watchdog.
            if is_first {
                state.watchdog.reset();
            }
        }
        drop(state);
        // While something is under way the service thread sleeps for a tick at most. A stream of posts must not wake it at each post.
        if is_first {
            self.shared.rouse();
        }
        posted.map_err(|error| {
            match error {
                PostError::Busy => {}
                PostError::Failed(error) => self.shared.health.fail(&error),
                PostError::Lost(error) => self.shared.health.lose(Some(op.target()), &error),
            }
            Busy
        })
    }

    fn has_left(&self, ticket: Ticket) -> bool {
        let has_left = |state: &mut PortState<T>| {
            let keeps_back = state.keeps_back(ticket);
            state.awaited.here(keeps_back);
            !keeps_back
        };
        !self.port.keeps_back() || self.step(self.port.lock(), has_left).0
    }

    fn fence(&self) {
        let mut state = self.port.lock();
        state.fences = state.fences.wrapping_add(1);
    }

    fn reached(&self, stage: Stage) -> Ticket {
        self.port.lock().reached(stage)
    }

    fn progress(&self) -> usize {
        self.port.try_lock().map_or(0, |state| self.step(state, |_| false).1)
    }

    fn has_reached(&self, stage: Stage, ticket: Ticket) -> bool {
        self.step(self.port.lock(), |state| state.reached(stage) >= ticket).0
    }

    fn probe(&self, ticket: Ticket) -> bool {
        self.step(self.port.lock(), |state| state.probed() >= ticket).0
    }

    fn is_local(&self, ticket: Ticket) -> bool {
        self.step(self.port.lock(), |state| state.is_local(ticket)).0
    }

    fn is_quiet_at(&self, pe: Pe) -> bool {
        self.step(self.port.lock(), |state| state.is_quiet_at(pe)).0
    }
}

impl<T: Transport> Drop for EngineLane<T> {
    /// Wait for operations that still use the caller's memory, for [`timing::PARTING`] at most. The port stays open and continues with
    /// them. Peers are not asked whether the data has arrived: at the end of a job a peer may be gone.
    fn drop(&mut self) {
        let deadline = Instant::now() + timing::PARTING;
        let waits = || self.reached(Stage::Local).0 < self.last.load(Ordering::Relaxed);
        while self.shared.health.is_sound() && waits() && Instant::now() < deadline {
            if self.progress() == 0 {
                thread::sleep(timing::PARTING_PAUSE);
            }
        }
        self.shared.ports.leave(&self.port);
    }
}
