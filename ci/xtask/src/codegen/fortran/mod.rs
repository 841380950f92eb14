//! The Fortran files, includes and a module, written from the tables.

mod binding;
mod generics;
mod include;
mod module;
#[cfg(test)]
mod tests;

use super::Rows;
use ferrite_abi::fortran::{Procedure, procedures};
use std::collections::BTreeSet;

/// Every file, with its path below the include directory.
pub fn files(rows: Rows) -> Vec<(&'static str, String)> {
    vec![
        ("shmem.fh", include::shmem_fh("shmem.fh")),
        ("mpp/shmem.fh", include::shmem_fh("mpp/shmem.fh")),
        ("typed/shmem.fh", include::typed_shmem_fh("typed/shmem.fh", &shown(rows))),
        ("typed/mpp/shmem.fh", include::typed_shmem_fh("typed/mpp/shmem.fh", &shown(rows))),
        ("shmemx.fh", include::shmemx_fh("shmemx.fh")),
        ("mpp/shmemx.fh", include::shmemx_fh("mpp/shmemx.fh")),
        ("shmem.f90", module::shmem_f90(rows)),
    ]
}

/// The C names that the module offers: generics, and routines by their own names.
pub fn c_names(rows: Rows) -> BTreeSet<String> {
    module::c_names(rows)
}

/// The procedures that a file declares.
fn shown(rows: Rows) -> Vec<Procedure> {
    let mut all = procedures();
    all.retain(|procedure| rows.is_all() || procedure.served);
    all
}

fn banner(name: &str, what: &str) -> String {
    format!("! {name}: {what}\n! Written by `cargo xtask codegen` from the tables in crates/abi: edit those.\n")
}
