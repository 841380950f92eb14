//! The thread that serves peers while the program computes.
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
//! `Shared::visits` counts the program's looks, each of which serves its peers too. This thread is in one of three states:
//!
//! - **deferring**: the program was here within the last tick ([`tick`]). The thread watches the door (newcomers,
//!   the bell) and nothing else, and has the kernel watch nothing else where that helps ([`Channels::unwatch`]);
//!   every tick it looks at the count and sends what was left to be sent. So a message wakes nobody but the
//!   program.
//! - **serving**: the count stood still for a tick. The thread sleeps on the connections as well and serves
//!   them as they speak. When it is woken and finds that the count has moved, it defers again.
//! - **parked**: serving, and no connection has anything to send or to hear. It sleeps without a limit once all that was sent
//!   is acknowledged, so an idle job costs nothing. Otherwise it wakes every tick and moves what the program left behind.
//!
//! A peer's operation waits for the change from deferring to serving: for what is left of a tick, and another one.
//!
//! # Parking without losing a wake-up
//!
//! The thread stores `parked` (`Bell::park`), then asks each channel, under the channel's mutex, whether it is quiet.
//! A lane posts, and visits, under the same mutex, then loads `parked`: a visit if it leaves something to be sent, a
//! post if nothing was left before it. Whichever of the two took the mutex last sees what the other did before:
//! either the thread sees what was left, or the lane sees `parked` and rings the bell. A channel that was made after
//! the list was copied has its first post after `parked` was stored, by the list's own lock. What the socket does not
//! take from this thread wakes it when there is room.

use crate::{
    channels::Channels,
    door::Door,
    lookout::Lookout,
    shared::{Shared, Visitor},
};
use ferrite_fabric::{signals, tick};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::{
    os::fd::OwnedFd,
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

/// How long the thread looks away from connections that the program holds.
const BREATH: Duration = Duration::from_micros(50);

/// The thread's life: until [`Shared::stopping`]. `hinges` are its door's.
pub fn run(shared: &Shared, hinges: OwnedFd) {
    signals::leave_to_program();
    let door = Door::new(hinges, &shared.ears.listeners, &shared.bell);
    let mut service = Service { shared, door, lookout: Lookout::new(shared.options.silence) };
    let mut seen = shared.visits.so_far();
    while !stops(shared) {
        seen = service.defer(seen);
        seen = service.serve(seen);
    }
}

fn stops(shared: &Shared) -> bool {
    shared.stopping.load(Ordering::Acquire)
}

/// What the thread looks after.
struct Service<'a> {
    shared: &'a Shared,
    door: Door<'a>,
    lookout: Lookout,
}

impl Service<'_> {
    /// Until the program stays away; gives the count of its visits.
    fn defer(&mut self, seen: u64) -> u64 {
        let shared = self.shared;
        let look_around = |tick| {
            shared.channels.unwatch();
            _ = self.look_after(None, Some(tick));
            self.lookout.wake();
        };
        tick::defer(seen, look_around, || shared.visits.so_far(), || stops(shared))
    }

    /// Until the program comes back; gives the count of its visits.
    fn serve(&mut self, seen: u64) -> u64 {
        let shared = self.shared;
        let mut woken = false;
        shared.watch();
        loop {
            if shared.visit_ready(Visitor::Service) == 0 && woken {
                // Whatever woke us is in the program's hands, which posts. It would wake us again at once.
                self.sleep(None, Some(BREATH));
            }
            move_rest(shared);
            shared.bell.park(true);
            let quiet = shared.channels.all().iter().all(|channel| channel.is_quiet());
            shared.bell.park(quiet);
            // The bell that came with it may have been heard already.
            if stops(shared) {
                return seen;
            }
            let limit = if quiet { None } else { Some(tick::TICK) };
            woken = self.look_after(Some(&shared.channels), limit);
            shared.bell.park(false);
            let now = shared.visits.so_far();
            if now != seen || stops(shared) {
                return now;
            }
        }
    }

    /// Sleep until somebody is at the door, one of the `speakers` speaks, or `limit` has passed; then serve the door, send
    /// what waits for nobody else, and look out for who has fallen silent. Gives whether a speaker spoke.
    ///
    /// While parked, what is posted meanwhile rings the bell, and at worst ends the next sleep at once.
    fn look_after(&mut self, speakers: Option<&Channels>, limit: Option<Duration>) -> bool {
        let heard = self.sleep(speakers, limit);
        if heard.door {
            self.door.serve(self.shared);
        }
        self.shared.channels.push_waiting();
        self.lookout.look(self.shared);
        if heard.door || heard.peers {
            self.lookout.wake();
        }
        heard.peers
    }

    /// Sleep until somebody is at the door, one of the `speakers` speaks, or `limit` has passed.
    fn sleep(&self, speakers: Option<&Channels>, limit: Option<Duration>) -> Heard {
        let at_door = self.door.deadline();
        let due = [at_door, self.lookout.deadline()].into_iter().flatten().min();
        let left = due.map(|at| at.saturating_duration_since(Instant::now()));
        let limit = [limit, left].into_iter().flatten().min();
        let limit = limit.map(|l| Timespec { tv_sec: l.as_secs() as i64, tv_nsec: l.subsec_nanos().into() });
        let mut both = [self.door.ready(), speakers.map_or(self.door.ready(), Channels::ready)]
            .map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN));
        // An interrupted sleep is a short one.
        let awaited = if speakers.is_some() { &mut both[..] } else { &mut both[..1] };
        let _ = poll(awaited, limit.as_ref());
        let [door, peers] = both.map(|fd| !fd.revents().is_empty());
        Heard { door: door || at_door.is_some_and(|at| at <= Instant::now()), peers }
    }
}

fn move_rest(shared: &Shared) {
    for channel in shared.channels.all().iter().filter(|channel| !channel.marks.is_idle()) {
        shared.visit(channel, Visitor::Service);
    }
}

/// Who ended a sleep.
struct Heard {
    /// Somebody at the door, or a stranger's time is up.
    door: bool,
    /// A peer speaks.
    peers: bool,
}
