//! Scans, in rank order: inclusive, and exclusive with zero at rank 0. They are open, and work in place at any size.

mod chain;
mod doubling;

pub use chain::chain;
pub use doubling::doubling;

/// Whether a member's own part belongs to its result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// `dest` of rank i combines ranks `0..=i`.
    Inclusive,
    /// `dest` of rank i combines ranks `0..i`; rank 0 gets all bytes zero.
    Exclusive,
}
