//! Things that one thread leaves for another: answers for a lane, events for a port.

use ferrite_os::mutex;
use std::sync::{
    Mutex,
    atomic::{AtomicBool, Ordering},
};

/// See the module.
#[derive(Debug)]
pub struct Handover<T> {
    things: Mutex<Vec<T>>,
    /// There are some. Stored after them, under their mutex: whoever takes the mutex after seeing it finds them.
    any: AtomicBool,
}

impl<T> Default for Handover<T> {
    fn default() -> Self {
        Handover { things: Mutex::default(), any: AtomicBool::new(false) }
    }
}

impl<T> Handover<T> {
    /// Leave something.
    #[inline]
    pub fn put(&self, thing: T) {
        let mut things = mutex::lock(&self.things);
        things.push(thing);
        self.any.store(true, Ordering::Release);
    }

    /// Something was left.
    #[inline]
    pub fn has_any(&self) -> bool {
        self.any.load(Ordering::Acquire)
    }

    /// Take what was left, behind what is in `into`.
    #[inline]
    pub fn take(&self, into: &mut Vec<T>) {
        if self.has_any() {
            let mut things = mutex::lock(&self.things);
            self.any.store(false, Ordering::Relaxed);
            into.append(&mut things);
        }
    }
}
