//! The executable's static data as symmetric memory.
//!
//! A global of the program has the same place in every PE that runs the same executable, so it is symmetric without
//! being allocated. To let peers load and store it directly, its pages must lie in memory that they map too. So at
//! start-up the executable's writable data are moved: their contents are written into this PE's part of the node's
//! memfd, and that part is mapped over them, at the same addresses. No relocation, no pointer, no instruction of the
//! program notices. At the end the contents move back into private memory, so that the memfd can go.
//!
//! | file | job |
//! |---|---|
//! | [`range`] | where the data are, and whether two PEs run the same executable |
//! | [`remap`] | moves them into a file and back: [`Statics`] |
//! | `window` | lets no write be lost while they move |
//! | `fork` | gives a forked child its own copy, and is told of forks |
//! | [`locate`] | says what an address that is not symmetric is instead |
//! | [`symbols`] | finds the names of statics |
//! | `threads` | the threads of this process, as /proc shows them |
//!
//! # What is process-wide here, and why
//!
//! The runtime is a value, but a process has one executable, one disposition of SIGSEGV and one list of fork handlers.
//! So the statics here are facts of the process, not of a world: whether the executable's data are in a file now
//! (`fork::STATE`), and what the fault handler needs to know (`window`).
//!
//! # When the runtime itself lies in the range
//!
//! A statically linked library, or a Rust executable, has the runtime's own statics in the range that is moved. Three
//! rules follow, each at its place in the code: while the range is write-protected nothing is allocated and no static
//! is written; system calls are made by rustix, which issues them inline, for a call through a lazily bound table would
//! write that table; and in a forked child, until it has its own copy, only thread-local memory is used.

mod fork;
pub mod locate;
pub mod range;
pub mod remap;
pub mod symbols;
mod threads;
mod window;

pub(crate) use fork::watch as watch_forks;
pub use range::{DataPiece, Range};
pub use remap::Statics;
pub use window::Care;
