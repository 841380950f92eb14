//! A transport over UCX, by whatever UCX finds, from TCP and shared memory to InfiniBand.
//!
//! The library is opened at run time (`ucx-sys`); a build without its headers has an [`open`] that only says so. The user's
//! `UCX_*` variables are read by UCX and never changed.
//!
//! # How it works
//!
//! This crate is a [`Transport`](ferrite_engine::Transport) of `ferrite-engine`, which has tickets, fences, quiet and the
//! service thread. A process has one context (`context`), and each port is one UCX worker (`port`): the service's, whose
//! address peers know, and those of lanes. A lane's port makes an endpoint to the peer's service worker (`peer`) when it
//! meets the peer, and unpacks the keys of the peer's segments (`key`) as operations need them.
//!
//! | | processors move data: `tcp`, shared memory | a NIC moves data |
//! |---|---|---|
//! | put | active message | `ucp_put_nbx` |
//! | get | `ucp_get_nbx` | `ucp_get_nbx` |
//! | atomics, 32 and 64 bits | active message | active message |
//! | put with signal | active message | active message |
//! | a put is visible | the target has answered a later message | a flush of the worker is complete |
//! | small puts copied | 64 bytes | 64 bytes |
//!
//! Over software transports UCX makes an active message of each `ucp_put_nbx`, and answers each one. Ferrite's own active
//! messages (`inbox`) need no answer of their own.
//!
//! # One atomicity domain
//!
//! UCX executes atomics by a NIC, by the initiator's processor over shared memory, or by the target's, and does not say
//! which. By a NIC they would not be atomic beside the processor's. So atomics are active messages that the target's
//! processor executes with the instructions that near peers use.
//!
//! # Threads
//!
//! A worker is made for one caller at a time, which the engine's mutex around its port ensures. Callbacks run inside calls
//! of their worker, so under the same mutex. All workers share the context, which UCX is told (`mt_workers_shared`) and is
//! asked to confirm.
//!
//! # Loss
//!
//! Endpoints ask UCX to handle errors of peers where a transport can: `tcp`, `rc`, `ud` and `dc` can, shared memory cannot,
//! and is not used when error handling is asked for. So it is not asked for where UCX has nothing but shared memory and
//! loopback: there the peer's machine is this one, and the launcher sees the death. A host that has gone without a
//! word is found by the engine's watchdog, which asks peers for a sign of life; UCX's own keepalive would keep it calm, and is off.
//!
//! UCX knows no secret: who reaches its port can speak to it. Use it in networks that are trusted.

#![cfg_attr(not(bindings), deny(unsafe_code))]

#[cfg(not(bindings))]
mod absent;
#[cfg(bindings)]
mod context;
#[cfg(bindings)]
mod inbox;
#[cfg(bindings)]
mod key;
#[cfg(bindings)]
mod memlock_check;
#[cfg(bindings)]
mod memory;
#[cfg(bindings)]
mod peer;
#[cfg(bindings)]
mod port;
#[cfg(bindings)]
mod slot;
#[cfg(bindings)]
mod transport;
#[cfg(bindings)]
mod worker;

#[cfg(not(bindings))]
pub use absent::{open, survey};
#[cfg(bindings)]
pub use transport::{UcxTransport, open, survey};

use ferrite_engine::Links;
use ferrite_fabric::{Pe, Progress};
use std::{path::PathBuf, time::Duration};

/// Whether UCX's headers were there when this was built: without them it only says so.
pub const BUILT: bool = cfg!(bindings);

/// How a PE takes part. UCX's own variables (`UCX_TLS`, `UCX_NET_DEVICES` and the rest) say what they say.
#[derive(Clone, Debug)]
pub struct Options {
    /// Its number.
    pub me: Pe,
    /// How many there are.
    pub size: u32,
    /// The job's number, which is no secret: tells what wakes a PE's thread from stray datagrams.
    pub job: u64,
    /// The library's file; none for what the dynamic linker finds.
    pub library: Option<PathBuf>,
    /// The devices to use, as UCX writes them (`mlx5_0:1,mlx5_1:1`). This is a hint: give none where the user's
    /// `UCX_NET_DEVICES` says something.
    pub devices: Option<String>,
    /// Whether puts are UCX's, else they are messages; none for what suits the transports. Tests take the way of a NIC by it
    /// where there is none.
    pub writes: Option<bool>,
    /// Who makes progress. UCX needs a processor for it with every transport, since nothing else executes the atomics here.
    pub progress: Progress,
    /// All PEs are on this host: those that wait wake each other over loopback alone.
    pub one_host: bool,
    /// PEs share cores: a thread that waits shall sleep, so that its peers run.
    pub crowded: bool,
    /// After how long without any sign of life a peer that something is waited for counts as lost. `None` waits for ever, for a
    /// job whose PEs may be stopped.
    pub silence: Option<Duration>,
    /// The interfaces by which peers are reached: where none of them works any more, they are lost.
    pub links: Links,
}

impl Options {
    /// The installed library, all devices.
    pub fn new(me: Pe, size: u32, job: u64) -> Self {
        Options {
            me,
            size,
            job,
            library: None,
            devices: None,
            writes: None,
            progress: Progress::default(),
            one_host: false,
            crowded: false,
            silence: Some(Duration::from_secs(60)),
            links: Links::none(),
        }
    }
}

/// What UCX is here, for people.
#[derive(Clone, Debug)]
pub struct Survey {
    /// The library's version.
    pub version: (u32, u32, u32),
    /// The library's file.
    pub file: PathBuf,
    /// Transports and devices that it may use, as `rc_mlx5/mlx5_0:1`.
    pub resources: Vec<String>,
    /// Whether some of these are a NIC's.
    pub drives_nic: bool,
}
