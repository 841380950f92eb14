//! The chores of this project, one per file: `cargo xtask <chore>`.
#![forbid(unsafe_code)]

mod abi;
mod api;
mod codegen;
mod debug_files;
mod dist;
mod floors;
mod instructions;
mod inventory;
mod link;
mod manual;
mod package;
mod repo;
mod shorten;
mod site;
mod sizes;
mod symbols;
mod tidy;
#[cfg(test)]
mod workflows;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

#[derive(Parser)]
#[command(name = "cargo xtask", about = "The chores of this project")]
struct Cli {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Record the binary interface of the library, to which lines are only added
    Abi(abi::Options),
    /// Generate the headers from the table of routines
    Codegen(codegen::Options),
    /// Build the library and the programs, and install them
    Dist(dist::Options),
    /// Make the packages: an archive, a Debian package, a Python wheel and the sources
    Package(package::Options),
    /// Write the manual, for man and for browsers, beside the installed programs
    Manual(manual::Options),
    /// Make the web site: front page, guide, manual, benchmarks, architecture and search
    Site(site::Options),
    /// Compare the symbols that an installed library exports with the table of routines
    Symbols(symbols::Options),
    /// Compare the machine code of put, get and fetch_add in the Rust library with C
    Instructions(instructions::Options),
    /// Compare the public items of ferrite-shmem with the list in the repository
    Api(api::Options),
    /// Check the sources: lengths of files and functions, forbidden words, comments without content
    Tidy,
    /// Check that the crates depend on lower floors only
    Floors,
}

/// The result of a chore. The error has one or several lines.
type Result<T = ()> = std::result::Result<T, String>;

fn main() -> ExitCode {
    let outcome = match Cli::parse().chore {
        Chore::Abi(options) => abi::run(&options),
        Chore::Codegen(options) => codegen::run(&options),
        Chore::Dist(options) => dist::run(&options),
        Chore::Package(options) => package::run(&options),
        Chore::Manual(options) => manual::run(&options),
        Chore::Site(options) => site::run(&options),
        Chore::Symbols(options) => symbols::run(&options),
        Chore::Instructions(options) => instructions::run(&options),
        Chore::Api(options) => api::run(&options),
        Chore::Tidy => tidy::run(),
        Chore::Floors => floors::run(),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("xtask: {why}");
            ExitCode::FAILURE
        }
    }
}
