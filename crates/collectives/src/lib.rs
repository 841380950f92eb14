//! The algorithms of collectives.
//!
//! Each algorithm is an `async fn` over an [`Exchange`], without executor, clock or transport, and without allocation, except in `alltoallv`
//! and in `gather` of `words`. The same
//! function serves a live engine that polls it and makes progress, a request that a user tests and waits for, and a
//! simulated world of a million members. The documentation of [`exchange`] says what an algorithm may rely on, and
//! which rules it must keep.
//!
//! | part | files |
//! |---|---|
//! | foundation | `exchange`: the operations and the protocol; `epoch`: a team's position in its sequence of collectives; `pattern`: which member sends to which, as arithmetic |
//! | messages | `slots`, `pipeline`: short and long messages through scratch memory; `enter`: begins collectives that do not close their epoch |
//! | algorithms | `barrier`, `broadcast`, `reduce`, `fcollect`, `collect`, `alltoall`, `alltoallv`, `scan`; `words`: for the library itself; `hierarchy`: within hosts first |
//! | choice | `select` chooses, `run` calls |

#![warn(missing_docs)]
#![forbid(unsafe_code)]

pub mod alltoall;
pub mod alltoallv;
pub mod barrier;
pub mod broadcast;
pub mod collect;
mod enter;
pub mod epoch;
pub mod exchange;
pub mod fcollect;
pub mod hierarchy;
pub mod pattern;
mod pipeline;
pub mod reduce;
pub mod run;
pub mod scan;
pub mod select;
mod slots;
pub mod words;

pub use enter::{enter, enter_queue};
pub use epoch::{Epochs, QUEUE, WINDOW};
pub use exchange::{Area, CELL, CELL_STRIDE, CELL_TAG, Direct, Exchange, Flag, Items, Rank, Span};

/// Bytes of scratch memory that each member has for a running collective in the runtime: long messages are streamed through it.
pub const SCRATCH_BYTES: usize = 16 << 10;
