//! The algorithms of collectives.
//!
//! Each algorithm is an `async fn` over an [`Exchange`], without executor, allocation, clock or transport. The same
//! function serves a live engine that polls it and makes progress, a request that a user tests and waits for, and a
//! simulated world of a million members. The documentation of [`exchange`] says what an algorithm may rely on, and
//! which rules it must keep.

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
