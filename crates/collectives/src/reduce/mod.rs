//! Reductions with the result on every member. All close their epoch, work in place (but for `whole`), and give every member the same bits.

mod board;
mod direct;
mod doubling;
mod rabenseifner;
mod ring;
mod tree;
mod whole;

pub use board::board;
pub use direct::direct;
pub use doubling::doubling;
pub use rabenseifner::rabenseifner;
pub use ring::ring;
pub use tree::{to_first, tree};
pub use whole::whole;
