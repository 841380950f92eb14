//! A port behind its mutex, which lanes share.
//!
//! # Sharing
//!
//! A port may be expensive: it has connections to every peer that it has reached, and megabytes of queues and buffers. So a port stays open
//! for the next lane when its lane ends. If there are more lanes than the transport wants ports, lanes share ports. Lanes that share a port
//! share its tickets and its fences: at worst, one lane waits for operations that another has posted before.
//!
//! # Locks
//!
//! All state of a port is behind one mutex. A thread of the program locks it while it posts or polls, never while it waits. The service
//! thread locks it while the program is away. An answer may arrive at another port, which another lane's thread has locked. That thread
//! hands the answer over, and the next thread that polls this port takes it. The order of locks is lane, then service (tried, never waited
//! for), then handover.

use crate::{
    Arm, Error, Port, Transport,
    engine::Shared,
    handover::Handover,
    message::Answer,
    peers::Peer,
    port_state::{PortState, Standing},
    watchdog::Finding,
};
use ferrite_fabric::Ticket;
use ferrite_os::{guarded_fd::GuardedFd, mutex};
use std::{
    mem,
    os::fd::BorrowedFd,
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

/// A port behind its mutex.
pub struct SharedPort<T: Transport> {
    state: Mutex<PortState<T>>,
    /// [`PortState::keeps_back`] of any ticket, for threads without the mutex. Threads that post or poll store it under the mutex. A thread that
    /// has posted reads its own value or a later one, so a relaxed load is enough.
    keeps_back: AtomicBool,
    /// Answers that arrived at other ports.
    answers: Arc<Handover<Answer>>,
    /// A duplicate of the descriptor for the port's events, so that a thread may sleep on it without the mutex.
    fd: Option<GuardedFd>,
}

impl<T: Transport> SharedPort<T> {
    /// Open a port with nothing under way, which no lane uses yet.
    pub fn open(shared: &Shared<T>) -> crate::Result<Self> {
        let port = shared.transport.open()?;
        let fd = owned(port.fd())?;
        let (number, answers) = shared.target.add_lane();
        let state = PortState::new(port, shared.transport.limits(), shared.options.me, number);
        Ok(SharedPort { state: Mutex::new(state), keeps_back: AtomicBool::new(false), answers, fd })
    }

    /// Lock the port's state, as soon as it is free.
    pub fn lock(&self) -> MutexGuard<'_, PortState<T>> {
        mutex::lock(&self.state)
    }

    /// Lock the port's state, unless another thread has locked it.
    pub fn try_lock(&self) -> Option<MutexGuard<'_, PortState<T>>> {
        mutex::try_lock(&self.state)
    }

    /// Descriptor on which a thread sleeps while the port is armed.
    pub fn fd(&self) -> Option<BorrowedFd<'_>> {
        self.fd.as_ref().and_then(GuardedFd::file)
    }

    /// The same descriptor with its guard: the program may have closed it.
    pub fn guarded(&self) -> Option<&GuardedFd> {
        self.fd.as_ref()
    }

    /// Whether something that was posted waits for a poll by the program.
    #[inline]
    pub fn keeps_back(&self) -> bool {
        self.keeps_back.load(Ordering::Relaxed)
    }

    /// Record whether something that was posted waits for a poll by the program.
    #[inline]
    pub fn record_rest(&self, state: &PortState<T>) {
        if !state.limits.needs_polling {
            self.keeps_back.store(state.keeps_back(Ticket(u64::MAX)), Ordering::Relaxed);
        }
    }

    /// Whether a posted operation has not left completely: see [`PortState::is_unfinished`].
    pub fn is_unfinished(&self) -> bool {
        self.lock().is_unfinished()
    }

    /// Try once to arm this port, so that a thread may sleep on it, if anything is under way. The port is armed only if nothing happened.
    /// The calling thread does not wait for a locked port: a thread that meets a peer keeps the port locked until it is connected, and that
    /// peer may wait for work of the calling thread (newcomers, [`Transport::tend`]).
    pub fn arm(&self, shared: &Shared<T>) -> Option<Arm> {
        let Some(mut state) = self.try_lock() else { return Some(Arm::CannotArm) };
        if state.standing != Standing::Open || state.is_idle() && !self.answers.has_any() {
            return None;
        }
        Some(if self.advance(shared, &mut state, true) > 0 { Arm::Busy } else { state.arm() })
    }

    /// Poll the port and move data, unless a thread of the program has locked it.
    pub fn attend(&self, shared: &Shared<T>) -> usize {
        self.try_lock().map_or(0, |mut state| self.advance(shared, &mut state, true))
    }

    /// Send queued data, without looking at arrivals.
    pub fn push(&self) {
        if let Some(mut state) = self.try_lock() {
            state.port.push();
        }
    }

    /// Poll the port if `polls` is set, and take the answers that were handed over. Returns the number of things that happened.
    #[inline]
    pub fn advance(&self, shared: &Shared<T>, state: &mut PortState<T>, polls: bool) -> usize {
        if state.standing != Standing::Open {
            return 0;
        }
        let polls = polls && !state.is_idle();
        let mut happened = 0;
        let mut advance = || {
            if polls {
                happened += state.poll()?;
            }
            // The last answers of a lost peer may still be at the service port. If another thread serves there now, the loss is reported
            // the next time.
            let is_last_word = !state.losses.is_empty() && shared.try_serve().is_some();
            if self.answers.has_any() {
                let mut answers: Vec<Answer> = mem::take(&mut state.answers);
                self.answers.take(&mut answers);
                happened += answers.len();
                state.answered(&answers)?;
                answers.clear();
                state.answers = answers;
            }
            if is_last_word {
                state.report_losses()?;
            }
            if state.outgoing.has_ready() {
                state.go_on()?;
            }
            Ok::<_, Error>(())
        };
        if let Err(error) = advance() {
            shared.health.lose(state.lost_peer, &error);
        }
        // An operation that fails is not counted any more.
        if happened > 0 && shared.health.is_sound() {
            state.check();
        }
        self.record_rest(state);
        if polls {
            self.watch(shared, state, happened > 0);
            state.refused = None;
        }
        happened
    }

    /// Act on silence: peers that owe something are rung, then asked for a sign of life, and in the end reported as lost.
    #[inline]
    fn watch(&self, shared: &Shared<T>, state: &mut PortState<T>, happened: bool) {
        if happened || state.is_idle() {
            return state.watchdog.reset();
        }
        let PortState { watchdog, peers, .. } = state;
        let bytes = || peers.all().iter().filter(|peer| peer.owes()).map(Peer::bytes).sum();
        match watchdog.look(bytes, shared.options.silence, &shared.links) {
            Finding::Wait => {}
            Finding::Ring => {
                if state.owing().map(|pe| shared.ring(pe)).count() == 0 {
                    state.watchdog.nobody_owes();
                }
            }
            // Without this request, the loss of an operation that no thread waits for would go unnoticed.
            Finding::Ask => {
                state.want_sign_of_life();
                shared.has_descriptors();
            }
            Finding::Lost(why) => {
                // A peer that was lost while nothing was awaited from it owes nothing any more.
                let lost =
                    || state.peers.all().iter().find(|peer| peer.lost().is_some() && !peer.is_quiet()).map(Peer::pe);
                let owing = state.owing().next().or_else(lost);
                let whom = owing.map_or("a peer".to_owned(), |pe| pe.to_string());
                let name = shared.transport.full_name();
                let error = Error::new(format!("{whom} counts as lost over {name}: {why}"));
                shared.health.lose(owing, &error);
            }
        }
    }

    /// Close the port at the end of the fabric: nothing is posted or polled any more.
    pub fn close(&self, orderly: bool, deadline: Instant, serve: &mut dyn FnMut()) {
        let mut state = self.lock();
        if state.standing == Standing::Open {
            state.standing = if orderly { Standing::Closed } else { Standing::Abandoned };
            state.port.close(orderly, deadline, serve);
        }
    }

    /// Lock the port for good, because the process ends.
    pub fn shut(&self) {
        mem::forget(self.lock());
    }
}

/// A duplicate of a descriptor.
pub fn owned(fd: Option<BorrowedFd<'_>>) -> crate::Result<Option<GuardedFd>> {
    let owned = fd.map(|fd| GuardedFd::new(fd.try_clone_to_owned()?)).transpose();
    owned.map_err(|e| Error::because("keeping a descriptor of a port's events", e))
}
