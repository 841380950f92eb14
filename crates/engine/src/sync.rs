//! The locks and atomics of files that `ci/loom` includes. There this module has loom's versions, and loom tries every execution that the
//! memory model allows.

pub use ferrite_os::mutex::lock;
pub use std::sync::{
    Mutex,
    atomic::{AtomicBool, Ordering, fence},
};
