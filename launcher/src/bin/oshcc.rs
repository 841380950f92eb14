//! `oshcc` and its family: the compiler of the machine, told where Ferrite is. The name it is called by says which
//! language is meant.

use std::process::ExitCode;

fn main() -> ExitCode {
    ferrite_launcher::wrap::main()
}
