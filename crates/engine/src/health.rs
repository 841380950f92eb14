//! Whether a fabric works: it is sound, it is being closed, or it has failed.

use crate::{Error, Pe};
use std::sync::{
    OnceLock,
    atomic::{AtomicBool, Ordering},
};

/// The health of one PE's fabric, which all its threads look at.
pub struct Health {
    me: Pe,
    closing: AtomicBool,
    failed: AtomicBool,
    lost: OnceLock<Pe>,
    fault: OnceLock<String>,
}

impl Health {
    /// Health of a sound fabric.
    pub fn new(me: Pe) -> Self {
        Health {
            me,
            closing: AtomicBool::new(false),
            failed: AtomicBool::new(false),
            lost: OnceLock::new(),
            fault: OnceLock::new(),
        }
    }

    /// Whether operations can still complete. Relaxed: each operation loads it, and it orders nothing.
    #[inline]
    pub fn is_sound(&self) -> bool {
        !self.failed.load(Ordering::Relaxed) && !self.closing.load(Ordering::Relaxed)
    }

    /// Mark the fabric as closing: peers may go, and a failure is no fault any more. Returns whether it was closing already.
    pub fn close(&self) -> bool {
        self.closing.swap(true, Ordering::AcqRel)
    }

    /// Mark the fabric as failed, unless it is closing. The first reason is kept.
    #[cold]
    pub fn fail(&self, error: &Error) {
        if !self.closing.load(Ordering::Acquire) && self.fault.set(error.to_string()).is_ok() {
            tracing::error!(me = %self.me, "{error}");
            // Release: a thread that sees the failure sees its reason.
            self.failed.store(true, Ordering::Release);
        }
    }

    /// As [`Health::fail`], for the loss of `pe`, if it is a peer's.
    #[cold]
    pub fn lose(&self, pe: Option<Pe>, error: &Error) {
        if let Some(pe) = pe.filter(|_| self.is_sound()) {
            let _ = self.lost.set(pe);
        }
        self.fail(error);
    }

    /// The peer that was lost first, if one was.
    pub fn lost_peer(&self) -> Option<Pe> {
        self.lost.get().copied()
    }

    /// Why the fabric has failed, if it has.
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
        let health = Health::new(Pe(3));
        assert!(health.is_sound() && health.fault().is_none());
        health.fail(&Error::new("the cable"));
        health.fail(&Error::new("what came of it"));
        assert!(!health.is_sound());
        assert_eq!(health.fault().expect("it failed").to_string(), "the cable");
    }

    #[test]
    fn failure_during_close_is_no_fault() {
        let health = Health::new(Pe(0));
        assert!(!health.close());
        health.fail(&Error::new("a peer has gone"));
        assert!(!health.is_sound() && health.fault().is_none());
        assert!(health.close());
    }
}
