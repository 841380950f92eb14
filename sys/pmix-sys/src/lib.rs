//! The client side of PMIx, as far as a PE needs it, without linking to it: [`open`] loads `libpmix.so.2` when it is
//! called, never before, and it is never closed again, since it runs a thread of its own.
//!
//! The declarations are written by hand, unlike those of the other libraries of this floor. They are nine functions
//! and four structures of the PMIx standard's binary interface, which is the same in releases 3, 4 and 5; so every
//! build can speak to a PMIx that is installed later, and none needs headers or libclang. `tests/layout.rs` holds
//! them against the installed header, where there is one.

mod open;
mod types;

pub use open::{Error, FILE, Pmix, open};
pub use types::*;
