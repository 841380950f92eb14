//! `oshrun`: start the PEs of a job, carry their output, and leave nothing behind.

use std::process::ExitCode;

fn main() -> ExitCode {
    ferrite_launcher::run::main(std::env::args_os())
}
