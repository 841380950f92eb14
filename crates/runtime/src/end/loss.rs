//! The loss of a peer that returns: no PE is ended, and every call that needs the others returns.
//!
//! # States
//!
//! A job in which losses return is whole, then broken, and never whole again: the program abandons it, and may start another. The first loss
//! sets a flag ([`Losses::any`]) and shuts the near path, from a thread of the library or from the thread that finds it. Each wait looks at
//! the flag where it looks for the end of a job of threads (`Live::heed_end`), and so does each call that has left the near path. It is the
//! same flag: a job has one or the other. The lock of words of device memory looks too (`device`). Nothing else waits for peers, so nothing else
//! has to look, and the near path does not.
//!
//! # The way back
//!
//! A call that finds the flag set unwinds, with [`Lost`] as the payload, to the function that has the world (`border`). Everything in between
//! drops what it owns, as when a PE that is a thread ends. No panic is reported, and no mutex of the library minds (`ferrite_os::mutex`).
//! A routine of C or Fortran unwinds to its own border, and returns a value that says so.
//!
//! An init that a loss has ended leaves the job by itself. If the init was one that returns no error, the routines after it return the loss,
//! as they would in a broken job, until the program calls `shmemx_abandon` or an init that succeeds.
//!
//! # Memory
//!
//! When a call has returned, the program may free what it had passed to it. So the first thread that unwinds takes the fabric out of the
//! program's memory ([`Far::abandon`](crate::far::Far::abandon)), and the others wait until it has: nothing is posted, polled or received
//! any more, and no operation under way touches memory of the program. The near path is shut by then: a PE that has left a barrier by a loss
//! stores nothing to a PE that has passed it. The host's memory file stays mapped, the part of the dead with the rest: this PE's own memory
//! stays readable, and peers that do not know of the loss yet may still store to it, as before. Slots of collectives, locks and signals stay
//! as the dead have left them: nothing uses them again, and the next job has another file.
//!
//! The flag is relaxed: it orders nothing, and what is known of the losses is behind a mutex.

use crate::{World, border::Lost, fork, live::Live};
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};
use ferrite_bootstrap::Boot;
use ferrite_fabric::{Alarm, Error, Result};
use ferrite_os::mutex;
use std::{
    sync::{Arc, Condvar, Mutex, MutexGuard, Once, OnceLock, PoisonError},
    thread,
    time::Duration,
};

/// How long a PE whose fabric has lost a peer waits for the root's word which PE died: a peer that has heard of another's death closes its
/// connections, and looks lost itself. The word about a process that died always comes, however busy its host is. Only a loss that the fabric
/// alone can see, as of a cable, takes this long.
const ROOTS_WORD: Duration = Duration::from_secs(5);

/// The losses of a job in which they return.
pub struct Losses {
    any: Arc<AtomicBool>,
    known: Mutex<Known>,
    /// Notified at the first loss.
    changed: Condvar,
    /// Makes the fabric fail at the first loss, so that threads that connect to a peer come back.
    alarm: OnceLock<Alarm>,
    /// The fabric has left the program's memory.
    withdrawn: Once,
}

/// The clean-up of a PE before its calls unwind after a loss. Rooms above `end` own the parts.
pub(crate) trait LossCleanup {
    /// Withdraw the wait that this PE has published.
    fn unpublish_wait(&self);

    /// Take the fabric out of the program's memory.
    fn abandon_fabric(&self, why: &Error);
}

#[derive(Default)]
struct Known {
    /// In the order in which they became known.
    pes: Vec<u32>,
    /// The reason of the first loss.
    why: Option<String>,
    /// A step of init that needed the peers has failed, and a loss was known then.
    explains_failed_init: bool,
    /// The failures after which the root's word was waited for.
    #[cfg(test)]
    awaited_after: Vec<&'static str>,
}

impl Losses {
    /// The losses of the job of `boot`, from now on. `None` if a loss ends that job.
    pub fn of(boot: &dyn Boot) -> Option<Arc<Losses>> {
        if !boot.loss_returns() {
            return None;
        }
        let losses = Arc::new(Losses {
            any: Arc::default(),
            known: Mutex::default(),
            changed: Condvar::new(),
            alarm: OnceLock::new(),
            withdrawn: Once::new(),
        });
        let noted = Arc::clone(&losses);
        boot.watch_losses(Box::new(move |pe, why| noted.note(pe.map(|pe| pe.0), why)));
        Some(losses)
    }

    /// Note a loss. Without a PE, it is not known which one is lost.
    pub(crate) fn note(&self, pe: Option<u32>, why: &str) {
        let mut known = mutex::lock(&self.known);
        if let Some(pe) = pe.filter(|pe| !known.pes.contains(pe)) {
            known.pes.push(pe);
        }
        if known.why.is_none() {
            tracing::warn!(pe, why, "a peer is lost");
            known.why = Some(why.to_owned());
            self.any.store(true, Relaxed);
            self.changed.notify_all();
            World::interrupt_open();
            self.alarm.get().into_iter().for_each(|alarm| alarm(&Error::new(why)));
        }
    }

