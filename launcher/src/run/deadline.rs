//! `--timeout`: the time when the job is ended. Shortly before, its PEs are asked where they are in the program.

use std::time::Duration;
use tokio::time::Instant;

/// The exit code after a timeout, as in timeout(1).
pub const TIMED_OUT: u8 = 124;
/// How long PEs may take to report their place in the program: they read their debug information. At most `1 / PART` of the time limit.
const ROLL_CALL: Duration = Duration::from_secs(1);
const PART: u32 = 4;

/// The deadline of a job, if its time is limited.
#[derive(Debug)]
pub struct Deadline {
    end: Option<Instant>,
    roll_call: Option<Instant>,
}

impl Deadline {
    /// The deadline of a job that begins now.
    pub fn after(limit: Option<Duration>) -> Deadline {
        let end = limit.map(|limit| Instant::now() + limit);
        let roll_call = limit.map(|limit| Instant::now() + limit - ROLL_CALL.min(limit / PART));
        Deadline { end, roll_call }
    }

    /// The next time that something has to be done.
    pub fn next(&self) -> Option<Instant> {
        self.roll_call.or(self.end)
    }

    /// Whether PEs must report their place now. True once.
    pub fn calls_roll(&mut self, now: Instant) -> bool {
        self.roll_call.take_if(|when| *when <= now).is_some()
    }

    /// Whether the time is over.
    pub fn is_over(&self, now: Instant) -> bool {
        self.end.is_some_and(|end| end <= now)
    }

    /// The line for the user when the time is over. `living`: the number of PEs that still run, if known.
    pub fn line(living: Option<usize>) -> String {
        match living {
            Some(living) => format!("oshrun: ending the job: its --timeout has expired ({living} PEs still run)"),
            None => "oshrun: ending the job: its --timeout has expired".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_roll_is_called_once_before_the_end() {
        for (limit_ms, call_ms) in [(60_000, 59_000), (1_000, 750)] {
            let begin = Instant::now();
            let mut deadline = Deadline::after(Some(Duration::from_millis(limit_ms)));
            let at = |ms| begin + Duration::from_millis(ms);
            assert_eq!(deadline.next(), Some(at(call_ms)));
            assert!(!deadline.calls_roll(at(call_ms - 1)) && deadline.calls_roll(at(call_ms)));
            assert!(!deadline.calls_roll(at(call_ms + 1)));
            assert_eq!(deadline.next(), Some(at(limit_ms)));
            assert!(!deadline.is_over(at(limit_ms - 1)) && deadline.is_over(at(limit_ms)));
        }
        let mut never = Deadline::after(None);
        assert!(never.next().is_none() && !never.calls_roll(Instant::now()) && !never.is_over(Instant::now()));
    }
}
