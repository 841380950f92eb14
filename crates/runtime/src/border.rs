//! Payload of the unwinding after the loss of a peer.
//!
//! A call that finds a peer lost unwinds (`end/loss.rs`), to the function that has the world.

use crate::{Language, Site};
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

/// Call `work`, the body of a routine of the C or Fortran interface. If it unwinds because a peer was lost, return `lost` instead.
#[inline(always)]
pub fn at_border<T>(work: impl FnOnce() -> T, lost: T) -> T {
    match panic::catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => result,
        Err(payload) => {
            end_loss(payload);
            lost
        }
    }
}

/// Call `work`, a cold path of a routine that has a near path. If it unwinds because a peer was lost, and the routine is of C or Fortran,
/// return `lost` instead; to Rust the unwinding goes on.
///
/// So the routine itself is no border: its near path has no frame, and there are far fewer cold paths than routines.
#[inline(always)]
pub(crate) fn at_cold_border<T>(site: &Site, work: impl FnOnce() -> T, lost: T) -> T {
    match panic::catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => result,
        Err(payload) => {
            return_to(site, payload);
            lost
        }
    }
}

/// Drop the payload of a loss. In the C library every other panic has ended the job already, in the panic hook.
#[cold]
#[inline(never)]
#[expect(improper_ctypes_definitions, reason = "only Rust calls it: a C function does not unwind")]
extern "C" fn end_loss(payload: Box<dyn Any + Send>) {
    let Lost(()) = loss_of(payload);
}

#[cold]
#[inline(never)]
fn return_to(site: &Site, payload: Box<dyn Any + Send>) {
    let lost = loss_of(payload);
    if site.language == Language::Rust {
        lost.resume();
    }
}
