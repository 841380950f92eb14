//! Routines of other vendors that are more than a second name of a standard routine.

pub(crate) mod cray;
mod ct;
pub(crate) mod pcntr;

use crate::groups::registry::Registry;
use core::sync::atomic::AtomicBool;

/// The counters of Sandia OpenSHMEM.
pub(crate) struct Counters {
    /// Counters at targets: where their words are.
    at_targets: Registry<usize, 10>,
    /// Whether operations are counted.
    pub counting: AtomicBool,
}

impl Counters {
    /// No counter was made, and operations are not counted.
    pub fn new() -> Counters {
        Counters { at_targets: Registry::new(), counting: AtomicBool::new(false) }
    }
}
