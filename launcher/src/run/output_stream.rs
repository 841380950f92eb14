//! The two output streams of a PE.

/// Standard output or standard error.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum OutputStream {
    Out,
    Err,
}
