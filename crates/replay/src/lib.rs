//! Predicts the run time of a program on another machine, with more PEs: replays a trace of `oshrun --trace` in the LogGP model of
//! `crates/sim`.
//!
//! # Assumptions
//!
//! - *The work grows with the PEs*: with n times as many PEs there are n copies of the traced job side by side. A PE that communicated
//!   with the PE `d` places further on in the trace does so with the PE `d` places further on in the replay. Collectives of all PEs of
//!   the trace are collectives of all PEs of the replay.
//! - *Operations within a host take as long as in the trace*. The model sends operations to other hosts. Between two calls a PE computes
//!   as long as in the trace.
//! - *Each PE has a core*: time that PEs waited for a core that they shared is not modelled.
//! - *A wait ends when the operation that ended it arrives*, if the trace has an arrow to the wait. A collective takes the time of the
//!   algorithm that the library would choose. Other waits and locks take as long as in the trace.
//!
//! | file | job |
//! |---|---|
//! | [`trace`] | reads a trace |
//! | [`network`] | machines, by name or from a file |
//! | [`replay`] | runs the calls of all PEs in the model |
//! | [`report`] | the times by routine, and the limits of the run |

#![forbid(unsafe_code)]

pub mod network;
pub mod replay;
pub mod report;
pub mod trace;
