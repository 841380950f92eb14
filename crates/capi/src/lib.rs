//! The C interface: one exported function for each name of the tables, on the one [`World`] of the process.
//!
//! This crate exports the profiling interface, `pshmem_X` and `pshmemx_X`, as strong symbols. `cargo xtask dist` adds
//! the weak `shmem_X` at the same address when it links the library. So a tool that defines `shmem_X` itself receives
//! the calls, and calls the library by `pshmem_X`. Nothing inside the library calls either name.
//!
//! There is no logic in this crate: a function passes its arguments, and its call site, to the method that its row
//! names. It is a method of [`World`], or of [`Vendors`] if another library has the routine.
//!
//! - `border.rs` ends the unwinding of a call that finds a peer lost, in jobs in which losses return;
//! - `emit.rs` reads the tables of OpenSHMEM and of the extensions, which `manual/shmemx.7.md` documents;
//! - `fortran` reads the Fortran table;
//! - `check.rs` has the functions that instrumented programs call;
//! - `wide.rs` has the four functions that Rust cannot express, because they pass `long double` by value.

#[cfg(all(feature = "library", not(panic = "unwind")))]
compile_error!(
    "a loss that returns unwinds to the border of its routine: build the library in a profile with panic = \"unwind\""
);

mod border;
mod check;
mod emit;
mod fortran;
mod process;
mod wide;

use ferrite_runtime::{World, observe::Tool};
use ferrite_vendors::{OperationCounter, Vendors};

/// The tools that init may attach: all of `ferrite_tools`, and the performance counters.
const TOOLS: &[&dyn Tool] = &{
    const ALL: usize = ferrite_tools::ALL.len();
    let mut tools: [&dyn Tool; ALL + 1] = [&OperationCounter; ALL + 1];
    tools.split_at_mut(ALL).0.copy_from_slice(ferrite_tools::ALL);
    tools
};

/// The state of this process in its job.
static WORLD: Vendors = Vendors(World::with_tools(TOOLS));
