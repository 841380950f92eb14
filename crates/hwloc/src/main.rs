//! Prints the topology of a machine as hwloc knows it, for another program to read. The only program that is linked to
//! libhwloc.
//!
//! It is a program of its own so that the commands run where there is no libhwloc, and so that a malformed file can
//! crash no other program.
//!
//!   ferrite-hwloc [FILE.xml]

use std::process::ExitCode;

fn main() -> ExitCode {
    match map() {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(hwloc_found)]
fn map() -> Result<String, String> {
    use ferrite_hwloc::Hwloc;
    let probe = std::env::args_os().nth(1).map_or_else(Hwloc::here, Hwloc::xml);
    let (machine, version) = probe.read().map_err(|error| error.to_string())?;
    Ok(format!("{version}\n{}", machine.listing()))
}

#[cfg(not(hwloc_found))]
fn map() -> Result<String, String> {
    Err(env!("FERRITE_NOT_BOUND").to_owned())
}
