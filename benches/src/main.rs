//! `oshbench` measures an OpenSHMEM, by itself or beside another one.
//!
//! The measured programs are plain C (`benches/c` and the installed examples) and are built by each side's own `oshcc`. The sides run in
//! alternation on pinned cores. A ping-pong before and after each run measures the distance between the cores, and only runs at the same
//! distance are compared. The result is a table of rows, from which every output is made. `METHOD.md` gives the reasons.
//!
//! | part | files |
//! |---|---|
//! | what is run | `family`, `catalog`, `applications`; `build`, `installation`, `transport`: a side |
//! | running | `session` fills a `record`; `subprocess`, `interrupt`, `progress` |
//! | comparable runs | `distance`, `affinity`, `pinning`, `cores`; `pair` |
//! | judging | `rows`, `stats`, `limits`, `summary` |
//! | output | `output` writes `table`, `osu`, `csv`, `document` (JSON) and `report`, whose drawings `charts` and `glance` choose and `plot` draws; `history`, `programs` |
//! | other | `instructions`, `guard`: counts; `device`: memory of GPUs; `scale`: the model of `crates/sim`; `machine`, `provenance` |
#![deny(unsafe_code)]

mod affinity;
mod applications;
mod build;
mod catalog;
mod charts;
mod cli;
mod commands;
mod cores;
mod csv;
mod device;
mod distance;
mod document;
mod family;
mod glance;
mod guard;
mod history;
mod installation;
mod instructions;
mod interrupt;
mod limits;
mod machine;
mod osu;
mod output;
mod pair;
mod pinning;
mod plot;
mod programs;
mod progress;
mod provenance;
mod record;
mod report;
mod rows;
mod sample;
#[cfg(test)]
mod sample_results;
mod scale;
mod session;
mod stats;
mod subprocess;
mod summary;
mod table;
mod transport;

use std::process::ExitCode;

/// An error that stops a measurement: one line with the input, the mistake and a correct form.
type Error = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    ferrite_os::panics::abort();
    match cli::main() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("oshbench: {}", ferrite_os::error_text::plain(&error.to_string()));
            ExitCode::from(interrupt::interrupt().signal().map_or(2, interrupt::exit_code))
        }
    }
}
