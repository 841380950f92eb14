//! How a started world waits, and what its program has looked for.

use super::{LOOKS_PER_QUESTION, Moment, Patience, Wait, mates::Mates, turns::Turns};
use crate::{Site, groups::team::TeamState, live::Live};
use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

/// How the PE waits, and what it has looked for so far.
pub(crate) struct WaitState {
    pub patience: Patience,
    /// The PEs on this PE's cores.
    pub mates: Mates,
    /// The number of looks that failed.
    failed: AtomicUsize,
    /// The signal that was read last, and its value, in one word.
    signal: AtomicU64,
    /// The number of searches by `wait_until_any` and its kin: the next one begins elsewhere.
    searches: AtomicUsize,
    /// What lets others run while the program does not call us.
    _turns: Option<Turns>,
}

impl WaitState {
    /// Nothing was looked for yet.
    pub fn new(patience: Patience, mates: Mates, turns: Option<Turns>) -> WaitState {
        WaitState {
            patience,
            mates,
            failed: AtomicUsize::new(0),
            signal: AtomicU64::new(0),
            searches: AtomicUsize::new(0),
            _turns: turns,
        }
    }
}

/// What a PE waits for, as far as others are told.
#[derive(Clone, Copy)]
pub(crate) enum Awaited<'a> {
    /// The other members, in the collective of this team that was called last.
    Collective(&'a TeamState),
    /// What the collective that was called last has to wait for first.
    Entered,
    /// What this routine waits for.
    Routine(&'static Site),
    /// What the library waits for in a routine that is not known here.
    Unnamed,
}

impl Live {
    /// Wait until `ready` gives something, making progress meanwhile.
    #[inline(always)]
    pub fn until<T>(&self, awaited: Awaited<'_>, ready: impl FnMut() -> Option<T>) -> T {
        let mut wait = self.wait.patience.begin();
        let value = wait.until(ready, |wait| self.pass(wait, awaited));
        if wait.is_long() {
            self.end_wait(&wait);
        }
        value
    }

    /// What others know of a long wait, they learn the end of.
    #[cold]
    pub fn end_wait(&self, wait: &Wait) {
        self.wait.mates.turn();
        if let Some(told) = &wait.told {
            self.diagnosis.end(told);
        }
    }

    /// Pass the time until a waiter's next look: make progress, let others run, or sleep.
    #[inline(always)]
    fn pass(&self, wait: &mut Wait, awaited: Awaited<'_>) {
        let moment = wait.look_again(&self.wait.mates);
        if wait.is_time_to_ask() {
            wait.lengthen(&self.wait.mates);
            self.end_with_launcher();
            self.waits_in_vain();
            self.diagnose(wait, awaited);
        }
        match moment {
            Moment::Look => {}
            Moment::Progress => {
                self.heed_end();
                self.progress();
            }
            Moment::Doze(limit) => {
                self.heed_end();
                wait.lengthen(&self.wait.mates);
                // What has just come may be what is waited for.
                let mut happened = self.progress_far() + self.progress_aggregators();
                let idle = self.coll.requests.are_idle();
                if !idle {
                    // What a request has just posted is not yet sent.
                    self.coll.requests.progress();
                    happened += self.progress_far();
                }
                match happened {
                    0 if idle => wait.dozed(self.doze_far(limit), &self.wait.mates),
                    // Requests wait for what peers of this node store, too.
                    0 => wait.rest(&self.wait.mates),
                    _ => {}
                }
            }
        }
    }

    /// The program has looked for something that is not there yet: the moment to make progress, and, now and then, to let
    /// others run.
    pub fn failed_look(&self) {
        self.heed_end();
        self.progress();
        let failed = self.wait.failed.fetch_add(1, Relaxed) as u32;
        if failed.is_multiple_of(LOOKS_PER_QUESTION) {
            self.end_with_launcher();
            self.waits_in_vain();
        }
        self.wait.patience.failed_look(failed);
    }

    /// Many looks were in vain. Where operations are held back, it may be one of them that is waited for.
    #[cold]
    #[inline(never)]
    fn waits_in_vain(&self) {
        if let Some(delays) = self.delays() {
            delays.waits_in_vain();
        }
    }

    /// A launcher that was killed takes its PEs along, but not those below a wrapper.
    #[cold]
    #[inline(never)]
    fn end_with_launcher(&self) {
        if self.boot.has_ended() {
            self.boot.end_the_rest();
            self.die(&format!("PE {}: {} has ended, and this job with it", self.me, self.boot.launcher()));
        }
    }

    /// The program has looked for something that is there. It may go on until it is no more: where nobody else serves peers, this is
    /// the moment to.
    pub fn good_look(&self) {
        if self.far.as_ref().is_some_and(|far| far.caps().needs_target_progress) {
            self.progress();
        }
    }

    /// The program has read a signal. If it is the one that was read before, and nothing has come, that is a failed look: there is no
    /// other for a program that has more to do than to wait.
    pub fn saw_signal(&self, address: usize, value: u64) {
        // Threads that read different signals in turn take each other's looks for first ones, which costs but time.
        let what = (address as u64).rotate_left(32) ^ value;
        if self.wait.signal.load(Relaxed) == what {
            self.failed_look();
        } else {
            self.wait.signal.store(what, Relaxed);
            self.good_look();
        }
    }

    /// Where to begin a search among so many, another place each time. Not one after the other: a program that searches two arrays in
    /// turn would always begin in the same half of each. Multiples of the golden ratio come everywhere in any such selection of them.
    pub fn place_to_begin(&self, count: usize) -> usize {
        let turn = self.wait.searches.fetch_add(1, Relaxed) as u64;
        let fraction = turn.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        ((u128::from(fraction) * count as u128) >> 64) as usize
    }
}
