//! A [`Fabric`](ferrite_fabric::Fabric) over libfabric, whose library is opened at run time: the engine of all transports
//! ([`ferrite_engine`]), and a port over libfabric's endpoints.
//!
//! # How it works
//!
//! Of all that libfabric offers on a machine `select_provider` picks one provider and NIC ([`survey`] says why), and `plan`
//! turns its capabilities into decisions, once. From there on:
//!
//! - A PE has one **service** port: peers know its endpoint's address, reach memory that is registered with it (`regions`), and send
//!   messages to it, requests and answers. A **lane's** port sends from another endpoint, and receives nothing.
//! - Puts and gets are the provider's writes and reads (`rma`). A put is complete when it has been delivered
//!   (FI_DELIVERY_COMPLETE), so quiet is a matter of counting. Up to 4 KiB its source is free at once: the provider copies
//!   it (inject), or we do (`local_memory`).
//! - Atomics and small puts with a signal are messages (`messages`) that the target's processor executes, in one domain with
//!   PEs that map the memory. A longer put with a signal is a write, and then a message. Where the NIC has all atomics it executes
//!   them (`atomics`), and a put with a signal is a write with an atomic behind it.
//! - An operation that fails, and a peer that is lost with it, is a [`Fabric::fault`](ferrite_fabric::Fabric::fault).
//!
//! # Threads
//!
//! The provider is asked for FI_THREAD_SAFE: ports of several lanes and the service use one domain at once. Each endpoint, its queue and
//! its peers' addresses are used by one thread at a time all the same, because what we keep beside them is changed with them, and
//! because not all providers keep what they promise where addresses are shared (`endpoint`).
//!
//! # What it does not do
//!
//! libfabric neither authenticates nor encrypts: who can reach a PE's endpoint can write to its memory. On networks where that
//! matters, use a fabric that proves who is there.
//!
//! `PROVIDERS.md`, beside this crate's manifest, lists what providers need and how each need is met.
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
pub use open::{engine, engine_with, open, survey};
pub use options::Options;
#[cfg(bindings)]
pub use {port::OfiPort, transport::OfiTransport};

/// Whether libfabric's headers were there when this was built: without them it only says so.
pub const BUILT: bool = cfg!(bindings);
