//! A context's stream of operations.
//!
//! A worker is dear: it has connections to every peer that it has reached, with their queues and buffers. So a worker and its
//! stream ([`Driven`]) stay when their lane ends, for the next one, and beyond [`STREAMS_MAX`] lanes share. Who shares a
//! stream shares its tickets and its fences: one waits, at worst, for what the other had posted before.

use crate::{context::Context, hold::Hold, shared::Shared, stream::Stream};
use ferrite_fabric::{Busy, Error, Lane, Op, Pe, Result, Stage, Ticket, Turns, mutex};
use std::{
    os::fd::OwnedFd,
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

/// Streams of a PE; where there are more lanes they share them.
pub const STREAMS_MAX: usize = 16;
/// How long the end of a lane, or of all, waits for its peers to take the last words.
pub const PARTING: Duration = Duration::from_secs(3);
/// What has been reached when the fabric has parted: who still asks then waits for nothing.
const PARTED: Ticket = Ticket(u64::MAX);

/// A stream, and who may drive it: its lanes, threads of the program that are about to sleep, and the service thread while the program
/// is away.
pub struct Driven {
    stream: Mutex<Option<Stream>>,
    /// The descriptor of its worker's events.
    events: Option<Arc<OwnedFd>>,
    /// What is not to be touched directly, where that can be.
    hold: Option<Arc<Hold>>,
    /// Something was posted whose end is not known yet.
    pub busy: AtomicBool,
}

impl Driven {
    /// A new stream, that nobody uses; with the number of PEs where some of their memory may be mapped.
    pub fn new(context: &Arc<Context>, mapped: Option<u32>) -> Result<Self> {
        let hold = mapped.map(|size| Arc::new(Hold::new(size)));
        let stream = Stream::new(context, hold.clone())?;
        let events = stream.worker.events();
        Ok(Driven { stream: Mutex::new(Some(stream)), events, hold, busy: AtomicBool::new(false) })
    }

    /// The same as its worker's, without waiting for who drives it.
    pub fn events(&self) -> Option<Arc<OwnedFd>> {
        self.events.clone()
    }

    /// The stream, unless it is closed.
    pub fn lock(&self) -> MutexGuard<'_, Option<Stream>> {
        mutex::lock(&self.stream)
    }

    /// The same, unless somebody has it.
    pub fn try_lock(&self) -> Option<MutexGuard<'_, Option<Stream>>> {
        mutex::try_lock(&self.stream)
    }

    /// Complete what is under way, close the endpoints, and let the worker go: by `deadline`, or without its peers.
    pub fn close(&self, shared: &Shared, deadline: Instant) {
        let Some(mut stream) = self.lock().take() else { return };
        let serve = || _ = shared.serve();
        let sound = shared.fate.is_sound();
        if sound {
            while !stream.is_quiet() && stream.failure().is_none() && Instant::now() < deadline {
                stream.worker.progress();
                serve();
            }
        }
        stream.part(sound, deadline, serve);
        self.busy.store(false, Ordering::Release);
    }
}

/// See [`Lane`].
pub struct UcxLane {
    shared: Arc<Shared>,
    driven: Arc<Driven>,
    /// The ticket of the last that was posted here. Stored under the stream's mutex.
    last: AtomicU64,
    turns: Turns,
}

impl UcxLane {
    /// A new stream, or one that others have or had.
    pub fn new(shared: &Arc<Shared>) -> Result<Self> {
        Ok(UcxLane {
            driven: shared.join_lane()?,
            shared: Arc::clone(shared),
            last: AtomicU64::default(),
            turns: Turns::default(),
        })
    }

    /// Carry an operation out here, if what it touches is mapped and nothing has to come before it.
    ///
    /// # Safety
    /// As [`Lane::post`].
    #[inline]
    unsafe fn carry_out(&self, op: &Op) -> Option<()> {
        let (mapped, hold) = (self.shared.mapped.as_ref()?, self.driven.hold.as_ref()?);
        // SAFETY: as the caller says.
        if hold.holds(op.target()) { None } else { unsafe { mapped.carry_out(op) } }
    }

    fn fail(&self, error: &Error) {
        self.shared.fate.fail(error);
    }

