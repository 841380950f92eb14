//! A deterministic, adversarial simulator in which collectives are tested.
//!
//! A run is a seed. The seed decides the collectives, the sizes and every step of the schedule, so a failing run is
//! repeated by its seed. Messages may be reordered and delayed without bound. Only a message's bytes and its flag
//! arrive together.
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
