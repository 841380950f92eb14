//! Whether other threads compute on the cores that this PE shares.
//!
//! A PE that waits among PEs that wait does best to yield: the others look, yield in their turn, and the core comes back within
//! microseconds. Beside a thread that computes the core comes back after that thread's slice, since a fair scheduler counts a
//! yield as a whole slice (Linux since 6.6: 1.5 to 4 ms). Half a round trip of two PEs beside two threads that compute, on two cores,
//! took 1.3 ms by yields and 70 us by naps (`oshbench crowded`): a thread that wakes, and has used little time, runs at once. But the
//! barrier of four PEs that all wait takes 50 us by naps and 2 by yields.
//!
//! A PE with a core of its own yields too, though seldom: nobody should be there, and what is there is another job, or a program
//! beside it. Two jobs that each take the same cores for their own spin where the other's answer is computed.
//!
//! So yields are timed. After a yield that took as long as a slice, in which the job's other PEs on the core waited, waiters nap instead of yielding for a few times as long. Then one
//! of them yields once more, and if that took as long again, they nap for twice as long, up to sixteen times. So a neighbour that
//! computes on costs each PE a sixteenth of the time, and the end of one that stops is noticed soon.
//!
//! The threads of a process share this knowledge, by relaxed atomics. It is a guess at the future, so an update that is lost does no
//! harm.

use core::time::Duration;
use std::{
    sync::{
        LazyLock,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Instant,
};

/// Shorter than a slice...
const LONG_YIELD: Duration = Duration::from_micros(1_500);
/// ...and longer than PEs that wait keep the core together, so long each: their looks are rounds of system calls.
const TURN: Duration = Duration::from_micros(400);
/// Of a core that is one's own: longer than interrupts take, and a return from the kernel to who is alone.
const LONG_YIELD_OF_OWN: Duration = Duration::from_micros(100);
/// Whatever took longer was something else: this process was stopped, or the machine slept.
const SLICE_MAX: u64 = 10_000_000;
/// For so many times a yield's time nobody yields after it; at first, and at most.
const RESPITE: (u64, u64) = (4, 16);

/// Of this process.
static CONTENTION: Contention = Contention::none();
static START: LazyLock<Instant> = LazyLock::new(Instant::now);

/// See above. Times are nanoseconds since some start.
struct Contention {
    /// Until then they count as here; 0 if there were none for long.
    until: AtomicU64,
    /// For so long after the last yield that was long. It is forgotten when yields have been short for as long again.
    respite: AtomicU64,
}

/// Whether to sleep is better than to yield.
pub(crate) fn is_contended() -> bool {
    CONTENTION.is_contended(|| nanos(START.elapsed()))
}

/// Yield to `others` PEs, and learn from it: a long yield counts only if they all waited meanwhile. Returns true if it was long.
pub(crate) fn learn_from(give_way: impl FnOnce(), others: u32, all_waited: impl FnOnce() -> bool) -> bool {
    let before = START.elapsed();
    give_way();
    let after = START.elapsed();
    let took = after.saturating_sub(before);
    let was_long = took >= too_long(others);
    CONTENTION.yielded(nanos(after), nanos(took), was_long && all_waited());
    was_long
}

/// How long a yield to so many others takes at least if somebody else computes on the core.
fn too_long(others: u32) -> Duration {
    if others == 0 { LONG_YIELD_OF_OWN } else { LONG_YIELD.max(others * TURN) }
}

fn nanos(time: Duration) -> u64 {
    time.as_nanos() as u64
}

impl Contention {
    const fn none() -> Self {
        Contention { until: AtomicU64::new(0), respite: AtomicU64::new(0) }
    }

    fn is_contended(&self, now: impl FnOnce() -> u64) -> bool {
        let until = self.until.load(Relaxed);
        until > 0 && now() < until
    }

    /// A yield has come to its end `now`, and took so long; which was too long, or not.
    fn yielded(&self, now: u64, took: u64, too_long: bool) {
        let respite = self.respite.load(Relaxed);
        if too_long {
            let took = took.min(SLICE_MAX);
            let respite = (2 * respite).clamp(RESPITE.0 * took, RESPITE.1 * took);
            self.respite.store(respite, Relaxed);
            self.until.store(now + respite, Relaxed);
        } else if respite > 0 && now > self.until.load(Relaxed) + respite {
            self.respite.store(0, Relaxed);
            self.until.store(0, Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLICE: u64 = 3_000_000;

    #[test]
    fn who_lost_a_slice_sleeps_for_a_while() {
        let contention = Contention::none();
        assert!(!contention.is_contended(|| unreachable!("nobody needs the time")));
        contention.yielded(100, 2_000, false);
        assert!(!contention.is_contended(|| 200));
        contention.yielded(10_000_000, SLICE, true);
        assert!(contention.is_contended(|| 10_000_001));
        assert!(contention.is_contended(|| 10_000_000 + 4 * SLICE - 1));
        assert!(!contention.is_contended(|| 10_000_000 + 4 * SLICE));
    }

    #[test]
    fn who_is_alone_notices_others_sooner() {
        let micros = [0, 1, 3, 4].map(|others| too_long(others).as_micros());
        assert_eq!(micros, [100, 1_500, 1_500, 1_600]);
    }

    #[test]
    fn who_loses_it_again_sleeps_longer_up_to_a_bound() {
        let (contention, mut now, mut slept) = (Contention::none(), 1, Vec::new());
        for _ in 0..5 {
            contention.yielded(now, SLICE, true);
            let until = contention.until.load(Relaxed);
            slept.push((until - now) / SLICE);
            now = until;
        }
        assert_eq!(slept, [4, 8, 16, 16, 16]);
    }

    #[test]
    fn short_yields_forget_it_when_they_have_lasted() {
        let contention = Contention::none();
        contention.yielded(0, SLICE, true);
        let end = contention.until.load(Relaxed);
        // As many as there may be in a moment.
        (0..1000).for_each(|now| contention.yielded(end + now, 500, false));
        contention.yielded(end + SLICE, SLICE, true);
        assert_eq!(contention.until.load(Relaxed), end + 9 * SLICE);
        contention.yielded(end + 18 * SLICE, 500, false);
        assert!(!contention.is_contended(|| unreachable!("nobody needs the time")));
        contention.yielded(end + 20 * SLICE, SLICE, true);
        assert_eq!(contention.until.load(Relaxed), end + 24 * SLICE);
    }

    #[test]
    fn a_process_that_was_stopped_does_not_sleep_for_as_long() {
        let contention = Contention::none();
        contention.yielded(1, 3_600_000_000_000, true);
        assert!(!contention.is_contended(|| 1_000_000_000));
    }
}
