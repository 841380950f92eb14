//! Routines of other vendors that are more than an alias of a standard routine.
//!
//! | file | job |
//! |---|---|
//! | [`cray`] | Cray's atomics, signals, sessions, teams and collectives |
//! | [`sandia`] | Sandia OpenSHMEM's clock, node name and thread numbers |
//! | `spaces` | HPE's spaces of device memory |
//! | [`pcntr`], `ct` | Sandia OpenSHMEM's counters: of operations, and at targets |

pub(crate) mod cray;
mod ct;
pub(crate) mod pcntr;
pub(crate) mod sandia;
pub(crate) mod spaces;

use crate::registry::Registry;
use core::sync::atomic::AtomicBool;

/// The counters of Sandia OpenSHMEM.
pub(crate) struct Counters {
    /// Addresses of the counters at targets.
    at_targets: Registry<usize, 10>,
    /// Whether operations are counted.
    pub counting: AtomicBool,
}

impl Counters {
    /// No counters, and operations are not counted.
    pub fn new() -> Counters {
        Counters { at_targets: Registry::new(), counting: AtomicBool::new(false) }
    }
}
