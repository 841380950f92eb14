//! What has happened to a port's calls: put there by whichever thread moves the bytes, taken by the port's next poll.

use ferrite_engine::Event;
use ferrite_os::mutex;
use std::sync::{
    Mutex,
    atomic::{AtomicBool, Ordering},
};

/// A port's events.
#[derive(Default)]
pub struct Queue {
    events: Mutex<Vec<Event>>,
    /// There are some. Stored under the mutex, so whoever takes the mutex after seeing it finds them.
    any: AtomicBool,
}

impl Queue {
    /// Tell the port.
    #[inline]
    pub fn put(&self, event: Event) {
        let mut events = mutex::lock(&self.events);
        events.push(event);
        self.any.store(true, Ordering::Release);
    }

    /// The next poll has something to take.
    #[inline]
    pub fn has_any(&self) -> bool {
        self.any.load(Ordering::Acquire)
    }

    /// Take what has come.
    #[inline]
    pub fn take(&self, into: &mut Vec<Event>) {
        if self.has_any() {
            let mut events = mutex::lock(&self.events);
            self.any.store(false, Ordering::Relaxed);
            into.append(&mut events);
        }
    }
}
