//! The vocabulary of one-sided communication, and the two traits that a provider implements.
//!
//! A [`Fabric`] reaches PEs whose memory this process cannot map; what it can map never comes here (the near
//! path of the runtime is a guard and a copy). Addresses travel as (segment, offset), never as pointers, so
//! that every PE may lay out its address space as it likes.
//!
//! Contracts are stated here, on the traits. Whoever calls a [`Lane`] has validated the operation; a provider
//! checks nothing again.
#![deny(unsafe_code)]

mod bell;
mod doze;
mod error;
mod fate;
mod links;
pub mod locked;
pub mod maps;
pub mod mutex;
mod op;
mod pool;
mod progress;
mod provider;
pub mod segments;
pub mod signals;
mod silence;
pub mod sockets;
pub mod sources;
pub mod threads;
pub mod tick;
mod turns;

pub use bell::{Bell, sleep_on};
pub use doze::Doze;
pub use error::{Error, Result};
pub use fate::Fate;
pub use links::Links;
pub use op::{Amo, Op, Pe, Remote, SegmentId, SignalOp, Width};
pub use pool::Pool;
pub use progress::Progress;
pub use provider::{AddressBook, Busy, Caps, Fabric, Key, Lane, Segment, Stage, Ticket};
pub use silence::{Quiet, Silence};
pub use turns::Turns;
