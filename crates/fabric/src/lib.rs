//! The vocabulary of one-sided communication, and the two traits through which the runtime uses it. `ferrite-engine` implements both, over
//! any transport.
//!
//! A [`Fabric`] reaches PEs whose memory this process does not map. Operations on mapped memory do not pass through it, except atomics if a
//! NIC executes all of them: the near path of the runtime is a guard and a copy. Addresses travel as (segment, offset), never as pointers,
//! so that every PE may lay out its address space as it likes.
//!
//! Contracts are stated here, on the traits. The caller of a [`Lane`] has validated the operation; the fabric does not check it again.
//! Messages from peers are checked (`segments` of the engine).
#![warn(missing_docs)]
#![deny(unsafe_code)]

mod error;
mod op;
mod progress;
mod provider;
mod slingshot;

pub use error::{Error, Result};
pub use op::{Amo, Op, Pe, Remote, SegmentId, SignalOp, Width};
pub use progress::Progress;
pub use provider::{About, AddressBook, Alarm, Busy, Caps, Doze, Fabric, Key, Lane, Segment, Stage, Ticket, Words};
pub use slingshot::{AuthKey, Slingshot};
