//! The executable's static data as symmetric memory.
//!
//! A global of the program has the same place in every PE that runs the same executable, so it is symmetric without being allocated. For
//! peers to load and store it directly, its pages must lie in memory that they map too. So at start-up the executable's writable data are
//! moved: their contents are written into this PE's part of the node's memfd, and that part is mapped over them, at the same addresses. No
//! relocation, pointer or instruction of the program is affected. At the end the contents move back into private memory, so that the memfd
//! can be freed.
//!
//! | file | job |
//! |---|---|
//! | [`range`] | where the data are, and whether two PEs run the same executable |
//! | [`remap`] | moves them into a file and back: [`Statics`] |
//! | `window` | keeps writes from getting lost while the data move |
//! | `fork` | gives a forked child its own copy; installs the fork handlers |
//! | [`locate`] | finds out where an address that is not symmetric belongs |
//! | [`symbols`] | finds the names of statics |
//! | `threads` | the threads of this process, as /proc shows them |
//!
//! # What is process-wide here, and why
//!
//! The runtime is a value, but a process has one executable, one disposition of SIGSEGV and one list of fork handlers. So the statics here
//! describe the process, not a world: whether the executable's data are in a file now (`fork::STATE`), and the data of the fault handler
//! (`window`).
//!
//! # When the runtime itself lies in the range
//!
//! A statically linked library, or a Rust executable, has the runtime's own statics in the range that is moved. Three rules follow, each
//! documented at its place in the code:
//!
//! - While the range is write-protected, nothing is allocated and no static is written.
//! - System calls are made by rustix, which issues them inline. A call through a lazily bound table would write that table.
//! - A forked child uses only thread-local memory until it has its own copy.

mod fork;
pub mod locate;
pub mod range;
pub mod remap;
pub mod symbols;
mod threads;
mod window;

pub use fork::call_in_children;
pub use range::{DataPiece, Range};
pub use remap::Statics;
pub use window::Care;
