//! `benches` measures Ferrite beside another installed OpenSHMEM.
//!
//! The measured programs are plain C (`benches/c`) and are built by each side's own `oshcc`. The sides run in alternation
//! on pinned cores. A ping-pong before and after each run measures the distance between the cores, and only runs at the same
//! distance are compared. The result is one table. `METHOD.md` gives the reasons.
#![deny(unsafe_code)]

mod affinity;
mod build;
mod catalog;
mod cli;
mod cores;
mod distance;
mod installation;
mod instructions;
mod interrupt;
mod json;
mod limits;
mod machine;
mod pair;
mod pinning;
mod record;
mod rows;
mod sample;
mod session;
mod stats;
mod subprocess;
mod table;
mod transport;

use std::process::ExitCode;

/// What can stop a measurement: one line that says what was given, what was wrong, what would be right.
type Error = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    match cli::main() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("benches: {error}");
            ExitCode::from(interrupt::interrupt().signal().map_or(2, interrupt::exit_code))
        }
    }
}
