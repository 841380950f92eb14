//! Reductions with the result on every member. All close their epoch, work in place (but for `whole` and `relay`), and give
//! every member the same bits.

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
