//! Whole jobs in virtual time. oshrun's [`Job`], its agents and local jobs are the real ones, with their messages; processes, remote shells
//! and the network are simulated, and fail in every way.
//!
//! A seed decides delays, the behaviour of PEs, and the mishap. If several tasks are ready at one moment, tokio draws which runs first: run
//! a failing seed several times.
//!
//! [`Job`]: super::job::Job

mod jobs;
mod machine;
mod network;
mod pe;
mod world;
