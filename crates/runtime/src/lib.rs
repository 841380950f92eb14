//! Room under construction.
pub mod heap;
pub mod statics;
