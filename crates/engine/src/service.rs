//! The thread that serves peers, and moves what was left under way, while the program computes.
//!
//! # States of the thread
//!
//! A program inside the library polls its ports by itself, because a switch of threads costs several times as much as a message. It counts
//! its polls of the service port (`Shared::polls`). The thread is in one of three states:
//!
//! - **the program is here**: the thread sleeps on the doorbell, and on no descriptor that receives messages. A peer that waits in vain
//!   rings ([`doorbell`](crate::doorbell)). Once in a tick the thread sends queued data, and checks whether the count has moved.
//! - **the program is away**: a peer has rung, or the count stood still for a tick. The thread serves, arms the ports and sleeps on
//!   them. When it is woken and finds that the count has moved, the program is here again.
//! - **parked**: away, and nothing is under way. It sleeps without a limit, so an idle job costs nothing.
//!
//! # Parking without losing a wake-up
//!
//! The thread parks (`Bell::park`), then asks each lane whether it is idle, and the service port last. A thread of the program that posts
//! on a lane with nothing under way, or that serves, then calls `Bell::rouse`. Both have a fence between their store and their next load
//! ([`Sleeper`](crate::Sleeper)): the service thread sees what was posted, or the bell rings. A lane made after the list was copied is no
//! exception. The thread has announced its sleep before it took the mutex of the list, so the lane's first post, which comes after the
//! lane was added under that mutex, sees the announcement and rings.
//!
//! A poll of a lane does not ring: that would be a system call for each. But ports may share connections, so such a poll may leave work for
//! the service port: an event in a [`Handover`](crate::Handover), or an answer to send. A lane is polled under its mutex, and only while
//! something is under way on it. If the poll came before the thread looked at that lane, that mutex makes the work visible to the thread,
//! which asks the service port afterwards. If the poll came later, the lane was not idle when the thread looked, or a post since then has
//! rung; in both cases the sleep has an end.
//!
//! The program may take the event that would wake the thread, before the thread is up and looks. Then the thread would sleep on, although
//! an answer is under way that moves only while a thread polls. So a thread of the program that has served something, or has found the
//! service port not at rest, rings too.

use crate::{Arm, Transport, bell::readable, engine::Shared, timing};
use ferrite_os::signals;
use std::{
    os::fd::BorrowedFd,
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

/// Run the service thread until [`Shared::stopping`] is set.
pub fn run<T: Transport>(shared: &Shared<T>) {
    signals::leave_to_program();
    let mut service =
        Service { shared, seen: shared.polls.so_far(), tend_at: shared.tend(), checked_at: None, is_cut_off: false };
    while !service.stops() {
        service.while_here();
        service.while_away();
    }
}

struct Service<'a, T: Transport> {
    shared: &'a Shared<T>,
    /// The program's polls when they were last looked at.
    seen: u64,
    /// When the transport wants to be tended.
    tend_at: Option<Instant>,
    /// When the descriptors were last found to be the library's.
    checked_at: Option<Instant>,
    /// The program has closed a descriptor that the thread sleeps on.
    is_cut_off: bool,
}

impl<T: Transport> Service<'_, T> {
    fn stops(&self) -> bool {
        self.is_cut_off || self.shared.stopping.load(Ordering::Acquire)
    }

    /// Sleep until the program stays away for a tick, or a peer rings.
    fn while_here(&mut self) {
        let mut next = Instant::now() + timing::TICK;
        while !self.stops() {
            let rung = self.sleep(&[], Some(next.saturating_duration_since(Instant::now())));
            if !rung && Instant::now() < next {
                continue;
            }
            self.shared.push();
            if !self.has_polled() || rung {
                return;
            }
            next = Instant::now() + timing::TICK;
        }
    }

    /// Whether the program has polled since the last call.
    fn has_polled(&mut self) -> bool {
        let polls = self.shared.polls.so_far();
        std::mem::replace(&mut self.seen, polls) != polls
    }

    /// Serve until the program comes back.
    fn while_away(&mut self) {
        let shared = self.shared;
        while !self.stops() {
            shared.bell.park(true);
            let ports = shared.ports.all();
            let lanes: Vec<_> = ports.iter().filter_map(|port| Some((port.arm(shared)?, port.fd()))).collect();
            // After the lanes, whose polls may have left work for the service port: see the module.
            let arm = shared.arm_service();
            let is = |wanted: Arm| arm == wanted || lanes.iter().any(|(lane, _)| *lane == wanted);
            let limit = match (is(Arm::Busy), is(Arm::CannotArm)) {
                (true, _) => Some(Duration::ZERO),
                (_, true) => Some(timing::NAP),
                _ if lanes.is_empty() && shared.transport.limits().sleeps_long => None,
                _ => Some(timing::TICK),
            };
            // A descriptor that is not armed may stay readable, and would end each sleep.
            let of_lanes = lanes.iter().filter(|(arm, _)| *arm == Arm::Armed).filter_map(|(_, fd)| *fd);
            let of_service = shared.service_fd().filter(|_| arm == Arm::Armed);
            let armed: Vec<BorrowedFd<'_>> = of_lanes.chain(of_service).collect();
            // Checked after `park`: the ring that came with `stopping` may have been heard already.
            if limit.is_none() && self.stops() {
                return;
            }
            let rung = self.sleep(&armed, limit);
            shared.bell.park(false);
            // A peer that rings has waited for the program already.
            if self.has_polled() && !rung {
                return;
            }
        }
    }

    /// Whether the thread may sleep on the library's descriptors. The check takes more than a dozen system calls, and a PE that computes would
    /// pay for it with each message. So a sleep that ends by itself relies on a check that is at most a tick old.
    fn has_descriptors(&mut self, limit: Option<Duration>) -> bool {
        let is_fresh = limit.is_some() && self.checked_at.is_some_and(|at| at.elapsed() < timing::TICK);
        if !is_fresh {
            self.is_cut_off = !self.shared.has_descriptors();
            self.checked_at = Some(Instant::now());
        }
        !self.is_cut_off
    }

    /// Sleep until one of these is readable, the bell or the doorbell rings, the transport is to be tended, or `limit` has passed. Returns
    /// whether a peer has rung.
    fn sleep(&mut self, armed: &[BorrowedFd<'_>], limit: Option<Duration>) -> bool {
        let shared = self.shared;
        let doorbell = shared.doorbell.as_ref();
        if !self.has_descriptors(limit) {
            return false;
        }
        let (bell, rings) = (shared.bell.fd(), doorbell.and_then(|doorbell| doorbell.fd()));
        let tending = shared.transport.tending_fd();
        let until_tending = self.tend_at.map(|at| at.saturating_duration_since(Instant::now()));
        let deaf = doorbell.and_then(|doorbell| doorbell.deaf_limit());
        let limit = [limit, until_tending, deaf].into_iter().flatten().min();
        let others = tending.into_iter().chain(rings);
        let is_readable = readable([bell].into_iter().chain(others).chain(armed.iter().copied()), limit);
        // If the bell could not be rung any more, `Engine::stop` did not wait for this thread, so the thread touches nothing.
        if self.stops() {
            return false;
        }
        if is_readable[0] {
            shared.bell.hear();
        }
        if tending.is_some() && is_readable[1] || self.tend_at.is_some_and(|at| at <= Instant::now()) {
            self.tend_at = shared.tend();
        }
        let at = 1 + usize::from(tending.is_some());
        rings.is_some() && is_readable[at] && doorbell.is_some_and(|doorbell| doorbell.was_rung())
    }
}
