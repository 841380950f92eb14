//! How a started world waits, and the program's own looks.

use super::{
    Moment, Patience, Wait,
    mates::Mates,
    progress::{Diagnose, Progress},
    turns::Turns,
};
use crate::{Site, live::Live, teams::TeamState};
use core::fmt;
use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::Instant;

/// The text for the log.
impl fmt::Display for Patience {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Patience { spins, others, naps, carries } = *self;
        if spins == u32::MAX {
            return f.write_str("looks without a pause");
        }
        let sleep = if carries { "sleeps in the transport" } else { "naps" };
        write!(f, "{spins} looks, then yields")?;
        if naps {
            write!(f, " to {others} other PEs, then {sleep}")?;
        }
        write!(f, "; beside other programs {} looks, then {sleep}", self.spins(true))?;
        Ok(())
    }
}

/// How far a long wait has been published to other PEs (`diagnose`).
pub(crate) struct WaitPublication {
    pub began: Instant,
    pub looked: Instant,
    /// Version of the status, once it is published.
    pub version: Option<u64>,
    /// True if the PE has other operations under way: requests, aggregators.
    pub busy: bool,
}

/// How the PE waits, and the state of its looks.
pub(crate) struct WaitState {
    pub patience: Patience,
    /// The PEs on this PE's cores.
    pub mates: Mates,
    /// Number of looks that failed.
    failed: AtomicUsize,
    /// The last signal read and its value, mixed into one word.
    signal: AtomicU64,
    /// Number of searches by `wait_until_any` and its kin: each begins at another place.
    searches: AtomicUsize,
    /// The thread that lets others run while the program does not call the library.
    _turns: Option<Turns>,
}

impl WaitState {
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

/// The reason of a wait, as reported to other PEs.
#[derive(Clone, Copy)]
pub(crate) enum Awaited<'a> {
    /// The other members, in the last collective that this PE called on this team.
    Collective(&'a TeamState),
    /// The team's earlier requests, which must complete before the last collective that was called can begin.
    Entered,
    /// The condition of this routine.
    Routine(&'static Site),
    /// Data that a transport carries. No other PE need call anything of its own to end the wait.
    Carried,
    /// An internal condition of a routine that is not known here.
    Unnamed,
}

impl Live {
    /// Wait until `ready` returns a value. Make progress meanwhile.
    #[inline(always)]
    pub fn until<T>(&self, awaited: Awaited<'_>, ready: impl FnMut() -> Option<T>) -> T {
        let mut wait = self.wait.patience.begin();
        let value = wait.until(ready, |wait| self.pass(wait, awaited));
        if wait.is_long() {
            self.end_wait(&wait);
        }
        value
    }

    /// Report the end of a long wait.
    #[cold]
    pub fn end_wait(&self, wait: &Wait) {
        self.wait.mates.turn();
        if let Some(publication) = &wait.publication {
            self.end_published_wait(publication);
        }
    }

    /// Pass the time until a waiter's next look: make progress, let others run, or sleep.
    #[inline(always)]
    fn pass(&self, wait: &mut Wait, awaited: Awaited<'_>) {
        let moment = wait.look_again(&self.wait.mates);
        if wait.is_time_to_ask() {
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
                self.progress_or_doze(wait, limit);
            }
        }
    }

    /// Report that the program has looked for something that is not there yet. Make progress, and now and then let others run.
    pub fn failed_look(&self) {
        self.heed_end();
        self.progress();
        let failed = self.wait.failed.fetch_add(1, Relaxed) as u32;
        if self.wait.patience.failed_look(failed) {
            self.end_with_launcher();
            self.waits_in_vain();
        }
    }

    /// Report many looks in vain. If operations are held back, the program may be waiting for one of them.
    #[cold]
    #[inline(never)]
    fn waits_in_vain(&self) {
        if let Some(delays) = self.observers.delays() {
            delays.waits_in_vain();
        }
    }

    /// End this PE if its launcher has ended. A launcher that is killed takes its PEs along, but not those below a wrapper.
    #[cold]
    #[inline(never)]
    fn end_with_launcher(&self) {
        if self.boot.has_ended() {
            self.boot.end_the_rest();
            self.die(&format!("PE {}: {} has ended, and this job with it", self.me, self.boot.launcher()));
        }
    }

    /// Report that the program has looked for something that is there. It may go on until this is no longer so: if no service thread serves
    /// peers, make progress here.
    pub fn good_look(&self) {
        if self.serves_in_calls() {
            self.progress();
        }
    }

    /// Report that the program has read a signal. If it is the signal that was read before, and its value has not changed, this is a failed
    /// look. A program that does other work between its looks offers no other moment to make progress.
    pub fn saw_signal(&self, address: usize, value: u64) {
        // Threads that read different signals in turn each look like a first look to the other, which costs only time.
        let what = (address as u64).rotate_left(32) ^ value;
        if self.wait.signal.load(Relaxed) == what {
            self.failed_look();
        } else {
            self.wait.signal.store(what, Relaxed);
            self.good_look();
        }
    }

    /// Index at which to begin a search among `count` elements, another one each time. Consecutive indices would not do: a program that
    /// searches two arrays in turn would always begin in the same half of each. Multiples of the golden ratio are spread evenly in any such
    /// selection of them.
    pub fn place_to_begin(&self, count: usize) -> usize {
        let turn = self.wait.searches.fetch_add(1, Relaxed) as u64;
        let fraction = turn.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        ((u128::from(fraction) * count as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patience_is_logged_in_words() {
        let text = |patience: Patience| patience.to_string();
        assert_eq!(text(Patience::simulated()), "looks without a pause");
        assert_eq!(
            text(Patience::shared(3)),
            "8 looks, then yields to 3 other PEs, then naps; beside other programs 256 looks, then naps"
        );
        assert_eq!(
            text(Patience::dedicated().carrying()),
            "64 looks, then yields; beside other programs 64 looks, then sleeps in the transport"
        );
    }
}