    /// Set the alarm of the fabric.
    pub(crate) fn alert(&self, alarm: Alarm) {
        // Under the lock, so that a loss either finds the alarm or is found here.
        let known = mutex::lock(&self.known);
        if let Some(why) = &known.why {
            alarm(&Error::new(why));
        }
        let _ = self.alarm.set(alarm);
    }

    /// The flag that is set at the first loss.
    pub(crate) fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.any)
    }

    /// Whether the job is broken.
    pub fn any(&self) -> bool {
        self.any.load(Relaxed)
    }

    /// The PEs that are known to be lost, in the order in which they became known.
    pub fn pes(&self) -> Vec<u32> {
        mutex::lock(&self.known).pes.clone()
    }

    /// Why the job is broken, in a line.
    pub fn why(&self) -> String {
        mutex::lock(&self.known).why.clone().unwrap_or_default()
    }

    /// The fabric has failed, or a step of init that needed the peers: wait until a loss is known, for [`ROOTS_WORD`] at most.
    fn await_word(&self, failed: &'static str) -> MutexGuard<'_, Known> {
        tracing::debug!(failed, "waiting for the root's word on a loss");
        #[cfg_attr(not(test), expect(unused_mut, reason = "tests note what was waited for"))]
        let mut known = mutex::lock(&self.known);
        #[cfg(test)]
        known.awaited_after.push(failed);
        let waited = self.changed.wait_timeout_while(known, ROOTS_WORD, |known| known.why.is_none());
        waited.unwrap_or_else(PoisonError::into_inner).0
    }

    /// A step of init has failed that needed the peers: if a loss is known, or becomes known soon, it explains the failure.
    pub(crate) fn explain_failed_init(&self, step: &'static str, error: &Error) {
        let mut known = self.await_word(step);
        known.explains_failed_init = known.why.is_some();
        tracing::warn!(step, %error, is_loss = known.explains_failed_init, "a step of init has failed that needs the peers");
    }
}

impl Live {
    /// End this thread's work because another PE has ended the job, or was lost: whatever this PE waits for would never come.
    #[cold]
    #[inline(never)]
    pub(super) fn heed_peer(&self) {
        match &self.losses {
            Some(losses) => self.return_loss(losses),
            None => self.boot.announce(super::EXIT_CODE, ""),
        }
    }

    /// If losses return, and the fabric has failed for want of a peer: return the loss.
    pub(crate) fn return_fault(&self, pe: Option<u32>, fault: &Error) {
        if let Some(losses) = &self.losses {
            drop(losses.await_word("the fabric"));
            if !losses.any() {
                losses.note(pe, &fault.to_string());
            }
            self.return_loss(losses);
        }
    }

    /// If a loss that returns is known: return it. A failure after a loss is its consequence.
    pub(super) fn return_if_lost(&self) {
        if let Some(losses) = self.losses.as_ref().filter(|losses| losses.any()) {
            self.return_loss(losses);
        }
    }

    fn return_loss(&self, losses: &Losses) -> ! {
        self.unpublish_wait();
        self.withdraw(losses);
        if thread::panicking() {
            // A value that is dropped on the way back called the library.
            super::end_alone(&format!("PE {}: {}", self.me, losses.why()));
        }
        Lost::begin()
    }

    /// Take the fabric out of the program's memory.
    pub(crate) fn withdraw(&self, losses: &Losses) {
        losses.withdrawn.call_once(|| self.abandon_fabric(&Error::new(losses.why())));
    }
}

impl World {
    /// Close this world in children that the process forks while it is open.
    ///
    /// # Safety
    /// The world is not moved until it is finalized or dropped.
    pub unsafe fn close_in_children(&self) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { fork::close_in_children(self) }?;
        // A loss before that did not find the world.
        if self.is_broken() {
            self.interrupt();
        }
        Ok(())
    }

    /// Whether a loss that returns is known.
    pub(crate) fn is_broken(&self) -> bool {
        self.losses().is_some_and(|losses| losses.any())
    }

    pub(crate) fn losses(&self) -> Option<Arc<Losses>> {
        mutex::lock(&self.losses).clone()
    }

    /// Return the loss that explains a failed init, if losses return and there is one. It does not explain the failure of a step that needs no
    /// peer.
    pub(crate) fn return_failed_init(&self) {
        if self.losses().is_some_and(|losses| mutex::lock(&losses.known).explains_failed_init) {
            Lost::begin();
        }
    }
}

#[cfg(test)]
#[path = "loss_tests.rs"]
mod tests;
