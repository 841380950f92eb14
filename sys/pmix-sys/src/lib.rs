//! The part of PMIx's client interface that a PE needs, without linking to it. [`open`] loads `libpmix.so.2`, and
//! nothing else does. The library is never closed, since it runs a thread of its own.
//!
//! The declarations are written by hand, unlike those of the other libraries under `sys`. They are nine functions and
//! four structures of the PMIx standard's binary interface, which is the same in releases 3, 4 and 5. So a build needs
//! neither headers nor libclang, and works with a PMIx that is installed later. `tests/layout.rs` compares them with
//! the installed header, if there is one.
#![warn(missing_docs)]

mod open;
mod types;

pub use dl::Error;
pub use open::{ACCEPTED, FILE, NoValue, Pmix, open};
pub use types::*;
