//! The commands that a user starts.

mod hwloc;
pub mod info;
pub mod prefix;
pub mod run;
mod say;
pub mod wrap;
