//! Reports that are due because something lasts: that no PE of a node has moved, or that one waits. These are no proofs: the time that has
//! passed proves nothing.

use crate::status::{Phase, Seen};
use core::time::Duration;
use std::time::Instant;

/// Number of looks at the processes within the limit.
const LOOKS: u32 = 16;

/// How long nothing has moved on this node.
#[derive(Default)]
pub struct Stillness {
    /// The PEs, each with the version of its wait or the time that it has computed.
    what: Vec<(u32, u64)>,
    since: Option<Instant>,
    looked: Option<Instant>,
    is_told: bool,
}

impl Stillness {
    /// Return true, once, if nothing has moved for `limit`. For a PE that sleeps now, given by its index in `seen`, `computed` returns a number
    /// that changes with the time that the PE has computed, and is never 0.
    pub fn lasts(
        &mut self,
        seen: &[Seen],
        computed: impl Fn(usize) -> Option<u64>,
        limit: Duration,
        now: Instant,
    ) -> bool {
        if self.looked.is_some_and(|looked| now - looked < limit / LOOKS) {
            return false;
        }
        let what: Option<Vec<(u32, u64)>> =
            seen.iter().enumerate().map(|(at, one)| Some((one.pe, activity(one, || computed(at))?))).collect();
        match what {
            Some(what) if what == self.what => {}
            what => *self = Stillness { what: what.unwrap_or_default(), ..Stillness::default() },
        }
        self.looked = Some(now);
        let since = *self.since.get_or_insert(now);
        let is_due = !self.what.is_empty() && now - since >= limit && !self.is_told;
        self.is_told |= is_due;
        is_due
    }

    /// Whether `lasts` has returned true, and nothing has moved since.
    pub fn holds(&self) -> bool {
        self.is_told
    }
}

/// The long waits that were reported.
#[derive(Default)]
pub struct LongWaits {
    /// PE, and when its wait began.
    told: Vec<(u32, u64)>,
}

impl LongWaits {
    /// A wait that is published again may have a slightly different beginning: the difference is less than this.
    const SAME_NS: u64 = 10_000_000;

    /// Return true if a wait has lasted for `limit` and was not reported yet. All such waits then count as reported.
    pub fn is_new(&mut self, seen: &[Seen], limit: Duration, now_ns: u64) -> bool {
        let begins = seen.iter().filter_map(|one| Some((one.pe, one.waiting.as_ref()?.since_ns)));
        let long: Vec<(u32, u64)> =
            begins.filter(|(_, since)| now_ns.saturating_sub(*since) >= limit.as_nanos() as u64).collect();
        let is_told = |(pe, since): &(u32, u64)| {
            self.told.iter().any(|(told, then)| told == pe && then.abs_diff(*since) < Self::SAME_NS)
        };
        let is_new = !long.iter().all(is_told);
        self.told = long;
        is_new
    }
}

/// A value that changes when a PE goes on; `None` if it computes now.
fn activity(one: &Seen, computed: impl FnOnce() -> Option<u64>) -> Option<u64> {
    match (&one.waiting, one.phase) {
        (Some(waiting), _) => Some(waiting.version),
        (None, Phase::Left) => Some(0),
        (None, _) => computed(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::{Class, Waiting};

    #[test]
    fn a_long_wait_is_told_once() {
        let seen = |since_ns| {
            let waiting = Waiting {
                version: 1,
                class: Class::Anyone,
                since_ns,
                name: "w".into(),
                absent: None,
                team: None,
                place: None,
            };
            [Seen { pe: 0, phase: Phase::Joined, looks: 0, waiting: Some(waiting) }]
        };
        let (s, limit) = (1_000_000_000, Duration::from_secs(3));
        let mut long = LongWaits::default();
        let mut is_new = |since, now| long.is_new(&seen(since), limit, now);
        assert!(!is_new(s, 2 * s) && is_new(s, 4 * s) && !is_new(s, 5 * s) && !is_new(s + 1, 6 * s));
        assert!(!is_new(6 * s, 7 * s) && is_new(6 * s, 9 * s));
        assert!(!is_new(u64::MAX, 9 * s));
    }

    #[test]
    fn stillness_is_told_once_and_anew_after_a_move() {
        let seen = |version| {
            let waiting = Waiting {
                version,
                class: Class::Anyone,
                since_ns: 0,
                name: "w".into(),
                absent: None,
                team: None,
                place: None,
            };
            [Seen { pe: 0, phase: Phase::Joined, looks: 0, waiting: Some(waiting) }]
        };
        let (begin, limit) = (Instant::now(), Duration::from_secs(30));
        let mut still = Stillness::default();
        let mut lasts = |version, s| still.lasts(&seen(version), |_| None, limit, begin + Duration::from_secs(s));
        assert!(!lasts(1, 0) && !lasts(1, 27) && lasts(1, 30) && !lasts(1, 33));
        assert!(!lasts(3, 35) && !lasts(3, 62) && lasts(3, 65));
        let computes = [Seen { waiting: None, ..seen(1)[0].clone() }];
        assert!(!Stillness::default().lasts(&computes, |_| None, Duration::ZERO, begin));
    }
}
