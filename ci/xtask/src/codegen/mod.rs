//! The headers and the Fortran files, generated from the tables.
//!
//! They are committed, so that users and readers do not need this command. A test checks that they are up to date.

pub mod c11;
mod constants;
mod cxx;
pub mod fortran;
mod prototypes;
#[cfg(test)]
mod tests;

use crate::{Result, repo};
use ferrite_abi::{Routine, Symbol, extension_routines, extensions::DEVICE_SECTION, routines, symbols};
use std::path::PathBuf;

/// Options of `codegen`.
#[derive(clap::Args)]
pub struct Options {
    /// Change nothing; fail if a header differs from the table
    #[arg(long)]
    check: bool,
}

/// The rows that a header shows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Rows {
    /// The rows that the library exports.
    Served,
    /// Pending rows too: the future headers, which can be tested before they are released.
    #[cfg(test)]
    All,
}

impl Rows {
    fn shows(self, row: &Routine) -> bool {
        self.is_all() || row.served
    }

    /// True if pending rows are shown.
    fn is_all(self) -> bool {
        #[cfg(test)]
        if self == Rows::All {
            return true;
        }
        false
    }

    /// The rows of `shmem.h`: the specification's routines, with removed ones, which programs still call.
    fn routines(self) -> Vec<Routine> {
        routines().into_iter().filter(|row| self.shows(row)).collect()
    }

    /// The rows of the Fortran module: the rows of `shmem.h`, and the routines for memory of devices.
    fn of_module(self) -> Vec<Routine> {
        let devices = extension_routines().into_iter().filter(|row| row.facts.section == DEVICE_SECTION);
        self.routines().into_iter().chain(devices).collect()
    }
}

fn all_symbols(rows: &[Routine]) -> Vec<Symbol> {
    rows.iter().flat_map(symbols).collect()
}

/// The directory of the headers.
pub fn include_dir() -> PathBuf {
    repo::root().join("crates/capi/include")
}

/// Every header, with its path below the include directory.
pub fn headers(rows: Rows) -> Vec<(&'static str, String)> {
    vec![
        ("shmem.h", shmem_h(rows)),
        ("shmemx.h", shmemx_h()),
        ("shmemg.h", shmemg_h()),
        ("pshmem.h", pshmem_h(rows)),
        ("mpp/shmem.h", forward("mpp/shmem.h", "shmem.h")),
        ("mpp/shmemx.h", forward("mpp/shmemx.h", "shmemx.h")),
    ]
}

/// Write the files, or check that they are up to date.
pub fn run(options: &Options) -> Result {
    for (name, text) in headers(Rows::Served).into_iter().chain(fortran::files(Rows::Served)) {
        let path = include_dir().join(name);
        if !options.check {
            repo::write(&path, text)?;
        } else if repo::read(&path)? != text {
            return Err(format!(
                "{name} differs from the table: run `cargo xtask codegen`, and commit the files that it writes"
            ));
        }
    }
    Ok(())
}

fn banner(name: &str, what: &str) -> String {
    format!("/* {name}: {what}\n   Written by `cargo xtask codegen` from the table in crates/abi: edit that. */\n\n")
}

fn guard(name: &str) -> String {
    format!("_FERRITE_{}", name.to_uppercase().replace(['/', '.'], "_"))
}

fn guarded(name: &str, what: &str, body: &str) -> String {
    let guard = guard(name);
    format!("{}#ifndef {guard}\n#define {guard}\n\n{body}\n#endif\n", banner(name, what))
}

fn forward(name: &str, to: &str) -> String {
    guarded(name, &format!("the name that {to} had before OpenSHMEM 1.1."), &format!("#include \"../{to}\"\n"))
}

fn extern_c(body: &str) -> String {
    format!("#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n{body}\n#ifdef __cplusplus\n}}\n#endif\n")
}

fn shmem_h(rows: Rows) -> String {
    let rows = rows.routines();
    let mut body = constants::preamble(&rows);
    body += &constants::definitions();
    body += &extern_c(&prototypes::block(&rows, ""));
    body += &any_type(&rows, &format!("{}{}", c11::HELPERS, c11::generics(&rows, "_SHMEM_TYPES")));
    guarded("shmem.h", "OpenSHMEM 1.6 for C99, C11 and C++.", &body)
}

/// Names for all types: overloads in C++, generics in C.
fn any_type(rows: &[Routine], generics: &str) -> String {
    // Overloads cannot have C linkage, and old programs include C headers inside `extern "C"`.
    format!(
        "\n#if defined(__cplusplus) && __cplusplus >= 201103L\n\nextern \"C++\" {{\n\n{}\n}}\n\n\
         #elif !defined(__cplusplus) && defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L\n\n{generics}\n#endif\n",
        cxx::overloads(rows)
    )
}

fn shmemx_h() -> String {
    let (types, values) = (constants::EXTENSION_TYPES, constants::of_extensions());
    let rows = extensions_of("shmemx.h");
    let prototypes = extern_c(&prototypes::block(&rows, ""));
    let generics = any_type(&rows, &c11::generics(&rows, "_SHMEMX_TYPES"));
    let body = format!("#include \"shmem.h\"\n\n{types}{values}{prototypes}{generics}");
    guarded("shmemx.h", "extensions to OpenSHMEM 1.6.", &body)
}

/// The extensions that a header declares.
fn extensions_of(header: &str) -> Vec<Routine> {
    extension_routines().into_iter().filter(|row| row.header() == header).collect()
}

fn shmemg_h() -> String {
    let prototypes = extern_c(&prototypes::block(&extensions_of("shmemg.h"), ""));
    let body = format!("#include \"shmem.h\"\n\n{}{prototypes}", constants::of_devices());
    guarded("shmemg.h", "memory of GPUs, of OpenSHMEM's auxiliary specification for GPU support 0.1.", &body)
}

fn pshmem_h(rows: Rows) -> String {
    let all: Vec<Routine> = rows.routines().into_iter().chain(extension_routines()).collect();
    let body = format!("#include \"shmemx.h\"\n#include \"shmemg.h\"\n\n{}", extern_c(&prototypes::block(&all, "p")));
    guarded("pshmem.h", "the profiling interface: the second name of every routine.", &body)
}
