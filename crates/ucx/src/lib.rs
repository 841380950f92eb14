//! A [`Fabric`](ferrite_fabric::Fabric) over UCX: whatever transport UCX finds, from TCP and shared memory to InfiniBand.
//!
//! The library is opened at run time (`ucx-sys`); a build without its headers has a [`UcxFabric`] that only says so. The
//! user's `UCX_*` variables are read by UCX and never changed.
//!
//! # How it works
//!
//! A PE has a context, a worker that serves peers (`target`) and workers for its lanes (`stream`, `lane`). A lane makes an
//! endpoint from its worker to a peer's serving worker when it first needs one; what the bootstrap carries is
//! that worker's address, and each segment's packed keys (`key`).
//!
//! - What is done by whom ([`By`]): gets are always UCX's. Puts are UCX's where a NIC may carry them out. Where only
//!   processors move anything UCX would make messages of them, with an answer to each; here they are active
//!   messages of our own (`post`), which need none.
//! - Inside one machine, where UCX has nothing but shared memory, it lends the heap its pages (`loan`), and peers map them. Then
//!   what is to one piece of a heap is loads and stores of the initiator, without a message or a ticket (`mapped`), and a fence
//!   holds it back behind messages (`hold`). Static data and the runtime's own cells go by messages there too.
//! - Completion: operations end in any order, and a compact window of slots makes one growing number of that (`window`).
//! - Order: what a fence waits for and why that suffices is told in `stream`.
//! - Put with signal is one active message: the target's processor takes the data, then raises the signal. So the two
//!   need no order of UCX's, long data that the target fetches by rendezvous included.
//! - Segments grow: each registration adds an extent, the key is of all extents, an operation beyond those that a
//!   lane knows makes it look the key up again, and one that straddles them is split (`peer`).
//!
//! # One atomicity domain
//!
//! UCX executes atomics by a NIC, by the initiator's processor over shared memory, or by the target's, and does not say
//! which. By a NIC they would not be atomic beside the processor's. So atomics are active messages that the
//! target's processor executes with the instructions that near peers use, as the initiator's does where the heap is mapped, and
//! `Caps::nic_atomics` is false. That holds
//! for each transport, so the two ends need not agree on one. `Options::atomics` can leave them to UCX
//! instead: then `nic_atomics` is true, and near peers' atomics have to come here too.
//!
//! # Who drives what, and why it is sound
//!
//! Each worker is made for one caller at a time and lies behind a mutex of its own: a lane's behind the lane's, the
//! serving one behind the target's. Callbacks run inside calls of a worker, so under its mutex. No thread waits for
//! one of these mutexes while it holds another: a lane lets go of its own before it tries (`try_lock`) the target's. The
//! context is shared by all of them, which UCX is told (`mt_workers_shared`) and is asked to confirm.
//!
//! A program inside the library drives its lane and, when nobody else does, the serving worker, so a message costs no
//! switch of threads. While it computes a thread does both, asleep on the workers' descriptors (`service`), unless the program is to do
//! it alone (`Options::progress`).
//!
//! # Loss
//!
//! Endpoints ask UCX to handle errors of peers, where a transport can: `tcp`, `rc`, `ud` and `dc` can, shared memory
//! cannot, and is not used when it is asked for. So it is not where UCX has nothing but shared memory and loopback: there
//! the peer's machine is this one, and the launcher sees the death. Nor is it where UCX of 1.16 or later executes
//! atomics: it has none for endpoints that handle errors. A lost peer is a
//! [`fault`](ferrite_fabric::Fabric::fault) when something of it is awaited; one that has everything may leave. UCX tells of a
//! host that has gone as soon as its keepalive notices (`UCX_KEEPALIVE_INTERVAL`, `UCX_TCP_KEEPIDLE`); one that something is
//! waited for and that says nothing for `Options::silence` counts as lost, and so does one behind an interface that is gone.
//!
//! UCX knows no secret: who reaches its port can speak to it. Use it in networks that are trusted.
//!
//! # What it can do
//!
//! | | over `tcp`, shared memory | a mapped heap | where there is a NIC | `atomics: By::Library` |
//! |---|---|---|---|---|
//! | put | active message | stores | `ucp_put_nbx` | as before |
//! | get | `ucp_get_nbx` | loads | `ucp_get_nbx` | as before |
//! | atomics, 32 and 64 bits | active message | the processor's | active message | `ucp_atomic_op_nbx` |
//! | put with signal | active message | stores, then an atomic | active message | put, flush, atomic |
//! | remote completion | answer, one for many | at once | flush of the worker, which alone minds relaxed ordering | flush |
//! | order after a fence | packets in order; long ones waited for | a barrier; what travels is waited for | waited for; free with UCX 1.13 | as before |
//! | small puts copied | 64 bytes | all | 64 bytes | as before |
//! | atomics beside near peers' | yes | yes | yes | no: all must come here |

