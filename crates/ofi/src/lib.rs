//! A [`Fabric`](ferrite_fabric::Fabric) over libfabric, whose library is opened at run time.
//!
//! # How it works
//!
//! Of all that libfabric offers on a machine a ladder picks one provider and NIC ([`survey`] says why), and `plan`
//! turns its capabilities into decisions, once. From there on:
//!
//! - A PE has one **service** endpoint: peers know its address, reach memory that is registered with it, and send
//!   requests to it for what only a processor can do. A **lane** sends from another endpoint, its own or a shared one.
//! - Puts and gets are the provider's reads and writes (`post`). A put is complete when it has been delivered
//!   (FI_DELIVERY_COMPLETE), so quiet is a matter of counting. Up to 4 KiB its source is free at once: the provider copies
//!   it (inject), or we do.
//! - Atomics and small puts with a signal are **requests** that the target's processor executes, in one domain with
//!   PEs that map the memory (`service`); where the NIC has all atomics they are the NIC's (`nic`).
//! - Order: a lane holds back what is behind a fence until what was before it has arrived at that peer, unless the
//!   provider promises that very order (`peers`).
//! - Progress: the program makes it while it is inside the library, a thread does otherwise (`progress`).
//! - An operation that fails, and a peer that is lost with it, is a [`Fabric::fault`](ferrite_fabric::Fabric::fault).
//!
//! # Threads
//!
//! The provider is asked for FI_THREAD_SAFE: lanes of several contexts, the service and the progress thread use one
//! domain at once. Each endpoint, its queue and its peers' addresses are used by one thread at a time all the same, under
//! a mutex that says who (`lane`, `service`), because what we keep beside them is changed with them, and because not all
//! providers keep what they promise where addresses are shared (`endpoint`).
//!
//! # What it does not do
//!
//! libfabric neither authenticates nor encrypts: who can reach a PE's endpoint can write to its memory. On networks where that
//! matters, use a fabric that proves who is there.
//!
//! `PROVIDERS.md`, beside this crate's manifest, lists what providers need and how each need is met.
#![cfg_attr(not(bindings), forbid(unsafe_op_in_unsafe_fn))]

mod candidate;
mod options;

#[cfg(not(bindings))]
mod absent;
#[cfg(not(bindings))]
pub use absent::{OfiFabric, survey};

#[cfg(bindings)]
mod buffers;
#[cfg(bindings)]
mod domain;
#[cfg(bindings)]
mod doze;
#[cfg(bindings)]
mod endpoint;
#[cfg(bindings)]
mod extents;
#[cfg(bindings)]
mod fabric;
#[cfg(bindings)]
mod info;
#[cfg(bindings)]
mod ladder;
#[cfg(bindings)]
mod lane;
#[cfg(bindings)]
mod ledger;
#[cfg(bindings)]
mod lend;
#[cfg(bindings)]
mod nic;
#[cfg(bindings)]
mod object;
#[cfg(bindings)]
mod offer;
#[cfg(bindings)]
mod peers;
#[cfg(bindings)]
mod plan;
#[cfg(bindings)]
mod post;
#[cfg(bindings)]
mod progress;
#[cfg(bindings)]
mod regions;
#[cfg(bindings)]
mod service;
#[cfg(bindings)]
mod shared;
#[cfg(bindings)]
mod sockets;
#[cfg(bindings)]
mod watch;
#[cfg(bindings)]
mod wire;

pub use candidate::{Candidate, Survey, Verdict};
#[cfg(bindings)]
pub use fabric::{OfiFabric, survey};
pub use options::Options;

/// Whether libfabric's headers were there when this was built: without them it only says so.
pub const BUILT: bool = cfg!(bindings);
