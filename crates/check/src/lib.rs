//! Rules that find mistakes in OpenSHMEM programs, without a runtime: recorded accesses ([`shadow`]), the happens-before order ([`races`]),
//! and the comparison of collectives between the members of a team ([`collectives`]).
//!
//! # The memory model
//!
//! Each access is made by a *strand*: a thread, or a *lane*. A lane stands for the operations of one kind that a thread has in progress on
//! one context to one PE. Each strand counts epochs. A [`clock`] records for each strand the epoch up to which everything has happened. Two
//! accesses of the same bytes, at least one of them a write, are a race unless the strand that makes one of them has the other in its
//! clock.
//!
//! | the program calls | effect |
//! |---|---|
//! | put, blocking | the thread reads the source; the lane of puts writes the destination |
//! | put, non-blocking | the lane of puts reads the source and writes the destination |
//! | put with a signal | as a put, on a lane of its own, which is complete for a thread that has seen the signal |
//! | get | the thread reads and writes |
//! | get, non-blocking, or an atomic's old value | the lane of gets reads and writes |
//! | atomic without an answer, signal | the lane of puts writes, atomically; the thread's clock is left at the word |
//! | atomic with an answer, wait, test that succeeds | the thread takes the clock that lies at the word |
//! | fence | later writes of the lanes of puts come after their earlier writes |
//! | quiet | all lanes of the context enter the thread's clock |
//! | barrier, sync, collectives | clocks go from the PEs that send data to the PEs that receive them; a barrier begins with a quiet |
//! | lock | `clear_lock` is a quiet and leaves the clock, `set_lock` takes it |
//!
//! A fence does not order gets; only a quiet completes them. Atomics of one type in one domain do not race with each other. Where the
//! specification is ambiguous, the rule is the one that reports fewer races.
//!
//! The PEs of a host share one piece of memory ([`area`]), which consists of atomics only: any order of updates leaves it valid, and at
//! worst a race is missed.
#![warn(missing_docs)]

pub mod area;
pub mod cell;
pub mod clock;
pub mod collectives;
mod lanes;
mod lock;
pub mod private;
pub mod races;
pub mod shadow;
mod thread;

pub use area::Area;
pub use cell::{Access, Class};
pub use collectives::{Collective, Mismatch, Returned, SetCall};
pub use races::{Conflict, Place, Races};
pub use thread::{Stamp, Thread};

/// The exit code of a job in which mistakes were found.
pub const EXIT_CODE: core::ffi::c_int = 86;
