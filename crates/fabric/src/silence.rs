//! For how long nothing has happened, though something is waited for, and what that means.

use crate::links::Links;
use std::time::{Duration, Instant};

/// The clock is read at one look in so many: most waits are over before the first...
const LOOKS_PER_READING: u32 = 64;
/// ...unless they take so long, as where many share a core.
const SLOW: Duration = Duration::from_millis(50);
/// From so long on it is worth to look for reasons...
const LONG: Duration = Duration::from_secs(1);
/// ...so often.
const PAUSE: Duration = Duration::from_millis(250);
/// Who has not looked for so long cannot have heard: the program did something else, or the process was stopped.
const AWAY: Duration = Duration::from_secs(1);

/// See above.
#[derive(Debug, Default)]
pub struct Silence {
    looks: u32,
    slow: bool,
    since: Option<Instant>,
    last: Option<Instant>,
    next: Option<Instant>,
}

/// What a look has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Quiet {
    /// Nothing to speak of.
    Short,
    /// It lasts long enough to be asked for reasons, here and now.
    Long,
    /// Nothing will come any more: why.
    Lost(String),
}

impl Silence {
    /// Something has happened, or nothing is waited for.
    #[inline]
    pub fn end(&mut self) {
        *self = Silence::default();
    }

    /// One more look has found nothing. Lost is who gives no sign of life for longer than `limit`, if there is one, and who would
    /// have to give it by interfaces of which none works.
    #[inline]
    pub fn look(&mut self, limit: Option<Duration>, links: &Links) -> Quiet {
        self.looks += 1;
        if self.looks < LOOKS_PER_READING && !self.slow { Quiet::Short } else { self.read(limit, links) }
    }

    #[cold]
    fn read(&mut self, limit: Option<Duration>, links: &Links) -> Quiet {
        self.looks = 0;
        let now = Instant::now();
        let pause = self.last.replace(now).map_or(Duration::ZERO, |last| now - last);
        self.slow = pause > SLOW;
        if pause > AWAY {
            self.since = None;
        }
        let lasts = now - *self.since.get_or_insert(now);
        if let Some(limit) = limit.filter(|limit| lasts > *limit) {
            return Quiet::Lost(format!("there was no sign of life for {} s", limit.as_secs_f32()));
        }
        if lasts < LONG || self.next.is_some_and(|next| now < next) {
            return Quiet::Short;
        }
        self.next = Some(now + PAUSE);
        links.fault().map_or(Quiet::Long, Quiet::Lost)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looks(silence: &mut Silence, limit: Duration) -> Vec<Quiet> {
        let mut found: Vec<Quiet> =
            (0..2 * LOOKS_PER_READING).map(|_| silence.look(Some(limit), &Links::none())).collect();
        found.dedup();
        found
    }

    #[test]
    fn it_lasts_until_something_happens() {
        let mut silence = Silence::default();
        let (hour, moment) = (Duration::from_secs(3600), Duration::from_millis(1));
        assert_eq!(looks(&mut silence, hour), [Quiet::Short]);
        std::thread::sleep(Duration::from_millis(2));
        assert!(matches!(&looks(&mut silence, moment)[..], [Quiet::Short, Quiet::Lost(_), ..]));
        silence.end();
        assert_eq!(looks(&mut silence, hour), [Quiet::Short]);
    }

    /// Look for so long, and as often as somebody who waits.
    fn wait(silence: &mut Silence, long: Duration, limit: Duration) -> Vec<Quiet> {
        let start = Instant::now();
        let mut found = Vec::new();
        while start.elapsed() < long {
            found.extend(looks(silence, limit));
            std::thread::sleep(Duration::from_millis(10));
        }
        found
    }

    #[test]
    fn a_long_one_is_told_now_and_then() {
        let mut silence = Silence::default();
        let hour = Duration::from_secs(3600);
        assert!(wait(&mut silence, LONG + PAUSE, hour).contains(&Quiet::Long));
        while !looks(&mut silence, hour).contains(&Quiet::Long) {}
        assert_eq!(looks(&mut silence, hour), [Quiet::Short], "not at once again");
    }

    #[test]
    fn who_looks_slowly_still_listens() {
        let mut silence = Silence::default();
        looks(&mut silence, LONG);
        let start = Instant::now();
        while silence.look(Some(LONG), &Links::none()) != Quiet::Lost("there was no sign of life for 1 s".to_owned()) {
            assert!(start.elapsed() < 30 * LONG);
            std::thread::sleep(SLOW + Duration::from_millis(5));
        }
    }

    #[test]
    fn who_was_away_has_not_listened() {
        let mut silence = Silence::default();
        looks(&mut silence, AWAY);
        std::thread::sleep(AWAY + Duration::from_millis(100));
        assert_eq!(looks(&mut silence, AWAY), [Quiet::Short]);
    }
}
