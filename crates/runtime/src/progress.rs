//! Progress of the operations that a PE has under way: over the fabric, as requests, and in aggregators. `wait` calls it.

use crate::{
    far::Far,
    live::Live,
    wait::{Wait, progress::Progress},
};
use core::time::Duration;

impl Progress for Live {
    #[inline(always)]
    fn progress(&self) {
        self.progress_far();
        self.coll.requests.progress();
        self.progress_aggregators();
    }

    #[inline(always)]
    fn progress_or_doze(&self, wait: &mut Wait, limit: Duration) {
        // Messages that have just arrived may be the ones that the caller waits for.
        let mut happened = self.progress_far() + self.progress_aggregators();
        let idle = self.coll.requests.are_idle();
        if !idle {
            // Operations that a request has just posted are not sent yet.
            self.coll.requests.progress();
            happened += self.progress_far();
        }
        match happened {
            0 if idle => wait.dozed(self.doze_far(limit), &self.wait.mates),
            // Requests also wait for stores by peers of this node.
            0 => wait.rest(&self.wait.mates),
            _ => {}
        }
    }

    fn is_busy(&self) -> bool {
        let on_the_way = |far: &Far| !far.stream.rests() || !self.contexts.rest();
        !self.coll.requests.are_idle() || !self.agg.are_none() || self.far.as_ref().is_some_and(on_the_way)
    }

    #[inline]
    fn serves_in_calls(&self) -> bool {
        self.far.as_ref().is_some_and(|far| far.caps().needs_target_progress)
    }
}
