//! Profile of a job: the recorded data, and the reports made of them. This crate starts no processes, reads no clocks and does not
//! communicate.
//!
//! Each PE of a profiled job gathers a [`Record`] and sends it as bytes ([`codec`]). PE 0 merges the records of all PEs into a
//! [`Job`] and writes one page ([`page`]), a trace ([`chrome`], [`otf2`]), or both.
//!
//! | file | job |
//! |---|---|
//! | [`record`] | the data that one PE gathers |
//! | [`codec`] | records as bytes |
//! | [`clock`] | the offsets between the clocks of hosts |
//! | [`job`] | the records of all PEs merged: sums, and the PE that came last to each collective |
//! | [`remarks`] | the most important findings, in words |
//! | [`heat`] | traffic between PEs, as a matrix that fits on a page |
//! | [`page`], `page/*` | the page: data, style and script in one file |
//! | [`flows`] | which put ended which wait |
//! | [`chrome`] | the trace in the JSON of Chrome's and Perfetto's viewers |
//! | [`otf2`] | the trace in OTF2, by its library |
//! | [`json`] | writes JSON |
#![warn(missing_docs)]
#![forbid(unsafe_code)]

pub mod chrome;
pub mod clock;
pub mod codec;
pub mod flows;
pub mod heat;
pub mod job;
pub mod json;
pub mod otf2;
pub mod page;
pub mod record;
pub mod remarks;

pub use job::Job;
pub use record::{Class, Event, Meeting, Peer, Record, Routine, Team};
