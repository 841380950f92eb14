//! When a peer's addresses are tried, as a pure function of time (after RFC 8305, "Happy Eyeballs").
//!
//! Addresses start in their order, each when all addresses started before have failed or had their head start. An address that has failed
//! is tried again after a pause. An address that is slow is neither given up nor started anew, however slow it is: a network may swallow
//! every packet. If a kernel answers and no proof follows, the other end may be any process, but the other addresses are tried beside it.
//! And if the other end is the peer, which is busy, a second connection would only be one more that it has to serve before it reaches ours.

use std::time::{Duration, Instant};

/// Time limits of a race.
#[derive(Clone, Copy)]
pub struct Pace {
    /// From the start of an address until the next may start.
    pub head_start: Duration,
    /// From the failure of an address until it is tried again.
    pub pause: Duration,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Connecting,
    Connected,
    /// `silent`: no kernel had answered within the head start, so other addresses had a reason to start.
    Failed {
        silent: bool,
        at: Instant,
    },
}

struct Runner {
    since: Instant,
    stage: Stage,
}

impl Runner {
    fn begin(now: Instant) -> Self {
        Runner { since: now, stage: Stage::Connecting }
    }

    fn is_running(&self) -> bool {
        !matches!(self.stage, Stage::Failed { .. })
    }

    /// When the address may be tried again, if it has failed.
    fn again(&self, pace: Pace) -> Option<Instant> {
        match self.stage {
            Stage::Failed { at, .. } => Some(at + pace.pause),
            Stage::Connecting | Stage::Connected => None,
        }
    }

    /// Whether no kernel has answered within the head start. An answer from a kernel shows that the network leads there, however slow the
    /// peer is.
    fn is_silent(&self, pace: Pace, now: Instant) -> bool {
        match self.stage {
            Stage::Connecting => now >= self.since + pace.head_start,
            Stage::Connected => false,
            Stage::Failed { silent, .. } => silent,
        }
    }
}

/// The race between a peer's addresses, which are identified by number.
pub struct Race {
    pace: Pace,
    ways: usize,
    runners: Vec<Runner>,
}

impl Race {
    /// A race between `ways` addresses, before the first attempt.
    pub fn new(ways: usize, pace: Pace) -> Self {
        Race { pace, ways, runners: Vec::new() }
    }

    /// When the next address may start; `None` if no address is running, so that it may start now.
    fn next(&self) -> Option<Instant> {
        let running = self.runners.iter().filter(|runner| runner.is_running());
        running.map(|runner| runner.since + self.pace.head_start).max()
    }

    /// Start an address whose time has come: the next, or, if all have been started, one that has failed.
    pub fn start(&mut self, now: Instant) -> Option<usize> {
        let way = self.runners.len();
        if way < self.ways {
            let is_time = self.next().is_none_or(|at| now >= at);
            return is_time.then(|| {
                self.runners.push(Runner::begin(now));
                way
            });
        }
        let is_time = |runner: &Runner| runner.again(self.pace).is_some_and(|at| now >= at);
        let way = self.runners.iter().position(is_time)?;
        self.runners[way] = Runner::begin(now);
        Some(way)
    }

    /// A kernel has answered at this address.
    pub fn connected(&mut self, way: usize) {
        self.runners[way].stage = Stage::Connected;
    }

    /// The attempt at this address has failed.
    pub fn failed(&mut self, way: usize, now: Instant) {
        let silent = self.runners[way].is_silent(self.pace, now);
        self.runners[way].stage = Stage::Failed { silent, at: now };
    }

    /// When to call [`Race::start`] again even if nothing happens.
    pub fn deadline(&self) -> Option<Instant> {
        if self.runners.len() < self.ways {
            self.next()
        } else {
            self.runners.iter().filter_map(|runner| runner.again(self.pace)).min()
        }
    }

