//! Queues whose descriptor wakes sleeping threads.

use super::{World, objects::number, world};
use libc::{EFD_CLOEXEC, EFD_NONBLOCK};
use libfabric_sys::*;
use std::{
    ffi::{c_int, c_void},
    os::fd::RawFd,
};

impl World {
    /// Give a queue a descriptor, which stays open until the test ends.
    pub fn hang_bell(&mut self, queue: usize) {
        // SAFETY: a new descriptor.
        self.bells.insert(queue, unsafe { libc::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) });
    }

    /// Add a completion to a queue, and signal its descriptor.
    pub fn complete(&mut self, queue: usize, entry: fi_cq_msg_entry) {
        self.cqs.entry(queue).or_default().push_back(entry);
        if let Some(&bell) = self.bells.get(&queue).filter(|_| !self.muffled) {
            // SAFETY: the descriptor is open.
            unsafe { libc::eventfd_write(bell, 1) };
            self.asleep.remove(&queue);
        }
    }
}

/// FI_GETWAIT of a queue.
///
/// # Safety
/// There is room for a descriptor.
pub unsafe fn tell(queue: usize, answer: *mut c_void) -> c_int {
    world(|world| {
        let Some(&bell) = world.bells.get(&queue) else { return -FI_ENODATA };
        // SAFETY: the caller's promise.
        unsafe { answer.cast::<RawFd>().write(bell) };
        0
    })
}

pub unsafe extern "C" fn try_wait(_: *mut fid_fabric, objects: *mut *mut fid, count: c_int) -> c_int {
    assert_eq!(count, 1);
    // SAFETY: an array of `count` objects of this library.
    let queue = unsafe { number(*objects) };
    world(|world| {
        *world.seen.entry("sleep").or_default() += 1;
        let Some(&bell) = world.bells.get(&queue) else { return -FI_EINVAL };
        let mut rings = 0;
        // SAFETY: the descriptor is open.
        unsafe { libc::eventfd_read(bell, &raw mut rings) };
        // Operations make progress only while the queue is read.
        let is_busy = world.eps.values().any(|ep| ep.cq == queue && !ep.flying.is_empty());
        let has_errors = world.errors.get(&queue).is_some_and(|errors| !errors.is_empty());
        if is_busy || has_errors || !world.cqs[&queue].is_empty() {
            return -FI_EAGAIN;
        }
        world.asleep.insert(queue);
        0
    })
}
