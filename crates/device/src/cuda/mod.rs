//! Devices of CUDA's driver.
//!
//! | file | job |
//! |---|---|
//! | `open.rs` | finds the current device and its abilities |
//! | `calls.rs` | calls the driver: the context of the thread, errors as text, a lost device |
//! | `device.rs` | the operations of the contract |
//! | `timeline.rs` | the marks of a stream |
//! | `classify.rs` | the memory of an address |
//!
//! The library is loaded by [`open`] and nothing else, so a program that does not ask for device memory never pays for it.

mod calls;
mod classify;
mod device;
mod open;
mod timeline;

use crate::{About, Error};
use cuda_sys::{CUcontext, CUdevice, Driver};
use std::{
    collections::HashMap,
    fmt,
    num::NonZeroU64,
    sync::{Arc, Mutex, OnceLock},
};
use timeline::Timeline;

pub use classify::classify_if_loaded;
pub use open::open;

/// An open device of CUDA.
struct Cuda {
    driver: Driver,
    device: CUdevice,
    context: Context,
    about: About,
    /// The greatest distance between rows that copies accept.
    max_pitch_bytes: usize,
    /// True if NICs can reach memory of `create`.
    serves_nics: bool,
    /// The first error which said that the device is lost.
    lost: OnceLock<Error>,
    timelines: Mutex<HashMap<NonZeroU64, Arc<Timeline>>>,
}

/// The context in which the device was opened.
struct Context {
    handle: CUcontext,
    /// True if this is the device's primary context, and a reference to it must be given back.
    is_retained: bool,
}

// SAFETY: the handle is an opaque number for the driver, whose functions any thread may call.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

impl fmt::Debug for Cuda {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cuda").field("about", &self.about).field("lost", &self.lost).finish_non_exhaustive()
    }
}
