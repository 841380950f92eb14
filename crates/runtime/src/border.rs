//! Payload of the unwinding after the loss of a peer.
//!
//! A call that finds a peer lost unwinds (`life/loss.rs`), to the function that has the world.

use std::{
    any::Any,
    panic::{self, AssertUnwindSafe},
};

/// The payload of a call that unwinds because a peer was lost.
#[derive(Debug)]
pub struct Lost(());

impl Lost {
    /// Unwind because a peer was lost.
    pub(crate) fn begin() -> ! {
        Lost(()).resume()
    }

    /// Continue the unwinding.
    pub fn resume(self) -> ! {
        panic::resume_unwind(Box::new(self))
    }
}

/// Call `work`. `Err` if it has unwound because a peer was lost; another panic goes on.
pub fn catch_loss<T>(work: impl FnOnce() -> T) -> Result<T, Lost> {
    panic::catch_unwind(AssertUnwindSafe(work)).map_err(loss_of)
}

#[cold]
#[inline(never)]
fn loss_of(payload: Box<dyn Any + Send>) -> Lost {
    match payload.downcast::<Lost>() {
        Ok(lost) => *lost,
        Err(other) => panic::resume_unwind(other),
    }
}

/// Whether a panic's payload says that a peer was lost.
pub fn is_loss(payload: &(dyn Any + Send)) -> bool {
    payload.is::<Lost>()
}
