//! The part of OTF2 that writes an archive of traces, without linking to it. [`Library::open`] loads the library, and nothing else does. It
//! is never closed.
//!
//! The declarations are written by hand, unlike those of libfabric and UCX. They are some 40 functions of OTF2 3, whose arguments are
//! numbers, texts and opaque pointers. So a build needs neither headers nor libclang, and works with an OTF2 that is installed later.
//! `tests/header.rs` compares them with the installed header, if there is one.
//!
//! An [`Archive`] is written in two steps, as the format requires: first the events of each location ([`Archive::events`]), then the
//! definitions of the numbers in them ([`Archive::definitions`]).
#![warn(missing_docs)]

mod archive;
pub mod number;
mod table;

pub use archive::{Archive, Definitions, Events, Failed};
pub use dl::Error;
pub use table::{ACCEPTED, FILES, Function, Library};
