//! The way out of a job whose loss returns (`end/loss.rs`): the program abandons it.

use super::{
    phase::Remains,
    start::{self, Parting},
};
use crate::{
    Site, World,
    end::loss::{LossCleanup, Losses},
    fork::is_child,
    live::Live,
};
use core::ffi::c_int;
use ferrite_fabric::Error;
use ferrite_os::mutex;
use std::thread;

impl LossCleanup for Live {
    fn unpublish_wait(&self) {
        self.diagnosis.unpublish_wait();
    }

    fn abandon_fabric(&self, why: &Error) {
        self.far.iter().for_each(|far| far.abandon(why));
    }
}

impl World {
    /// Whether a value that is dropped need not wait for anything: the thread unwinds already, and the job is broken. No operation touches
    /// memory of the program then.
    pub fn is_broken_in_drop(&self) -> bool {
        let lost = || self.live().and_then(|live| Some((live, live.losses.as_ref().filter(|losses| losses.any())?)));
        thread::panicking() && lost().inspect(|(live, losses)| live.withdraw(losses)).is_some()
    }

    /// Leave a job in which losses return, without the others. Nothing waits. All other threads of the program have returned from the
    /// library. Memory stays mapped until the returned value is dropped. `None` if the library is not initialised.
    pub fn abandon_but_memory(&self, site: &'static Site) -> Option<Remains> {
        if is_child() {
            self.refuse_call(site);
        }
        let _gate = mutex::lock(&self.gate);
        let Some(losses) = &self.live()?.losses else {
            self.misuse(site, format_args!("a loss ends this job, so it cannot be abandoned"))
        };
        self.part_alone(losses)
    }

    fn part_alone(&self, losses: &Losses) -> Option<Remains> {
        self.live().iter().for_each(|live| live.withdraw(losses));
        self.forget_inits();
        start::take_apart(self, Parting::Alone)
    }

    /// As [`abandon_but_memory`](Self::abandon_but_memory), with the memory. If the library is not initialised, nothing is left but an init
    /// that a loss has ended.
    pub fn abandon_job(&self, site: &'static Site) {
        match self.live() {
            Some(_) => drop(self.abandon_but_memory(site)),
            None if is_child() => self.refuse_call(site),
            None => self.forget_lost_start(),
        }
    }

    /// A loss has ended an init: leave the job. The caller holds the gate.
    pub(super) fn leave_lost_start(&self) {
        match self.live().and_then(|live| live.losses.as_ref()) {
            Some(losses) => drop(self.part_alone(losses)),
            None => self.boot().iter().for_each(|boot| boot.abandon()),
        }
    }

    /// Store the lost PEs of this job, or of the last one, in `pes`, which has room for `*n`, in the order in which they became known. Set
    /// `*n` to their number, which may be larger. Returns 1 if the job is broken, else 0. A broken job without a lost PE has lost a root
    /// that is no PE.
    ///
    /// # Safety
    /// `n` is valid for a read and a write, and `pes` for `*n` writes.
    pub unsafe fn lost_pes(&self, site: &'static Site, pes: *mut c_int, n: *mut c_int) -> c_int {
        self.must_be_somewhere(site, "n", n);
        let losses = self.losses().filter(|losses| losses.any());
        let lost = losses.as_ref().map_or_else(Vec::new, |losses| losses.pes());
        // SAFETY: the caller's promise.
        unsafe {
            let room = usize::try_from(n.read()).unwrap_or(0);
            if room > 0 {
                self.must_be_somewhere(site, "pes", pes);
            }
            lost.iter().take(room).enumerate().for_each(|(at, &pe)| pes.add(at).write(pe as c_int));
            n.write(lost.len() as c_int);
        }
        c_int::from(losses.is_some())
    }
}
