//! Deterministic, adversarial worlds: one in which collectives are tested, and one for the engine of one-sided communication
//! ([`engine`]).
//!
//! A run is a seed. The seed decides what is done, the sizes and every step of the schedule, so a failing run is repeated by its seed.
//! In the world of collectives messages may be reordered and delayed without bound, and a message's bytes and its flag arrive together.
//! In the engine's a network does whatever the limits of its ports allow.
#![deny(unsafe_code)]

pub mod careless;
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
