//! When a lane that waits for its own operations also polls the service port, and the other lanes' ports.
//!
//! Such a poll may cost a system call, and the awaited event comes no sooner for it. Yet the peer that must cause the event may itself wait
//! for this PE. So these polls are rare, but never stop.

use crate::timing::{POLLS_PER_OTHERS, POLLS_PER_OWN, POLLS_PER_SERVICE};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// The polls of one lane. Threads that share the lane may lose a count to each other: this shifts a poll by one.
#[derive(Debug, Default)]
pub struct PollSchedule(AtomicU32);

impl PollSchedule {
    /// The number of this poll.
    #[inline]
    pub fn next(&self) -> u32 {
        let polls = self.0.load(Relaxed).wrapping_add(1);
        self.0.store(polls, Relaxed);
        polls
    }
}

/// Whether this poll also polls the service port, while the lane waits for its own operations.
#[inline]
pub fn is_for_service(poll: u32) -> bool {
    poll.is_multiple_of(POLLS_PER_SERVICE)
}

/// Whether this poll also polls the lane's own port, while the lane waits for peers.
#[inline]
pub fn is_for_own(poll: u32) -> bool {
    poll.is_multiple_of(POLLS_PER_OWN)
}

/// Whether this poll also polls the other lanes' ports.
#[inline]
pub fn is_for_others(poll: u32) -> bool {
    poll.is_multiple_of(POLLS_PER_OTHERS)
}
