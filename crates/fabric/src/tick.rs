//! How a service thread defers to a program that drives its transport by itself.

use rustix::thread::set_current_timer_slack;
use std::{
    num::NonZeroU64,
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

/// The looks of a program that serves its peers by itself: while the count grows, a service thread defers to it.
#[derive(Debug, Default)]
pub struct Visits(AtomicU64);

impl Visits {
    /// The program serves now, for the first time in so many looks of its own: the more there are, the more of its time it is here.
    /// Only that the count grows matters, and about how fast, so a few that threads lose to each other are no loss.
    #[inline]
    pub fn count(&self, looks: u32) {
        self.0.store(self.so_far().wrapping_add(looks.into()), Ordering::Relaxed);
    }

    /// The count.
    #[inline]
    pub fn so_far(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// How long the program may stay away before a service thread takes over, where it has not been here long; and how long a
/// serving thread sleeps that has something under way.
pub const TICK: Duration = Duration::from_micros(500);
/// The same where it keeps coming back. So long, at most, a peer waits that speaks to a program which has just gone away, or comes
/// but now and then; and what the program posted before it went.
const LONG_TICK: Duration = Duration::from_millis(2);
/// And where it does not go away at all, as far as its visits tell...
const DENSE_TICK: Duration = Duration::from_millis(3);
/// ...and up to so much longer, so that the look can share an interrupt that the core gets anyway: the scheduler's, which come every
/// 4 ms or more often to a busy core of most systems. An interrupt of its own was half of what a look cost the program.
const DENSE_SLACK: NonZeroU64 = NonZeroU64::new(3_000_000).unwrap();
/// They tell so where there is one in so long, or more.
const DENSE: Duration = Duration::from_micros(3);

/// What came of a service thread's attempt to rest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rest {
    /// The next event shows at what it sleeps on.
    Armed,
    /// It may not, though there is nothing to do: somebody has to look again.
    Uneasy,
    /// There is something to do.
    Busy,
}

/// Until the program stays away for a tick, or `stops` says so; gives the count of its visits, which was `seen`.
///
/// Each look costs the program's core a wake-up: some microseconds, tens on a virtual machine, where one look in 2 ms was 2 % of the
/// gets over a fabric on loopback. So a program that stays is looked at less and less often. But the first visit in a tick
/// is as good as many: one that computes, and is here for a moment in each tick, serves its peers in those moments alone.
/// So the longest ticks are for a program that was here all the time.
pub fn defer(
    mut seen: u64,
    mut sleep: impl FnMut(Duration),
    visits: impl Fn() -> u64,
    stops: impl Fn() -> bool,
) -> u64 {
    let mut tick = TICK;
    let mut slack = Slack::default();
    loop {
        let start = Instant::now();
        sleep(tick);
        let now = visits();
        if now == seen || stops() {
            return now;
        }
        // It may have been a longer one.
        let passed = start.elapsed().max(tick);
        let dense = u128::from(now.wrapping_sub(seen)) >= passed.as_nanos() / DENSE.as_nanos();
        seen = now;
        tick = (tick * 2).min(if dense { DENSE_TICK } else { LONG_TICK });
        slack.take(tick == DENSE_TICK);
    }
}

/// Whether this thread's sleeps, whatever they are for, may last longer than they were meant to, by [`DENSE_SLACK`]. Undone when this is
/// dropped.
#[derive(Default)]
struct Slack(bool);

impl Slack {
    fn take(&mut self, wanted: bool) {
        if self.0 != wanted {
            // A system that refuses it wakes the thread earlier.
            let _ = set_current_timer_slack(wanted.then_some(DENSE_SLACK));
            self.0 = wanted;
        }
    }
}

impl Drop for Slack {
    fn drop(&mut self) {
        self.take(false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// The ticks of a program that visits so often in each of them, then goes away.
    fn ticks(visits: &[u64]) -> Vec<Duration> {
        let (slept, count) = (Cell::new(Vec::new()), Cell::new(0));
        let sleep = |tick| {
            let mut all = slept.take();
            count.set(count.get() + visits.get(all.len()).unwrap_or(&0));
            all.push(tick);
            slept.set(all);
        };
        assert_eq!(defer(0, sleep, || count.get(), || false), visits.iter().sum());
        slept.take()
    }

    #[test]
    fn a_program_that_stays_is_looked_at_less_often() {
        for (visits, longest) in [(1, LONG_TICK), (100, LONG_TICK), (1_000_000, DENSE_TICK)] {
            let ticks = ticks(&[visits; 100]);
            assert_eq!(ticks.len(), 101);
            assert_eq!(ticks[0], TICK);
            assert!(ticks[1] > TICK);
            assert!(ticks.iter().all(|tick| *tick <= longest));
            assert_eq!(ticks.last(), Some(&longest));
        }
    }

    #[test]
    fn one_that_comes_now_and_then_is_looked_at_again() {
        let ticks = ticks(&[[1_000_000; 10], [1; 10]].concat());
        assert_eq!(ticks[10], DENSE_TICK);
        assert!(ticks[11..].iter().all(|tick| *tick == LONG_TICK), "{ticks:?}");
    }

    #[test]
    fn only_the_longest_ticks_may_last_longer() {
        let slack = || rustix::thread::current_timer_slack().unwrap();
        let (usual, count) = (slack(), Cell::new(0));
        if set_current_timer_slack(Some(DENSE_SLACK)).is_err() || slack() != DENSE_SLACK.get() {
            return println!("skipped: the system does not let a thread choose its timers' slack");
        }
        set_current_timer_slack(None).unwrap();
        let mut visits = [[1_000_000; 10], [1; 10], [1_000_000; 10]].into_iter().flatten();
        let sleep = |tick| {
            assert_eq!(slack(), if tick == DENSE_TICK { DENSE_SLACK.get() } else { usual });
            count.set(count.get() + visits.next().unwrap_or(0));
        };
        defer(0, sleep, || count.get(), || false);
        assert_eq!(slack(), usual);
    }

    #[test]
    fn one_that_is_away_is_looked_at_once() {
        assert_eq!(ticks(&[]), [TICK]);
    }

    #[test]
    fn who_stops_need_not_wait() {
        let visits = Cell::new(0);
        let sleep = |_| visits.set(visits.get() + 1);
        assert_eq!(defer(0, sleep, || visits.get(), || visits.get() == 3), 3);
    }
}
