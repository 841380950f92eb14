//! How a thread of the program sleeps that waits for a peer: on the descriptors of all queues in which what it waits for may show,
//! the service's and those of lanes that have something under way.

use crate::shared::Shared;
use ferrite_fabric::{Doze, tick::Rest};
use std::{
    os::fd::{BorrowedFd, RawFd},
    time::Duration,
};

/// Sleep until a peer speaks, or `limit` has passed; not if the provider cannot be waited for, or has not taken all that it is to do.
pub fn doze(shared: &Shared, limit: Duration) -> Doze {
    if !shared.may_doze() {
        return Doze::Refused;
    }
    // The program is here: what the thread took from it would wake nobody.
    shared.visits.count(1);
    let mut awaited = Vec::new();
    let (rest, fd) = rest_service(shared);
    if rest != Rest::Armed {
        shared.bell.rouse();
    }
    if !keep(&mut awaited, rest, fd) {
        return Doze::without(rest);
    }
    for lane in shared.lanes.all() {
        let Some(rest) = lane.rest(shared) else { continue };
        if !keep(&mut awaited, rest, lane.wait_fd) {
            return Doze::without(rest);
        }
    }
    // SAFETY: the queues that they belong to are open as long as `shared`.
    Doze::on(awaited.iter().map(|&fd| unsafe { BorrowedFd::borrow_raw(fd) }), limit)
}

fn rest_service(shared: &Shared) -> (Rest, Option<RawFd>) {
    let mut service = shared.service();
    if service.serve(shared) > 0 { (Rest::Busy, None) } else { (service.rest(shared), service.wait_fd()) }
}

/// Sleep on this one too, if it is armed.
fn keep(awaited: &mut Vec<RawFd>, rest: Rest, fd: Option<RawFd>) -> bool {
    let armed = fd.filter(|_| rest == Rest::Armed);
    awaited.extend(armed);
    armed.is_some()
}
