//! `oshmem_info`: what this build of Ferrite is, what it finds on this machine, and what can be set.

use std::process::ExitCode;

fn main() -> ExitCode {
    ferrite_launcher::info::main()
}
