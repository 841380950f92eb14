//! Whole jobs in virtual time: oshrun's [`Job`], agents and local jobs are the real ones, with their messages; processes,
//! remote shells and the network are simulated, and do their worst.
//!
//! A seed decides delays, how PEs behave and what befalls whom. Where several things are ready at one moment, tokio draws
//! which comes first: a seed that fails is run several times.
//!
//! [`Job`]: super::job::Job

mod jobs;
mod machine;
mod network;
mod pe;
mod world;
