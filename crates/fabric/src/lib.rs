//! The vocabulary of one-sided communication, and the two traits that a provider implements.
//!
//! A [`Fabric`] reaches PEs whose memory this process cannot map; what it can map never comes here (the near
//! path of the runtime is a guard and a copy). Addresses travel as (segment, offset), never as pointers, so
//! that every PE may lay out its address space as it likes.
//!
//! Contracts are stated here, on the traits. Whoever calls a [`Lane`] has validated the operation; a provider
//! checks nothing again.
#![deny(unsafe_code)]

mod error;
mod op;
mod progress;
mod provider;

pub use error::{Error, Result};
pub use op::{Amo, Op, Pe, Remote, SegmentId, SignalOp, Width};
pub use progress::Progress;
pub use provider::{AddressBook, Busy, Caps, Doze, Fabric, Key, Lane, Segment, Stage, Ticket};
