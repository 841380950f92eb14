//! A context's stream of operations.

use crate::{shared::Shared, stream::Stream};
use ferrite_fabric::{Busy, Error, Lane, Op, Result, Stage, Ticket};
use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

/// How long the end of a lane, or of all, waits for its peers to take the last words.
pub const PARTING: Duration = Duration::from_secs(1);

/// A stream, and who may drive it: its lane, and the service thread while the program is away.
pub struct Driven {
    stream: Mutex<Option<Stream>>,
    /// Something was posted whose end is not known yet.
    pub busy: AtomicBool,
}

impl Driven {
    /// The stream, unless it is closed.
    pub fn lock(&self) -> MutexGuard<'_, Option<Stream>> {
        self.stream.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Complete what is under way, close the endpoints, and let the worker go: within a moment, or without its peers.
    pub fn close(&self, shared: &Shared) {
        let Some(mut stream) = self.lock().take() else { return };
        let deadline = Instant::now() + PARTING;
        let serve = || _ = shared.target.serve();
        let sound = shared.is_sound();
        if sound {
            while !stream.is_quiet() && stream.failure().is_none() && Instant::now() < deadline {
                stream.worker.progress();
                serve();
            }
        }
        let orderly = sound && stream.is_quiet();
        stream.part(orderly, deadline, serve);
        self.busy.store(false, Ordering::Release);
    }
}

/// See [`Lane`].
pub struct UcxLane {
    shared: Arc<Shared>,
    driven: Arc<Driven>,
}

impl UcxLane {
    /// A new stream.
    pub fn new(shared: &Arc<Shared>) -> Result<Self> {
        let stream = Stream::new(&shared.context)?;
        let driven = Arc::new(Driven { stream: Mutex::new(Some(stream)), busy: AtomicBool::new(false) });
        shared.lanes().push(Arc::clone(&driven));
        Ok(UcxLane { shared: Arc::clone(shared), driven })
    }

    fn fail(&self, error: &Error) {
        self.shared.fail(error);
    }
}

impl Lane for UcxLane {
    #[inline]
    unsafe fn post(&self, op: &Op) -> Result<Ticket, Busy> {
        if !self.shared.is_sound() {
            return Err(Busy);
        }
        let mut stream = self.driven.lock();
        let Some(stream) = stream.as_mut() else { return Err(Busy) };
        // SAFETY: as the caller says.
        let posted = unsafe { stream.post(&self.shared, op) };
        let ticket = posted.map_err(|error| {
            self.fail(&error);
            Busy
        })??;
        self.driven.busy.store(true, Ordering::Relaxed);
        // The service thread moves what is left here: it must know that there is something (see `service`).
        if self.shared.parked.load(Ordering::Acquire) {
            self.shared.bell.ring();
        }
        Ok(ticket)
    }

    fn fence(&self) {
        if let Some(Err(error)) = self.driven.lock().as_mut().map(Stream::fence) {
            self.fail(&error);
        }
    }

    #[inline]
    fn reached(&self, stage: Stage) -> Ticket {
        // Whoever still asks when the fabric has parted waits for nothing.
        self.driven.lock().as_mut().map_or(Ticket(u64::MAX), |stream| stream.reached(stage))
    }

    fn progress(&self) -> usize {
        self.shared.visit();
        let (happened, serves) = {
            let mut stream = self.driven.lock();
            let Some(stream) = stream.as_mut() else { return 0 };
            let happened = stream.progress();
            if let Some(error) = stream.failure() {
                self.fail(&error);
            }
            (happened, stream.is_targets_turn())
        };
        happened + if serves { self.shared.target.serve() } else { 0 }
    }
}

impl Drop for UcxLane {
    fn drop(&mut self) {
        self.driven.close(&self.shared);
        self.shared.lanes().retain(|driven| !Arc::ptr_eq(driven, &self.driven));
    }
}
