//! Deterministic, adversarial worlds: one tests collectives, the other the engine of one-sided communication ([`engine`]).
//!
//! A run is defined by a seed, which decides the operations, their sizes and every step of the schedule. A failing run is repeated from its
//! seed. In the world of collectives, messages may be reordered and delayed without bound, but a message's bytes and its flag arrive
//! together. In the engine's world, the network may do anything that the limits of its ports allow.
//!
//! | part | files |
//! |---|---|
//! | collectives | `world`, `member` (may forget a wait, which must be caught), `memory` (detects races), `schedule` (adversaries), `trial`, `expect`, `ops` |
//! | their tests | `explore`: every schedule of a small trial |
//! | engine | `engine`: its own documentation lists the parts |
//! | costs | `model`, `scale` |
#![deny(unsafe_code)]

pub mod engine;
pub mod expect;
pub mod explore;
pub mod member;
pub mod memory;
pub mod model;
pub mod ops;
pub mod rng;
pub mod scale;
pub mod schedule;
pub mod trial;
pub mod world;
