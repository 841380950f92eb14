//! The commands that a user starts.

pub mod run;
