//! The life of a world: init, finalize and every other end, and the library's output and reports.
//!
//! | file | job |
//! |---|---|
//! | `phase` | counts inits and finalizes |
//! | `start` | builds the state of a world, and takes it apart |
//! | `neighbour` | detects the end of a PE of this host, under launchers that would not |
//! | `child` | keeps children of fork out of the job |
//! | `last_thread` | ends the process when only the library's threads are left |
//! | `exit` | ends the job, or the process, in every other way |
//! | `streams` | buffers and flushes the program's standard streams |
//! | `fortran_flush` | flushes the units of Fortran |
//! | `logging` | writes the library's reports |

pub(crate) mod child;
pub(crate) mod exit;
mod fortran_flush;
pub(crate) mod last_thread;
pub(crate) mod logging;
pub(crate) mod neighbour;
pub(crate) mod phase;
pub(crate) mod start;
pub(crate) mod streams;
