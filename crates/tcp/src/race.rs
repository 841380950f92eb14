//! When a peer's addresses are tried, as a pure function of time (after RFC 8305, "Happy Eyeballs").
//!
//! They begin in their order, each when all that were begun before have failed or had a head start. A network may swallow everything;
//! where a kernel answers, and nobody proves to be the peer, it may be busy, or anybody. So neither is waited for longer.

use std::time::{Duration, Instant};

/// How long things may take.
#[derive(Clone, Copy)]
pub struct Pace {
    /// The start of an address before the next begins.
    pub head_start: Duration,
    /// The longest that one address is tried, unless it answers as a PE does.
    pub try_max: Duration,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Connecting,
    Connected,
    /// Whether nobody answered, and others had a reason to begin.
    Over {
        silent: bool,
    },
}

struct Runner {
    since: Instant,
    stage: Stage,
}

impl Runner {
    fn is_running(&self) -> bool {
        !matches!(self.stage, Stage::Over { .. })
    }

    /// A kernel that answers says that the network leads there, however slow the peer is.
    fn is_silent(&self, pace: Pace, now: Instant) -> bool {
        match self.stage {
            Stage::Connecting => now >= self.since + pace.head_start,
            Stage::Connected => false,
            Stage::Over { silent } => silent,
        }
    }
}

/// One round over a peer's addresses, which are told apart by number.
pub struct Race {
    pace: Pace,
    ways: usize,
    runners: Vec<Runner>,
}

impl Race {
    /// So many addresses, none of them begun.
    pub fn new(ways: usize, pace: Pace) -> Self {
        Race { pace, ways, runners: Vec::new() }
    }

    fn running(&self) -> impl Iterator<Item = &Runner> {
        self.runners.iter().filter(|runner| runner.is_running())
    }

    /// The time of the next address; `None` if it has come, for nobody is ahead.
    fn next(&self) -> Option<Instant> {
        self.running().map(|runner| runner.since + self.pace.head_start).max()
    }

    /// Begin the next address, if there is one and its time has come.
    pub fn start(&mut self, now: Instant) -> Option<usize> {
        let way = self.runners.len();
        if way == self.ways || self.next().is_some_and(|at| now < at) {
            return None;
        }
        self.runners.push(Runner { since: now, stage: Stage::Connecting });
        Some(way)
    }

    /// Somebody's kernel has answered.
    pub fn connected(&mut self, way: usize) {
        self.runners[way].stage = Stage::Connected;
    }

    /// It has led to an error.
    pub fn failed(&mut self, way: usize, now: Instant) {
        let silent = self.runners[way].is_silent(self.pace, now);
        self.runners[way].stage = Stage::Over { silent };
    }

    /// One whose time is up, and which is over by this.
    pub fn expire(&mut self, now: Instant) -> Option<usize> {
        let is_late = |runner: &Runner| runner.is_running() && now >= runner.since + self.pace.try_max;
        let way = self.runners.iter().position(is_late)?;
        let silent = self.runners[way].stage == Stage::Connecting;
        self.runners[way].stage = Stage::Over { silent };
        Some(way)
    }

    /// When to look again though nothing happens.
    pub fn deadline(&self) -> Option<Instant> {
        let next = self.next().filter(|_| self.runners.len() < self.ways);
        self.running().map(|runner| runner.since + self.pace.try_max).chain(next).min()
    }

    /// Nothing is left to wait for.
    pub fn is_over(&self) -> bool {
        self.runners.len() == self.ways && self.running().next().is_none()
    }

    /// Where nobody has answered, in longer than the head start, when `won` did.
    pub fn silent(&self, won: usize, now: Instant) -> Vec<usize> {
        (0..self.runners.len()).filter(|&way| way != won && self.runners[way].is_silent(self.pace, now)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACE: Pace = Pace { head_start: Duration::from_millis(200), try_max: Duration::from_secs(2) };

    /// A race, and how many milliseconds after its beginning it is.
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
        fn expire(&mut self, ms: u64) -> Option<usize> {
            self.0.expire(self.at(ms))
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
        race.wakes(2000);
        assert_eq!((race.expire(1999), race.expire(2000), race.expire(2000)), (None, Some(0), None));
        assert_eq!((race.expire(2500), race.expire(2500)), (Some(1), Some(2)));
        assert!(race.0.is_over());
        assert_eq!(race.0.deadline(), None);
    }

    #[test]
    fn an_error_lets_the_next_begin_at_once_and_is_not_silence() {
        let mut race = Clock::new(2);
        assert_eq!(race.start(0), Some(0));
        race.fail(0, 1);
        assert!(!race.0.is_over());
        assert_eq!(race.start(1), Some(1));
        assert!(race.silent(1, 1000).is_empty());
        race.fail(1, 1000);
        assert!(race.0.is_over());
    }

    #[test]
    fn who_has_connected_and_says_nothing_is_overtaken_and_not_silent() {
        let mut race = Clock::new(2);
        assert_eq!(race.start(0), Some(0));
        race.0.connected(0);
        assert_eq!((race.start(199), race.start(200)), (None, Some(1)));
        assert!(race.silent(1, 201).is_empty(), "its kernel took a connection: the network leads there");
        assert_eq!((race.expire(1999), race.expire(2000)), (None, Some(0)));
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
