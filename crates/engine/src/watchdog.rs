//! How long a wait has gone on without an event, and the action to take.

use crate::{links::Links, timing};
use std::time::{Duration, Instant};

/// Watches one lane. It reads the clock when a wait begins, and then seldom.
#[derive(Debug, Default)]
pub struct Watchdog {
    polls: u32,
    slow: bool,
    since: Option<Instant>,
    last: Option<Instant>,
    /// Time of the last request for a sign of life.
    asked: Option<Instant>,
    /// Time since which a peer that can be rung owes something, and the number of rings since then.
    owed_since: Option<Instant>,
    rings: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// Nothing to do yet.
    Wait,
    /// Ring the peers that owe something.
    Ring,
    /// Ask them for a sign of life.
    Ask,
    /// Report the loss of the peer, with the reason.
    Lost(String),
}

impl Watchdog {
    /// Start anew, because something has happened or nothing is awaited.
    #[inline]
    pub fn reset(&mut self) {
        self.polls = 0;
        if self.since.is_some() {
            *self = Watchdog::default();
        }
    }

    /// No peer owes an answer, so there is no peer to ring. Restart the back-off.
    pub fn nobody_owes(&mut self) {
        (self.owed_since, self.rings) = (None, 0);
    }

    /// Record a poll that found nothing, while `bytes` are under way to peers that owe something. A peer counts as lost if it gives no sign
    /// of life for longer than `limit`, if there is a limit, or if none of `links` works any more.
    #[inline]
    pub fn look(&mut self, bytes: impl FnOnce() -> usize, limit: Option<Duration>, links: &Links) -> Finding {
        self.polls += 1;
        let is_due = self.since.is_none() || self.polls >= timing::POLLS_PER_READING || self.slow;
        if !is_due {
            return Finding::Wait;
        }
        self.read(Instant::now(), bytes(), limit, links)
    }

    #[cold]
    fn read(&mut self, now: Instant, bytes: usize, limit: Option<Duration>, links: &Links) -> Finding {
        self.polls = 0;
        let pause = self.last.replace(now).map_or(Duration::ZERO, |last| now - last);
        self.slow = pause > timing::SLOW_POLLS;
        if pause > timing::LONG_SILENCE {
            self.since = None;
            self.nobody_owes();
        }
        let silence = now - *self.since.get_or_insert(now);
        // A peer that was not asked before had no reason to send anything.
        if let Some(limit) = limit.filter(|limit| silence > (*limit).max(2 * timing::LONG_SILENCE)) {
            return Finding::Lost(format!("no sign of life for {} s", limit.as_secs_f32()));
        }
        if silence >= timing::LONG_SILENCE && self.asked.is_none_or(|asked| now - asked >= timing::PAUSE) {
            self.asked = Some(now);
            return links.fault().map_or(Finding::Ask, Finding::Lost);
        }
        let patience = timing::PATIENCE + timing::PATIENCE_PER_BYTE * u32::try_from(bytes).unwrap_or(u32::MAX);
        let owed = now - *self.owed_since.get_or_insert(now);
        if owed >= patience * (1 << self.rings.min(16)) {
            self.rings += 1;
            return Finding::Ring;
        }
        Finding::Wait
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Findings at these readings of the clock, if nothing happens.
    fn findings(millis: &[u64], bytes: usize, limit: Option<Duration>) -> Vec<Finding> {
        let (start, mut watchdog) = (Instant::now(), Watchdog::default());
        let mut read = |at: &u64| watchdog.read(start + Duration::from_millis(*at), bytes, limit, &Links::none());
        read(&0);
        millis.iter().map(read).collect()
    }

    #[test]
    fn a_peer_is_rung_again_after_twice_the_time() {
        let every: Vec<u64> = (1..900).collect();
        let rings = findings(&every, 0, None).iter().filter(|finding| **finding == Finding::Ring).count();
        assert!((5..=15).contains(&rings), "{rings} rings in 0.9 s");
    }

    #[test]
    fn waiter_after_a_long_idle_time_is_served_at_once() {
        let (start, mut watchdog) = (Instant::now(), Watchdog::default());
        for millis in 0..500 {
            let at = start + Duration::from_millis(millis);
            if watchdog.read(at, 0, None, &Links::none()) == Finding::Ring {
                watchdog.nobody_owes();
            }
        }
        let rung =
            |micros: u64| watchdog.read(start + Duration::from_micros(500_000 + micros), 0, None, &Links::none());
        assert!([0, 100, 200].map(rung).contains(&Finding::Ring));
    }

    #[test]
    fn a_large_transfer_is_given_time() {
        assert_eq!(findings(&[1], 0, None), [Finding::Ring]);
        assert_eq!(findings(&[1, 3, 5], 4 << 20, None), [Finding::Wait, Finding::Wait, Finding::Ring]);
    }

    #[test]
    fn silence_beyond_its_limit_is_a_loss() {
        let steps: Vec<u64> = (1..60).map(|step| step * 100).collect();
        let found = findings(&steps, 0, Some(Duration::from_secs(5)));
        let lost = found.iter().position(|finding| matches!(finding, Finding::Lost(_)));
        assert_eq!(lost, Some(50), "{found:?}");
        assert!(found.contains(&Finding::Ask), "peers are asked before");
    }

    #[test]
    fn absence_restarts_the_silence() {
        let found = findings(&[3_000, 3_001], 0, Some(Duration::from_secs(2)));
        assert!(found.iter().all(|finding| !matches!(finding, Finding::Lost(_))), "{found:?}");
    }

    #[test]
    fn any_event_ends_the_silence() {
        let mut watchdog = Watchdog::default();
        let start = Instant::now();
        let limit = Some(Duration::from_secs(1));
        for second in 0..10 {
            let found = watchdog.read(start + Duration::from_millis(900 * second), 0, limit, &Links::none());
            assert!(!matches!(found, Finding::Lost(_)));
            watchdog.reset();
        }
    }
}
