//! The thread that serves the target side while the program computes.
//!
//! # Why a plain thread over epoll, and no executor
//!
//! The same sockets are driven by two parties: by the program whenever it is inside the library, because a
//! switch of threads costs several times a message, and by this thread otherwise. An executor keeps its own idea
//! of which sockets are ready, and loses it when somebody else reads them. Level-triggered epoll has no such
//! state: both parties ask the kernel, and whoever comes first finds the bytes.
//!
//! # Who serves when
//!
//! `Shared::visits` counts the program's calls of `Lane::progress`. This thread is in one of three states:
//!
//! - **deferring**: the program was here within the last tick. The thread watches the door (newcomers, the bell)
//!   and nothing else, and looks at the count every tick. So a message wakes nobody but the program.
//! - **serving**: the count stood still for a tick. The thread sleeps on the guests as well and serves them as
//!   they speak. When it is woken and finds that the count has moved, it defers again.
//! - **parked**: serving, and no link has anything to send or to hear. It sleeps without a limit, so an idle job
//!   costs nothing. Otherwise it wakes every tick and moves what the program left behind.
//!
//! A peer's operation waits at most a tick for the change from deferring to serving.
//!
//! # Parking without losing a wake-up
//!
//! The thread stores `parked`, then asks each link, under the link's mutex, whether it is quiet. A lane posts under
//! the same mutex, then loads `parked`. Whichever of the two took the mutex last sees what the other did before: either
//! the thread sees the posted bytes, or the lane sees `parked` and rings the bell. A link that was made after
//! the list was copied has its first post after `parked` was stored, by the list's own mutex.

use crate::{door::Door, shared::Shared};
use ferrite_fabric::Result;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::{
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

/// How long the program may stay away before the thread takes over, and how long posted bytes may lie.
const TICK: Duration = Duration::from_micros(500);

/// The thread's life: until [`Shared::stopping`].
pub fn run(shared: &Shared) -> Result<()> {
    crate::sys::block_signals();
    let mut door = Door::new(&shared.ears.listeners, &shared.bell)?;
    let mut seen = shared.visits.load(Ordering::Relaxed);
    while !shared.stopping.load(Ordering::Acquire) {
        seen = defer(shared, &mut door, seen);
        seen = serve(shared, &mut door, seen);
    }
    Ok(())
}

/// Until the program stays away; gives the count of its visits.
fn defer(shared: &Shared, door: &mut Door<'_>, mut seen: u64) -> u64 {
    loop {
        sleep(door, None, Some(TICK));
        look_after(shared, door);
        let now = shared.visits.load(Ordering::Relaxed);
        if now == seen || shared.stopping.load(Ordering::Acquire) {
            return now;
        }
        seen = now;
    }
}

/// Until the program comes back; gives the count of its visits.
fn serve(shared: &Shared, door: &mut Door<'_>, seen: u64) -> u64 {
    loop {
        shared.serve();
        move_links(shared);
        shared.parked.store(true, Ordering::Release);
        let quiet = shared.links().iter().all(|link| link.is_quiet());
        shared.parked.store(quiet, Ordering::Release);
        // The bell that came with it may have been heard already.
        if shared.stopping.load(Ordering::Acquire) {
            return seen;
        }
        let limit = if quiet { None } else { Some(TICK) };
        sleep(door, Some(shared), limit);
        shared.parked.store(false, Ordering::Release);
        look_after(shared, door);
        let now = shared.visits.load(Ordering::Relaxed);
        if now != seen || shared.stopping.load(Ordering::Acquire) {
            return now;
        }
    }
}

fn look_after(shared: &Shared, door: &mut Door<'_>) {
    door.serve(&shared.options, |socket, from| {
        if let Err(error) = shared.guests.add(socket, from) {
            shared.fail(&error);
        }
    });
    shared.links().iter().filter(|link| link.is_waiting()).for_each(|link| {
        if let Err(error) = link.progress() {
            shared.fail(&error);
        }
    });
}

fn move_links(shared: &Shared) {
    for link in shared.links().iter().filter(|link| !link.is_idle()) {
        if let Err(error) = link.progress() {
            shared.fail(&error);
        }
    }
}

/// Sleep until somebody is at the door, a guest of `shared` speaks, or `limit` has passed.
fn sleep(door: &Door<'_>, shared: Option<&Shared>, limit: Option<Duration>) {
    let until = door.deadline().map(|at| at.saturating_duration_since(Instant::now()));
    let limit = match (limit, until) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    };
    let limit = limit.map(|l| Timespec { tv_sec: l.as_secs() as i64, tv_nsec: l.subsec_nanos().into() });
    let door = PollFd::from_borrowed_fd(door.ready(), PollFlags::IN);
    // An interrupted sleep is a short one.
    let _ = match shared {
        Some(shared) => {
            let guests = PollFd::from_borrowed_fd(shared.guests.ready(), PollFlags::IN);
            poll(&mut [door, guests], limit.as_ref())
        }
        None => poll(&mut [door], limit.as_ref()),
    };
}
