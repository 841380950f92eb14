//! The rules by which mistakes of OpenSHMEM programs are found, without a runtime: who has touched which bytes ([`shadow`]), what
//! happens before what ([`races`]), and whether the members of a team call the same collective ([`collectives`]).
//!
//! # The memory model that is held against a program
//!
//! An access is made by a *strand*: a thread, or a *lane*, which is what a thread has under way on one context to one PE. A
//! strand counts epochs; a [`clock`] says up to which epoch of each strand everything has happened. Two accesses of the same bytes,
//! one of them a write, are a race unless one is in the clock of whoever makes the other.
//!
//! | the program calls | what happens |
//! |---|---|
//! | put, blocking | the source is read by the thread; the destination is written by the lane of puts |
//! | put, non-blocking | the same lane reads the source |
//! | put with a signal | a lane of its own, which is over for who has seen the signal |
//! | get | the thread reads and writes |
//! | get, non-blocking, or an atomic's old value | the lane of gets reads and writes |
//! | atomic without an answer, signal | the lane of puts writes, atomically; the thread's clock is left at the word |
//! | atomic with an answer, wait, test that holds | the clock that lies at the word is taken |
//! | fence | what the lanes of puts write later comes after what they wrote before |
//! | quiet | all lanes of the context are in the thread's clock |
//! | barrier, sync, collectives | clocks go from who gives data to who gets them; a barrier is a quiet before |
//! | lock | `clear_lock` is a quiet and leaves the clock, `set_lock` takes it |
//!
//! A fence is of no use to gets, and nothing but a quiet ends them. Atomics of one type in one domain do not race with each
//! other. Where the specification leaves something open, the rule is the one that accuses less.
//!
//! Everything that PEs of a host share lies in one piece of memory ([`area`]), which is nothing but atomics: any order of
//! updates leaves it sound, and at worst a race goes unseen.

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
