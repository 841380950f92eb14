//! The commands that a user starts.

#![deny(clippy::print_stderr, reason = "eprintln! panics where stderr cannot be written: stderr::print_line does not")]

mod command;
mod hwloc;
pub mod info;
pub mod prefix;
mod program_path;
pub mod run;
mod stderr;
pub mod wrap;

pub use command::main;
