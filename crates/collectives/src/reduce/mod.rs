//! Reductions whose result goes to every member. All algorithms close their epoch, give every member the same bits, and
//! work in place, except `whole` and `relay`.

mod board;
mod direct;
mod doubling;
mod rabenseifner;
mod relay;
mod ring;
mod tree;
mod whole;

pub use board::board;
pub use direct::direct;
pub use doubling::doubling;
pub use rabenseifner::rabenseifner;
pub use relay::{fits as relay_fits, relay};
pub use ring::ring;
pub use tree::{to_first, tree};
pub use whole::whole;
