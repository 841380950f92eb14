//! Broadcasts. They are open. They do not write the root's `Dest`: the team's routine copies it there.

mod knomial;
mod pull;
mod scatter_allgather;

pub use knomial::knomial;
pub use pull::pull;
pub use scatter_allgather::scatter_allgather;
