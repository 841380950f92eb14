//! The commands that a user starts.

pub mod info;
pub mod prefix;
pub mod run;
pub mod wrap;
