//! The life of a world: init, finalize and every other end.
//!
//! | file | job |
//! |---|---|
//! | `phase` | counts inits and finalizes |
//! | `join` | init by a unique id |
//! | `start` | builds the state of a world, and takes it apart |
//! | `device` | opens the memory of this PE's GPU |
//! | `neighbour` | detects the end of a PE of this host, under launchers that would not |
//! | `loss` | the loss of a peer that does not end this PE |
//! | `last_thread` | ends the process when only the library's threads are left |
//! | `exit` | ends the job, or the process, in every other way |

mod device;
pub(crate) mod exit;
pub(crate) mod join;
pub(crate) mod last_thread;
pub(crate) mod loss;
pub(crate) mod neighbour;
pub(crate) mod phase;
pub(crate) mod start;
