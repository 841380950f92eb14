//! What was seen of a job: data, and what is made of them. No processes, no clocks, no communication.
//!
//! Each PE of a job that is profiled gathers a [`Record`]. It travels as bytes ([`codec`]); PE 0 merges those of all PEs into a
//! [`Job`] and writes one page ([`page`]), a trace ([`chrome`], [`otf2`]), or both.
//!
//! | file | job |
//! |---|---|
//! | [`record`] | what one PE has gathered |
//! | [`codec`] | records as bytes |
//! | [`clock`] | how far the clocks of hosts are apart |
//! | [`job`] | the records of all PEs in one: sums, and who came last to which collective |
//! | [`remarks`] | what stands out, in words |
//! | [`heat`] | who talks to whom, in no more cells than a page can have |
//! | [`page`], `page/*` | the page: data, style and script in one file |
//! | [`flows`] | which put ended which wait |
//! | [`chrome`] | the trace in the JSON of Chrome's and Perfetto's viewers |
//! | [`otf2`] | the trace in OTF2, by its library |
//! | [`json`] | JSON as it is written here |

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
