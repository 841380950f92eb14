//! The commands that a user starts.
//!
//! | file | job |
//! |---|---|
//! | `command` | which command this process is: all are one program, since separate programs would contain most of their code three times |
//! | `run` | `oshrun` |
//! | `wrap` | `oshcc` and its other names |
//! | `info` | `oshmem_info`; `info/doctor` judges a host; `hwloc` runs `ferrite-hwloc` |
//! | `prefix`, `program_path`, `stderr` | the installation, the running program, lines on standard error |

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
