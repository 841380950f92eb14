//! Whether other threads compute on the cores that this PE shares.
//!
//! Among waiting PEs, a waiter does best to yield: the others look and yield in their turn, and the core comes back within microseconds.
//! Beside a computing thread the core comes back only after that thread's slice, since a fair scheduler counts a yield as a whole slice
//! (Linux since 6.6: 1.5 to 4 ms). Half a round trip of two PEs beside two computing threads, on two cores, took 1.3 ms by yields and 70 us
//! by naps (`oshbench crowded`): a thread that wakes, and has used little time, runs at once. But the barrier of four waiting PEs takes 50
//! us by naps and 2 by yields.
//!
//! A PE with a core of its own yields too, but seldom: no other thread is expected on its core. If there is one, it belongs to another job
//! or program. Two jobs that each claim the same cores spin while the other one's answer is waiting for the core.
//!
//! So yields are timed. After a yield that took as long as a slice, while the job's other PEs on the core waited, waiters nap instead of
//! yielding for a few times that long. Then one of them yields once more. If that took as long again, they nap for twice as long, up to
//! sixteen times the yield. So a neighbour that keeps computing costs each PE a sixteenth of the time, and the waiters soon notice when it
//! stops.
//!
//! The threads of a process share this knowledge through relaxed atomics. It is a guess at the future, so a lost update does no harm.

use core::time::Duration;
use std::{
    sync::{
        LazyLock,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Instant,
};

/// A yield to other PEs that took at least this long met a computing thread. Shorter than a slice.
const LONG_YIELD: Duration = Duration::from_micros(1_500);
/// Longest time that each waiting PE keeps the core before it yields in turn: its looks are rounds of system calls. With many PEs, a long
/// yield is at least this long for each of the others.
const TURN: Duration = Duration::from_micros(400);
/// The same limit on a core of one's own: longer than interrupts take, and than a return from the kernel to a thread that is alone.
const LONG_YIELD_OF_OWN: Duration = Duration::from_micros(100);
/// Upper bound of a slice, in ns. A longer yield had another cause: the process was stopped, or the machine slept.
const SLICE_MAX: u64 = 10_000_000;
/// After a slow yield, do not yield again for this many times its duration: initial and maximum factor.
const RESPITE: (u64, u64) = (4, 16);

static CONTENTION: Contention = Contention::none();
static START: LazyLock<Instant> = LazyLock::new(Instant::now);

/// Knowledge of computing threads on this process's cores. Times are nanoseconds since [`START`].
struct Contention {
    /// Waiters nap until this time; 0 if no yield was long recently.
    until: AtomicU64,
    /// Duration of the naps after the last long yield. Reset when yields have been short for that long after `until`.
    respite: AtomicU64,
}

/// Whether to sleep rather than yield.
pub(crate) fn is_contended() -> bool {
    CONTENTION.is_contended(|| nanos(START.elapsed()))
}

/// Yield to `others` other PEs, and learn from the time it took: a long yield counts only if these PEs all waited meanwhile.
pub(crate) fn learn_from(give_way: impl FnOnce(), others: u32, all_waited: impl FnOnce() -> bool) {
    let before = START.elapsed();
    give_way();
    let after = START.elapsed();
    let took = after.saturating_sub(before);
    CONTENTION.yielded(nanos(after), nanos(took), took >= too_long(others) && all_waited());
}

/// Shortest duration of a yield to `others` PEs that shows that another thread computes on the core.
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

    /// Record a yield that ended at `now` and lasted `took`. `too_long`: another thread computed.
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
        // As many as may come within a moment.
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
