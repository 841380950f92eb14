//! The reason for which a job is ended, and how it is ended.

use super::output::OutputLoss;
use ferrite_fabric::Pe;
use std::time::Duration;

/// Time from SIGTERM to SIGKILL after the death of a PE. It is short: the other PEs may wait for the dead one in vain.
const DEATH_GRACE: Duration = Duration::from_secs(1);
/// A shell's exit code for a program that was killed by SIGPIPE.
pub const UNREAD: u8 = 128 + libc::SIGPIPE as u8;

/// The reason for which the job is ended, and how.
pub struct Reason {
    /// oshrun's exit code.
    pub code: u8,
    /// The line for the user, unless empty.
    pub line: String,
    /// The signal that PEs get first.
    pub signal: i32,
    /// Time until SIGKILL follows.
    pub grace: Duration,
    /// A PE that is not signalled, since it is ending by itself: it runs its exit handlers.
    pub spared: Option<Pe>,
}

impl Reason {
    /// A PE or a host has died.
    pub fn death(code: u8, line: String) -> Self {
        Reason { code, line, signal: libc::SIGTERM, grace: DEATH_GRACE, spared: None }
    }
}

impl From<OutputLoss> for Reason {
    fn from(why: OutputLoss) -> Self {
        match why {
            OutputLoss::Unread => Reason::death(UNREAD, String::new()),
            OutputLoss::Failed(why) => Reason::death(1, format!("oshrun: {why}")),
        }
    }
}
