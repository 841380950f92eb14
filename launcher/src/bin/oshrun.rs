//! `oshrun`: start the PEs of a job, carry their output, and leave nothing behind. Installed, it is the other commands too.

use std::process::ExitCode;

fn main() -> ExitCode {
    ferrite_launcher::main()
}
