//! Symmetric memory: the memory file of a node, the heap, and the static data of the executable.

mod allocate;
pub(crate) mod copy;
pub mod heap;
pub(crate) mod kept;
pub(crate) mod node;
pub mod statics;

pub use allocate::BlockState;
