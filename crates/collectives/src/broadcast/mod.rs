//! Broadcasts. They are open, and leave the root's `Dest` alone: the team form copies there itself.

mod knomial;
mod pull;
mod scatter_allgather;

pub use knomial::knomial;
pub use pull::pull;
pub use scatter_allgather::scatter_allgather;
