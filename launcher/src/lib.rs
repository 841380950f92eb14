//! The commands that a user starts.

#![deny(clippy::print_stderr, reason = "eprintln! panics where stderr cannot be written: say::say does not")]

mod hwloc;
pub mod info;
mod own;
pub mod prefix;
pub mod run;
mod say;
pub mod wrap;
