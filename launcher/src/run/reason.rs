//! Why a job is ended, and how.

use super::output::OutputLoss;
use ferrite_fabric::Pe;
use std::time::Duration;

/// From SIGTERM to SIGKILL after the death of a PE: the others may wait for it in vain.
const DEATH_GRACE: Duration = Duration::from_secs(1);
/// A shell's code for a program that was killed by SIGPIPE.
pub const UNREAD: u8 = 128 + libc::SIGPIPE as u8;

/// Why the job is ended.
pub struct Reason {
    /// What oshrun exits with.
    pub code: u8,
    /// The line for the user, unless empty.
    pub line: String,
    /// What PEs are told by.
    pub signal: i32,
    /// How long they may take then.
    pub grace: Duration,
    /// A PE that is not signalled, since it is ending by itself: it runs its exit handlers.
    pub spared: Option<Pe>,
}

impl Reason {
    /// Something has died.
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