#![cfg_attr(not(bindings), deny(unsafe_code))]

#[cfg(not(bindings))]
mod absent;
#[cfg(bindings)]
mod context;
#[cfg(bindings)]
mod doze;
#[cfg(bindings)]
mod fabric;
#[cfg(bindings)]
mod flush;
#[cfg(bindings)]
mod hold;
#[cfg(bindings)]
mod key;
#[cfg(bindings)]
mod lane;
#[cfg(bindings)]
mod loan;
#[cfg(bindings)]
mod mapped;
#[cfg(bindings)]
mod memory;
#[cfg(bindings)]
mod message;
#[cfg(bindings)]
mod native;
#[cfg(bindings)]
mod peer;
#[cfg(bindings)]
mod post;
#[cfg(bindings)]
mod room;
#[cfg(bindings)]
mod service;
#[cfg(bindings)]
mod shared;
#[cfg(bindings)]
mod slot;
mod stream;
#[cfg(bindings)]
mod target;
#[cfg(bindings)]
mod window;
#[cfg(bindings)]
mod worker;

#[cfg(not(bindings))]
pub use absent::{UcxFabric, survey};
#[cfg(bindings)]
pub use fabric::{UcxFabric, survey};

use ferrite_fabric::{Links, Pe, Progress};
use std::{path::PathBuf, time::Duration};

/// Whether UCX's headers were there when this was built: without them it only says so.
pub const BUILT: bool = cfg!(bindings);

/// Who carries out operations at their target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum By {
    /// The target's processor, asked by active messages.
    Target,
    /// Whoever UCX chooses: a NIC that can, or UCX's own handlers. Not for atomics over shared memory: of some thousand
    /// under way without an answer, UCX 1.13's handlers were seen to lose nearly all, in three runs of eight.
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
    /// Who makes progress. UCX needs a thread for it with every transport, since nothing but a processor executes the atomics here.
    pub progress: Progress,
    /// PEs share cores: a thread that waits shall sleep, so that its peers run.
    pub crowded: bool,
    /// After how long without any sign of life a peer that something is waited for counts as lost. `None` waits for ever, for a
    /// job whose PEs may be stopped.
    pub silence: Option<Duration>,
    /// The interfaces by which peers are reached: where none of them works any more, they are lost.
    pub links: Links,
}

impl Options {
    /// The installed library, all devices, atomics by the target's processor.
    pub fn new(me: Pe, size: u32) -> Self {
        Options {
            me,
            size,
            library: None,
            devices: None,
            puts: None,
            atomics: By::Target,
            progress: Progress::default(),
            crowded: false,
            silence: Some(Duration::from_secs(30)),
            links: Links::none(),
        }
    }

    /// Whether UCX is to wake a thread, which takes some of the time of each message.
    #[cfg(bindings)]
    fn sleeps(&self) -> bool {
        self.progress.sleeps(self.crowded)
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
