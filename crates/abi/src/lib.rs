//! The tables of OpenSHMEM 1.6 and of the extensions, as data: types, routines and constants.
//!
//! A routine is one row of [`openshmem_abi!`] or [`openshmemx_abi!`], however many names it has. The tables are read
//! several times: `capi` emits exported functions from them, the generator of headers emits prototypes, generics and
//! overloads, and tests compare the exported symbols with them. `table.rs` explains the rows. As data, a row is a
//! [`Routine`].
//!
//! This crate depends on nothing, so every other crate may depend on it.
#![warn(missing_docs)]
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
