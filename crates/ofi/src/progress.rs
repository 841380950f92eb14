//! The thread that makes progress while the program computes. It runs where [`crate::plan`] says so.
//!
//! # Who makes progress when
//!
//! `Shared::visits` counts the looks of the program, waiting or posting on a lane, whenever it serves its peers too. The thread is in
//! one of three states:
//!
//! - **deferring**: the program was here within the last tick ([`tick`]). The thread looks at the count every tick and does
//!   nothing else, so it costs a program that communicates next to nothing.
//! - **serving**: the count stood still for a tick. The thread serves requests and moves what lanes have under way, until
//!   it finds that the count has moved. Between its rounds it sleeps: on the descriptor of the service's queue where
//!   the provider has one, for a tick at most; else for a [`NAP`].
//! - **parked**: serving, and no lane has anything under way. Where there is a descriptor it sleeps without a limit, so
//!   an idle job costs nothing; where there is none, it looks every `NAP`.
//!
//! # Parking without losing a wake-up
//!
//! The thread stores `parked` (`Bell::park`), then asks each lane, under the lane's mutex, whether it is idle. A lane posts under the
//! same mutex, then loads `parked`. Whichever of the two took the mutex last sees what the other did before: either
//! the thread sees what was posted, or the lane sees `parked` and rings the bell. A lane that was made after the list
//! was copied has its first post after `parked` was stored, by the list's own mutex.
//!
//! The service in the same way: the program may take what woke the thread before that is up and looks, and it then sleeps on, though a
//! reply is under way that only moves while somebody looks, or the provider refused to be waited for. So whoever of the
//! program has served something, or has found the service not at rest, loads `parked` after the service's mutex and rings the bell.

use crate::shared::Shared;
use ferrite_fabric::{
    Bell, signals,
    tick::{self, Rest},
};
use std::{
    os::fd::{BorrowedFd, RawFd},
    sync::atomic::Ordering,
    time::Duration,
};

/// How long the thread sleeps where nothing can wake it.
const NAP: Duration = Duration::from_micros(200);

/// The thread's life: until [`Shared::stopping`].
pub fn run(shared: &Shared) {
    signals::leave_to_program();
    let fd = shared.service().wait_fd();
    let mut seen = shared.visits.so_far();
    while !shared.stopping.load(Ordering::Acquire) {
        seen = defer(shared, seen);
        seen = serve(shared, fd, seen);
    }
}

/// Until the program stays away; gives the count of its visits.
fn defer(shared: &Shared, seen: u64) -> u64 {
    let visits = || shared.visits.so_far();
    tick::defer(seen, |tick| shared.bell.sleep([], Some(tick)), visits, || shared.stopping.load(Ordering::Acquire))
}

/// Until the program comes back; gives the count of its visits.
fn serve(shared: &Shared, fd: Option<RawFd>, seen: u64) -> u64 {
    loop {
        let served = shared.serve();
        shared.lanes.all().iter().for_each(|lane| lane.attend(shared));
        if shared.stopping.load(Ordering::Acquire) {
            return seen;
        }
        // As long as things happen there is no reason to sleep.
        if served == 0 {
            rest(shared, &shared.bell, fd);
        }
        let now = shared.visits.so_far();
        if now != seen {
            return now;
        }
    }
}

/// Sleep if there is nothing to do.
fn rest(shared: &Shared, bell: &Bell, fd: Option<RawFd>) {
    shared.bell.park(true);
    let idle = shared.lanes.all().iter().all(|lane| lane.is_idle());
    // The provider is asked last: what arrives after that makes the descriptor readable.
    match fd.map(|fd| (fd, shared.service().rest(shared))) {
        Some((fd, Rest::Armed)) => {
            // SAFETY: the queue that it belongs to is open as long as `shared`.
            let fd = unsafe { BorrowedFd::borrow_raw(fd) };
            let parks = idle && shared.plan.parks && !shared.stopping.load(Ordering::Acquire);
            let limit = if parks { None } else { Some(tick::TICK) };
            bell.sleep([fd], limit);
        }
        Some((_, Rest::Busy)) => {}
        Some((_, Rest::Uneasy)) | None => bell.sleep([], Some(NAP)),
    }
    shared.bell.park(false);
}
