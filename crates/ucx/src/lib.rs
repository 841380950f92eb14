//! A [`Fabric`](ferrite_fabric::Fabric) over UCX: whatever transport UCX finds.

#![cfg_attr(not(bindings), deny(unsafe_code))]

#[cfg(not(bindings))]
mod absent;
#[cfg(bindings)]
mod context;
#[cfg(bindings)]
mod fabric;
#[cfg(bindings)]
mod key;
#[cfg(bindings)]
mod lane;
#[cfg(bindings)]
mod memory;
#[cfg(bindings)]
mod message;
#[cfg(bindings)]
mod peer;
#[cfg(bindings)]
mod post;
#[cfg(bindings)]
mod service;
#[cfg(bindings)]
mod shared;
#[cfg(bindings)]
mod stream;
#[cfg(bindings)]
mod target;
#[cfg(bindings)]
mod window;
#[cfg(bindings)]
mod worker;

#[cfg(not(bindings))]
pub use absent::UcxFabric;
#[cfg(bindings)]
pub use fabric::UcxFabric;

use ferrite_fabric::Pe;
use std::path::PathBuf;

/// Who carries out operations at their target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum By {
    /// The target's processor, asked by active messages.
    Target,
    /// Whoever UCX chooses: a NIC that can, or UCX's own handlers.
    Library,
}

/// How a PE takes part. UCX's own variables (`UCX_TLS`, `UCX_NET_DEVICES` and the rest) say what they say.
#[derive(Clone, Debug)]
pub struct Options {
    /// Its number.
    pub me: Pe,
    /// How many there are.
    pub size: u32,
    /// The library's file; none for what the dynamic linker finds.
    pub library: Option<PathBuf>,
    /// The devices to use, as UCX writes them (`mlx5_0:1,mlx5_1:1`). This is a hint: give none where the user's
    /// `UCX_NET_DEVICES` says something.
    pub devices: Option<String>,
    /// Who carries out puts; none for what suits the transports: UCX where one of them may be a NIC's.
    pub puts: Option<By>,
    /// Who executes atomics: the same for all PEs of a job.
    pub atomics: By,
}

impl Options {
    /// The installed library, all devices, atomics by the target's processor.
    pub fn new(me: Pe, size: u32) -> Self {
        Options { me, size, library: None, devices: None, puts: None, atomics: By::Target }
    }
}
