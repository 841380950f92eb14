//! The life of a world: it is started, it ends, and what it prints and reports meanwhile.

pub(crate) mod exit;
mod fortran_flush;
pub(crate) mod logging;
pub(crate) mod phase;
pub(crate) mod start;
pub(crate) mod streams;
