//! The program around the library: its standard streams, its end by a signal, and what else runs in its process. These are facts of the
//! process, not of a world.
//!
//! | file | job |
//! |---|---|
//! | [`crash`] | the report of a PE that dies by a signal: the handlers |
//! | [`mod@line`] | a line that a signal handler can print |
//! | [`streams`] | how standard streams are buffered, and when they are flushed |
//! | [`fortran_flush`] | flushes the units of Fortran |
//! | [`solitude`] | whether a thread, a child, a signal handler or a tracer could store to the program's memory |
#![warn(missing_docs)]

pub mod crash;
pub mod fortran_flush;
pub mod line;
pub mod solitude;
pub mod streams;
