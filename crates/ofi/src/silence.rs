//! For how long nothing has happened, though something is waited for.

use std::time::{Duration, Instant};

/// The clock is read at one look in so many: most waits are over before the first.
const LOOKS_PER_READING: u32 = 64;

/// See above.
#[derive(Debug, Default)]
pub struct Silence {
    looks: u32,
    since: Option<Instant>,
}

impl Silence {
    /// Something has happened, or nothing is waited for.
    #[inline]
    pub fn end(&mut self) {
        *self = Silence::default();
    }

    /// One more look has found nothing: whether it has lasted longer than this. Counts from one of the first looks on.
    #[inline]
    pub fn outlasts(&mut self, limit: Duration) -> bool {
        self.looks += 1;
        if self.looks < LOOKS_PER_READING {
            return false;
        }
        self.looks = 0;
        self.since.get_or_insert_with(Instant::now).elapsed() > limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_lasts_until_something_happens() {
        let mut silence = Silence::default();
        let outlasts = |silence: &mut Silence, limit| (0..2 * LOOKS_PER_READING).any(|_| silence.outlasts(limit));
        assert!(!outlasts(&mut silence, Duration::from_secs(3600)));
        std::thread::sleep(Duration::from_millis(2));
        assert!(outlasts(&mut silence, Duration::from_millis(1)));
        silence.end();
        assert!(!outlasts(&mut silence, Duration::from_secs(3600)));
    }
}
