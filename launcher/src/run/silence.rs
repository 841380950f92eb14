//! Judges the silence of the other side of an agent's link: at first that side is *late*, much later it is *lost*.
//!
//! A host that is busy, or whose processes are stopped for a while, is late, and its job goes on. A host that is gone usually closes the
//! link, which is noticed at once. Pure: the caller has the clock.

use tokio::time::{Duration, Instant};

/// The state of one link.
#[derive(Debug)]
pub struct Silence {
    late: Duration,
    lost: Duration,
    /// Time between a limit and the second look: if this process was suspended, messages may wait to be read.
    pause: Duration,
    told: bool,
    recheck_at: Option<Instant>,
}

/// The state of a silence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finding {
    /// No limit has passed.
    Wait,
    /// The other side is late, and the user must be told, once.
    Late,
    /// The other side counts as lost.
    Lost,
}

impl Silence {
    /// A silence of `late` is reported once. After a silence of `lost` the other side is lost.
    pub fn new(late: Duration, lost: Duration, pause: Duration) -> Self {
        Silence { late, lost, pause, told: late >= lost, recheck_at: None }
    }

    fn limit(&self) -> Duration {
        if self.told { self.lost } else { self.late }
    }

    /// When to look next, if the other side was last heard at `heard_at`.
    pub fn next(&self, heard_at: Instant) -> Instant {
        let limit_at = heard_at + self.limit();
        self.recheck_at.map_or(limit_at, |until| until.max(limit_at))
    }

    /// Judge the silence of a side that was last heard at `heard_at`.
    pub fn look(&mut self, now: Instant, heard_at: Instant) -> Finding {
        if now < self.next(heard_at) {
            return Finding::Wait;
        }
        if self.recheck_at.is_none_or(|at| at < heard_at + self.limit()) {
            self.recheck_at = Some(now + self.pause);
            return Finding::Wait;
        }
        if std::mem::replace(&mut self.told, true) { Finding::Lost } else { Finding::Late }
    }

    /// Whether the other side will be late at `then`, unless it sends something. If so, that counts as reported.
    pub fn told_ahead(&mut self, then: Instant, heard_at: Instant) -> bool {
        let late = !self.told && then >= heard_at + self.late;
        self.told |= late;
        late
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(heard: impl Fn(u64) -> u64, look_at: &[u64]) -> Vec<(u64, Finding)> {
        let start = Instant::now();
        let at = |tenths: u64| start + Duration::from_millis(100 * tenths);
        let mut silence = Silence::new(Duration::from_secs(5), Duration::from_secs(60), Duration::from_millis(500));
        let each = |&tenths: &u64| (tenths, silence.look(at(tenths), at(heard(tenths))));
        look_at.iter().map(each).filter(|(_, finding)| *finding != Finding::Wait).collect()
    }

    #[test]
    fn silent_host_is_late_once_and_lost_later() {
        let every: Vec<u64> = (0..620).collect();
        assert_eq!(findings(|_| 0, &every)[..2], [(55, Finding::Late), (605, Finding::Lost)]);
        // A message after twenty seconds, and every twenty seconds.
        assert_eq!(findings(|now| now / 200 * 200, &every), [(55, Finding::Late)]);
        assert_eq!(findings(|now| now / 49 * 49, &every), []);
    }

    #[test]
    fn suspended_host_reads_its_messages_first() {
        assert_eq!(findings(|now| if now > 9000 { 9000 } else { 0 }, &[1, 9000, 9001, 9005, 9006]), []);
    }

    #[test]
    fn close_limits_report_no_lateness() {
        let (start, second) = (Instant::now(), Duration::from_secs(1));
        let mut silence = Silence::new(2 * second, second, second / 10);
        assert_eq!(silence.look(start + second, start), Finding::Wait);
        assert_eq!(silence.look(start + 2 * second, start), Finding::Lost);
        assert!(!silence.told_ahead(start + 9 * second, start));
    }

    #[test]
    fn early_report_is_not_repeated() {
        let (start, second) = (Instant::now(), Duration::from_secs(1));
        let mut silence = Silence::new(5 * second, 60 * second, second / 2);
        assert!(!silence.told_ahead(start + 4 * second, start));
        assert!(silence.told_ahead(start + 5 * second, start));
        assert_eq!(silence.next(start), start + 60 * second);
    }
}
