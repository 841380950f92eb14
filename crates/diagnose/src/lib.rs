//! The state that PEs publish in the memory of their node, and the conclusions that can be drawn from it.
//!
//! | file | job |
//! |---|---|
//! | [`entry`] | one call of a collective: its kind, root and size |
//! | [`board`] | everything that a PE publishes: shared memory |
//! | [`record`] | the last calls of a team, by each of its members: shared memory |
//! | [`ring`] | the last calls of a PE, the flight recorder: shared memory |
//! | [`status`] | the current state of a PE: shared memory |
//! | [`text`](mod@text) | short texts in shared memory |
//! | [`judge`](mod@judge) | which PEs can never go on. Pure |
//! | [`sight`] | the views of PEs on several hosts, combined. Pure |
//! | [`compare`] | which calls contradict each other. Pure |
//! | [`still`] | which reports are due because nothing moves. Pure |
//! | [`report`] | the texts of reports. Pure |
//! | [`account`] | reports with the last calls of the PEs that matter. Pure |
//!
//! # Proofs
//!
//! A program that is correct but slow must never be accused. So no proof rests on the time that has passed; reports that do ([`still`]) say
//! so. There are two proofs, and both rest on facts that cannot become untrue.
//!
//! *Different collectives.* Each member of a team counts the collectives that it calls there. Members that have called different ones under
//! one number have broken the rules, whether or not a PE waits ([`record`]).
//!
//! *No PE is left to end a wait.* Each PE of a set is in a wait that only other PEs of the set could end ([`judge`](mod@judge)). To see all
//! of them at one moment, the observing PE reads the status of all twice. Each of them was in the same wait at both times, and has in
//! between looked, in vain, for the event that it waits for. So at the second reading all of them wait, and none of them has done anything
//! since the first.
#![warn(missing_docs)]

pub mod account;
pub mod board;
pub mod compare;
pub mod entry;
pub mod judge;
pub mod record;
pub mod report;
pub mod ring;
pub mod sight;
pub mod status;
pub mod still;
pub mod text;
