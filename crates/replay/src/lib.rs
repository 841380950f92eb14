//! What a run would take on another machine, with more PEs: a trace of `oshrun --trace`, replayed in the LogGP model of `crates/sim`.
//!
//! # What is assumed
//!
//! - *The work grows with the PEs*: with n times as many PEs there are n copies of the traced job side by side, and what a PE did with its
//!   neighbour `d` PEs further on it does with the one `d` further on. Collectives of all PEs are collectives of all.
//! - *What stays on a host takes as long as it did*; what goes to another is sent by the model. Between two calls a PE computes as long
//!   as it did.
//! - *Each PE has a core*: what PEs waited for one that they shared is not modelled.
//! - *A wait ends when that arrives which ended it*, as far as the trace has an arrow to it, and a collective takes what its algorithm
//!   takes, the one that the library would choose. Other waits and locks take as long as they did.
//!
//! | file | job |
//! |---|---|
//! | [`trace`] | reads a trace |
//! | [`network`] | machines, by name or from a file |
//! | [`replay`] | runs the calls of all PEs in the model |
//! | [`report`] | the times by routine, and what limits |

#![forbid(unsafe_code)]

pub mod network;
pub mod replay;
pub mod report;
pub mod trace;
