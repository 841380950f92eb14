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
//!   it finds that the count has moved. Between its rounds it sleeps for a tick at most: on the descriptor of the service's
//!   queue where the provider has one, or on the provider's sockets ([`watch`](crate::watch)); else for a [`NAP`].
//! - **parked**: serving, and no lane has anything under way. On a descriptor it sleeps without a limit, so
//!   an idle job costs nothing, and on sockets soon for a second; where there is neither, it looks every `NAP`.
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
//!
//! Where the thread sleeps on the sockets, whoever of the program serves counts his visit, takes the service's mutex, and then loads
//! `parked`, whatever he found; and the thread stores `parked`, takes the mutex, and then looks at the count. Again whichever of the two
//! took it last sees what the other did before.

use crate::{
    plan::Waker,
    shared::Shared,
    watch::{NAP, Watch},
};
use ferrite_fabric::{
    signals,
    tick::{self, Rest},
};
use std::{
    os::fd::{BorrowedFd, RawFd},
    sync::atomic::Ordering,
    time::Duration,
};

/// What the thread sleeps on.
enum Bed {
    /// The descriptor of the service's queue.
    Queue(RawFd),
    /// The provider's sockets.
    Sockets(Watch),
    /// Nothing.
    None,
}

impl Bed {
    fn of(shared: &Shared) -> Bed {
        let fd = shared.service().wait_fd();
        match (shared.waker, fd) {
            (Waker::Sockets, _) => Bed::Sockets(Watch::new()),
            (Waker::Queue, Some(fd)) => Bed::Queue(fd),
            _ => Bed::None,
        }
    }
}

/// The thread's life: until [`Shared::stopping`].
pub fn run(shared: &Shared) {
    signals::leave_to_program();
    let mut bed = Bed::of(shared);
    let mut seen = shared.visits.so_far();
    while !stops(shared) {
        seen = defer(shared, seen);
        seen = serve(shared, &mut bed, seen);
    }
}

fn stops(shared: &Shared) -> bool {
    shared.stopping.load(Ordering::Acquire)
}

/// Until the program stays away; gives the count of its visits.
fn defer(shared: &Shared, seen: u64) -> u64 {
    tick::defer(seen, |tick| shared.bell.sleep([], Some(tick)), || shared.visits.so_far(), || stops(shared))
}

/// Until the program comes back; gives the count of its visits.
fn serve(shared: &Shared, bed: &mut Bed, seen: u64) -> u64 {
    if let Bed::Sockets(watch) = bed {
        watch.stir();
    }
    loop {
        let served = shared.serve();
        shared.lanes.all().iter().for_each(|lane| lane.attend(shared));
        if stops(shared) {
            return seen;
        }
        // As long as things happen there is no reason to sleep.
        if served == 0 {
            shared.bell.park(true);
            rest(shared, bed, seen);
            shared.bell.park(false);
            shared.sockets.unpace();
        }
        let now = shared.visits.so_far();
        if now != seen {
            return now;
        }
    }
}

/// Sleep if there is nothing to do.
fn rest(shared: &Shared, bed: &mut Bed, seen: u64) {
    let idle = shared.lanes.all().iter().all(|lane| lane.is_idle());
    let parks = idle && shared.plan.parks && !stops(shared);
    let limit = if parks { None } else { Some(tick::TICK) };
    // The provider is asked last: what arrives after that shows.
    match bed {
        Bed::Queue(fd) => {
            // Its guard goes with this statement: nobody sleeps with the service in his hands.
            let rest = shared.service().rest(shared);
            match rest {
                Rest::Armed => {
                    // SAFETY: the queue that it belongs to is open as long as `shared`.
                    let fd = unsafe { BorrowedFd::borrow_raw(*fd) };
                    shared.bell.sleep([fd], limit);
                }
                Rest::Busy => {}
                Rest::Uneasy => shared.bell.sleep([], Some(NAP)),
            }
        }
        Bed::Sockets(watch) => {
            // Whoever makes room for what is held up may take long.
            let held_up = shared.service().is_held_up();
            if shared.visits.so_far() != seen {
                // Whoever it was may have rung, and nobody sleeps.
                return shared.bell.hear();
            }
            let longest = if held_up { NAP } else { limit.unwrap_or(Duration::MAX) };
            watch.sleep(&shared.bell, &shared.sockets, longest);
        }
        Bed::None => shared.bell.sleep([], Some(NAP)),
    }
}
