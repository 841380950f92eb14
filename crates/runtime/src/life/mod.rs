//! The life of a world: init, finalize and every other end.
//!
//! | file | job |
//! |---|---|
//! | `phase` | counts inits and finalizes |
//! | `join` | init by a unique id |
//! | `start` | builds the state of a world, and takes it apart |
//! | `device` | opens the memory of this PE's GPU |
//! | `neighbour` | detects the end of a PE of this host, under launchers that would not |
//! | `loss` | the way out of a job whose loss returns |
//! | `last_thread` | ends the process when only the library's threads are left |
//! | `exit` | `global_exit`, and the exit of the process |

mod device;
pub(crate) mod exit;
pub(crate) mod join;
pub(crate) mod last_thread;
pub(crate) mod loss;
pub(crate) mod neighbour;
pub(crate) mod phase;
pub(crate) mod start;
