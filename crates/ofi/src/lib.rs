//! A [`Fabric`](ferrite_fabric::Fabric) over libfabric, whose library is opened at run time. It consists of the engine of all transports
//! ([`ferrite_engine`]) and a port over libfabric's endpoints.
//!
//! # How it works
//!
//! `select_provider` picks one provider and NIC from all that libfabric offers on a machine ([`survey`] reports why). `plan` turns its
//! capabilities into decisions, once. From then on:
//!
//! - A PE has one **service** port. Peers know its endpoint's address, reach the memory that is registered with it (`regions`), and send
//!   messages to it: requests and answers. A **lane's** port sends from another endpoint, and receives nothing.
//! - Puts and gets are the provider's writes and reads (`rma`). A put is complete when it has been delivered (FI_DELIVERY_COMPLETE), so
//!   quiet only counts completions. The source of a put of up to 4 KiB, or of what the provider injects if that is more,
//!   is free at once: the provider (inject) or this crate (`local_memory`) copies it.
//! - Atomics and small puts with a signal are messages (`messages`). The target's processor executes them, in one atomicity domain with PEs
//!   that map the memory. A longer put with a signal is a write followed by a message. If the NIC has all atomics, the NIC executes them
//!   (`atomics`), and a put with a signal is a write followed by an atomic.
//! - A failed operation, and the loss of a peer that comes with it, is reported as a [`Fabric::fault`](ferrite_fabric::Fabric::fault).
//!
//! # Threads
//!
//! The provider is asked for FI_THREAD_SAFE, because the ports of several lanes and of the service use one domain at once. Even so, each
//! endpoint, its queue and its peers' addresses are used by one thread at a time. There are two reasons: the port's own state changes along
//! with them, and not all providers keep their promise where addresses are shared (`endpoint`).
//!
//! # What it does not do
//!
//! libfabric neither authenticates nor encrypts: a process that can reach a PE's endpoint can send messages to it, and write to the PE's
//! memory unless the provider has random keys (`extents`). On networks where this matters, use a fabric that authenticates its peers.
//!
//! `PROVIDERS.md`, beside this crate's manifest, lists what providers need and how each need is met.
//!
//! | part | files |
//! |---|---|
//! | choice | `info`, `offer`: what libfabric offers; `select_provider`, `candidate`: the choice and its reasons; `plan`: decisions that follow from capabilities |
//! | objects | `object`, `domain`, `endpoint`, `regions`, `extents` |
//! | a port | `port`, with `rma`, `atomics`, `messages`, `completion`, `peers`; `buffers`, `local_memory`: memory of the initiator |
//! | the engine's side | `open`, `rails` (several NICs, each with a domain), `transport`, `shared`, `options`; `absent`: a build without headers |
#![warn(missing_docs)]
#![cfg_attr(not(bindings), forbid(unsafe_code))]

mod candidate;
mod options;

#[cfg(not(bindings))]
mod absent;
#[cfg(not(bindings))]
pub use absent::{open, survey};

#[cfg(bindings)]
mod atomics;
#[cfg(bindings)]
mod buffers;
#[cfg(bindings)]
mod completion;
#[cfg(bindings)]
mod domain;
#[cfg(bindings)]
mod endpoint;
#[cfg(bindings)]
mod extents;
#[cfg(bindings)]
mod info;
#[cfg(bindings)]
mod local_memory;
#[cfg(bindings)]
mod messages;
#[cfg(bindings)]
mod object;
#[cfg(bindings)]
mod offer;
#[cfg(bindings)]
mod open;
#[cfg(bindings)]
mod peers;
#[cfg(bindings)]
mod plan;
#[cfg(bindings)]
mod port;
#[cfg(bindings)]
mod rails;
#[cfg(bindings)]
mod regions;
#[cfg(bindings)]
mod rma;
#[cfg(bindings)]
mod select_provider;
#[cfg(bindings)]
mod shared;
#[cfg(bindings)]
mod transport;

pub use candidate::{Candidate, Survey, Verdict};
#[cfg(bindings)]
pub use open::{engine, engine_with, open, open_with, survey};
pub use options::Options;
#[cfg(bindings)]
pub use {port::OfiPort, transport::OfiTransport};

/// Whether libfabric's headers were present when this crate was built. Without them, [`open()`] and [`survey`] only report the reason.
pub const BUILT: bool = cfg!(bindings);