    /// Addresses at which no kernel had answered within the head start when `won` succeeded.
    pub fn silent(&self, won: usize, now: Instant) -> Vec<usize> {
        (0..self.runners.len()).filter(|&way| way != won && self.runners[way].is_silent(self.pace, now)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACE: Pace = Pace { head_start: Duration::from_millis(200), pause: Duration::from_millis(20) };

    /// A race and the time of its beginning. The methods take milliseconds since then.
    struct Clock(Race, Instant);

    impl Clock {
        fn new(ways: usize) -> Self {
            Clock(Race::new(ways, PACE), Instant::now())
        }
        fn at(&self, ms: u64) -> Instant {
            self.1 + Duration::from_millis(ms)
        }
        fn start(&mut self, ms: u64) -> Option<usize> {
            self.0.start(self.at(ms))
        }
        fn fail(&mut self, way: usize, ms: u64) {
            self.0.failed(way, self.at(ms));
        }
        fn silent(&self, won: usize, ms: u64) -> Vec<usize> {
            self.0.silent(won, self.at(ms))
        }
        fn wakes(&self, ms: u64) {
            assert_eq!(self.0.deadline(), Some(self.at(ms)));
        }
    }

    #[test]
    fn the_next_begins_while_a_silent_one_is_still_tried() {
        let mut race = Clock::new(3);
        assert_eq!(race.start(0), Some(0));
        race.wakes(200);
        assert_eq!(race.start(199), None);
        assert_eq!((race.start(200), race.start(200)), (Some(1), None));
        race.wakes(400);
        assert_eq!((race.start(400), race.start(900)), (Some(2), None));
        assert_eq!(race.0.deadline(), None, "nothing is left to begin");
    }

    /// Dialling a busy peer anew every two seconds filled the peer's queue with connections that had been given up. The peer had more and
    /// more connections to serve, and reached none that was still wanted.
    #[test]
    fn who_is_slow_is_waited_for() {
        let mut race = Clock::new(2);
        assert_eq!((race.start(0), race.start(200)), (Some(0), Some(1)));
        race.0.connected(0);
        assert_eq!(race.start(60_000), None);
        assert_eq!(race.0.deadline(), None);
    }

    #[test]
    fn an_error_lets_the_next_begin_at_once_and_is_not_silence() {
        let mut race = Clock::new(2);
        assert_eq!(race.start(0), Some(0));
        race.fail(0, 1);
        assert_eq!(race.start(1), Some(1));
        assert!(race.silent(1, 1000).is_empty());
    }

    #[test]
    fn what_has_failed_is_tried_again_while_others_are_slow() {
        let mut race = Clock::new(3);
        assert_eq!(race.start(0), Some(0));
        race.fail(0, 1);
        // Each address is started once before any is tried again.
        assert_eq!((race.start(21), race.start(22)), (Some(1), None));
        race.0.connected(1);
        race.wakes(221);
        assert_eq!((race.start(221), race.start(221)), (Some(2), Some(0)));
        race.fail(0, 222);
        race.fail(2, 230);
        race.wakes(242);
        assert_eq!((race.start(241), race.start(242), race.start(242)), (None, Some(0), None));
        race.wakes(250);
        assert_eq!(race.start(250), Some(2));
    }

    #[test]
    fn who_has_connected_and_says_nothing_is_overtaken_and_not_silent() {
        let mut race = Clock::new(2);
        assert_eq!(race.start(0), Some(0));
        race.0.connected(0);
        assert_eq!((race.start(199), race.start(200)), (None, Some(1)));
        assert!(race.silent(1, 201).is_empty(), "its kernel took a connection: the network leads there");
    }

    #[test]
    fn silence_is_told_from_being_slow() {
        let mut race = Clock::new(4);
        assert_eq!((race.start(0), race.start(200), race.start(400)), (Some(0), Some(1), Some(2)));
        // The first never answers, the second does late, the third is unreachable at once.
        race.0.connected(1);
        race.fail(2, 401);
        assert_eq!(race.start(500), Some(3));
        assert_eq!(race.silent(1, 500), [0]);
        race.fail(0, 600);
        assert_eq!(race.silent(1, 600), [0], "a host that is found unreachable only then");
        assert!(race.silent(0, 600).is_empty());
    }
}
