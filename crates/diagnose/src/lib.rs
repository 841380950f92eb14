//! What PEs publish of themselves in the memory of their node, and what can be told from it.
//!
//! | file | job |
//! |---|---|
//! | [`entry`] | one call of a collective: its kind, root and size |
//! | [`board`] | all that a PE publishes: shared memory |
//! | [`record`] | the last calls of a team, by each of its members: shared memory |
//! | [`ring`] | the last calls of a PE, the flight recorder: shared memory |
//! | [`status`] | what a PE is in now: shared memory |
//! | [`text`](mod@text) | short texts in shared memory |
//! | [`judge`](mod@judge) | which PEs can never go on. Pure |
//! | [`sight`] | what is seen of PEs of several hosts, put together. Pure |
//! | [`compare`] | which calls contradict each other. Pure |
//! | [`report`] | what the user is told. Pure |
//! | [`account`] | the same, with the last calls of those that matter. Pure |
//!
//! # What is proof
//!
//! A program that is right but slow must never be accused. So nothing here is concluded from time that has passed; there are two
//! proofs, and both rest on facts that cannot become untrue.
//!
//! *Different collectives.* Each member of a team counts the collectives that it calls there. Members that have called different ones
//! under one number have broken the rules, whether or not anybody waits ([`record`]).
//!
//! *Nobody is left to end a wait.* Each PE of a set is in a wait that only others of the set could end ([`judge`](mod@judge)). To see
//! all of them at one moment, a PE that looks reads the status of all twice: each of them was in the same wait at both times, and has
//! itself looked for what it waits for in between, in vain. So at the second reading all of them wait, and nobody has done anything
//! since the first.

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
pub mod text;
