//! The thread that serves peers, and moves what was left under way, while the program computes.
//!
//! UCX's software transports do nothing by themselves: a put that nobody receives stays where it is. The program drives
//! the workers whenever it is inside the library, because a switch of threads costs several times a message; this thread
//! does so otherwise.
//!
//! # Who drives when
//!
//! `Shared::visits` counts the looks of the program, waiting or posting on a lane, whenever it serves its peers too. This thread is in
//! one of three states:
//!
//! - **deferring**: the program was here within the last tick ([`tick`]). The thread touches no worker and looks at the
//!   count every tick.
//! - **serving**: the count stood still for a tick. The thread makes progress, arms the workers, and sleeps on their
//!   descriptors. When it is woken and finds that the count has moved, it defers again.
//! - **parked**: serving, and no lane has anything under way. It sleeps on the target's descriptor and the bell alone,
//!   without a limit, so an idle job costs nothing.
//!
//! A peer's operation waits for the change from deferring to serving: for what is left of a tick, and another one.
//!
//! # No wake-up is lost
//!
//! UCX arms a worker only when nothing is left to do on it, under the worker's mutex, and from then on the first event makes
//! its descriptor readable. What came between the last look and the arming does not show with every device, so there is
//! one more look after it. Without a limit the thread sleeps only when armed.
//!
//! The program may handle that event before the thread is up and looks, which then sleeps on, though an answer is under way, or the
//! target is armed no more (a refusal takes note of the event, and the next does not show). So whoever of the program has served
//! something, or has found the target not at rest, loads `parked` after the target's mutex and rings the bell.
//!
//! A lane's posts: the thread stores `parked` (`Bell::park`), then asks the target, and each lane, under the lane's mutex, whether it is quiet. A lane
//! posts under the same mutex, then loads `parked`. Whichever of the two took the mutex last sees what the other did
//! before: either the thread sees the posted operation, or the lane sees `parked` and rings the bell. A lane that was
//! made after the list was copied has its first post after `parked` was stored, by the list's own mutex.

use crate::shared::Shared;
use ferrite_fabric::{
    Result, signals,
    tick::{self, Rest},
};
use std::{
    os::fd::{AsFd, OwnedFd},
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

/// The thread's life: until [`Shared::stopping`].
pub fn run(shared: &Shared) -> Result<()> {
    signals::leave_to_program();
    let mut seen = shared.visits.so_far();
    while !stops(shared) {
        seen = defer(shared, seen);
        seen = serve(shared, seen)?;
    }
    Ok(())
}

fn stops(shared: &Shared) -> bool {
    shared.stopping.load(Ordering::Acquire)
}

/// Until the program stays away; gives the count of its visits.
fn defer(shared: &Shared, seen: u64) -> u64 {
    tick::defer(seen, |tick| shared.bell.sleep([], Some(tick)), || shared.visits.so_far(), || stops(shared))
}

/// Until the program comes back; gives the count of its visits.
fn serve(shared: &Shared, seen: u64) -> Result<u64> {
    let mut awaited = Vec::new();
    loop {
        if stops(shared) {
            return Ok(seen);
        }
        shared.bell.park(true);
        let rest = shared.target.settle()?;
        awaited.clear();
        if rest == Rest::Armed {
            awaited.extend(shared.target.events());
        }
        let quiet = move_lanes(shared, &mut awaited)?;
        shared.bell.park(quiet);
        let limit = match rest {
            Rest::Armed if quiet => None,
            Rest::Armed | Rest::Uneasy => Some(tick::TICK),
            Rest::Busy => Some(Duration::ZERO),
        };
        shared.bell.sleep(awaited.iter().map(AsFd::as_fd), limit);
        shared.bell.park(false);
        shared.unpace();
        let now = shared.visits.so_far();
        if now != seen {
            return Ok(now);
        }
    }
}

/// Bring forward what lanes have under way; gives whether all of them are quiet.
fn move_lanes(shared: &Shared, awaited: &mut Vec<Arc<OwnedFd>>) -> Result<bool> {
    let mut quiet = true;
    let lanes = shared.lanes.all();
    for lane in lanes {
        let mut stream = lane.lock();
        let Some(stream) = stream.as_mut().filter(|_| lane.busy.load(Ordering::Relaxed)) else { continue };
        let mut rest = Rest::Busy;
        while !stream.is_quiet() && rest == Rest::Busy {
            rest = stream.worker.rest()?;
        }
        if let Some(error) = stream.failure() {
            shared.fate.fail(&error);
        }
        if stream.is_quiet() {
            lane.busy.store(false, Ordering::Relaxed);
            continue;
        }
        quiet = false;
        if rest == Rest::Armed {
            awaited.extend(stream.worker.events());
        }
    }
    Ok(quiet)
}
