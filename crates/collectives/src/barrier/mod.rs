//! Barriers. All of them close their epoch, and carry no data.

mod central;
mod dissemination;
mod tree;

pub use central::central;
pub use dissemination::dissemination;
pub use tree::tree;
