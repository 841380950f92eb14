//! Room under construction.
pub mod heap;
