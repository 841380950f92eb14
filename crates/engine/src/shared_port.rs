//! A port behind its mutex, which lanes share.
//!
//! # Whose port
//!
//! Ports may be dear: connections to every peer that they have reached, megabytes of queues and buffers. So a port stays open when its lane
//! ends, for the next one, and where there are more lanes than the transport wants ports for, they share. Who shares a port
//! shares its tickets and its fences: one waits, at worst, for what the other had posted before.
//!
//! # Who may touch what
//!
//! Everything of a port is behind one mutex. A thread of the program has it while it posts or polls, never while it waits; the service
//! thread takes it while the program is away. Answers may come by a port that is in the hands of another lane's thread: they are
//! handed over, and whoever polls this port takes them. The order of locks is lane, then service (tried, never waited for), then
//! handover.

use crate::{
    Arm, Error, Port, Transport, engine::Shared, handover::Handover, message::Answer, port_state::PortState,
    watchdog::Finding,
};
use ferrite_os::{guarded_fd::GuardedFd, mutex};
use std::{
    mem,
    os::fd::BorrowedFd,
    sync::{Arc, Mutex, MutexGuard},
    time::Instant,
};

/// See the module.
pub struct SharedPort<T: Transport> {
    state: Mutex<PortState<T>>,
    /// Answers that came by other ports.
    answers: Arc<Handover<Answer>>,
    /// A descriptor of our own for the port's events, so that a thread may sleep on it without the mutex.
    fd: Option<GuardedFd>,
}

impl<T: Transport> SharedPort<T> {
    /// A port with nothing under way, that nobody uses.
    pub fn open(shared: &Shared<T>) -> crate::Result<Self> {
        let port = shared.transport.open()?;
        let fd = owned(port.fd())?;
        let (number, answers) = shared.target.add_lane();
        let state = PortState::new(port, shared.transport.limits(), shared.options.me, number);
        Ok(SharedPort { state: Mutex::new(state), answers, fd })
    }

    /// Everything of the port, when it is free.
    pub fn lock(&self) -> MutexGuard<'_, PortState<T>> {
        mutex::lock(&self.state)
    }

    /// The same, unless somebody has it.
    pub fn try_lock(&self) -> Option<MutexGuard<'_, PortState<T>>> {
        mutex::try_lock(&self.state)
    }

    /// What a thread sleeps on while the port is armed.
    pub fn fd(&self) -> Option<BorrowedFd<'_>> {
        self.fd.as_ref().and_then(GuardedFd::file)
    }

    /// The same, that the program may have closed.
    pub fn guarded(&self) -> Option<&GuardedFd> {
        self.fd.as_ref()
    }

    /// Something posted has not left whole: see [`PortState::is_unfinished`].
    pub fn is_unfinished(&self) -> bool {
        self.lock().is_unfinished()
    }

    /// One attempt to let a thread sleep on this port, if anything is under way: armed only if nothing happened. A port that is in
    /// somebody's hands is not waited for: a thread that meets a peer has it for as long as that takes, and the peer's own may wait for
    /// what this thread looks after (newcomers, [`Transport::tend`]).
    pub fn arm(&self, shared: &Shared<T>) -> Option<Arm> {
        let Some(mut state) = self.try_lock() else { return Some(Arm::CannotArm) };
        if state.closed || state.is_idle() && !self.answers.has_any() {
            return None;
        }
        Some(if self.advance(shared, &mut state, true) > 0 { Arm::Busy } else { state.arm() })
    }

    /// Move what can be moved, unless a thread of the program is at it.
    pub fn attend(&self, shared: &Shared<T>) -> usize {
        self.try_lock().map_or(0, |mut state| self.advance(shared, &mut state, true))
    }

    /// Send what waits to be sent, and look at nothing that has arrived.
    pub fn push(&self) {
        if let Some(mut state) = self.try_lock() {
            state.port.push();
        }
    }

    /// Poll the port, if it is for that, and take what has come; gives the number of things that happened.
    #[inline]
    pub fn advance(&self, shared: &Shared<T>, state: &mut PortState<T>, polls: bool) -> usize {
        if state.closed {
            return 0;
        }
        let polls = polls && !state.is_idle();
        let mut happened = 0;
        let mut advance = || {
            if polls {
                happened += state.poll()?;
            }
            // What a peer answered before it went may lie at the service port still. Who serves there now leaves it for the next time.
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
                state.mourn()?;
            }
            if state.has_rest() {
                state.go_on()?;
            }
            Ok::<_, Error>(())
        };
        if let Err(error) = advance() {
            shared.health.fail(&error);
        }
        if polls {
            self.watch(shared, state, happened > 0);
            state.refused = None;
        }
        happened
    }

    /// Look after silence: peers that something is awaited from are rung, asked, and lost in the end.
    #[inline]
    fn watch(&self, shared: &Shared<T>, state: &mut PortState<T>, happened: bool) {
        if happened || state.is_idle() {
            return state.watchdog.reset();
        }
        let PortState { watchdog, peers, .. } = state;
        let bytes = || peers.all().iter().filter(|peer| peer.owes()).map(|peer| peer.bytes).sum();
        match watchdog.look(bytes, shared.options.silence, &shared.links) {
            Finding::Wait => {}
            Finding::Ring => {
                if state.owing().map(|pe| shared.ring(pe)).count() == 0 {
                    state.watchdog.nobody_owes();
                }
            }
            // Of what nobody waits for nobody would hear that it was lost.
            Finding::Ask => {
                state.want_sign_of_life();
                shared.has_descriptors();
            }
            Finding::Lost(why) => {
                let whom = state.owing().next().map_or("a peer".to_owned(), |pe| pe.to_string());
                let name = shared.transport.full_name();
                shared.health.fail(&Error::new(format!("{whom} counts as lost over {name}: {why}")));
            }
        }
    }

    /// The fabric ends: nothing is posted or polled any more.
    pub fn close(&self, orderly: bool, deadline: Instant, serve: &mut dyn FnMut()) {
        let mut state = self.lock();
        if !mem::replace(&mut state.closed, true) {
            state.port.close(orderly, deadline, serve);
        }
    }

    /// Nobody enters it any more: the process ends.
    pub fn shut(&self) {
        mem::forget(self.lock());
    }
}

/// A duplicate of a descriptor.
pub fn owned(fd: Option<BorrowedFd<'_>>) -> crate::Result<Option<GuardedFd>> {
    let owned = fd.map(|fd| GuardedFd::new(fd.try_clone_to_owned()?)).transpose();
    owned.map_err(|e| Error::because("keeping a descriptor of a port's events", e))
}
