//! A deterministic, adversarial world in which collectives are proven.
//!
//! A run is a seed: it decides the collectives, the sizes and every step of the schedule, so a failure is replayed by its
//! number. Deliveries may be reordered and delayed without bound; only a message's bytes and its flag arrive together.
#![forbid(unsafe_code)]

pub mod careless;
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
