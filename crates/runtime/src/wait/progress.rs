//! What a waiting PE does between its looks. The rooms that do it are above `wait`, so it has their contracts only.

use super::{Wait, WaitPublication, state::Awaited};
use core::time::Duration;

/// The operations that a PE has under way: over the fabric, as requests, and in aggregators.
pub(crate) trait Progress {
    /// Make progress.
    fn progress(&self);

    /// Make progress. If there was none, sleep in the transport for at most `limit`, or let others run.
    fn progress_or_doze(&self, wait: &mut Wait, limit: Duration);

    /// True if an operation is under way that may end another PE's wait.
    fn is_busy(&self) -> bool;

    /// True if peers need this PE's calls for their own operations, because no service thread serves them.
    fn serves_in_calls(&self) -> bool;
}

/// Reports about waits that last.
pub(crate) trait Diagnose {
    /// Diagnose a wait that goes on. The waiting PE calls this now and then, at no fixed times.
    fn diagnose(&self, wait: &mut Wait, awaited: Awaited<'_>);

    /// A wait has ended that was published.
    fn end_published_wait(&self, publication: &WaitPublication);
}
