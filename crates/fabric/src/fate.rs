//! What has become of a fabric: it is sound, it is being closed, or it has failed.

use crate::{Error, Pe};
use std::sync::{
    OnceLock,
    atomic::{AtomicBool, Ordering},
};

/// The fate of one PE's fabric, which all its threads look at.
pub struct Fate {
    me: Pe,
    closing: AtomicBool,
    failed: AtomicBool,
    fault: OnceLock<String>,
}

impl Fate {
    /// Sound, so far.
    pub fn new(me: Pe) -> Self {
        Fate { me, closing: AtomicBool::new(false), failed: AtomicBool::new(false), fault: OnceLock::new() }
    }

    /// Operations can still complete. Relaxed: it is asked at each of them, and orders nothing.
    #[inline]
    pub fn is_sound(&self) -> bool {
        !self.failed.load(Ordering::Relaxed) && !self.closing.load(Ordering::Relaxed)
    }

    /// What fails from here on is no fault: peers may go. Gives whether it was so already.
    pub fn close(&self) -> bool {
        self.closing.swap(true, Ordering::AcqRel)
    }

    /// From here on nothing can be promised; the first reason is kept.
    #[cold]
    pub fn fail(&self, error: &Error) {
        if !self.closing.load(Ordering::Acquire) && self.fault.set(error.to_string()).is_ok() {
            tracing::error!(me = %self.me, "{error}");
            // Release: whoever sees that it failed sees why.
            self.failed.store(true, Ordering::Release);
        }
    }

    /// Why nothing can be promised any more.
    pub fn fault(&self) -> Option<Error> {
        if !self.failed.load(Ordering::Acquire) {
            return None;
        }
        self.fault.get().map(Error::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_reason_is_kept() {
        let fate = Fate::new(Pe(3));
        assert!(fate.is_sound() && fate.fault().is_none());
        fate.fail(&Error::new("the cable"));
        fate.fail(&Error::new("what came of it"));
        assert!(!fate.is_sound());
        assert_eq!(fate.fault().expect("it failed").to_string(), "the cable");
    }

    #[test]
    fn what_fails_while_it_is_closed_is_no_fault() {
        let fate = Fate::new(Pe(0));
        assert!(!fate.close());
        fate.fail(&Error::new("a peer has gone"));
        assert!(!fate.is_sound() && fate.fault().is_none());
        assert!(fate.close());
    }
}
