//! `benches`: Ferrite's measurements, side by side with another installed OpenSHMEM.
//!
//! The measured programs are plain C (`benches/c`), built by each side's own `oshcc`. This program builds them, runs
//! the sides in alternation on pinned cores with a ping-pong before and after each run, pairs runs that met the same
//! distance between the cores, and prints one table with what is wanted of each row. `METHOD.md` says why.
#![deny(unsafe_code)]

mod bars;
mod build;
mod catalog;
mod cli;
mod cores;
mod install;
mod instructions;
mod interrupt;
mod machine;
mod over;
mod pair;
mod places;
mod probe;
mod record;
mod rows;
mod run;
mod sample;
mod seats;
mod session;
mod stats;
mod table;

use std::process::ExitCode;

/// What can stop a measurement: one line that says what was given, what was wrong, what would be right.
type Error = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    match cli::main() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("benches: {error}");
            ExitCode::from(interrupt::bell().rung().map_or(2, interrupt::exit_code))
        }
    }
}
