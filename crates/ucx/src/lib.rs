//! A transport over UCX, which uses any network that UCX finds, from TCP and shared memory to InfiniBand.
//!
//! The library is opened at run time (`ferrite-ucx-sys`). In a build without its headers, [`open`] only reports the reason. UCX reads the user's
//! `UCX_*` variables; Ferrite never changes them.
//!
//! # How it works
//!
//! This crate is a [`Transport`](ferrite_engine::Transport) of `ferrite-engine`, which provides tickets, fences, quiet and the service
//! thread. A process has one context (`context`). Each port (`port`) is one UCX worker: one for the service, whose address peers know,
//! and one for each lane. When a lane's port meets a peer, it makes an endpoint to the peer's service worker (`peer`). It unpacks the keys
//! of the peer's segments (`key`) as operations need them.
//!
//! | | processors move data: `tcp`, shared memory | a NIC moves data |
//! |---|---|---|
//! | put | active message | `ucp_put_nbx` |
//! | get | active message over `tcp`, `ucp_get_nbx` over shared memory | `ucp_get_nbx` |
//! | atomics, 32 and 64 bits | active message | active message |
//! | put with signal | active message | active message |
//! | a put is visible | the target has answered a later message | a flush of the worker is complete |
//! | small puts copied | 64 bytes | 64 bytes |
//!
//! Over software transports UCX makes an active message of each `ucp_put_nbx`, and answers each one. Ferrite's own active
//! messages (`inbox`) need no answer of their own. UCX also makes messages of each `ucp_get_nbx` over `tcp`, and ends the process if it cannot
//! answer one (`inbox/gets`).
//!
//! # One atomicity domain
//!
//! UCX executes an atomic on a NIC, on the initiator's processor over shared memory, or on the target's processor, and does not report
//! which. Atomics on a NIC would not be atomic with respect to the processor's. So atomics are active messages, which the target's
//! processor executes with the instructions that near peers use.
//!
//! # Threads
//!
//! A worker is made for one caller at a time, which the engine's mutex around its port ensures. Callbacks run inside calls of their worker,
//! so they run under the same mutex. All workers share the context; `mt_workers_shared` requests this, and UCX must confirm it.
//!
//! # Loss
//!
//! Endpoints ask UCX to handle errors of peers if a transport can. `tcp`, `rc`, `ud` and `dc` can. Shared memory cannot, and UCX does not
//! use it when error handling is asked for. So error handling is not asked for if UCX has only shared memory and loopback: then the peer
//! runs on this machine, and the launcher sees its death. If a host disappears without notice, the engine's watchdog detects it by asking
//! peers for a sign of life. UCX's own keepalive would keep the watchdog calm, and is off.
//!
//! UCX has no authentication: any process that can reach its port can send to it. Use it only in trusted networks.
//!
//! | part | files |
//! |---|---|
//! | UCX's objects | `context`, `worker`, `memory`, `key` |
//! | a port | `port`, `peer`, `slot` (one call in progress), `inbox` (state of the callbacks) |
//! | the engine's side | `transport`: what UCX keeps in order, and so what the engine holds back; `memlock_check`; `absent`: a build without headers |
#![warn(missing_docs)]
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

/// Whether UCX's headers were present when this crate was built. Without them, [`open`] and [`survey`] only report the reason.
pub const BUILT: bool = cfg!(bindings);

/// How a PE takes part in the job. UCX's own variables (`UCX_TLS`, `UCX_NET_DEVICES` and the rest) apply unchanged.
#[derive(Clone, Debug)]
pub struct Options {
    /// Number of this PE.
    pub me: Pe,
    /// Number of PEs in the job.
    pub size: u32,
    /// The job's number, which is no secret. It distinguishes datagrams that wake a PE's thread from strays.
    pub job: u64,
    /// File of the library; `None` for the one that the dynamic linker finds.
    pub library: Option<PathBuf>,
    /// Devices to use, as UCX writes them (`mlx5_0:1,mlx5_1:1`). This is a hint: set none if the user has set `UCX_NET_DEVICES`.
    pub devices: Option<String>,
    /// The user's variables of UCX that restrict it, such as `UCX_TLS=rc`, for an error that names them.
    pub told: String,
    /// The user has named the devices: if UCX cannot use any of them, that is an error.
    pub needs_devices: bool,
    /// Number of devices over which UCX cuts long puts and gets.
    pub rails: usize,
    /// Whether puts are UCX's writes; otherwise they are messages. `None` decides by the transports. Tests use it to take a NIC's path
    /// without a NIC.
    pub writes: Option<bool>,
    /// Which threads make progress. UCX needs a processor for it with every transport, because nothing else executes the atomics here.
    pub progress: Progress,
    /// All PEs are on this host: waiting PEs wake each other over loopback alone.
    pub one_host: bool,
    /// PEs share cores: a waiting thread shall sleep, so that its peers run.
    pub crowded: bool,
    /// Time without any sign of life after which a peer counts as lost, if something is awaited from it. `None` waits for ever, for a job
    /// whose PEs may be stopped.
    pub silence: Option<Duration>,
    /// Interfaces through which peers are reached. If none of them works any more, the peers are lost.
    pub links: Links,
}

impl Options {
    /// The defaults: the installed library, all devices.
    pub fn new(me: Pe, size: u32, job: u64) -> Self {
        Options {
            me,
            size,
            job,
            library: None,
            devices: None,
            told: String::new(),
            needs_devices: false,
            rails: 1,
            writes: None,
            progress: Progress::default(),
            one_host: false,
            crowded: false,
            silence: Some(Duration::from_secs(60)),
            links: Links::none(),
        }
    }
}

/// Survey of UCX on this machine, for people.
#[derive(Clone, Debug)]
pub struct Survey {
    /// Version of the library.
    pub version: (u32, u32, u32),
    /// File of the library.
    pub file: PathBuf,
    /// Transports and devices that it may use, as `rc_mlx5/mlx5_0:1`.
    pub resources: Vec<String>,
    /// Whether any of these is a NIC's.
    pub drives_nic: bool,
}
