//! How a service thread defers to a program that drives its transport by itself.

use std::time::Duration;

/// How long the program may stay away before a service thread takes over, where it has not been here long; and how long a
/// serving thread sleeps that has something under way.
pub const TICK: Duration = Duration::from_micros(500);
/// The same where it has been here very long.
const LONG_TICK: Duration = Duration::from_millis(20);
/// In between a tick is this part of the time that the program has been here. Who speaks to a program that has just gone away
/// waits a tick at most, so those waits are no larger part of what the program spends on communication.
const PART: u32 = 16;

/// Until the program stays away for a tick, or `stops` says so; gives the count of its visits, which was `seen`.
///
/// Each look costs the program's core a wake-up: on a virtual machine, at one in 2 ms, 2 % of the gets over a fabric on
/// loopback. So a program that stays is looked at less and less often.
pub fn defer(
    mut seen: u64,
    mut sleep: impl FnMut(Duration),
    visits: impl Fn() -> u64,
    stops: impl Fn() -> bool,
) -> u64 {
    let (mut tick, mut here) = (TICK, Duration::ZERO);
    loop {
        sleep(tick);
        let now = visits();
        if now == seen || stops() {
            return now;
        }
        seen = now;
        here += tick;
        tick = (here / PART).clamp(TICK, LONG_TICK);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// The ticks of a program that stays for so many, then goes away.
    fn ticks(visits: usize) -> Vec<Duration> {
        let (slept, count) = (Cell::new(Vec::new()), Cell::new(0));
        let sleep = |tick| {
            let mut all = slept.take();
            all.push(tick);
            count.set(all.len().min(visits) as u64);
            slept.set(all);
        };
        assert_eq!(defer(0, sleep, || count.get(), || false), visits as u64);
        slept.take()
    }

    #[test]
    fn a_program_that_stays_is_looked_at_less_often() {
        let ticks = ticks(1000);
        assert_eq!(ticks.len(), 1001);
        assert_eq!(ticks[0], TICK);
        assert_eq!(ticks.last(), Some(&LONG_TICK));
        let mut here = Duration::ZERO;
        for tick in ticks {
            assert!(tick == TICK || TICK < tick && tick <= (here / PART).min(LONG_TICK), "{tick:?} after {here:?}");
            here += tick;
        }
    }

    #[test]
    fn one_that_is_away_is_looked_at_once() {
        assert_eq!(ticks(0), [TICK]);
    }

    #[test]
    fn who_stops_need_not_wait() {
        let visits = Cell::new(0);
        let sleep = |_| visits.set(visits.get() + 1);
        assert_eq!(defer(0, sleep, || visits.get(), || visits.get() == 3), 3);
    }
}
