//! How far the start of a job over several hosts has come: one line for a terminal, after a second, until the last host has started its
//! PEs. Pure: when, and what.

use std::time::Duration;
use tokio::time::Instant;

/// How long a start may take before the line is shown, and how often it is shown anew.
const EVERY: Duration = Duration::from_secs(1);

/// The hosts of a job that is being started.
pub struct StartProgress {
    hosts: u32,
    started: u32,
    due: Instant,
}

impl StartProgress {
    /// Of so many hosts.
    pub fn new(hosts: u32, now: Instant) -> Self {
        StartProgress { hosts, started: 0, due: now + EVERY }
    }

    /// One more host has started its PEs. Returns whether that was the last.
    pub fn count(&mut self) -> bool {
        self.started += 1;
        self.started == self.hosts
    }

    /// When [`StartProgress::line`] has something to say.
    pub fn due(&self) -> Instant {
        self.due
    }

    /// The line, if it is due.
    pub fn line(&mut self, now: Instant) -> Option<String> {
        if now < self.due {
            return None;
        }
        self.due = now + EVERY;
        Some(format!("oshrun: {} of {} hosts have started their PEs", self.started, self.hosts))
    }
}
