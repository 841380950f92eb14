//! Things that one thread leaves for another: answers for a lane, events for a port.

use crate::sync::{AtomicBool, Mutex, Ordering, lock};

/// A queue with a flag that spares the mutex while the queue is empty.
///
/// The flag may be stale. A thread that sees it finds the things, since it is stored after them under their mutex, and it is cleared under
/// the mutex too. A thread that does not see it yet looks again later, or sleeps by a protocol of its own: a thread that puts
/// wakes it after the call ([`Sleeper`](crate::Sleeper)).
#[derive(Debug)]
pub struct Handover<T> {
    things: Mutex<Vec<T>>,
    any: AtomicBool,
}

impl<T> Default for Handover<T> {
    fn default() -> Self {
        Handover { things: Mutex::new(Vec::new()), any: AtomicBool::new(false) }
    }
}

impl<T> Handover<T> {
    /// Leave a thing, for the thread that takes all of them.
    #[inline]
    pub fn put(&self, thing: T) {
        let mut things = lock(&self.things);
        things.push(thing);
        self.any.store(true, Ordering::Release);
    }

    /// Whether something was left.
    #[inline]
    pub fn has_any(&self) -> bool {
        self.any.load(Ordering::Acquire)
    }

    /// Append everything that was left to `into`.
    #[inline]
    pub fn take(&self, into: &mut Vec<T>) {
        if self.has_any() {
            let mut things = lock(&self.things);
            self.any.store(false, Ordering::Relaxed);
            into.append(&mut things);
        }
    }
}
