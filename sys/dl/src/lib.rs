//! Libraries that are opened at run time: [`Library`], the [`table!`] of a library's functions, and the [`Error`] that says in one line
//! why a library cannot be used.
#![warn(missing_docs)]

mod error;
mod library;

pub use error::Error;
pub use library::Library;
