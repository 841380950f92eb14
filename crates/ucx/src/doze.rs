//! How a thread of the program sleeps that waits for a peer: on the descriptors that the service thread sleeps on while the program
//! is away (`service`), armed in the same way.

use crate::shared::Shared;
use ferrite_fabric::{Doze, Result, tick::Rest};
use std::{os::fd::AsFd, sync::atomic::Ordering, time::Duration};

/// Most of UCX's devices refuse to be armed for once after each event, while they take note of it.
const ATTEMPTS: usize = 3;

/// Sleep until a peer speaks, or `limit` has passed; not while UCX has something for a peer that does not take it.
pub fn doze(shared: &Shared, limit: Duration) -> Result<Doze> {
    // The program is here: what the service thread took from it would wake nobody.
    shared.visits.count(1);
    let mut awaited = Vec::new();
    match insist(|| shared.target.rest())? {
        Rest::Armed => awaited.extend(shared.target.events()),
        rest => {
            shared.bell.rouse();
            return Ok(Doze::without(rest));
        }
    }
    for lane in shared.lanes.all() {
        let mut stream = lane.lock();
        let Some(stream) = stream.as_mut().filter(|_| lane.busy.load(Ordering::Relaxed)) else { continue };
        // What is still readable there from before would end each sleep.
        if stream.is_at_rest() {
            continue;
        }
        match insist(|| stream.worker.rest())? {
            Rest::Armed => awaited.extend(stream.worker.events()),
            rest => return Ok(Doze::without(rest)),
        }
    }
    Ok(Doze::on(awaited.iter().map(AsFd::as_fd), limit))
}

fn insist(mut rest: impl FnMut() -> Result<Rest>) -> Result<Rest> {
    for _ in 1..ATTEMPTS {
        let rest = rest()?;
        if rest != Rest::Uneasy {
            return Ok(rest);
        }
    }
    rest()
}
