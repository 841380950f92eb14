//! Whether a fabric works: it is sound, it is being closed, or it has failed.

use crate::{Error, Pe};
use std::sync::{
    OnceLock,
    atomic::{AtomicU8, Ordering},
};

/// The states of a fabric. The only transitions are from `SOUND`.
const SOUND: u8 = 0;
/// Peers may go, and a failure is no fault any more.
const CLOSING: u8 = 1;
const FAILED: u8 = 2;

/// The health of one PE's fabric, which all its threads look at.
pub struct Health {
    me: Pe,
    state: AtomicU8,
    lost: OnceLock<Pe>,
    fault: OnceLock<String>,
}

impl Health {
    /// Health of a sound fabric.
    pub fn new(me: Pe) -> Self {
        Health { me, state: AtomicU8::new(SOUND), lost: OnceLock::new(), fault: OnceLock::new() }
    }

    /// Whether operations can still complete. Relaxed: each operation loads it, and it orders nothing.
    #[inline]
    pub fn is_sound(&self) -> bool {
        self.state.load(Ordering::Relaxed) == SOUND
    }

    /// Leave the sound state, which a fabric leaves once. Returns whether this call did. Release: a thread that sees the failure sees its
    /// reason.
    fn leave_sound(&self, to: u8) -> bool {
        self.state.compare_exchange(SOUND, to, Ordering::Release, Ordering::Relaxed).is_ok()
    }

    /// Mark the fabric as closing, unless it has failed.
    pub fn close(&self) {
        self.leave_sound(CLOSING);
    }

    /// Mark the fabric as failed, unless it is closing. The first reason is kept.
    #[cold]
    pub fn fail(&self, error: &Error) {
        if self.is_sound() && self.fault.set(error.to_string()).is_ok() && self.leave_sound(FAILED) {
            tracing::error!(me = %self.me, "{error}");
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
        if self.state.load(Ordering::Acquire) != FAILED {
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
        health.close();
        health.fail(&Error::new("a peer has gone"));
        assert!(!health.is_sound() && health.fault().is_none());
    }

    #[test]
    fn a_failure_before_close_stays_a_fault() {
        let health = Health::new(Pe(0));
        health.fail(&Error::new("the cable"));
        health.close();
        assert_eq!(health.fault().expect("it failed").to_string(), "the cable");
    }
}
