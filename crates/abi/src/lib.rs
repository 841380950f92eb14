//! The table of OpenSHMEM 1.6, and that of the extensions: types, routines and constants, as data.
//!
//! A routine is one row of [`openshmem_abi!`] or of [`openshmemx_abi!`], however many names it has. The table is read more than once: the C
//! floor turns rows into exported functions, the generator of headers turns them into prototypes, generics and
//! overloads, and tests hold the exported symbols against them. What a row says is explained in `table.rs`; what
//! a reading gets to see as data is a [`Routine`].
//!
//! Nothing here depends on anything, so that every floor above may.
#![forbid(unsafe_code)]

pub mod constants;
pub mod extensions;
pub mod fortran;
mod routine;
mod symbol;
mod table;
mod types;

pub use routine::{Arg, Context, Facts, Instance, Routine, Shape, Status, everything, extension_routines, routines};
pub use symbol::{CArg, Symbol, declare, symbols};
pub use types::{CType, c_type, element};
