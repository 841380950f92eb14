//! The C interface: one exported function for each name of the tables, over the one [`World`] of the process.
//!
//! What is exported here is the profiling interface, `pshmem_X` and `pshmemx_X`, as strong symbols. `cargo xtask dist`
//! adds the weak `shmem_X` at the same address when it links the library, so that a tool that defines `shmem_X` itself
//! takes the calls and reaches the library by `pshmem_X`. Nothing inside the library calls either name.
//!
//! There is no logic in this crate: a function hands its arguments, and where it was called, to the method that its
//! row names.
//! - `emit.rs` reads the tables: OpenSHMEM's, and that of the extensions, of which `manual/shmemx.7.md` says what each name does;
//! - `fortran` reads the Fortran table;
//! - `wide.rs` holds the four functions that Rust cannot spell, because they pass `long double` by value.

#[cfg(all(feature = "library", not(panic = "abort")))]
compile_error!("a panic must not cross into C: build the library in a profile with panic = \"abort\"");

mod emit;
mod fortran;
mod process;
mod wide;

use ferrite_runtime::World;

/// This process's end of its job.
static WORLD: World = World::new();
