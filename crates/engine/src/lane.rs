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
    mem,
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

    /// One step of progress, unless what is awaited is there already: whether it is, and the number of things that happened.
    ///
    /// A program waits for its own operations, or for those of others, which come to the service port. To poll a port may cost as much
    /// as a system call, so the one that matters is polled more often.
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
        let is_awaited = mem::take(&mut state.is_awaited);
        let answers_elsewhere = state.limits.answers_come_to_service && state.answers_due > 0;
        let mut happened = self.port.advance(&self.shared, &mut state, is_awaited || is_for_own(poll));
        let arrived = happened > 0 && arrived(&mut state);
        drop(state);
        if is_for_others(poll) {
            self.attend_others();
        }
        if !is_awaited || answers_elsewhere || happened == 0 && is_for_service(poll) {
            // Only who serves counts as one who is here: the service thread stays away then.
            self.shared.polls.count();
            happened += self.shared.serve();
        }
        (arrived, happened)
    }

    /// Bring forward what was posted on other lanes: while the program waits here, for what may well depend on it, nobody else does.
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
            self.last.store(ticket, Ordering::Relaxed);
            // What was refused before was taken in the end, and may be over already: no poll would look.
            if is_first {
                state.watchdog.reset();
            }
        }
        drop(state);
        // While something is under way the service thread sleeps for a tick at most. A stream of posts must not wake it at each.
        if is_first {
            self.shared.rouse();
        }
        posted.map_err(|error| {
            if let PostError::Failed(error) = error {
                self.shared.health.fail(&error);
            }
            Busy
        })
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
        let is_quiet = |state: &mut PortState<T>| {
            let has = state.reached(stage) >= ticket;
            // A flag that is posted next is behind it.
            if has && stage == Stage::Remote && state.has_nothing_under_way() {
                state.fences = state.fences.wrapping_add(1);
            }
            has
        };
        self.step(self.port.lock(), is_quiet).0
    }

    fn is_local(&self, ticket: Ticket) -> bool {
        self.step(self.port.lock(), |state| state.is_local(ticket)).0
    }

    fn is_quiet_at(&self, pe: Pe) -> bool {
        self.step(self.port.lock(), |state| state.is_quiet_at(pe)).0
    }
}

impl<T: Transport> Drop for EngineLane<T> {
    /// What still uses the caller's memory gets a moment; the port stays, and goes on with it. Nobody is asked whether it has arrived:
    /// at the end of a job the peer may be gone.
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
