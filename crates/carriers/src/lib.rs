//! The transport to PEs whose memory is not mapped: its choice and its opening, the NICs near to the PE, and the line that tells the user.
#![deny(unsafe_code)]

mod choice;
mod line;
mod locality;

pub use choice::{HOMES, Home, HostView, Opened, mapped, open};
pub use line::of_fabric;
pub use locality::Locality;
