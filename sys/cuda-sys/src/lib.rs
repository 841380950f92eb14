//! The part of CUDA's driver interface that device memory needs, without linking to it. [`Driver::open`] loads the library, and nothing
//! else does. It is never closed.
//!
//! The declarations are written by hand from the public documentation of the interface. They are some 40 functions with four structures,
//! whose layouts have been the same since CUDA 11. So a build needs no toolkit of CUDA, and works with a driver that is installed later.
//! The crate `cudarc` has them all, but with its tables for ten versions it would lengthen every first build for a feature that few hosts
//! can use.
//!
//! Where a function has a second form in the binary interface (`_v2`), the header selects that form by a macro; so does this table.
#![warn(missing_docs)]

#[allow(missing_docs, reason = "functions have the names of CUDA's, whose documentation describes them")]
mod table;
#[allow(missing_docs, reason = "as for the functions")]
mod types;

pub use dl::Error;
pub use table::{ACCEPTED, Driver, FILE, NAMES};
pub use types::*;
