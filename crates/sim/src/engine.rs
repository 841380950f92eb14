//! Tests of the engine of one-sided communication. Like the tests of collectives, they run against an adversary, which controls the network
//! below the engine's ports.
//!
//! A [`trial`] is defined by a seed, which decides the capabilities of ports ([`limits`]), the operations of lanes ([`program`]), and the
//! order of steps. The network delivers in any order that the limits do not exclude, late, in pieces, and with refusals ([`network`],
//! behind [`port`]). After each step all memory is checked against a [`model`], which derives from fences, completions and the values seen
//! so far which values may still be seen. [`explore`] makes all choices of an [`adversary`] in turn, for small programs.
#![allow(unsafe_code)]

pub mod adversary;
pub mod explore;
pub mod limits;
pub mod model;
pub mod network;
pub mod port;
pub mod program;
pub mod trial;