    /// One step of progress, unless what is awaited is there already: whether it is, and the number of things that happened.
    #[inline]
    fn turn(&self, mut stream: MutexGuard<'_, Option<Stream>>, arrived: impl Fn(&mut Stream) -> bool) -> (bool, usize) {
        let (arrived, happened, wanted) = {
            let Some(stream) = stream.as_mut() else { return (true, 0) };
            if arrived(stream) {
                return (true, 0);
            }
            let wanted = stream.take_wanted();
            let happened = stream.progress(wanted);
            // Nothing arrives after a failure, and what has arrived is no silence: both can wait for the next look.
            let arrived = happened > 0 && arrived(stream);
            if !arrived && let Some(error) = stream.failure().or_else(|| stream.watch(&self.shared.options, happened)) {
                self.fail(&error);
            }
            (arrived, happened, wanted)
        };
        drop(stream);
        if self.turns.are_others_due() {
            self.move_others();
            self.shared.unpace();
        }
        // Only who serves counts as one who is here: the thread stays away then.
        let serve = |looks| {
            self.shared.visits.count(looks);
            self.shared.serve()
        };
        (arrived, if wanted { self.turns.take(happened, serve) } else { happened + serve(1) })
    }

    /// Bring forward what others have posted: UCX keeps what a transport has no room for, and while the program waits here,
    /// for what may well depend on it, nobody else moves it.
    #[cold]
    fn move_others(&self) {
        let others = self.shared.lanes.others(&self.driven);
        for driven in others.iter().filter(|driven| driven.busy.load(Ordering::Relaxed)) {
            let Some(mut stream) = driven.try_lock() else { continue };
            let Some(stream) = stream.as_mut() else { continue };
            stream.push();
            if let Some(error) = stream.failure() {
                self.fail(&error);
            }
        }
    }
}

impl Lane for UcxLane {
    #[inline]
    unsafe fn post(&self, op: &Op) -> Result<Ticket, Busy> {
        if !self.shared.fate.is_sound() {
            return Err(Busy);
        }
        // SAFETY: as the caller says.
        if unsafe { self.carry_out(op) }.is_some() {
            return Ok(Ticket::NONE);
        }
        let mut stream = self.driven.lock();
        let Some(stream) = stream.as_mut() else { return Err(Busy) };
        if let Some(mapped) = &self.shared.mapped
            && !stream.approach(&self.shared, mapped, op)
        {
            return Err(Busy);
        }
        // SAFETY: as the caller says.
        let posted = unsafe { stream.post(&self.shared, op) };
        let ticket = posted.map_err(|error| {
            self.fail(&error);
            Busy
        })??;
        self.last.store(ticket.0, Ordering::Relaxed);
        self.driven.busy.store(true, Ordering::Relaxed);
        self.shared.bell.rouse();
        Ok(ticket)
    }

    fn fence(&self) {
        if let Some(Err(error)) = self.driven.lock().as_mut().map(Stream::fence) {
            self.fail(&error);
        }
    }

    #[inline]
    fn reached(&self, stage: Stage) -> Ticket {
        self.driven.lock().as_mut().map_or(PARTED, |stream| stream.reached(stage))
    }

    fn progress(&self) -> usize {
        self.driven.try_lock().map_or(0, |stream| self.turn(stream, |_| false).1)
    }

    fn has_reached(&self, stage: Stage, ticket: Ticket) -> bool {
        self.turn(self.driven.lock(), |stream| stream.reached(stage) >= ticket).0
    }

    fn is_local(&self, ticket: Ticket) -> bool {
        self.turn(self.driven.lock(), |stream| stream.is_local(ticket)).0
    }

    fn is_quiet_at(&self, pe: Pe) -> bool {
        self.turn(self.driven.lock(), |stream| stream.is_quiet_at(pe)).0
    }
}

impl Drop for UcxLane {
    /// What was not waited for gets a moment; the stream stays, and goes on with it.
    fn drop(&mut self) {
        let deadline = Instant::now() + PARTING;
        let waits = || self.reached(Stage::Remote).0 < self.last.load(Ordering::Relaxed);
        while self.shared.fate.is_sound() && waits() && Instant::now() < deadline {
            self.progress();
        }
        self.shared.lanes.leave(&self.driven);
    }
}
