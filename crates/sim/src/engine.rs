//! The engine of one-sided communication, proven as collectives are: over ports of a network that an adversary runs.
//!
//! A [`trial`] is a seed. It decides what ports can do ([`limits`]), what lanes do ([`program`]), and who goes next. The network delivers
//! whatever order the limits do not exclude, late, in pieces, and with refusals ([`network`], behind [`port`]). After each step all
//! memory is held against a [`model`] that knows from fences, completions and what it has seen what may still be seen. [`explore`] makes
//! all choices of an [`adversary`] in turn, for small programs.
#![allow(unsafe_code)]

pub mod adversary;
pub mod explore;
pub mod limits;
pub mod model;
pub mod network;
pub mod port;
pub mod program;
pub mod trial;
